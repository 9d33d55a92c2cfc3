package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// Databases is what a conversation did to the data of both sides, found by running its writes again.
type Databases struct {
	Unknown string  // why it is not known; "" if it is, as far as States go
	Aimless string  // why no end state is wanted; "" if one is
	Counted bool    // the reward depends on the end state
	States  []State // the first before any write, then one for each message with writes

	end *domains.Env // nil where it is not known
}

// State is what holds from a position on.
type State struct {
	Pos     int
	Message int // that wrote; -1 at the beginning
	Writes  []*Write
	Open    []Difference // from the wanted end state
}

// Write is a call of a tool that changes data.
type Write struct {
	Call
	Side            string // agent or user: who made it
	Message, Result int
	Failed          bool // as recorded
	Changes         []Change
	Drift           string // the result of running it again, where that is not the recorded one
	By              []Enabler
}

// Enabler is a node of a workflow that enabled a write: its place among the nodes of a request.
type Enabler struct {
	Request, At int
	Node        string
}

// Away reports whether a field was as wanted before the call and is not any more, nor at the end.
func (w *Write) Away() bool {
	return slices.ContainsFunc(w.Changes, func(c Change) bool { return c.Effect == Away })
}

// Effect is what a change means for the wanted end state.
type Effect string

// The effects; "" where none is wanted, or the field is neither before nor after as wanted.
const (
	Reached Effect = "as wanted"
	Away    Effect = "away from what is wanted"
	Strayed Effect = "away for a while" // at the end it is as wanted again
)

// Field is a place in the data of one side.
type Field struct {
	Side string // agent or user: whose database
	Path string // dotted, as in orders.#W1.status
}

// String is the field as scores name it.
func (f Field) String() string {
	if f.Side == "user" {
		return userPrefix + f.Path
	}
	return f.Path
}

const userPrefix = "user:"

// meets reports whether one of two fields is the other or a part of it.
func (f Field) meets(g Field) bool {
	short, long := f.Path, g.Path
	if len(short) > len(long) {
		short, long = long, short
	}
	return f.Side == g.Side && strings.HasPrefix(long, short) && (len(long) == len(short) || long[len(short)] == '.')
}

// Change is a field that a call changed. Values are JSON, or record.Absent.
type Change struct {
	Field
	Old, New string
	Effect   Effect
}

// Difference is a field that is not as it is wanted. Values are JSON, or record.Absent.
type Difference struct {
	Field
	Want, Got string
}

// Last is the state at the end.
func (d Databases) Last() State {
	if len(d.States) == 0 {
		return State{Message: -1}
	}
	return d.States[len(d.States)-1]
}

// Writes are those of all states.
func (d Databases) Writes() []*Write {
	var out []*Write
	for _, s := range d.States {
		out = append(out, s.Writes...)
	}
	return out
}

// mostWrites is how many are looked at: each is compared with all that is other than wanted by then.
const mostWrites = 300

// databases runs the writes of a trial again in two environments, one of which is a call behind the other: what differs
// between them is what the call did, with all that a sync made of it.
func databases(t Trial, steps []Step) Databases {
	if t.World == nil || t.Task == nil {
		return Databases{Unknown: cmp.Or(t.Missing, "the task and its data are not at hand")}
	}
	before, err := t.World.New(t.Task)
	if err != nil {
		return Databases{Unknown: err.Error()}
	}
	after, err := t.World.New(t.Task)
	if err != nil {
		return Databases{Unknown: err.Error()}
	}
	d := Databases{end: after}
	goal := d.goal(t)
	d.States = []State{{Message: -1, Open: remaining(goal, after)}}
	for r, err := range after.Reruns(t.Record.Messages) {
		if len(d.Writes()) == mostWrites {
			err = fmt.Errorf("there are more than %d writes", mostWrites)
		}
		if err != nil {
			d.Unknown, d.end = err.Error(), nil
			break
		}
		last := &d.States[len(d.States)-1]
		open := remaining(goal, after)
		w := newWrite(r, t.Record.Messages[r.Result], differences(before, after))
		if goal != nil {
			w.judge(last.Open, open)
		}
		before.Call(r.Call.Requestor, r.Call)
		m := steps[r.Message].Message
		if last.Message != r.Message {
			d.States = append(d.States, State{Pos: m.Pos, Message: r.Message})
			last = &d.States[len(d.States)-1]
		}
		last.Writes, last.Open = append(last.Writes, w), open
		steps[r.Result].Message.Wrote = w
	}
	d.forgive()
	return d
}

// forgive tells changes that led away for a while from those that last.
func (d Databases) forgive() {
	open := d.Last().Open
	for _, w := range d.Writes() {
		for i, c := range w.Changes {
			if c.Effect == Away && !slices.ContainsFunc(open, func(o Difference) bool { return o.meets(c.Field) }) {
				w.Changes[i].Effect = Strayed
			}
		}
	}
}

// connect links writes with the nodes that enabled them, both ways.
func (d Databases) connect(w Walks) {
	for i, q := range w.Requests {
		for k, n := range q.Nodes {
			for m := range n.Made {
				made := &n.Made[m]
				for _, write := range d.Writes() {
					if write.Message == made.Message && write.Call.String() == made.Call.String() {
						made.Wrote = write
						write.By = append(write.By, Enabler{i, k, n.ID})
					}
				}
			}
		}
	}
}

// goal is the wanted end state, as scores have it where they count it; nil if there is none.
func (d *Databases) goal(t Trial) *domains.Env {
	c := t.Task.Criteria
	if c == nil || c.Actions == nil && c.EnvAssertions == nil {
		d.Aimless = "the task wants no particular end state"
		return nil
	}
	d.Counted = slices.Contains(c.RewardBasis, domains.RewardDB)
	goal, err := sim.Gold(t.World, t.Task, !d.Counted)
	if err != nil {
		d.Aimless = fmt.Sprintf("the wanted end state is not known: %v", err)
		return nil
	}
	return goal
}

func newWrite(r domains.Rerun, result sim.Message, changed []Difference) *Write {
	w := &Write{Call: callOf(r.Call, ""), Side: sideOf(r.Call.Requestor), Message: r.Message, Result: r.Result, Failed: result.Error}
	for _, c := range changed {
		w.Changes = append(w.Changes, Change{Field: c.Field, Old: c.Want, New: c.Got})
	}
	if r.Drift != nil {
		w.Drift = r.Drift.Got
	}
	return w
}

// judge tells the effects of the changes by what was open before and after them.
func (w *Write) judge(before, after []Difference) {
	for i := range w.Changes {
		c := &w.Changes[i]
		c.Effect = Reached
		for _, o := range after {
			if !o.meets(c.Field) {
				continue
			}
			c.Effect = ""
			if !slices.ContainsFunc(before, func(b Difference) bool { return b.meets(o.Field) }) {
				c.Effect = Away
				break
			}
		}
	}
}

// remaining is what differs from a wanted end state, if there is one.
func remaining(goal, env *domains.Env) []Difference {
	if goal == nil {
		return nil
	}
	return differences(goal, env)
}

func differences(want, got *domains.Env) []Difference {
	var out []Difference
	for _, c := range want.Diff(got) {
		side, path := "agent", c.Path
		if own, ok := strings.CutPrefix(path, userPrefix); ok {
			side, path = "user", own
		}
		out = append(out, Difference{Field{side, path}, c.Want, c.Got})
	}
	return out
}

func sideOf(s domains.Side) string {
	if s == domains.UserSide {
		return "user"
	}
	return "agent"
}

// Brief says in a line what a write changed; "" for one that failed without a trace.
func (w *Write) Brief() string {
	var parts []string
	for _, c := range w.Changes[:min(len(w.Changes), mostFields)] {
		parts = append(parts, fmt.Sprintf("%s: %s → %s", c.Field, Clipped(c.Old, briefValue), Clipped(c.New, briefValue)))
	}
	return strings.TrimSpace(w.lead() + " " + listed(parts, len(w.Changes), "change"))
}

// whole has a line for each change.
func (w *Write) whole() string {
	lines := []string{w.lead()}
	for _, c := range w.Changes {
		lines = append(lines, fmt.Sprintf("  %s: %s → %s", c.Field, c.Old, c.New))
	}
	return strings.Join(lines, "\n")
}

func (w *Write) lead() string {
	switch {
	case w.Away():
		return "changed, " + string(Away) + ":"
	case len(w.Changes) > 0:
		return "changed"
	case w.Failed:
		return ""
	}
	return "changed nothing"
}
