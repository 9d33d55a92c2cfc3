package audit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// desk holds the conversation of one task: texts as they are given, calls carried out in a real environment.
type desk struct {
	world *domains.World
	check *guide.Checker
	env   *domains.Env
	trace *guide.Trace
	msgs  []domains.Message
	task  *domains.Task
	db    map[string]any // the agent's database before anything happened
	added *Added
	calls int
	err   error // first reason why the conversation cannot be completed
}

// newDesk opens a task; the agent has greeted.
func newDesk(w *domains.World, c *guide.Checker, task *domains.Task, db map[string]any, added *Added) (*desk, error) {
	env, err := w.NewGold(task)
	if err != nil {
		return nil, err
	}
	d := &desk{world: w, check: c, env: env, trace: guide.NewTrace(), task: task, db: db, added: added}
	d.text(domains.RoleAssistant, domains.Greeting)
	return d, nil
}

func (d *desk) add(msgs ...domains.Message) {
	d.msgs = append(d.msgs, msgs...)
	d.trace.Add(msgs...)
}

func (d *desk) text(role domains.Role, s string) {
	d.add(domains.Message{Role: role, Content: &s})
}

func (d *desk) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func (d *desk) ask(text string) {
	d.added.Questions++
	d.text(domains.RoleAssistant, text)
}

func (d *desk) answer(text string) {
	d.added.Answers++
	d.text(domains.RoleUser, text)
}

// propose sets a change out and gets the user's yes.
func (d *desk) propose(summary string) {
	d.added.Summaries++
	d.text(domains.RoleAssistant, summary)
	d.added.Consents++
	d.text(domains.RoleUser, "Yes, please go ahead.")
}

// do carries out a call of the agent's.
func (d *desk) do(name string, args value.Value) domains.ToolResult {
	return d.made(domains.AgentSide, name, args)
}

func (d *desk) made(side domains.Side, name string, args value.Value) domains.ToolResult {
	d.calls++
	c := domains.ToolCall{ID: fmt.Sprintf("c%d", d.calls), Name: name, Arguments: args, Requestor: side}
	result := d.env.Call(side, c)
	role := domains.RoleAssistant
	if side == domains.UserSide {
		role = domains.RoleUser
	}
	d.add(domains.Message{Role: role, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, result))
	return result
}

// read adds a call that changes nothing; the result is plain Go, nil if the call fails.
func (d *desk) read(name string, pairs ...string) any {
	d.added.Reads++
	result := d.do(name, object(pairs...))
	v, err := value.ParseString(result.Content)
	if err != nil || result.Error {
		return nil
	}
	return guide.Native(v)
}

// due asks whether a call is authorized now, and where the walk rests if it is not.
func (d *desk) due(c domains.ToolCall) (bool, Stop) {
	p, ok := d.check.Authorize(d.trace, c, 0)
	switch {
	case !ok:
		return false, Stop{Note: "no node authorizes " + c.Name}
	case p.Authorizes == c.Name:
		return true, Stop{}
	}
	unmet := p.Unmet()
	s := Stop{Node: unmet.Node, Note: unmet.Note}
	if n, ok := d.check.Graph().Node(unmet.Node); ok && !p.Done {
		s.Condition, s.Check = n.SatisfiedWhen, n.Check
	}
	return false, s
}

// changes reports whether an action is a change by the agent.
func (d *desk) changes(a domains.Action) bool {
	return a.Requestor == domains.AgentSide && d.world.Agent.Mutates(a.Name)
}

// plan is the task's actions.
func (d *desk) plan() []domains.Action {
	if d.task.Criteria == nil {
		return nil
	}
	return d.task.Criteria.Actions
}

// at walks into the database; nil where there is no such record.
func (d *desk) at(path ...string) map[string]any {
	m := d.db
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}

// brief is everything that the task's user has been told, as the user's own words.
func (d *desk) brief() string {
	in := d.task.UserScenario.Instructions
	var parts []string
	for _, p := range []*string{&in.Plain, &in.ReasonForCall, in.KnownInfo, &in.TaskInstructions} {
		if p != nil && *p != "" {
			parts = append(parts, *p)
		}
	}
	return strings.Join(parts, "\n")
}

// object makes arguments out of pairs of a name and a text.
func object(pairs ...string) value.Value {
	m := &value.Map{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.Set(pairs[i], value.OfString(pairs[i+1]))
	}
	return value.OfMap(m)
}

// content is the agent's database of a world before anything happened.
func content(w *domains.World) map[string]any {
	agent, _ := w.Fresh()
	db, ok := agent.(interface{ Value() value.Value })
	if !ok {
		return nil
	}
	m, _ := guide.Native(db.Value()).(map[string]any)
	return m
}

func native(args value.Value) map[string]any {
	m, _ := guide.Native(args).(map[string]any)
	return m
}

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// records returns the objects of a list.
func records(v any) []map[string]any {
	items, _ := v.([]any)
	var out []map[string]any
	for _, x := range items {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// texts returns the texts of a list.
func texts(v any) []string {
	items, _ := v.([]any)
	var out []string
	for _, x := range items {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}

// owner finds whose records the actions name: the user they name, or who owns their record in the table; "" if
// there is none.
func (d *desk) owner(table, key string, actions ...domains.Action) string {
	for _, a := range actions {
		args := native(a.Arguments)
		if id := cmp.Or(str(args, "user_id"), str(d.at(table, str(args, key)), "user_id")); id != "" {
			return id
		}
	}
	return ""
}
