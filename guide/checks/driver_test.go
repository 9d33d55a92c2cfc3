package checks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

// driver holds a conversation of one task: texts as they are given, calls carried out in a real environment.
type driver struct {
	t     testing.TB
	world *domains.World
	check *guide.Checker
	env   *domains.Env
	trace *guide.Trace
	calls int
}

// checkerFor compiles the shipped bundle of a world's domain.
func checkerFor(t testing.TB, w *domains.World) *guide.Checker {
	t.Helper()
	b, err := guide.LoadShipped(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	g, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	vocabulary, err := checks.For(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := guide.NewChecker(g, guide.InventoryOf(w), vocabulary, guide.CheckerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newDriver opens a task; the agent has greeted.
func newDriver(t testing.TB, w *domains.World, c *guide.Checker, task *domains.Task) *driver {
	t.Helper()
	env, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, world: w, check: c, env: env, trace: guide.NewTrace()}
	d.agent(domains.Greeting)
	return d
}

func (d *driver) agent(text string) {
	d.trace.Add(domains.Message{Role: domains.RoleAssistant, Content: &text})
}

func (d *driver) user(text string) {
	d.trace.Add(domains.Message{Role: domains.RoleUser, Content: &text})
}

// call carries out a call of the agent and returns its result.
func (d *driver) call(name string, args value.Value) domains.ToolResult {
	d.calls++
	c := domains.ToolCall{ID: fmt.Sprintf("c%d", d.calls), Name: name, Arguments: args, Requestor: domains.AgentSide}
	result := d.env.Call(domains.AgentSide, c)
	d.trace.Add(domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, result))
	return result
}

// due asks whether a call is authorized now; if it is not, reason says where the walk rests.
func (d *driver) due(name string, args value.Value) (due bool, reason string) {
	d.t.Helper()
	p, ok := d.check.Authorize(d.trace, domains.ToolCall{Name: name, Arguments: args, Requestor: domains.AgentSide}, 0)
	if !ok {
		return false, "no node authorizes " + name
	}
	if p.Authorizes == name {
		return true, ""
	}
	if p.Done {
		return false, "the request counts as done already"
	}
	return false, p.Node + ": " + p.Unmet().Note
}

// mutates reports whether a call of the agent changes something.
func (d *driver) mutates(a domains.Action) bool {
	return a.Requestor == domains.AgentSide && d.world.Agent.Mutates(a.Name)
}

// object makes arguments out of pairs of a name and a text.
func object(pairs ...string) value.Value {
	m := &value.Map{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.Set(pairs[i], value.OfString(pairs[i+1]))
	}
	return value.OfMap(m)
}

// content is the database of a world before anything happened.
func content(w *domains.World) map[string]any {
	agent, _ := w.Fresh()
	return guide.Native(agent.(interface{ Value() value.Value }).Value()).(map[string]any)
}

// briefOf is everything that a task's user has been told, as the user's own words.
func briefOf(task *domains.Task) string {
	in := task.UserScenario.Instructions
	var parts []string
	for _, p := range []*string{&in.Plain, &in.ReasonForCall, in.KnownInfo, &in.TaskInstructions} {
		if p != nil && *p != "" {
			parts = append(parts, *p)
		}
	}
	return strings.Join(parts, "\n")
}

// writesOf returns the changes of a task's plan.
func writesOf(w *domains.World, task *domains.Task) []domains.Action {
	if task.Criteria == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(task.Criteria.Actions), func(a domains.Action) bool {
		return a.Requestor != domains.AgentSide || !w.Agent.Mutates(a.Name)
	})
}
