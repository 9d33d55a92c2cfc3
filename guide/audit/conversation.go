package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Conversation is the scripted conversation of one task: texts as they are given, calls carried out in the task's real
// environment. Who drives it may leave out steps, and thereby break the policy.
type Conversation struct {
	Task     *domains.Task
	Env      *domains.Env
	Trace    *guide.Trace
	Messages []domains.Message
	Added    *Added
	Without  []string // steps that are left out, by the names that Propose and the agents give them
	Consent  string   // what the user answers to a summary
	Err      error    // first reason why the conversation cannot be completed

	stage *Stage
	calls int
}

// Stage is where the conversations of a domain take place.
type Stage struct {
	World *domains.World
	Check *guide.Checker // nil if Due is not asked
	db    policy.Record  // the agent's database before anything happened
}

// NewStage reads the database of a world.
func NewStage(w *domains.World, c *guide.Checker) *Stage {
	agent, _ := w.Fresh()
	s := &Stage{World: w, Check: c}
	if db, ok := agent.(interface{ Value() value.Value }); ok {
		s.db = policy.Arguments(db.Value())
	}
	return s
}

// Converse opens a task; the agent has greeted.
func (s *Stage) Converse(task *domains.Task) (*Conversation, error) {
	env, err := s.World.NewGold(task)
	if err != nil {
		return nil, err
	}
	d := &Conversation{Task: task, Env: env, Trace: guide.NewTrace(), Added: &Added{}, Consent: "Yes, please go ahead.", stage: s}
	d.say(domains.RoleAssistant, domains.Greeting)
	return d, nil
}

func (d *Conversation) add(msgs ...domains.Message) {
	d.Messages = append(d.Messages, msgs...)
	d.Trace.Add(msgs...)
}

func (d *Conversation) say(role domains.Role, s string) {
	d.add(domains.Message{Role: role, Content: &s})
}

func (d *Conversation) fail(format string, args ...any) {
	if d.Err == nil {
		d.Err = fmt.Errorf(format, args...)
	}
}

func (d *Conversation) skips(step string) bool { return slices.Contains(d.Without, step) }

// Ask lets the agent say something other than a summary.
func (d *Conversation) Ask(text string) {
	d.Added.Questions++
	d.say(domains.RoleAssistant, text)
}

// Answer lets the user say something other than a yes to a summary.
func (d *Conversation) Answer(text string) {
	d.Added.Answers++
	d.say(domains.RoleUser, text)
}

// Propose sets a change out and gets the user's yes. Steps: proposal (both), summary, yes.
func (d *Conversation) Propose(summary string) {
	switch {
	case d.skips("proposal"):
		return
	case d.skips("summary"):
		d.Ask("I will see to it.")
	default:
		d.Added.Summaries++
		d.say(domains.RoleAssistant, summary+" Shall I go ahead?")
	}
	if d.skips("yes") {
		d.Answer("No, not yet, let me think about it.")
		return
	}
	d.Added.Consents++
	d.say(domains.RoleUser, d.Consent)
}

// Do carries out a call of the agent's.
func (d *Conversation) Do(name string, args value.Value) domains.ToolResult {
	return d.made(domains.AgentSide, name, args)
}

func (d *Conversation) made(side domains.Side, name string, args value.Value) domains.ToolResult {
	d.calls++
	c := domains.ToolCall{ID: fmt.Sprintf("c%d", d.calls), Name: name, Arguments: args, Requestor: side}
	result := d.Env.Call(side, c)
	role := domains.RoleAssistant
	if side == domains.UserSide {
		role = domains.RoleUser
	}
	d.add(domains.Message{Role: role, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, result))
	return result
}

// Read carries out a call of the agent's that changes nothing. The result is plain Go, nil if the call fails.
func (d *Conversation) Read(name string, pairs ...string) any {
	d.Added.Reads++
	result := d.Do(name, Object(pairs...))
	v, err := value.ParseString(result.Content)
	if err != nil || result.Error {
		return nil
	}
	return guide.Native(v)
}

// Due asks whether a call is authorized now, and where the walk rests if it is not.
func (d *Conversation) Due(c domains.ToolCall) (bool, Stop) {
	p, ok := d.stage.Check.Authorize(d.Trace, c, 0)
	switch {
	case !ok:
		return false, Stop{Note: "no node authorizes " + c.Name}
	case p.Authorizes == c.Name:
		return true, Stop{}
	}
	unmet := p.Unmet()
	s := Stop{Node: unmet.Node, Note: unmet.Note}
	if n, ok := d.stage.Check.Graph().Node(unmet.Node); ok && !p.Done {
		s.Condition, s.Check = n.SatisfiedWhen, n.Check
	}
	return false, s
}

// changes reports whether an action is a change by the agent.
func changes(w *domains.World, a domains.Action) bool {
	return a.Requestor == domains.AgentSide && w.Agent.Mutates(a.Name)
}

// plan is a task's actions.
func plan(task *domains.Task) []domains.Action {
	if task.Criteria == nil {
		return nil
	}
	return task.Criteria.Actions
}

// at walks into the database; nil where there is no such record.
func (d *Conversation) at(path ...string) policy.Record {
	r := d.stage.db
	for _, key := range path {
		r = r.Record(key)
	}
	return r
}

// brief is everything that the task's user has been told, as the user's own words.
func (d *Conversation) brief() string {
	in := d.Task.UserScenario.Instructions
	var parts []string
	for _, p := range []*string{&in.Plain, &in.ReasonForCall, in.KnownInfo, &in.TaskInstructions} {
		if p != nil && *p != "" {
			parts = append(parts, *p)
		}
	}
	return strings.Join(parts, "\n")
}

// owner finds whose records the actions name: the user they name, or who owns their record in the table; "" if
// there is none.
func (d *Conversation) owner(table, key string, actions ...domains.Action) string {
	for _, a := range actions {
		args := policy.Arguments(a.Arguments)
		if id := cmp.Or(args.Text("user_id"), d.at(table, args.Text(key)).Text("user_id")); id != "" {
			return id
		}
	}
	return ""
}

// Object makes arguments out of pairs of a name and a text.
func Object(pairs ...string) value.Value {
	m := &value.Map{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.Set(pairs[i], value.OfString(pairs[i+1]))
	}
	return value.OfMap(m)
}
