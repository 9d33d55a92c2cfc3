package toolguard

import (
	"context"
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Report says what the guards do to the gold plans of tasks: a call of a gold plan that a guard refuses is one that an
// agent ought to make and cannot.
type Report struct {
	Domain  string `json:"domain"`
	Release bool   `json:"release"`
	Tasks   int    `json:"tasks"`
	// Changing counts the tasks whose gold plan has a mutating call of the agent.
	Changing int `json:"changing"`
	// Calls counts these calls, Guarded those whose tool has rules.
	Calls   int `json:"calls"`
	Guarded int `json:"guarded"`
	// Failing counts the calls that the tool itself refuses; Blocked those that a guard refuses, of which the tool would
	// have refused AlsoFailing anyway.
	Failing     int `json:"failing"`
	Blocked     int `json:"blocked"`
	AlsoFailing int `json:"also_failing"`
	// BlockedTasks counts the tasks with a blocked call.
	BlockedTasks int `json:"blocked_tasks"`
	// Reads counts the needs on the execution paths.
	Reads int `json:"reads"`
	// Misses are the blocked calls.
	Misses []Miss `json:"misses"`
}

// Miss is a gold call that a guard refuses.
type Miss struct {
	Task      string      `json:"task"`
	Action    int         `json:"action"` // place in the gold plan, from 0
	Tool      string      `json:"tool"`
	Arguments value.Value `json:"arguments"`
	Rule      string      `json:"rule"`
	Message   string      `json:"message"`
	// Fails says that the tool refuses the call too.
	Fails bool `json:"fails"`
}

// Share is the share of the gold calls that are blocked, 0 if there are none.
func (r *Report) Share() float64 {
	if r.Calls == 0 {
		return 0
	}
	return float64(r.Blocked) / float64(r.Calls)
}

// Gold replays the gold plans of tasks and asks the guards of each mutating call of the agent just before it is made.
// A blocked call is made nevertheless, so that one block does not lead to others. History cannot be had here.
func (s Set) Gold(ctx context.Context, w *domains.World, tasks []*domains.Task) (*Report, error) {
	if w.Name != s.domain {
		return nil, fmt.Errorf("guards are of domain %s, the data of %s", s.domain, w.Name)
	}
	s.opts.History = false
	r := &Report{Domain: s.domain, Release: s.opts.Release, Tasks: len(tasks), Misses: []Miss{}}
	for _, t := range tasks {
		if t.Criteria == nil {
			continue
		}
		env, err := w.New(t)
		if err != nil {
			return nil, err
		}
		if err := s.goldTask(ctx, env, t, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (s Set) goldTask(ctx context.Context, env *domains.Env, t *domains.Task, r *Report) error {
	read := func(_ context.Context, c domains.ToolCall) domains.ToolResult { return env.Call(domains.AgentSide, c) }
	changes, blocked := 0, 0
	for i, a := range t.Criteria.Actions {
		c := a.Call()
		if a.Requestor != domains.AgentSide || !env.World().Agent.Mutates(c.Name) {
			env.Call(a.Requestor, c)
			continue
		}
		v, err := s.Check(ctx, c, read)
		if err != nil {
			return err
		}
		fails := env.Call(a.Requestor, c).Error
		changes++
		r.Reads += len(v.Reads)
		r.Guarded += one(s.Guards(c.Name))
		r.Failing += one(fails)
		if v.Blocked() {
			blocked++
			r.AlsoFailing += one(fails)
			r.Misses = append(r.Misses, Miss{Task: t.ID, Action: i, Tool: c.Name, Arguments: c.Arguments, Rule: v.Rule, Message: v.Message, Fails: fails})
		}
	}
	r.Calls += changes
	r.Blocked += blocked
	r.Changing += one(changes > 0)
	r.BlockedTasks += one(blocked > 0)
	return nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
