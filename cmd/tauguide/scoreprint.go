package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// group is what is scored together: a τ² result, or one domain of a run.
type group struct {
	Path       string          `json:"path"`
	Layout     string          `json:"layout"`
	Domain     string          `json:"domain"`
	System     string          `json:"system"`
	Tasks      tau2.TaskChoice `json:"tasks"`
	Strictness tau2.Strictness `json:"replay"`
}

// tally sums comparisons.
type tally struct {
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

func newTally() tally { return tally{Outcomes: map[tau2.Outcome]int{}} }

func (t *tally) add(c tau2.Comparison) {
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
func (t *tally) merge(o tally) {
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

// agreement is the share of recorded rewards that scoring reproduced.
func (t tally) agreement() float64 {
	recorded := t.Recorded.n
	if recorded == 0 {
		return 1
	}
	return float64(t.Outcomes[tau2.Agree]) / float64(recorded)
}

// counts lists the outcomes that occur.
func (t tally) counts() string {
	var parts []string
	for _, o := range []tau2.Outcome{tau2.Agree, tau2.Differ, tau2.Unrecorded, tau2.Waiting, tau2.Void, tau2.Failed} {
		if n := t.Outcomes[o]; n > 0 || o == tau2.Agree {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}

// printer shows comparisons as they come.
type printer interface {
	begin(g group)
	trial(c tau2.Comparison) error
	close(g group, t tally) error
	end(total tally) error
}

func newPrinter(p process, f scoreFlags) printer {
	if f.asJSON {
		return &jsonPrinter{w: p.stdout}
	}
	return &textPrinter{w: p.stdout, flags: f}
}

// textPrinter prints for people: each trial that is worth a look, then the sums of the group.
type textPrinter struct {
	w      io.Writer
	flags  scoreFlags
	groups int
}

func (t *textPrinter) line(format string, args ...any) {
	fmt.Fprintln(t.w, show.Safe(fmt.Sprintf(format, args...)))
}

func (t *textPrinter) begin(g group) {
	if t.groups++; t.groups > 1 {
		t.line("")
	}
	t.line("%s: %s, %s by %s; %s tasks, %s replay", g.Path, g.Layout, g.Domain, g.System, g.Tasks, g.Strictness)
}

func (t *textPrinter) trial(c tau2.Comparison) error {
	quiet := c.Outcome == tau2.Agree && len(c.Parts) == 0 || c.Outcome == tau2.Void
	if !quiet || t.flags.all || t.flags.hash {
		t.line("  %s", headline(c))
	}
	if !quiet || t.flags.all {
		t.details(c)
	}
	if h := c.Hashes; h != nil {
		t.line("    agent %s gold %s", h.Agent, h.GoldAgent)
		if h.User != "" {
			t.line("    user  %s gold %s", h.User, h.GoldUser)
		}
	}
	return nil
}

// headline names a trial and its outcome.
func headline(c tau2.Comparison) string {
	id := ""
	if c.ID != "" {
		id = " " + c.ID
	}
	s := fmt.Sprintf("%s/%d%s: %s", c.Task, c.Trial, id, c.Outcome)
	switch {
	case c.Outcome == tau2.Failed:
		return s + ", " + oneLine(c.Err)
	case c.Outcome == tau2.Void:
		return s + ", ended with " + string(c.Reason)
	}
	return fmt.Sprintf("%s, reward recorded %s, now %s (%s)", s, rewardText(c.Recorded), rewardText(c.Computed), c.Reason)
}

// oneLine keeps texts of tools, which may have many lines, from tearing the list.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func rewardText(r *float64) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%g", *r)
}

func (t *textPrinter) details(c tau2.Comparison) {
	if c.Score != nil {
		t.line("    %s", componentsText(*c.Score))
	}
	for _, x := range c.Parts {
		counted := "diagnostic, not scored"
		if x.Counted {
			counted = "counted"
		}
		t.line("    %s (%s): recorded %s, now %s", x.Component, counted, x.Recorded, x.Computed)
		for _, why := range x.Why {
			t.line("      %s", why)
		}
	}
	if c.Score != nil && c.Score.Pending != "" {
		t.line("    pending: %s", c.Score.Pending)
	}
	for _, n := range c.Notes {
		t.line("    note: %s", oneLine(n))
	}
}

// componentsText is all components of a score in one line, those that count marked, and the basis.
func componentsText(s sim.Score) string {
	var parts []string
	for _, x := range s.Components {
		mark := ""
		if x.Counted {
			mark = "*"
		}
		parts = append(parts, fmt.Sprintf("%s%s %s", x.Type, mark, x.State))
	}
	if len(parts) == 0 {
		return "no criteria"
	}
	return strings.Join(parts, ", ") + "; basis " + tau2.Basis(s.Info.RewardBasis)
}

func (t *textPrinter) close(_ group, sum tally) error {
	t.line("  %d trials: %s; mean reward recorded %s, now %s; %d with notes", sum.Trials, sum.counts(), sum.Recorded, sum.Computed, sum.Noted)
	if len(sum.Components) > 0 {
		t.line("  %-14s %6s %6s %6s %8s %8s", "component", "pass", "fail", "n.a.", "pending", "counted")
	}
	for _, x := range sum.Components {
		t.line("  %-14s %6d %6d %6d %8d %8d", x.Type, x.Pass, x.Fail, x.NA, x.Pending, x.Counted)
	}
	return nil
}

func (t *textPrinter) end(total tally) error {
	if t.groups > 1 {
		t.line("")
		t.line("total: %d trials: %s; mean reward recorded %s, now %s", total.Trials, total.counts(), total.Recorded, total.Computed)
	}
	return nil
}

// jsonPrinter writes one document, trial by trial.
type jsonPrinter struct {
	w      io.Writer
	groups int
	trials int
	err    error
}

func (j *jsonPrinter) write(format string, args ...any) {
	if j.err == nil {
		_, j.err = fmt.Fprintf(j.w, format, args...)
	}
}

func (j *jsonPrinter) value(v any) {
	text, err := json.Marshal(v)
	if j.err == nil {
		j.err = err
	}
	j.write("%s", text)
}

func (j *jsonPrinter) begin(g group) {
	if j.groups == 0 {
		j.write("{\"results\":[")
	} else {
		j.write(",")
	}
	j.groups++
	j.trials = 0
	j.write("\n{\"about\":")
	j.value(g)
	j.write(",\"trials\":[")
}

func (j *jsonPrinter) trial(c tau2.Comparison) error {
	if j.trials++; j.trials > 1 {
		j.write(",")
	}
	j.write("\n")
	j.value(c)
	return j.err
}

func (j *jsonPrinter) close(_ group, t tally) error {
	j.write("],\"summary\":")
	j.value(t)
	j.write("}")
	return j.err
}

func (j *jsonPrinter) end(total tally) error {
	if j.groups == 0 {
		j.write("{\"results\":[")
	}
	j.write("],\"total\":")
	j.value(total)
	j.write("}\n")
	return j.err
}
