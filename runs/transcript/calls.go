package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// Asked is a model call with what was sent for it.
type Asked struct {
	sim.ModelCall
	Notes []string // what is particular about it
	Sent  []Sent   // its tries, in their order
	Why   string   // why nothing is known of them; "" where something is
}

// Sent is a request and what came of it.
type Sent struct {
	store.Sent
	kept *store.Requests
	at   int
}

// Body is the request as it was sent.
func (s Sent) Body() ([]byte, error) { return s.kept.Request(s.at) }

// Name names a call within its trial, as agent/3.
func (a Asked) Name() string { return fmt.Sprintf("%s/%d", a.Role, a.Ordinal) }

// CallsOf are the model calls of a recorded trial and of its grading, each with what the run kept of it. The error says
// what cannot be read; the calls are there nevertheless.
func CallsOf(r *store.Run, t Trial) (calls, grading []Asked, err error) {
	ref := store.Ref{Key: t.Record.Key, Attempt: t.Record.Attempt}
	of := func(calls []sim.ModelCall, read func(store.Ref) (*store.Requests, error)) (out []Asked) {
		if len(calls) == 0 {
			return nil
		}
		kept, failed := read(ref)
		if errors.Is(failed, store.ErrNoRequests) {
			failed = nil
		}
		err = errors.Join(err, failed)
		sent := map[string][]Sent{}
		if kept != nil {
			for i, s := range kept.Sent() {
				name := Asked{ModelCall: sim.ModelCall{Role: s.Role, Ordinal: s.Ordinal}}.Name()
				sent[name] = append(sent[name], Sent{s, kept, i})
			}
		}
		for _, c := range calls {
			a := Asked{ModelCall: c, Notes: notesOn(c)}
			if a.Sent = sent[a.Name()]; a.Sent == nil {
				a.Why = unsent(r.Manifest(), c, failed)
			}
			out = append(out, a)
		}
		return out
	}
	calls = of(t.Record.Calls, r.Requests)
	if t.Score != nil {
		grading = of(t.Score.JudgeCalls, r.GradingRequests)
	}
	return calls, grading, err
}

// unsent says why nothing is known of what was sent for a call.
func unsent(m store.Manifest, c sim.ModelCall, failed error) string {
	model, known := m.Config.Models[c.Model]
	switch {
	case failed != nil:
		return "what was sent cannot be read"
	case c.Transport.Replayed:
		return "a recording answered, so that nothing was sent"
	case m.Imported():
		return "the run was imported, without what was sent"
	case known && model.Synthetic && model.BaseURL == "":
		return "the model is scripted within the program, so that nothing was sent"
	case !m.Config.KeepRequests:
		return "the run did not keep what was sent (keep_requests)"
	}
	return "what was sent is not in the run's folder"
}

// Whys say why nothing is known of some calls, each once.
func Whys(calls []Asked) (out []string) {
	for _, a := range calls {
		if a.Why != "" && !slices.Contains(out, a.Why) {
			out = append(out, a.Why)
		}
	}
	return out
}

// notesOn is what is particular about a call.
func notesOn(c sim.ModelCall) []string {
	notes := c.Remarks()
	say := func(ok bool, text string) {
		if ok {
			notes = append(notes, text)
		}
	}
	say(c.Transport.Replayed, "from a recording")
	say(c.Transport.Served != "" && c.Transport.Served != c.Model, "served by "+c.Transport.Served)
	say(len(c.Dropped) > 0, "dropped "+strings.Join(c.Dropped, ", "))
	say(len(c.Quirks) > 0, strings.Join(c.Quirks, ", "))
	return notes
}

// CallsAt are the calls of a step of a conversation.
type CallsAt struct {
	Pos     int // of the step's first part
	Message int // that they were made for; -1 for none that came
	Calls   []Asked
}

// Placed files calls under the steps that they were made for. Those for a message that did not come are at the end.
func (c Conversation) Placed(calls []Asked) []CallsAt {
	by := map[int][]Asked{}
	for _, a := range calls {
		i := min(max(a.Index, 0), len(c.Record.Messages))
		by[i] = append(by[i], a)
	}
	var out []CallsAt
	end := 0
	for _, s := range c.Steps {
		at, pos := CallsAt{Message: -1}, []int{}
		for _, e := range s.Events {
			pos = append(pos, e.Pos)
		}
		index := len(c.Record.Messages)
		if s.Message != nil {
			pos, index = append(pos, s.Message.Pos), s.Message.Index
			at.Message = index
		}
		at.Pos, end = pos[0], pos[len(pos)-1]+1
		if at.Calls = by[index]; at.Calls != nil {
			out = append(out, at)
		}
	}
	if lost := by[len(c.Record.Messages)]; lost != nil && (len(out) == 0 || out[len(out)-1].Message >= 0) {
		out = append(out, CallsAt{Pos: end, Message: -1, Calls: lost})
	}
	return out
}

// Exchange is a call laid out for a reader: what was sent last for it, and what came.
type Exchange struct {
	Asked
	Before *Asked // the call of the same role before it that something is known of, nil for none
	Parts  []Part // of the request, with what changed since Before
	Said   string // the answer: its text and its calls
}

// ExchangeOf lays out the call at a place of calls, of which something must be known.
func ExchangeOf(calls []Asked, at int) (x Exchange, err error) {
	x.Asked = calls[at]
	for i, a := range calls[:at] {
		if a.Role == x.Role && a.Sent != nil {
			x.Before = &calls[i]
		}
	}
	if x.Parts, err = x.parts(); err != nil {
		return x, err
	}
	x.Said = answerText(x.last().Answer)
	if x.Before == nil {
		return x, nil
	}
	before, err := x.Before.parts()
	x.Parts = compared(before, x.Parts)
	return x, err
}

func (a Asked) last() Sent { return a.Sent[len(a.Sent)-1] }

func (a Asked) parts() ([]Part, error) {
	body, err := a.last().Body()
	return PartsOf(body), err
}
