package show

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/sim"
)

// Options say how much to print.
type Options struct {
	MaxResult int // characters of a tool result; 0 is all
}

// Print writes the conversation, the reward by component, the gold actions, the database difference and what the trace
// rubric says.
func Print(w io.Writer, t Trial, o Options) error {
	c, err := NewConversation(t)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	p := printer{w: b, options: o}
	p.head(t)
	p.steps(c.Steps)
	p.remarks(c.Lost)
	p.line("")
	p.end(t.Record)
	if c.Attacked != "" {
		p.line("%s", c.Attacked)
	}
	p.reward(c)
	p.gold(c.Gold)
	p.difference(t.Score)
	p.procedure(c.Procedure)
	return b.Flush()
}

type printer struct {
	w       *bufio.Writer
	options Options
}

// line prints a line of our own making around texts that may contain anything.
func (p printer) line(format string, args ...any) {
	fmt.Fprintln(p.w, Safe(fmt.Sprintf(format, args...)))
}

func (p printer) head(t Trial) {
	r := t.Record
	p.line("%s/%s/%s/%d  attempt %d, seed %d", r.Domain, r.System, r.Task, r.Trial, r.Attempt, r.Seed)
	if r.Synthetic {
		p.line("%s", report.SyntheticNote)
	}
	for _, w := range t.Workflows {
		p.line("workflow %v", w.Workflow)
	}
	if t.Task != nil {
		p.line("task (%s): %s", t.Slice, Purpose(t.Task))
	} else {
		p.line("task: it is not in the data")
	}
	p.line("")
}

func (p printer) steps(list []Step) {
	for _, s := range list {
		for _, e := range s.Events {
			p.event(e)
		}
		if s.Message != nil {
			p.message(s.Message)
		}
	}
}

func (p printer) message(m *Message) {
	what, text := "", m.Text
	if m.Result {
		what, text = " result", clipped(m.Text, p.options.MaxResult)
	}
	if m.Error {
		what += ", ERROR"
	}
	p.line("%3d %s%s:", m.Index, m.Side, what)
	if m.HasText || m.Result {
		p.line("%s", indented(text, "      "))
	}
	for _, c := range m.Calls {
		p.call("      ", c)
	}
	p.remarks(m.ModelCalls)
}

// remarks tells what model calls were beside what they said.
func (p printer) remarks(calls []sim.ModelCall) {
	for _, c := range calls {
		for _, r := range c.Remarks() {
			p.line("    ! %s: %s", c.Role, r)
		}
	}
}

// call prints a call and its mark, if it has one.
func (p printer) call(margin string, c Call) {
	p.line("%s→ %s", margin, strings.TrimSpace(c.String()+"   "+c.Mark))
}

func (p printer) event(e Event) {
	bullet, margin := "·", "          "
	if e.Guide {
		bullet, margin = "▸", "        "
	}
	p.line("    %s %s", bullet, e.Title)
	if e.Text != "" {
		p.line("%s", indented(e.Text, "        "))
	}
	for _, m := range e.Private {
		switch {
		case !e.Guide:
			p.line("%s", indented(fmt.Sprintf("%s: %s", m.Role, m.Text), "        "))
		case strings.TrimSpace(m.Text) != "":
			p.line("%s", indented(m.Text, "        "))
		}
		for _, c := range m.Calls {
			p.call(margin, c)
		}
	}
	for _, f := range e.Findings {
		p.line("        %s", f)
	}
}

func (p printer) end(r sim.Record) {
	p.line("ended: %s after %d steps, %d failed calls", r.Termination, r.Steps, r.ToolErrors)
	if o := r.Oversight(); o.Failed+o.Reasked+o.Coerced+o.Rejected > 0 {
		p.line("verifier: %s", o)
	}
	if r.Fault != nil {
		p.line("fault: %s (%s, message %d): %s", r.Fault.Kind, r.Fault.Side, r.Fault.Index, r.Fault.Text)
	}
}

// reward prints the components: what each came to, and whether the task counts it.
func (p printer) reward(c Conversation) {
	s := c.Score
	if s == nil {
		p.line("reward: not scored yet; tauguide run CONFIG --resume scores it")
		return
	}
	if s.Reward == nil {
		p.line("reward: pending (%s)", s.Pending)
	} else {
		p.line("reward: %g", *s.Reward)
	}
	for _, call := range s.JudgeCalls {
		if s.Pending != "" && call.Answer != "" {
			p.line("  the judge answered:\n%s", indented(call.Answer, "    "))
		}
	}
	p.remarks(s.JudgeCalls)
	for _, note := range c.Notes {
		p.line("  %s", note)
	}
	for _, c := range s.Components {
		counted := "diagnostic, not scored"
		if c.Counted {
			counted = "counted"
		}
		p.line("  %-13s %-7s %s", c.Type, c.State, strings.TrimSpace(counted+"  "+c.Why))
	}
	for _, c := range c.Checks {
		why := ""
		if c.Label == judged { // only a judge's reasons say more than the check
			why = " (" + c.Why + ")"
		}
		p.line("  %s %s%s", Mark(c.Met), c, why)
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
func (p printer) gold(actions []Check) {
	if len(actions) == 0 {
		return
	}
	p.line("gold actions (one path to the wanted end state; required only where ACTION is counted):")
	for _, a := range actions {
		mark := " "
		if a.Known {
			mark = Mark(a.Met)
		}
		p.line("  %s %s", mark, a)
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

// procedure prints how the conversation went about its task.
func (p printer) procedure(found Procedure) {
	if found.Summary != "" {
		p.line("trace rubric: %s", found.Summary)
	}
	for _, c := range found.Failed {
		at := ""
		if c.At >= 0 {
			at = fmt.Sprintf(" at message %d", c.At)
		}
		p.line("  %s %s%s: %s", Mark(false), strings.TrimSuffix(c.Label, ":"), at, c.Text)
		p.line("      %s", c.Why)
	}
	for _, c := range found.NearMisses {
		p.line("near miss at message %d: %s", c.At, c.Text)
	}
}
