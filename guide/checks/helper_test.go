package checks_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
)

// open opens a domain on data: tau2 or embedded.
func open(t testing.TB, data, domain string) *domains.World {
	t.Helper()
	d, err := all.Domain(domain)
	if err != nil {
		t.Fatal(err)
	}
	if data == "tau2" {
		return domaintest.Real(t, d, domains.Options{})
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

// checkerFor compiles the shipped bundle of a world's domain.
func checkerFor(t testing.TB, w *domains.World) *guide.Checker {
	t.Helper()
	b, err := guide.LoadShipped(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := audit.NewChecker(w, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func converse(t testing.TB, s *audit.Stage, task *domains.Task, without ...string) *audit.Conversation {
	t.Helper()
	d, err := s.Converse(task)
	if err != nil {
		t.Fatal(err)
	}
	d.Without = without
	return d
}

// stageOf is where conversations take place under the shipped bundle.
func stageOf(t testing.TB, w *domains.World) *audit.Stage {
	t.Helper()
	return audit.NewStage(w, checkerFor(t, w))
}

func taskOf(t testing.TB, w *domains.World, id string) *domains.Task {
	t.Helper()
	task, ok := w.Task(id)
	if !ok {
		t.Fatalf("no task %s", id)
	}
	return task
}

// call makes a call of the agent's out of JSON; the members of a change are put over those of the base.
func call(t testing.TB, tool, base, change string) domains.ToolCall {
	t.Helper()
	args := parse(t, base)
	if change != "" {
		args = value.Merge(args, parse(t, change))
	}
	return domains.ToolCall{Name: tool, Arguments: args, Requestor: domains.AgentSide}
}

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// must makes a call that the environment accepts.
func must(t testing.TB, d *audit.Conversation, c domains.ToolCall) {
	t.Helper()
	if res := d.Do(c.Name, c.Arguments); res.Error {
		t.Fatalf("%s: %s", c.Name, res.Content)
	}
}

// changesOf returns the changes of a task's plan.
func changesOf(w *domains.World, task *domains.Task) []domains.ToolCall {
	var out []domains.ToolCall
	if task.Criteria == nil {
		return nil
	}
	for _, a := range task.Criteria.Actions {
		if a.Requestor == domains.AgentSide && w.Agent.Mutates(a.Name) {
			out = append(out, a.Call())
		}
	}
	return out
}

func describe(c domains.ToolCall) string {
	return c.Name + string(value.AppendDump(nil, c.Arguments, value.Declared))
}

func note(p *guide.Position) string {
	if s := p.Unmet(); s != nil {
		return s.Note
	}
	return "done"
}

func walked(p *guide.Position) string {
	var ids []string
	for _, s := range p.Walk {
		ids = append(ids, s.Node)
	}
	return strings.Join(ids, " → ")
}
