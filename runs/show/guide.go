package show

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// The kinds of events that a guide writes; docs/policyguide.md describes their data.
const (
	guidanceEvent  sim.EventKind = "guidance"
	firingEvent    sim.EventKind = "firing"
	interceptEvent sim.EventKind = "intercept"
	blockEvent     sim.EventKind = "block"
	failOpenEvent  sim.EventKind = "fail_open"
)

// firing is the data of a guide's firing as far as it is shown.
type firing struct {
	After    verify.State       `json:"after"`
	Record   verify.Record      `json:"record"`
	Rejected []verify.Rejection `json:"rejected"`
	Reask    string             `json:"reask"`
	Calls    []int              `json:"calls"`
}

// interception is the data of a held message.
type interception struct {
	Mode     string `json:"mode"`
	Refusals []struct {
		Tool   string `json:"tool"`
		Reason string `json:"reason"`
		Held   bool   `json:"held"`
	} `json:"refusals"`
}

// guideEvent prints an event of a guide; ok is false if it is none, or cannot be read as one.
func (p printer) guideEvent(e sim.Event) (ok bool) {
	switch e.Kind {
	case guidanceEvent:
		p.line("    ▸ guidance")
		p.line("%s", indented(Safe(e.Text), "        "))
	case failOpenEvent:
		p.line("    ▸ verifier failed, the gate is open in this turn unless it is strict: %s", e.Text)
	case firingEvent:
		var f firing
		if !decode(e.Data, &f) {
			return false
		}
		p.firing(f)
	case interceptEvent, blockEvent:
		var i interception
		if !decode(e.Data, &i) {
			return false
		}
		p.interception(e, i)
	default:
		return false
	}
	return true
}

// decode reads the data of an event, which holds Go values while a run is young and plain JSON after that.
func decode(data map[string]any, into any) bool {
	text, err := json.Marshal(data)
	return err == nil && json.Unmarshal(text, into) == nil
}

func (p printer) firing(f firing) {
	by := "by code"
	if len(f.Calls) > 0 {
		by = fmt.Sprintf("by %d model call(s)", len(f.Calls))
	}
	p.line("    ▸ firing %d, %s", f.After.Firings, by)
	for _, t := range f.Record.Traverse {
		if walk := walked(t.Walk); walk != "" {
			p.line("        walk of %s: %s", t.ID, walk)
		}
	}
	for _, q := range f.After.Requests {
		p.line("        %s: %s", q.ID, standing(q))
	}
	if f.After.Transfer {
		p.line("        transfer: signalled")
	}
	for _, r := range f.Rejected {
		p.line("        rejected: %s", r)
	}
	if f.Reask != "" {
		p.line("        asked again: %s", f.Reask)
	}
}

func standing(q verify.Request) string {
	parts := []string{string(q.Status)}
	if q.Node != "" {
		parts = append(parts, "at "+q.Node)
	}
	if q.Intent != "" {
		parts = append(parts, "intent "+q.Intent)
	}
	if q.Selection.Target != "" {
		parts = append(parts, "target "+q.Selection.Target)
	}
	if q.Authorize != "" {
		parts = append(parts, q.Authorize+" enabled")
	}
	return strings.Join(parts, ", ")
}

func walked(walk []verify.Visit) string {
	parts := make([]string, len(walk))
	for i, v := range walk {
		parts[i] = v.Node + " " + mark(v.Satisfied)
	}
	return strings.Join(parts, " → ")
}

func (p printer) interception(e sim.Event, i interception) {
	what := "let through, though not enabled"
	for _, r := range i.Refusals {
		if r.Held {
			what = "held back"
		}
	}
	p.line("    ▸ %s: %s (%s gate)", e.Kind, what, i.Mode)
	for _, m := range e.Messages {
		if m.HasText() {
			p.line("%s", indented(Safe(m.TextOf()), "        "))
		}
		for _, c := range m.ToolCalls {
			p.line("        → %s%s", call(c), p.held(c))
		}
	}
	for _, r := range i.Refusals {
		p.line("        %s: %s", r.Tool, r.Reason)
	}
}

// guided reports whether the guide's own events tell at an index what was private there.
func guided(events []sim.Event, index int) bool {
	for _, e := range events {
		if e.Index == index && (e.Kind == guidanceEvent || e.Kind == interceptEvent || e.Kind == blockEvent) {
			return true
		}
	}
	return false
}
