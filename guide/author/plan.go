package author

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
)

// Plan is what the second stage makes of the policy: which files the workflow will have, and what each is to hold.
type Plan struct {
	Intents   []Intent   `json:"intents"`
	Shared    []Shared   `json:"shared_subflows"`
	Skeletons []Skeleton `json:"subflow_skeletons"` // the main file's under the name main
	// Idle are tools that change data, for which the policy has no procedure.
	Idle     []IdleTool  `json:"tools_without_procedure"`
	Excluded []Exclusion `json:"excluded_policy_statements"`
}

// Intent is a kind of request.
type Intent struct {
	Label       string   `json:"label"`
	Subflow     string   `json:"subflow"` // or an exit of the main file
	Description string   `json:"description"`
	Mutating    []string `json:"mutating_tools"`
	Sections    []string `json:"policy_sections,omitempty"`
	Notes       string   `json:"notes,omitempty"`
}

// Shared is a subflow that several others use.
type Shared struct {
	Name    string   `json:"name"`
	Purpose string   `json:"purpose"`
	UsedBy  []string `json:"used_by"`
}

// Skeleton is a file without its wording.
type Skeleton struct {
	Name  string   `json:"name"`
	Entry string   `json:"entry"`
	Exits []string `json:"exits"`
	Steps []Step   `json:"steps"` // every node but the exits
}

// Step is a node without its wording.
type Step struct {
	ID      string     `json:"id"`
	Type    guide.Type `json:"type"`
	Tool    string     `json:"tool,omitempty"` // alternatives are separated by |
	Subflow string     `json:"subflow,omitempty"`
	Gist    string     `json:"gist,omitempty"`
	Policy  []string   `json:"policy,omitempty"`
	Next    []string   `json:"next"`
}

// IdleTool is a tool that changes data and that no procedure of the policy calls.
type IdleTool struct {
	Tool   string `json:"tool"`
	Reason string `json:"reason"`
}

// Exclusion is a part of the policy that no node has to enforce.
type Exclusion struct {
	Lines  []string `json:"lines"`
	Reason string   `json:"reason"`
}

const mainName = "main"

// namePattern is that of names: files are called so, and what no system takes would show only at the very end.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`)

func (p *Plan) skeleton(name string) *Skeleton {
	for i := range p.Skeletons {
		if p.Skeletons[i].Name == name {
			return &p.Skeletons[i]
		}
	}
	return nil
}

// order is the names of the subflows, each after those that it uses; the plan's order otherwise.
func (p *Plan) order() (out []string) {
	seen := map[string]bool{mainName: true}
	var visit func(name string)
	visit = func(name string) {
		sk := p.skeleton(name)
		if seen[name] || sk == nil {
			return
		}
		seen[name] = true
		for _, step := range sk.Steps {
			if step.Type == guide.Anchor {
				visit(step.Subflow)
			}
		}
		out = append(out, name)
	}
	for _, s := range p.Shared {
		visit(s.Name)
	}
	for _, s := range p.Skeletons {
		visit(s.Name)
	}
	return out
}

// readPlan reads an answer, and returns the plan if it passes the audit.
func readPlan(answer string, src Source) (*Plan, error) {
	p := &Plan{}
	if err := lastJSON(answer, p); err != nil {
		return nil, short(err)
	}
	if err := auditPlan(p, src); err != nil {
		return nil, short(err)
	}
	return p, nil
}

// auditPlan checks a plan against policy and tools.
func auditPlan(p *Plan, src Source) error {
	a := &audit{plan: p, src: src}
	a.names()
	for i := range p.Skeletons {
		a.skeleton(&p.Skeletons[i])
	}
	a.tools()
	a.coverage()
	return errors.Join(a.bad...)
}

// audit collects what is wrong with a plan.
type audit struct {
	plan *Plan
	src  Source
	bad  []error
}

func (a *audit) say(format string, args ...any) { a.bad = append(a.bad, fmt.Errorf(format, args...)) }

func (a *audit) names() {
	p, seen := a.plan, map[string]bool{}
	for _, s := range p.Skeletons {
		if !namePattern.MatchString(s.Name) {
			a.say("skeleton %q: its name is no id: lower-case letters, digits and _, 60 at most", s.Name)
		}
		if seen[s.Name] {
			a.say("skeleton %s is there twice", s.Name)
		}
		seen[s.Name] = true
	}
	m := p.skeleton(mainName)
	if m == nil {
		a.say("there is no skeleton %s", mainName)
		m = &Skeleton{}
	}
	if len(p.Intents) == 0 {
		a.say("there are no intents")
	}
	for _, in := range p.Intents {
		if !namePattern.MatchString(in.Label) || in.Label == guide.General || in.Label == guide.Transfer {
			a.say("intent %q: give it a label of lower-case letters, digits and _, 60 at most, other than %s and %s", in.Label, guide.General, guide.Transfer)
		}
		if p.skeleton(in.Subflow) == nil && !slices.Contains(m.Exits, in.Subflow) {
			a.say("intent %s: there is no skeleton %q", in.Label, in.Subflow)
		}
	}
	for _, s := range p.Shared {
		if p.skeleton(s.Name) == nil {
			a.say("shared subflow %s has no skeleton", s.Name)
		}
	}
}

func (a *audit) skeleton(s *Skeleton) {
	ids := slices.Clone(s.Exits)
	for _, step := range s.Steps {
		if slices.Contains(ids, step.ID) {
			a.say("%s: %s is there twice", s.Name, step.ID)
		}
		ids = append(ids, step.ID)
	}
	if !slices.Contains(ids, s.Entry) || len(s.Exits) == 0 {
		a.say("%s: it needs an entry among its steps, and at least one exit", s.Name)
	}
	for _, step := range s.Steps {
		at := s.Name + "." + step.ID
		if !slices.Contains(guide.Types(), step.Type) || step.Type == guide.Exit {
			a.say("%s: %q is no type of a step", at, step.Type)
		}
		if step.Type == guide.Anchor && (a.plan.skeleton(step.Subflow) == nil || step.Subflow == mainName) {
			a.say("%s: there is no skeleton %q", at, step.Subflow)
		}
		for _, next := range step.Next {
			if !slices.Contains(ids, next) {
				a.say("%s: it leads to %q, which is not there", at, next)
			}
		}
		for _, ref := range step.Policy {
			if _, err := a.src.resolve(ref); err != nil {
				a.say("%s: policy: %w", at, err)
			}
		}
	}
}

// tools checks what steps call, and that each tool that changes data is used or excused.
func (a *audit) tools() {
	authorized := map[string]bool{}
	for _, s := range a.plan.Skeletons {
		for _, step := range s.Steps {
			names := strings.Split(step.Tool, "|")
			if step.Type != guide.ToolCall && step.Type != guide.Authorization {
				continue
			}
			for _, name := range names {
				t, ok := a.src.Inventory.Agent.Tool(name)
				switch writes := ok && t.Kind == domains.Write; {
				case !ok:
					a.say("%s.%s: the agent has no tool %q", s.Name, step.ID, name)
				case writes != (step.Type == guide.Authorization):
					a.say("%s.%s: %s does not go with type %s: what changes data is authorized, what does not is a %s", s.Name, step.ID, name, step.Type, guide.ToolCall)
				}
				authorized[name] = authorized[name] || step.Type == guide.Authorization
			}
		}
	}
	planned, idle := map[string]bool{}, map[string]bool{}
	for _, in := range a.plan.Intents {
		for _, name := range in.Mutating {
			planned[name] = true
		}
	}
	for _, x := range a.plan.Idle {
		idle[x.Tool] = x.Reason != ""
	}
	for _, name := range a.src.mutating() {
		switch {
		case idle[name] && !authorized[name]:
		case !authorized[name]:
			a.say("no skeleton authorizes %s: add a step, or name it under tools_without_procedure with the reason", name)
		case !planned[name]:
			a.say("%s is among the mutating_tools of no intent", name)
		}
	}
}

// coverage checks that each line is assigned to a step or excluded with a reason, and each requirement named by a step.
func (a *audit) coverage() {
	done, named := map[place]bool{}, map[string]bool{}
	for _, s := range a.plan.Skeletons {
		for _, step := range s.Steps {
			for _, ref := range step.Policy {
				named[ref] = true
				at, _ := a.src.resolve(ref)
				for _, p := range at {
					done[p] = true
				}
			}
		}
	}
	for p := range a.excluded() {
		done[p] = true
	}
	left := slices.DeleteFunc(a.src.statements(), func(p place) bool { return done[p] })
	if len(left) > 0 {
		a.say("assign these lines of the policy to steps, or exclude them with a reason: %s", strings.Join(ranges(left), ", "))
	}
	var rows []string
	for _, r := range a.src.Requirements() {
		if !named[r.ID] {
			rows = append(rows, r.ID)
		}
	}
	if len(rows) > 0 {
		a.say("no step names these requirements: %s", strings.Join(rows, ", "))
	}
}

// excluded are the lines that the plan excludes, with the reasons.
func (a *audit) excluded() map[place]string {
	out := map[place]string{}
	for _, x := range a.plan.Excluded {
		if strings.TrimSpace(x.Reason) == "" {
			a.say("excluded lines %s: there is no reason", strings.Join(x.Lines, ", "))
			continue
		}
		for _, ref := range x.Lines {
			at, err := a.src.resolve(ref)
			if err != nil {
				a.say("excluded lines: %w", err)
			}
			for _, p := range at {
				out[p] = x.Reason
			}
		}
	}
	return out
}
