package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// firing is the data of a guide's firing as far as it is shown (docs/policyguide.md).
type firing struct {
	After    verify.State       `json:"after"`
	Record   verify.Record      `json:"record"`
	Rejected []verify.Rejection `json:"rejected"`
	Coerced  []string           `json:"coerced"`
	Reask    string             `json:"reask"`
	Calls    []int              `json:"calls"`
}

// interception is the data of a message that a gate stopped.
type interception struct {
	Mode     string `json:"mode"`
	Tool     string `json:"tool"` // of a guard that stops one call at a time
	Refusals []struct {
		Tool   string `json:"tool"`
		Reason string `json:"reason"`
		Held   bool   `json:"held"`
	} `json:"refusals"`
}

// Stopped reports whether an event is that a guide or a guard stopped what the agent would have done, or noted that it
// should have been.
func Stopped(k sim.EventKind) bool {
	return slices.Contains([]sim.EventKind{agents.EventIntercept, agents.EventBlock, agents.EventGuardBlock, agents.EventFlowReject, agents.EventFlowLimit}, k)
}

// Event is an event of a conversation in words. All texts may contain anything.
type Event struct {
	Number   int // its place among the events of the record
	Pos      int // its position
	At       int // the message that it came before
	Kind     sim.EventKind
	Guide    bool      // the event is of a guide and was understood; otherwise it is told as it is recorded
	Title    string    // what happened
	Text     string    // what was told, whole
	Brief    string    // of a guide, a line for each request: where it is and what was told; "" for what changed nothing
	Private  []Private // messages that only this side has seen, or that a gate stopped
	Findings []string
	Data     map[string]any // all that the event says; nil for a firing, of which Walks has it
}

// Class is what kind of event it is to a reader: what was told, what was refused, what was found, or anything else. Kinds are
// free text in a record and never become a class themselves.
func (e Event) Class() string {
	if Stopped(e.Kind) {
		return "refused"
	}
	switch e.Kind {
	case agents.EventGuidance, sim.EventPrivate:
		return "told"
	case agents.EventFailOpen, sim.EventEmptyAnswer, sim.EventCallID, agents.EventFlowParse:
		return "odd"
	}
	return "found"
}

// Private is a message that only one side has seen.
type Private struct {
	Role  string
	Text  string
	Calls []Call
}

// event describes an event of a trial. ok is false for one that only repeats what the guide's own events tell there.
func event(e sim.Event, t Trial) (out Event, ok bool) {
	out = Event{At: e.Index, Kind: e.Kind, Data: e.Data}
	switch {
	case out.describe(e):
		if out.Guide = true; e.Kind == agents.EventFiring {
			out.Data = nil // Walks tells it, and the whole of it is half of a page
		}
	case e.Kind == sim.EventPrivate && guided(t.Record.Events, e.Index):
		return Event{}, false
	default:
		side := ""
		if e.Side != "" {
			side = " (" + string(e.Side) + ")"
		}
		out.Title = fmt.Sprintf("%s%s %s", e.Kind, side, e.Text)
	}
	if out.Guide && e.Kind != agents.EventIntercept && e.Kind != agents.EventBlock {
		return out, true // it says all that its messages do
	}
	for _, m := range e.Messages {
		p := Private{Role: string(m.Role), Text: m.TextOf()}
		for _, c := range m.ToolCalls {
			p.Calls = append(p.Calls, callOf(c, t.Attack.averted(c, "not executed")))
		}
		out.Private = append(out.Private, p)
	}
	return out, true
}

// describe tells an event of a guide; false if it is of no guide, or cannot be read as one.
func (n *Event) describe(e sim.Event) bool {
	var f firing
	var i interception
	switch {
	case e.Kind == agents.EventGuidance:
		n.Title, n.Text = "guidance", e.Text
	case e.Kind == agents.EventFailOpen:
		n.Title = "verifier failed, the gate is open in this turn unless it is strict: " + e.Text
	case e.Kind == agents.EventFiring && decode(e.Data, &f):
		n.firing(f)
	case (e.Kind == agents.EventIntercept || e.Kind == agents.EventBlock) && decode(e.Data, &i):
		n.interception(i)
	default:
		return false
	}
	return true
}

// decode reads the data of an event, which has Go values while a run is young and plain JSON after that.
func decode(data map[string]any, into any) bool {
	text, err := json.Marshal(data)
	return err == nil && json.Unmarshal(text, into) == nil
}

func (n *Event) find(format string, args ...any) {
	n.Findings = append(n.Findings, fmt.Sprintf(format, args...))
}

func (n *Event) firing(f firing) {
	by := "by code"
	if len(f.Calls) > 0 {
		by = "by " + count(len(f.Calls), "call of a model")
	}
	n.Title = fmt.Sprintf("firing %d, %s", f.After.Firings, by)
	moved := map[string]bool{}
	for _, t := range f.Record.Traverse {
		if walk := walked(t.Walk); walk != "" {
			n.find("walk of %s: %s", t.ID, walk)
			moved[t.ID] = true
		}
	}
	for _, q := range f.After.Requests {
		if q.Status == verify.Open || moved[q.ID] { // what is done was said when it was
			n.find("%s: %s", q.ID, statusOf(q))
		}
	}
	if f.After.Transfer {
		n.find("transfer: signalled")
	}
	n.Findings = append(n.Findings, f.remarks()...)
}

// remarks say what of the verifier's answer was not taken as it was.
func (f firing) remarks() (out []string) {
	for _, r := range f.Rejected {
		out = append(out, "rejected: "+r.String())
	}
	for _, c := range f.Coerced {
		out = append(out, "read by its meaning: "+c)
	}
	if f.Reask != "" {
		out = append(out, "asked again: "+f.Reask)
	}
	return out
}

func statusOf(q verify.Request) string {
	parts := []string{string(q.Status)}
	for _, p := range [][3]string{{"at ", q.Node}, {"intent ", q.Intent}, {"target ", q.Selection.Target}, {"", q.Authorize, " enabled"}} {
		if p[1] != "" {
			parts = append(parts, p[0]+p[1]+p[2])
		}
	}
	return strings.Join(parts, ", ")
}

func walked(walk []verify.Visit) string {
	parts := make([]string, len(walk))
	for i, v := range walk {
		parts[i] = v.Node + " " + Mark(v.Satisfied)
	}
	return strings.Join(parts, " → ")
}

func (n *Event) interception(i interception) {
	what := "let through, though not enabled"
	for _, r := range i.Refusals {
		if r.Held {
			what = "held back"
		}
		n.find("%s: %s", r.Tool, r.Reason)
	}
	n.Title = fmt.Sprintf("%s: %s (%s gate)", n.Kind, what, i.Mode)
}

// guided reports whether the guide's own events tell at an index what was private there.
func guided(events []sim.Event, index int) bool {
	return slices.ContainsFunc(events, func(e sim.Event) bool {
		return e.Index == index && (e.Kind == agents.EventGuidance || e.Kind == agents.EventIntercept || e.Kind == agents.EventBlock)
	})
}
