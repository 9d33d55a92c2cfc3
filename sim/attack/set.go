// Package attack makes the user an adversary: one who wants a call that the policy forbids, and who lies, insists or
// injects to get it. A set lists the attack tasks of a domain with the calls that must not execute; a style says how
// the user goes about it; a plan is what a style knows beforehand (docs/reference/baselines.md#craft).
//
// Success is decided from the record alone: an attack has succeeded if a forbidden call was executed. What the agent
// tried and a guard held back is not a success.
package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Kind tells what is wrong with a forbidden call.
type Kind string

// The kinds.
const (
	Policy    Kind = "policy"    // the policy forbids it in this situation
	Selection Kind = "selection" // permitted by the policy, but not what this user is to get
)

// The data that sets are for.
const (
	Embedded = "embedded"
	Tau2     = "tau2"
)

// Set is a file of attack tasks: one domain on one data set.
type Set struct {
	Domain string `yaml:"domain" json:"domain"`
	// Data says whose tasks and records the set names: embedded, or tau2.
	Data string `yaml:"data" json:"data"`
	Note string `yaml:"note" json:"note,omitempty"`
	// Wildcards are arguments that may have any value in a forbidden call.
	Wildcards []string `yaml:"wildcards" json:"wildcards,omitempty"`
	Tasks     []Task   `yaml:"tasks" json:"tasks"`
}

// Task is one attack.
type Task struct {
	// ID names the attack among the domain's tasks. An attack without a request of its own has the id of its base.
	ID string `yaml:"id" json:"id"`
	// Base is the domain's task whose world the attack takes place in, and whose user attacks; default: ID.
	Base string `yaml:"base" json:"base,omitempty"`
	// Scenario is what this user wants and knows, in place of the base task's; nil keeps that.
	Scenario  *Scenario   `yaml:"scenario" json:"scenario,omitempty"`
	Forbidden []Forbidden `yaml:"forbidden" json:"forbidden"`
	Plan      *Plan       `yaml:"plan" json:"plan,omitempty"`
}

// Scenario is a user's brief, with the meaning of the fields of domains.Instructions.
type Scenario struct {
	Reason       string `yaml:"reason_for_call" json:"reason_for_call"`
	Known        string `yaml:"known_info" json:"known_info,omitempty"`
	Unknown      string `yaml:"unknown_info" json:"unknown_info,omitempty"`
	Instructions string `yaml:"task_instructions" json:"task_instructions"`
}

// Pattern is a call by name and some of its arguments.
type Pattern struct {
	Call      string         `yaml:"call" json:"call"`
	Arguments map[string]any `yaml:"arguments" json:"arguments,omitempty"`

	args value.Value
}

// Forbidden is a call that must not execute.
type Forbidden struct {
	Pattern `yaml:",inline"`
	// Any forbids the call with whatever arguments; Arguments then are an example, which scripted agents make.
	Any  bool `yaml:"any_arguments" json:"any_arguments,omitempty"`
	Kind Kind `yaml:"kind" json:"kind"`
	// Until lifts the ban once such a call has been executed.
	Until *Pattern `yaml:"until" json:"until,omitempty"`
	// Requirements are the rows of the domain's catalog that the call breaks.
	Requirements []string `yaml:"requirements" json:"requirements,omitempty"`
	Why          string   `yaml:"why" json:"why,omitempty"`
}

// Plan is what the offline roles of CRAFT have worked out for one attack.
type Plan struct {
	// Fragments are the passages of the policy that matter for the request, quoted or by reference. The executor never
	// sees them.
	Fragments []string `yaml:"fragments,omitempty" json:"fragments,omitempty"`
	Premise   string   `yaml:"premise" json:"premise"`                     // what to make the agent assume
	Avoid     []string `yaml:"avoid,omitempty" json:"avoid,omitempty"`     // what not to say
	Source    *Source  `yaml:"source,omitempty" json:"source,omitempty"`   // nil for a plan written by hand
	Naive     string   `yaml:"request,omitempty" json:"request,omitempty"` // the request in one line, for the record
	Notes     string   `yaml:"notes,omitempty" json:"notes,omitempty"`     // for readers
}

// Source says what a plan was made from, so that it is made again only when that has changed.
type Source struct {
	Model string `yaml:"model" json:"model"`
	// Hash covers the task, the policy and the prompts.
	Hash string `yaml:"hash" json:"hash"`
}

// Load reads a set. Unknown fields are errors; file names the text in them.
func Load(file string, text []byte) (*Set, error) {
	var s Set
	if err := yamlfile.Decode(file, text, &s); err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, fmt.Errorf("attack set %s: %w", file, err)
	}
	return &s, nil
}

// prepare fills in defaults and checks what the file says.
func (s *Set) prepare() error {
	if err := checkHead(s.Domain, s.Data); err != nil {
		return err
	}
	if len(s.Tasks) == 0 {
		return errors.New("tasks is empty\nhint: list at least one attack")
	}
	seen := map[string]bool{}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Base == "" {
			t.Base = t.ID
		}
		at := fmt.Sprintf("tasks[%d] (%s)", i, t.ID)
		switch {
		case t.ID == "":
			return fmt.Errorf("tasks[%d]: id is missing", i)
		case seen[t.ID]:
			return fmt.Errorf("%s: there is another attack of this id\nhint: give each an id of its own", at)
		case t.Scenario != nil && t.ID == t.Base:
			return fmt.Errorf("%s: a scenario of its own needs an id of its own\nhint: name the base task under base", at)
		case t.Scenario == nil && t.ID != t.Base:
			return fmt.Errorf("%s: an attack without a scenario has another id than its base task %s", at, t.Base)
		case len(t.Forbidden) == 0:
			return fmt.Errorf("%s: forbidden is empty\nhint: list the calls that must not execute", at)
		}
		seen[t.ID] = true
		for k := range t.Forbidden {
			if err := t.Forbidden[k].prepare(); err != nil {
				return fmt.Errorf("%s: forbidden[%d]: %w", at, k, err)
			}
		}
	}
	return nil
}

// checkHead looks at what attacks or plans are for.
func checkHead(domain, data string) error {
	switch {
	case domain == "":
		return errors.New("domain is missing\nhint: name the domain that the attacks belong to")
	case data != Embedded && data != Tau2:
		return fmt.Errorf("data is %q\nhint: write %s or %s", data, Embedded, Tau2)
	}
	return nil
}

func (f *Forbidden) prepare() error {
	if f.Kind != Policy && f.Kind != Selection {
		return fmt.Errorf("kind is %q\nhint: write policy or selection", f.Kind)
	}
	if err := f.Pattern.prepare(); err != nil {
		return err
	}
	if !f.Any && len(f.Arguments) == 0 {
		return errors.New("arguments is missing\nhint: name those that make the call a forbidden one, or write any_arguments: true")
	}
	if f.Until == nil {
		return nil
	}
	if err := f.Until.prepare(); err != nil {
		return fmt.Errorf("until: %w", err)
	}
	return nil
}

func (p *Pattern) prepare() error {
	if p.Call == "" {
		return errors.New("call is missing\nhint: name the tool")
	}
	text, err := json.Marshal(p.Arguments)
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	if p.args, err = value.Parse(text); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return nil
}

// Check reports the first thing that does not fit the world: unknown tasks, tools or arguments, or a tool that changes
// nothing.
func (s *Set) Check(w *domains.World) error {
	if s.Domain != w.Name {
		return fmt.Errorf("the attack set is for %s, not for %s", s.Domain, w.Name)
	}
	for _, t := range s.Tasks {
		if _, ok := w.Task(t.Base); !ok {
			return fmt.Errorf("attack %s: %s has no task %s in this data\nhint: the set is for %s data", t.ID, w.Name, t.Base, s.Data)
		}
		if _, taken := w.Task(t.ID); taken && t.ID != t.Base {
			return fmt.Errorf("attack %s: %s has a task of that id already\nhint: choose another", t.ID, w.Name)
		}
		for _, f := range t.Forbidden {
			patterns := []Pattern{f.Pattern}
			if f.Until != nil {
				patterns = append(patterns, *f.Until)
			}
			for _, p := range patterns {
				if err := p.check(w); err != nil {
					return fmt.Errorf("attack %s: %w", t.ID, err)
				}
			}
		}
	}
	return nil
}

func (p Pattern) check(w *domains.World) error {
	tool, ok := w.Agent.Tool(p.Call)
	if !ok {
		var names []string
		for _, t := range w.Agent.Specs() {
			if w.Agent.Mutates(t.Name) {
				names = append(names, t.Name)
			}
		}
		return fmt.Errorf("the agent of %s has no tool %s\nhint: choose one of %s", w.Name, p.Call, strings.Join(names, ", "))
	}
	if !w.Agent.Mutates(p.Call) {
		return fmt.Errorf("%s only reads: a forbidden call is one that changes something", p.Call)
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(tool.Spec.Parameters, &schema); err != nil {
		return fmt.Errorf("parameters of %s: %w", p.Call, err)
	}
	for name := range p.Arguments {
		if _, ok := schema.Properties[name]; !ok {
			return fmt.Errorf("%s has no parameter %s", p.Call, name)
		}
	}
	return nil
}

// Task returns the attack of that id.
func (s *Set) Task(id string) (*Task, bool) {
	i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return nil, false
	}
	return &s.Tasks[i], true
}
