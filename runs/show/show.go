package show

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/sim"
)

// View is what is known about one trial.
type View struct {
	Record sim.Record
	Score  *sim.Score    // nil if it was not scored
	Task   *domains.Task // nil if neither the data nor the run has it
	Slice  metrics.Slice
	Attack *Attack // nil if the user did not attack
}

// Options say how much to print.
type Options struct {
	MaxResult int // characters of a tool result; 0 is all
}

// Print writes the conversation, the reward by component, the gold actions, the database difference and what the trace
// rubric says.
func Print(w io.Writer, v View, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, options: o, marks: v.Attack.Marks(v.Record)}
	p.head(v)
	p.talk(v.Record)
	p.end(v.Record)
	if outcome := p.marks.Outcome(); outcome != "" {
		p.line("%s", outcome)
	}
	p.reward(v.Score)
	p.gold(v)
	p.difference(v.Score)
	if err := p.procedure(v); err != nil {
		return err
	}
	return b.Flush()
}

type printer struct {
	w       *bufio.Writer
	options Options
	marks   Marks
}

// line prints a line of our own making around texts that may hold anything.
func (p printer) line(format string, args ...any) {
	fmt.Fprintln(p.w, Safe(fmt.Sprintf(format, args...)))
}

func (p printer) head(v View) {
	r := v.Record
	p.line("%s/%s/%s/%d  attempt %d, seed %d", r.Domain, r.System, r.Task, r.Trial, r.Attempt, r.Seed)
	if r.Synthetic {
		p.line("%s", report.SyntheticNote)
	}
	if v.Task != nil {
		p.line("task (%s): %s", v.Slice, Purpose(v.Task))
	} else {
		p.line("task: it is not in the data")
	}
	p.line("")
}

// Purpose says what a task is about: in the words of its author, or else in those of its user, cut to a line.
func Purpose(t *domains.Task) string {
	if t.Description != nil && t.Description.Purpose != nil {
		return *t.Description.Purpose
	}
	reason := t.UserScenario.Instructions.ReasonForCall
	if reason == "" {
		reason = t.UserScenario.Instructions.Plain
	}
	return clipped(strings.ReplaceAll(reason, "\n", " "), 160)
}

// talk prints the messages with the events where they happened.
func (p printer) talk(r sim.Record) {
	events := r.Events
	for i, m := range r.Messages {
		for len(events) > 0 && events[0].Index <= i {
			p.event(events[0], r.Events)
			events = events[1:]
		}
		p.message(i, m)
	}
	for _, e := range events {
		p.event(e, r.Events)
	}
	p.line("")
}

func (p printer) message(i int, m sim.Message) {
	who := speaker(m)
	switch {
	case m.Role == domains.RoleTool && m.Error:
		p.line("%3d %s result, ERROR:", i, who)
		p.line("%s", indented(Safe(clipped(m.TextOf(), p.options.MaxResult)), "      "))
	case m.Role == domains.RoleTool:
		p.line("%3d %s result:", i, who)
		p.line("%s", indented(Safe(clipped(m.TextOf(), p.options.MaxResult)), "      "))
	case m.Content != nil:
		p.line("%3d %s:", i, who)
		p.line("%s", indented(Safe(m.TextOf()), "      "))
	default:
		p.line("%3d %s:", i, who)
	}
	for k, c := range m.ToolCalls {
		p.call("      ", c, p.marks.Delivered(i, k, c))
	}
}

// call prints a call and its mark, if it has one.
func (p printer) call(margin string, c sim.ToolCall, mark string) {
	if mark != "" {
		mark = "   " + mark
	}
	p.line("%s→ %s%s", margin, CallText(c), mark)
}

// speaker says who wrote a message, or whose call it answers.
func speaker(m sim.Message) string {
	if m.Side() == domains.UserSide {
		return "user"
	}
	return "agent"
}

// CallText writes a call as name(argument: value, ...), values as JSON; one with unusable arguments as they came.
func CallText(c sim.ToolCall) string {
	if c.Reason != "" {
		return fmt.Sprintf("%s(malformed: %s) [%s]", c.Name, c.Malformed, c.Reason)
	}
	return ActionText(c.Name, c.Arguments)
}

// ActionText is CallText for a name and its arguments.
func ActionText(name string, args value.Value) string {
	var parts []string
	m, _ := args.Map()
	for k, v := range m.All() {
		text, err := v.MarshalJSON()
		if err != nil {
			text = []byte(v.Repr())
		}
		parts = append(parts, k+": "+string(text))
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

func (p printer) event(e sim.Event, all []sim.Event) {
	n, ok := NoteOf(e, all)
	if !ok {
		return
	}
	bullet, margin := "·", "          "
	if n.Guide {
		bullet, margin = "▸", "        "
	}
	p.line("    %s %s", bullet, n.Title)
	if n.Text != "" {
		p.line("%s", indented(Safe(n.Text), "        "))
	}
	for _, m := range n.Messages {
		switch {
		case !n.Guide:
			p.line("%s", indented(Safe(fmt.Sprintf("%s: %s", m.Role, m.TextOf())), "        "))
		case m.HasText():
			p.line("%s", indented(Safe(m.TextOf()), "        "))
		}
		for _, c := range m.ToolCalls {
			p.call(margin, c, p.marks.Held(c))
		}
	}
	for _, l := range n.Lines {
		p.line("        %s", l)
	}
}

func (p printer) end(r sim.Record) {
	p.line("ended: %s after %d steps, %d failed calls", r.Termination, r.Steps, r.ToolErrors)
	if r.Fault != nil {
		p.line("fault: %s (%s, message %d): %s", r.Fault.Kind, r.Fault.Side, r.Fault.Index, r.Fault.Text)
	}
}

// reward prints the components: what each came to, and whether the task counts it.
func (p printer) reward(s *sim.Score) {
	if s == nil {
		p.line("reward: not scored yet; tauguide run CONFIG --resume scores it")
		return
	}
	switch {
	case s.Reward == nil:
		p.line("reward: pending (%s)", s.Pending)
	default:
		p.line("reward: %g", *s.Reward)
	}
	if note, ok := s.Info.Info["note"].(string); ok {
		p.line("  %s", note)
	}
	for _, c := range s.Components {
		counted := "diagnostic, not scored"
		if c.Counted {
			counted = "counted"
		}
		p.line("  %-13s %-7s %s", c.Type, c.State, strings.TrimSpace(counted+"  "+c.Why))
	}
	if s.Drift > 0 {
		p.line("  replaying gave %d results other than recorded", s.Drift)
	}
	for _, a := range s.Info.EnvAssertions {
		p.line("  %s assertion %s", Mark(a.Met), a.Assertion.FuncName)
	}
	for _, c := range s.Info.CommunicateChecks {
		p.line("  %s told the user: %s", Mark(c.Met), c.Info)
	}
	for _, v := range s.Info.NLAssertions {
		p.line("  %s judged: %s (%s)", Mark(v.Met), v.Assertion, v.Justification)
	}
}

// Mark is a tick or a cross.
func Mark(ok bool) string {
	if ok {
		return "✓"
	}
	return "✗"
}

// gold prints the reference path beside what was matched of it.
func (p printer) gold(v View) {
	if v.Task == nil || v.Task.Criteria == nil || len(v.Task.Criteria.Actions) == 0 {
		return
	}
	p.line("gold actions (one path to the wanted end state; required only where ACTION is counted):")
	for i, a := range v.Task.Criteria.Actions {
		matched := " "
		if v.Score != nil && i < len(v.Score.Info.ActionChecks) {
			matched = Mark(v.Score.Info.ActionChecks[i].Match)
		}
		by := ""
		if a.Requestor == domains.UserSide {
			by = "user: "
		}
		p.line("  %s %s%s", matched, by, ActionText(a.Name, a.Arguments))
	}
}

func (p printer) difference(s *sim.Score) {
	if s == nil || len(s.Diff) == 0 {
		return
	}
	p.line("database difference (wanted → got):")
	for _, c := range s.Diff {
		p.line("  %s: %s → %s", c.Path, clipped(c.Want, 300), clipped(c.Got, 300))
	}
}
