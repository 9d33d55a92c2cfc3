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

// Note is an event in words. All texts may hold anything.
type Note struct {
	Guide    bool          // the event is of a guide and was understood; else it is told as it stands
	Title    string        // what happened
	Text     string        // what was told, whole
	Messages []sim.Message // private, or held back
	Lines    []string      // findings, one each
}

// NoteOf describes an event among all events of its record. ok is false for one that only repeats what the guide's own
// events tell there.
func NoteOf(e sim.Event, all []sim.Event) (n Note, ok bool) {
	if n, ok := guideNote(e); ok {
		return n, true
	}
	if e.Kind == sim.EventPrivate && guided(all, e.Index) {
		return Note{}, false
	}
	side := ""
	if e.Side != "" {
		side = " (" + string(e.Side) + ")"
	}
	return Note{Title: fmt.Sprintf("%s%s %s", e.Kind, side, e.Text), Messages: e.Messages}, true
}

// guideNote describes an event of a guide; ok is false if it is none, or cannot be read as one.
func guideNote(e sim.Event) (n Note, ok bool) {
	n.Guide = true
	switch e.Kind {
	case guidanceEvent:
		n.Title, n.Text = "guidance", e.Text
	case failOpenEvent:
		n.Title = "verifier failed, the gate is open in this turn unless it is strict: " + e.Text
	case firingEvent:
		var f firing
		if !decode(e.Data, &f) {
			return Note{}, false
		}
		n.firing(f)
	case interceptEvent, blockEvent:
		var i interception
		if !decode(e.Data, &i) {
			return Note{}, false
		}
		n.interception(e, i)
	default:
		return Note{}, false
	}
	return n, true
}

// decode reads the data of an event, which holds Go values while a run is young and plain JSON after that.
func decode(data map[string]any, into any) bool {
	text, err := json.Marshal(data)
	return err == nil && json.Unmarshal(text, into) == nil
}

func (n *Note) line(format string, args ...any) {
	n.Lines = append(n.Lines, fmt.Sprintf(format, args...))
}

func (n *Note) firing(f firing) {
	by := "by code"
	if len(f.Calls) > 0 {
		by = fmt.Sprintf("by %d model call(s)", len(f.Calls))
	}
	n.Title = fmt.Sprintf("firing %d, %s", f.After.Firings, by)
	for _, t := range f.Record.Traverse {
		if walk := walked(t.Walk); walk != "" {
			n.line("walk of %s: %s", t.ID, walk)
		}
	}
	for _, q := range f.After.Requests {
		n.line("%s: %s", q.ID, standing(q))
	}
	if f.After.Transfer {
		n.line("transfer: signalled")
	}
	for _, r := range f.Rejected {
		n.line("rejected: %s", r)
	}
	if f.Reask != "" {
		n.line("asked again: %s", f.Reask)
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
		parts[i] = v.Node + " " + Mark(v.Satisfied)
	}
	return strings.Join(parts, " → ")
}

func (n *Note) interception(e sim.Event, i interception) {
	what := "let through, though not enabled"
	for _, r := range i.Refusals {
		if r.Held {
			what = "held back"
		}
		n.line("%s: %s", r.Tool, r.Reason)
	}
	n.Title = fmt.Sprintf("%s: %s (%s gate)", e.Kind, what, i.Mode)
	n.Messages = e.Messages
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
