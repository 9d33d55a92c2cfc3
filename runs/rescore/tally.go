package rescore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// Group is what is scored together: a τ² result, or one domain of a run.
type Group struct {
	Path       string          `json:"path"`
	Layout     string          `json:"layout"`
	Domain     string          `json:"domain"`
	System     string          `json:"system"`
	Tasks      tau2.TaskChoice `json:"tasks"`
	Strictness tau2.Strictness `json:"replay"`
}

// Tally sums comparisons.
type Tally struct {
	Trials     int                  `json:"trials"`
	Outcomes   map[tau2.Outcome]int `json:"outcomes"`
	Recorded   mean                 `json:"mean_recorded"`
	Computed   mean                 `json:"mean_computed"`
	Noted      int                  `json:"with_notes"`
	Components []componentTally     `json:"components"`
}

// componentTally counts the outcomes of one component.
type componentTally struct {
	Type    domains.RewardType `json:"type"`
	Pass    int                `json:"pass"`
	Fail    int                `json:"fail"`
	NA      int                `json:"not_applicable"`
	Pending int                `json:"pending"`
	Counted int                `json:"counted"` // in the basis of so many rewards
}

// mean is an average that may be of nothing.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v *float64) {
	if v != nil {
		m.sum += *v
		m.n++
	}
}

// MarshalJSON writes the average, null for none.
func (m mean) MarshalJSON() ([]byte, error) {
	if m.n == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(m.sum / float64(m.n))
}

func (m mean) String() string {
	if m.n == 0 {
		return "none"
	}
	return fmt.Sprintf("%.4f of %d", m.sum/float64(m.n), m.n)
}

func newTally() Tally { return Tally{Outcomes: map[tau2.Outcome]int{}} }

func (t *Tally) add(c tau2.Comparison) {
	t.Trials++
	t.Outcomes[c.Outcome]++
	t.Recorded.add(c.Recorded)
	t.Computed.add(c.Computed)
	if len(c.Notes) > 0 {
		t.Noted++
	}
	if c.Score == nil {
		return
	}
	for _, x := range c.Score.Components {
		i := slices.IndexFunc(t.Components, func(y componentTally) bool { return y.Type == x.Type })
		if i < 0 {
			t.Components = append(t.Components, componentTally{Type: x.Type})
			i = len(t.Components) - 1
		}
		n := &t.Components[i]
		switch x.State {
		case sim.Pass:
			n.Pass++
		case sim.Fail:
			n.Fail++
		case sim.Pending:
			n.Pending++
		default:
			n.NA++
		}
		if x.Counted {
			n.Counted++
		}
	}
}

// merge adds the counts of another tally; components stay with their groups.
func (t *Tally) merge(o Tally) {
	if t.Outcomes == nil {
		t.Outcomes = map[tau2.Outcome]int{}
	}
	t.Trials += o.Trials
	t.Noted += o.Noted
	for k, n := range o.Outcomes {
		t.Outcomes[k] += n
	}
	t.Recorded = mean{t.Recorded.sum + o.Recorded.sum, t.Recorded.n + o.Recorded.n}
	t.Computed = mean{t.Computed.sum + o.Computed.sum, t.Computed.n + o.Computed.n}
}

// Agreement is the share of recorded rewards that scoring reproduced.
func (t Tally) Agreement() float64 {
	recorded := t.Recorded.n
	if recorded == 0 {
		return 1
	}
	return float64(t.Outcomes[tau2.Agree]) / float64(recorded)
}

// counts lists the outcomes that occur.
func (t Tally) counts() string {
	var parts []string
	for _, o := range []tau2.Outcome{tau2.Agree, tau2.Differ, tau2.Unrecorded, tau2.Waiting, tau2.Void, tau2.Failed} {
		if n := t.Outcomes[o]; n > 0 || o == tau2.Agree {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}
