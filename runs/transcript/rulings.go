package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// policyGuardMode is the mode in the events of messages that PolicyGuard held back.
const policyGuardMode = "policyguard"

// Ruling is what a guard or a controller said at a position: each of its rules that it looked at, and how that came out.
type Ruling struct {
	Pos    int
	To     string // the anchor of the event or the message
	Title  string
	Passed bool
	Why    string
	Rules  []Check // of rules that were not looked at, the outcome is not known
}

// rulingsOf are the rulings of a conversation, in order.
func rulingsOf(t Trial, steps []Step) (out []Ruling) {
	flow := newController(t.Guides)
	if flow != nil {
		r := flow.ruling("before any call", true)
		r.To = "#m0"
		out = append(out, r)
	}
	for _, s := range steps {
		for _, e := range s.Events {
			recorded := t.Record.Events[e.Number]
			if r, ok := rulingOf(recorded, t.Guides); ok {
				r.Pos, r.To = e.Pos, fmt.Sprintf("#e%d", e.Number)
				out = append(out, r)
			} else if e.Kind == agents.EventFlowReject {
				r := flow.ruling("rejected: "+recorded.Text, false)
				r.Pos, r.To = e.Pos, fmt.Sprintf("#e%d", e.Number)
				out = append(out, r)
			}
		}
		if m := s.Message; m != nil && flow != nil && flow.hear(t.Record.Messages[m.Index]) {
			r := flow.ruling(fmt.Sprintf("after message %d", m.Index), true)
			r.Pos, r.To = m.Pos, fmt.Sprintf("#m%d", m.Index)
			out = append(out, r)
		}
	}
	return out
}

// rulingOf reads the event of a guard; ok is false for others.
func rulingOf(e sim.Event, g *Guides) (r Ruling, ok bool) {
	var d struct {
		Tool         string           `json:"tool"`
		Pass         bool             `json:"pass"`
		Message      string           `json:"message"`
		Rule         string           `json:"rule"`
		Requirements []string         `json:"requirements"`
		Reads        []toolguard.Need `json:"reads"`
		Items        []struct{ Name, Status, Why string }
		Mode         string `json:"mode"`
		Asked        bool   `json:"asked"`
		Refusals     []struct{ Tool, Reason string }
	}
	if !decode(e.Data, &d) {
		return r, false
	}
	r = Ruling{Passed: d.Pass, Why: d.Message}
	switch e.Kind {
	case agents.EventGuard:
		for _, i := range d.Items {
			r.Rules = append(r.Rules, Check{Known: i.Status == "MET" || i.Status == "NOT MET", Met: i.Status == "MET", Label: i.Name + ":", Text: i.Status, Why: i.Why, At: -1})
		}
	case agents.EventBlock:
		if d.Mode != policyGuardMode || len(d.Refusals) == 0 || d.Asked { // the verdict has been told then
			return r, false
		}
		d.Tool, r.Why = d.Refusals[0].Tool, d.Refusals[0].Reason
	case agents.EventGuardPass, agents.EventGuardBlock:
		r.Passed = e.Kind == agents.EventGuardPass
		var reads []string
		for _, n := range d.Reads {
			reads = append(reads, n.String())
		}
		if len(reads) > 0 {
			r.Why += "\nit had read " + strings.Join(reads, ", ")
		}
		r.Rules = g.rules(d.Tool, d.Rule)
	default:
		return r, false
	}
	verdict := "refused"
	if r.Passed {
		verdict = "passed"
	}
	r.Title = fmt.Sprintf("%s %s", d.Tool, verdict)
	return r, true
}

// rules are those of ToolGuard for a tool: the ones up to the one that refused the call, which were looked at, and the rest.
func (g *Guides) rules(tool, refusing string) (out []Check) {
	known := true
	for _, c := range g.Rules() {
		if id, _, _ := strings.Cut(c.Label, " "); c.Why == tool {
			c.Known, c.Met, c.Why = known, id != refusing, ""
			known = known && c.Met
			out = append(out, c)
		}
	}
	return out
}

// Rules are all rules of ToolGuard, each with the tool that it is for.
func (g *Guides) Rules() (out []Check) {
	if g == nil {
		return nil
	}
	for _, r := range g.guards {
		c := Check{Label: r.ID + " ", Text: r.Text, Why: r.Tool, At: -1}
		if len(r.Requirements) > 0 {
			c.Label = r.ID + " (" + strings.Join(r.Requirements, ", ") + "):"
		}
		out = append(out, c)
	}
	return out
}

// controller is what FlowAgent's controllers know: which tools were called.
type controller struct {
	guides *Guides
	called map[string]bool
}

// newController is nil where no controller is.
func newController(g *Guides) *controller {
	if g == nil || g.Flow == nil {
		return nil
	}
	return &controller{g, map[string]bool{}}
}

// hear takes up a message, and reports whether a tool was called for the first time.
func (c *controller) hear(m sim.Message) (news bool) {
	if m.Role != domains.RoleAssistant {
		return false
	}
	for _, call := range m.ToolCalls {
		news, c.called[call.Name] = news || !c.called[call.Name], true
	}
	return news
}

// ruling is the state of the procedure: of each tool whether its preconditions are met.
func (c *controller) ruling(title string, passed bool) Ruling {
	r := Ruling{Title: title, Passed: passed}
	if c == nil {
		return r
	}
	for _, api := range c.guides.Flow.Document.APIs {
		var missing []string
		for _, p := range api.Preconditions {
			if !c.called[p] {
				missing = append(missing, p)
			}
		}
		check := Check{Known: true, Met: missing == nil, Label: api.Name, At: -1}
		switch {
		case missing != nil:
			check.Why = "waits for " + strings.Join(missing, ", ")
		case c.called[api.Name]:
			check.Text = "has been called"
		}
		if len(api.Preconditions) > 0 || c.called[api.Name] {
			r.Rules = append(r.Rules, check)
		}
	}
	slices.SortStableFunc(r.Rules, func(a, b Check) int { return strings.Compare(a.Why, b.Why) })
	return r
}

// Unguided says why a conversation has neither walks nor rulings.
func (c Conversation) Unguided() string {
	g := c.Guides
	switch {
	case g == nil || len(g.layers) == 0:
		return "The run does not say what guided the agent."
	case slices.Contains(g.Names, "policyguide-self"):
		return "The workflow is in the agent's own prompt, and nobody looked at where the conversation was in it."
	case len(g.Names) == 1 && !slices.ContainsFunc(agents.Overlays(), func(o agents.Entry[agents.OverlayFactory]) bool { return o.Name == g.Names[0] }):
		return g.Names[0] + " has no guide and no guard."
	}
	return strings.Join(g.Names, ", ") + ": no guide or guard had anything to look at."
}

// Oversight tells in lines what guides and guards made of the conversation: its walks, and what guards ruled.
func (c Conversation) Oversight() []string {
	out := c.Walks.Lines()
	for _, r := range c.Rulings {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s %s: %s", Mark(r.Passed), r.Title, oneLine(r.Why)), ": "))
		for _, rule := range r.Rules {
			if rule.Known && !rule.Met {
				out = append(out, fmt.Sprintf("  %s %s %s", Mark(false), rule, oneLine(rule.Why)))
			}
		}
	}
	if out == nil {
		out = []string{c.Unguided()}
	}
	if c.Guides != nil {
		out = append(out, c.Guides.Missing...)
	}
	return out
}
