package rubric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/trace"
)

// judgement is one conversation that is being judged.
type judgement struct {
	*Rubric
	events []*trace.Event
	task   *domains.Task
	gold   map[string]bool           // tools of the gold plan
	found  map[string][]*trace.Event // by name of the event
	user   bool                      // the user says something
}

// Judge applies the rubric to a conversation of a task. Without a task nothing is known of its gold actions, so no
// check applies.
func (r *Rubric) Judge(msgs []domains.Message, task *domains.Task) Verdict {
	j := &judgement{Rubric: r, events: trace.Events(msgs), task: task, gold: map[string]bool{}, found: map[string][]*trace.Event{}}
	if task != nil && task.Criteria != nil {
		for _, a := range task.Criteria.Actions {
			j.gold[a.Name] = true
		}
	}
	j.user = slices.ContainsFunc(j.events, func(e *trace.Event) bool { return e.Kind == trace.Text && e.Side == domains.UserSide })
	v := Verdict{Results: make([]Result, len(r.Checks))}
	for i, c := range r.Checks {
		out := Result{ID: c.ID, Family: c.Family, Text: c.Text, At: -1}
		if why := j.outside(c.When); why != "" {
			out.Why = why
		} else {
			out.State, out.At, out.Why = c.Rule.judge(c.Rule.rule, j)
		}
		v.Results[i] = out
	}
	return v
}

// outside says why a check does not apply, "" if it does.
func (j *judgement) outside(w when) string {
	inGold := func(tool string) bool { return j.gold[tool] }
	switch {
	case j.task == nil:
		return "the task is unknown"
	case !j.user:
		return "there is no user in the conversation"
	case len(w.Gold) > 0 && !slices.ContainsFunc(w.Gold, inGold):
		return "the gold plan has no " + either(w.Gold)
	case slices.ContainsFunc(w.GoldNone, inGold):
		return "the gold plan has " + either(w.GoldNone)
	case len(w.Asserts) > 0 && !slices.ContainsFunc(w.Asserts, j.asserted):
		return "the task does not ask for " + either(w.Asserts)
	case len(w.Done) > 0 && !slices.ContainsFunc(w.Done, func(name string) bool { return len(j.all(name)) > 0 }):
		return "there was no " + either(w.Done)
	}
	for _, tool := range w.GoldAll {
		if !j.gold[tool] {
			return "the gold plan has no " + tool
		}
	}
	return ""
}

func (j *judgement) asserted(function string) bool {
	if j.task.Criteria == nil {
		return false
	}
	return slices.ContainsFunc(j.task.Criteria.EnvAssertions, func(a domains.EnvAssertion) bool { return a.Func == function })
}

func either(list words) string { return strings.Join(list, " or ") }

// all lists the events of a name, in order.
func (j *judgement) all(name string) []*trace.Event {
	if list, ok := j.found[name]; ok {
		return list
	}
	var list []*trace.Event
	s := j.Rubric.events[name]
	for _, e := range j.events {
		if j.fits(s, e) {
			list = append(list, e)
		}
	}
	j.found[name] = list
	return list
}

// subjects lists the events that a rule is about.
func (j *judgement) subjects(x rule) []*trace.Event {
	list := j.all(x.Event)
	switch {
	case len(list) == 0:
	case x.Pick == "first":
		return list[:1]
	case x.Pick == "last":
		return list[len(list)-1:]
	}
	return list
}

// absent is the judgement on a rule whose event did not happen.
func absent(name string) (State, int, string) { return NotApplicable, -1, "there was no " + name }

// latest returns the last need of a subject that ended before it and began after the index, nil if there is none.
func (j *judgement) latest(n need, subject *trace.Event, from int) *trace.Event {
	var best *trace.Event
	for _, name := range n.Need {
		for _, e := range slices.Backward(j.all(name)) {
			if e.Begin > from && e.Before(subject) && (best == nil || e.End > best.End) && n.meets(e, subject) {
				best = e
				break
			}
		}
	}
	return best
}

// next returns the first need of a subject after it and before the index, nil if there is none.
func (j *judgement) next(n need, subject *trace.Event, until int) *trace.Event {
	var best *trace.Event
	for _, name := range n.Need {
		for _, e := range j.all(name) {
			if subject.Before(e) && e.Begin < until && (best == nil || e.Begin < best.Begin) && n.meets(e, subject) {
				best = e
				break
			}
		}
	}
	return best
}

// called names an event at its message.
func called(e *trace.Event) string {
	if e.Kind == trace.Text {
		return fmt.Sprintf("text %d", e.Begin)
	}
	return fmt.Sprintf("%s (message %d)", e.Tool, e.Begin)
}
