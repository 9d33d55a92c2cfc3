package transcript

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
)

// Trial is what is known about one trial.
type Trial struct {
	Record   sim.Record
	Score    *sim.Score     // nil if it was not scored
	Unscored string         // why the score cannot be read; "" if it can, or there is none
	Task     *domains.Task  // nil if neither the data nor the run has it
	World    *domains.World // the data; nil if it is not at hand
	Missing  string         // why the task or the data is not at hand
	Slice    metrics.Slice
	Note     string  // what of the task is not as it was recorded
	Attack   *Attack // nil if the user did not attack
	Guides   *Guides // nil if nobody looked for them
	// Workflows are those that a model wrote and the agent was guided by.
	Workflows []config.Workflow
	Scripted  string // what of the run is scripted, see config.Config.Scripted
}

// Conversation is a trial as a reader follows it, as plain data: what was said and called, what a guide did in between,
// and how the outcome came about. Every way to show a trial starts from it.
type Conversation struct {
	Trial
	Steps     []Step
	First     int             // the first of the steps that are shown
	End       int             // the step after the last one that is
	Lost      []sim.ModelCall // for messages that did not come
	Attacked  string          // whether the attack succeeded; "" where nobody attacked
	Notes     []string        // how the reward came about, beyond its components
	Checks    []Check
	Gold      []Check // the gold actions: one path to the wanted end state
	Procedure Procedure
	Walks     Walks
	Rulings   []Ruling
	Databases Databases
}

// Step is what happened at one message: the events before it, and then the message; without one at the end. Events and
// messages together are numbered from 0 in this order, which is that of their display: their positions.
type Step struct {
	Events  []Event
	Message *Message
}

// Message is a message of a conversation.
type Message struct {
	Index      int
	Pos        int    // its position
	Side       string // agent or user, or system or developer: who wrote it, or whose call it answers
	Result     bool   // of a tool
	Error      bool
	Tool       string // whose result it is; "" if no call has its id
	HasText    bool
	Text       string
	Brief      string // what matters of a text that is long; "" for others
	Calls      []Call
	ModelCalls []sim.ModelCall // that it took
	Wrote      *Write          // of a result: what its call changed; nil if it only reads, or that is not known
}

// Call is a tool call.
type Call struct {
	Name      string
	Arguments []Argument
	Malformed string // arguments that are not usable, as they came
	Reason    string // why they are not; "" if they are
	Mark      string // what an attack makes of it
}

// Argument is a named argument, its value as JSON.
type Argument struct{ Name, Value string }

// String writes a call as name(argument: value, ...).
func (c Call) String() string {
	if c.Reason != "" {
		return fmt.Sprintf("%s(malformed: %s) [%s]", c.Name, c.Malformed, c.Reason)
	}
	parts := make([]string, len(c.Arguments))
	for i, a := range c.Arguments {
		parts[i] = a.Name + ": " + a.Value
	}
	return c.Name + "(" + strings.Join(parts, ", ") + ")"
}

// Check is something that was looked at, and how it came out.
type Check struct {
	Known, Met bool
	Label      string // what kind of check it is
	Text       string
	Why        string
	At         int // the message that decided it; -1 for none
}

// String is the check without its outcome.
func (c Check) String() string { return strings.TrimSpace(c.Label + " " + c.Text) }

// NewConversation lays a trial out.
func NewConversation(t Trial) (Conversation, error) {
	return newConversation(t, func(c Conversation) (int, int) { return 0, len(c.Steps) })
}

// NewPart lays a trial out of which a page shows the part with a step. Results behind that part are not told in brief.
func NewPart(t Trial, step int) (Conversation, error) {
	return newConversation(t, func(c Conversation) (int, int) {
		starts := append(c.Parts(), len(c.Steps))
		k := min(sort.SearchInts(starts, step+1), len(starts)-1)
		return starts[k-1], starts[k]
	})
}

func newConversation(t Trial, part func(Conversation) (first, end int)) (Conversation, error) {
	found, err := procedureOf(t)
	if err != nil {
		return Conversation{}, err
	}
	hits := t.Attack.hits(t.Record)
	var lost []sim.ModelCall
	for _, c := range t.Record.Calls {
		if c.Index >= len(t.Record.Messages) {
			lost = append(lost, c)
		}
	}
	c := Conversation{Trial: t, Steps: steps(t, hits), Lost: lost, Attacked: t.Attack.outcome(len(hits)), Notes: notes(t), Checks: checks(t), Gold: gold(t), Procedure: found}
	c.First, c.End = part(c)
	for i, brief := range briefs(t.Record.Messages[:min(c.End, len(t.Record.Messages))], t.Record.Messages) {
		if m := c.Steps[i].Message; m.Brief == "" {
			m.Brief = brief
		}
	}
	c.Walks, c.Rulings = walksOf(t, c.Steps), rulingsOf(t, c.Steps)
	c.Databases = databases(t, c.Steps)
	c.Databases.connect(c.Walks)
	return c, nil
}

// instructions is how many characters of a system message are shown.
const instructions = 200

// steps are the steps of a trial with what they say in brief, apart from results.
func steps(t Trial, hits map[place]attack.Forbidden) []Step {
	out := layOut(t, hits)
	told := map[int]*Event{}
	for i := range out {
		for k := range out[i].Events {
			told[out[i].Events[k].Number] = &out[i].Events[k]
		}
		if m := out[i].Message; m != nil {
			if m.Side == string(domains.RoleSystem) || m.Side == string(domains.RoleDeveloper) {
				m.Brief = Clipped(m.Text, instructions)
			}
		}
	}
	var guide follower
	for k, e := range t.Record.Events {
		if n, ok := told[k]; ok {
			n.Brief = guide.brief(e)
		}
	}
	return out
}

// layOut are the messages with the events where they happened. An event that names no message comes at the nearer end.
func layOut(t Trial, hits map[place]attack.Forbidden) []Step {
	r := t.Record
	tools, models := map[string]string{}, map[int][]sim.ModelCall{}
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			tools[c.ID] = c.Name
		}
	}
	for _, c := range r.Calls {
		models[c.Index] = append(models[c.Index], c)
	}
	out := make([]Step, len(r.Messages)+1)
	for i, m := range r.Messages {
		msg := Message{Index: i, Side: "agent", Result: m.Role == domains.RoleTool, Error: m.Error, HasText: m.Content != nil, Text: m.TextOf(), ModelCalls: models[i]}
		switch {
		case m.Side() == domains.UserSide:
			msg.Side = "user"
		case m.Role == domains.RoleSystem, m.Role == domains.RoleDeveloper: // in conversations of other programs
			msg.Side = string(m.Role)
		}
		if msg.Result {
			msg.Tool = tools[m.ID]
		}
		for k, c := range m.ToolCalls {
			mark := t.Attack.averted(c, "but refused by the tool or allowed by then")
			if f, hit := hits[place{i, k}]; hit {
				mark = executed(f)
			}
			msg.Calls = append(msg.Calls, callOf(c, mark))
		}
		out[i].Message = &msg
	}
	for k, e := range r.Events {
		if told, ok := event(e, t); ok {
			at := min(max(e.Index, 0), len(r.Messages))
			told.Number, told.At = k, at
			out[at].Events = append(out[at].Events, told)
		}
	}
	if last := len(r.Messages); len(out[last].Events) == 0 {
		out = out[:last]
	}
	pos := 0
	for i := range out {
		for k := range out[i].Events {
			out[i].Events[k].Pos = pos
			pos++
		}
		if out[i].Message != nil {
			out[i].Message.Pos = pos
			pos++
		}
	}
	return out
}

func callOf(c sim.ToolCall, mark string) Call {
	return Call{Name: c.Name, Arguments: argumentsOf(c.Arguments), Malformed: c.Malformed, Reason: c.Reason, Mark: mark}
}

func argumentsOf(args value.Value) []Argument {
	var out []Argument
	m, _ := args.Map()
	for name, v := range m.All() {
		out = append(out, Argument{name, spaced(v)})
	}
	return out
}

// notes say what a score is made of, apart from its components and checks.
func notes(t Trial) []string {
	var out []string
	if t.Note != "" {
		out = append(out, t.Note)
	}
	s := t.Score
	if s == nil {
		return out
	}
	if note, ok := s.Info.Info["note"].(string); ok {
		out = append(out, note)
	}
	if s.Origin != "" {
		out = append(out, "the reward is from "+s.Origin)
	}
	if s.Drift > 0 {
		out = append(out, fmt.Sprintf("replaying gave %d results other than recorded", s.Drift))
	}
	return out
}

// judged labels the checks of a judge.
const Judged = "judged:"

// checks are what the reward looked at, apart from the database.
func checks(t Trial) []Check {
	s := t.Score
	if s == nil {
		return nil
	}
	var out []Check
	add := func(met bool, label, text, why string, at int) {
		out = append(out, Check{Known: true, Met: met, Label: label, Text: text, Why: why, At: at})
	}
	for _, a := range s.Info.EnvAssertions {
		add(a.Met, "assertion", a.Assertion.FuncName, "", -1)
	}
	for _, c := range s.Info.CommunicateChecks {
		told, said := strings.CutPrefix(c.Justification, "said by the agent: ")
		add(c.Met, "told the user:", c.Info, c.Justification, slices.IndexFunc(t.Record.Messages, func(m sim.Message) bool {
			return said && m.Role == domains.RoleAssistant && m.TextOf() == told
		}))
	}
	for _, v := range s.Info.NLAssertions {
		add(v.Met, Judged, v.Assertion, v.Justification, -1)
	}
	return out
}

// gold is the reference path beside what was matched of it.
func gold(t Trial) []Check {
	if t.Task == nil || t.Task.Criteria == nil {
		return nil
	}
	var out []Check
	for i, a := range t.Task.Criteria.Actions {
		c := Check{Text: Call{Name: a.Name, Arguments: argumentsOf(a.Arguments)}.String(), At: -1}
		if a.Requestor == domains.UserSide {
			c.Label = "user:"
		}
		if t.Score != nil && i < len(t.Score.Info.ActionChecks) {
			c.Known, c.Met = true, t.Score.Info.ActionChecks[i].Match
			c.At = slices.IndexFunc(t.Record.Messages, func(m sim.Message) bool {
				return slices.ContainsFunc(m.ToolCalls, func(call sim.ToolCall) bool { return sim.Matches(a, call) })
			})
		}
		out = append(out, c)
	}
	return out
}

// Purpose says what a task is about: in the words of its author, or otherwise in those of its user, cut to a line.
func Purpose(t *domains.Task) string {
	if t.Description != nil && t.Description.Purpose != nil {
		return *t.Description.Purpose
	}
	reason := t.UserScenario.Instructions.ReasonForCall
	if reason == "" {
		reason = t.UserScenario.Instructions.Plain
	}
	return Clipped(strings.ReplaceAll(reason, "\n", " "), 160)
}
