package domains

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Domain is a kind of customer service that trials can run in.
type Domain struct {
	Name string
	// Summary is one line for listings.
	Summary string
	// Open loads the domain's data once; the World is then shared by all trials.
	Open func(Data, Options) (*World, error)
}

// PolicyType selects between a domain's policy documents where it has several (telecom).
type PolicyType string

// The policy types; the zero value means manual.
const (
	PolicyManual   PolicyType = "manual"
	PolicyWorkflow PolicyType = "workflow"
)

// Options choose a variant of a domain.
type Options struct {
	Policy PolicyType
	// Solo gives the agent both sides' tools and a ticket in place of a user.
	Solo bool
	// Split is the split whose tasks are needed, or EverySplit. Only for them are task files beside tasks.json read.
	Split string
}

// World is a domain with its data loaded: immutable, shared by all trials.
type World struct {
	Name   string
	Policy string // the agent's policy document, as it goes into the prompt
	// Documents are the files that Policy is made of, in its order.
	Documents []Document
	Options   Options
	Agent     *Kit
	User      *Kit // nil where the user has no tools
	Tasks     []Task
	Splits    Splits
	Sources   []Source // the files that were read, with their hashes
	// Invariants is the text of invariants.yaml: what holds of this very data, for domains/check. "" if there is none.
	Invariants string

	// Fresh opens the databases of one trial; user is nil where the domain has none.
	Fresh func() (agent, user Database)
	// SyncFunc carries changes between the two databases; nil where nothing is linked.
	SyncFunc func(agent, user Database) error
	// Guidelines instructs the simulated user, without and with tools of its own.
	Guidelines Guidelines

	goals *sync.Map // *Task → func() (*Env, error); nil in worlds that no data were loaded for
}

// Document is a policy text with the name of its file.
type Document struct{ Name, Text string }

// Guidelines are the two instruction texts for the simulated user, and one that is given in the place of both.
type Guidelines struct{ Plain, WithTools, Given string }

// New opens the environment of one trial of a task: fresh databases with the task's initialization applied, before
// its message history. The error means that the task itself is broken.
func (w *World) New(t *Task) (*Env, error) { return w.open(t, w.Options.Solo) }

// NewGold is New for replaying a gold plan, which is never done in solo mode.
func (w *World) NewGold(t *Task) (*Env, error) { return w.open(t, false) }

func (w *World) open(t *Task, solo bool) (*Env, error) {
	e := &Env{world: w, solo: solo}
	e.agent, e.user = w.Fresh()
	err := e.Sync()
	if err == nil {
		err = e.initialize(t.InitialState)
	}
	if err != nil {
		return nil, fmt.Errorf("task %s of %s cannot start: %w", t.ID, w.Name, err)
	}
	return e, nil
}

// Goal is the end state that a task aims at, which make finds at the first asking: it is the same for all conversations.
// It is for reading only, from any number of goroutines.
func (w *World) Goal(t *Task, make func() (*Env, error)) (*Env, error) {
	if w.goals == nil {
		return make()
	}
	once, ok := w.goals.Load(t)
	if !ok {
		once, _ = w.goals.LoadOrStore(t, sync.OnceValues(make))
	}
	return once.(func() (*Env, error))()
}

// Task returns the task of that id.
func (w *World) Task(id string) (*Task, bool) {
	for i := range w.Tasks {
		if w.Tasks[i].ID == id {
			return &w.Tasks[i], true
		}
	}
	return nil, false
}

// WithTasks returns a copy of the world with these tasks: each takes the place of the one of its id, or comes last. The copy
// has goals of its own, which go when it goes.
func (w *World) WithTasks(tasks []Task) *World {
	out := *w
	if w.goals != nil {
		out.goals = &sync.Map{}
	}
	out.Tasks = slices.Clone(w.Tasks)
	for _, t := range tasks {
		if at := slices.IndexFunc(out.Tasks, func(x Task) bool { return x.ID == t.ID }); at >= 0 {
			out.Tasks[at] = t
		} else {
			out.Tasks = append(out.Tasks, t)
		}
	}
	return &out
}

// WithGuidelines returns the world with a text in the place of the guidelines for users.
func (w *World) WithGuidelines(text string) *World {
	out := *w
	out.Guidelines.Given = text
	return &out
}

// Select returns the tasks of a split in the order of the task file; an empty name means all tasks. A split of which
// a task is not there is an error: figures of the rest would not be those of the split.
func (w *World) Select(split string) ([]*Task, error) {
	ids, ok := w.Splits[split]
	if !ok && split != "" {
		return nil, fmt.Errorf("domain %s has no split %q\nhint: choose one of %s", w.Name, split, strings.Join(w.Splits.Names(), ", "))
	}
	if err := w.gap(split); err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for _, id := range ids {
		listed[id] = true
	}
	var out []*Task
	for i := range w.Tasks {
		if split == "" || listed[w.Tasks[i].ID] {
			out = append(out, &w.Tasks[i])
		}
	}
	return out, nil
}

// AgentTools returns the tools that an agent is offered: its own and, in solo mode, the user's after them.
func (w *World) AgentTools() []ToolSpec {
	tools := w.Agent.Specs()
	if w.Options.Solo {
		tools = append(tools, w.User.Specs()...)
	}
	return tools
}

// UserTools returns the tools that the simulated user of a task is offered; an unknown name in the task's own list
// leaves it without any, as in the reference.
func (w *World) UserTools(t *Task) []ToolSpec {
	if t.UserTools == nil || w.User == nil {
		return w.User.Specs()
	}
	var out []ToolSpec
	for _, name := range *t.UserTools {
		if _, ok := w.User.Tool(name); !ok {
			return nil
		}
	}
	for _, s := range w.User.Specs() {
		if slices.Contains(*t.UserTools, s.Name) {
			out = append(out, s)
		}
	}
	return out
}
