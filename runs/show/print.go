// Package show prints recorded trials for a reader at a terminal: one conversation whole, or a list of trials.
package show

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// Options say how much to print, and what for.
type Options struct {
	terminal.Page      // colours need a writer that lets styles pass
	Full          bool // fold nothing
	Walk          bool // in place of the conversation, what guides and guards made of it
}

// Print writes the conversation, the reward by component, the gold actions, the database difference and what the trace
// rubric says.
func Print(w io.Writer, t transcript.Trial, o Options) error {
	c, err := transcript.NewConversation(t)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	p := printer{w: b, Options: o}
	p.head(c)
	if o.Walk {
		for _, text := range c.Oversight() {
			p.line("%s", text)
		}
	} else {
		for _, e := range c.Transcript() {
			p.entry(e)
		}
	}
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
	w *bufio.Writer
	Options
}

// line prints a line of our own making around texts that may contain anything.
func (p printer) line(format string, args ...any) { p.styled("", format, args...) }

// styled prints a line in a style. It is broken to the width of the page, and goes on behind its own margin.
func (p printer) styled(s terminal.Style, format string, args ...any) {
	for text := range strings.SplitSeq(transcript.Safe(fmt.Sprintf(format, args...)), "\n") {
		p.wrapped(s, text, "", "    ")
	}
}

// wrapped prints a line behind a lead, and what does not fit on it below, by so much further in.
func (p printer) wrapped(s terminal.Style, line, lead, further string) {
	body := strings.TrimLeft(line, " ")
	margin := line[:len(line)-len(body)]
	next := strings.Repeat(" ", terminal.Columns(lead)) + margin + further
	if p.Width > 0 {
		body = terminal.Wrap(body, max(1, p.Width-terminal.Columns(next)))
	}
	lead += margin
	for text := range strings.SplitSeq(body, "\n") {
		if s != "" {
			text = p.Paint(s, text)
		}
		fmt.Fprintln(p.w, strings.TrimRight(lead+text, " "))
		lead = next
	}
}

func (p printer) head(c transcript.Conversation) {
	r := c.Record
	p.styled(terminal.Bold, "%s", r.Key.String())
	outcome := outcomeOf(c.Trial)
	p.styled(outcomeStyle(outcome), "%s %s; attempt %d, seed %d", outcome.Mark(), outcome, r.Attempt, r.Seed)
	if r.Synthetic {
		p.line("%s", report.ScriptedNote(cmp.Or(c.Scripted, config.AllScripted)))
	}
	for _, w := range c.Workflows {
		p.line("workflow %v", w.Workflow)
	}
	if c.Task != nil {
		p.line("task (%s): %s", c.Slice, transcript.Purpose(c.Task))
	} else {
		p.line("task: it is not in the data")
	}
	p.line("")
}

// outcomeOf is the outcome of the attempt.
func outcomeOf(t transcript.Trial) trials.Outcome {
	e := store.Entry{Termination: t.Record.Termination}
	if t.Score != nil {
		e.Reward = t.Score.Reward
	}
	return trials.OutcomeOf(e)
}

// gutter is the width of the place of an entry's number and role.
const gutter = 12

// styleOf is what the role of an entry is painted in.
func styleOf(e transcript.Entry) terminal.Style {
	if e.Error {
		return terminal.Bad
	}
	return map[transcript.Role]terminal.Style{transcript.AgentRole: terminal.Agent, transcript.UserRole: terminal.User, transcript.ResultRole: terminal.Dim, transcript.GuideRole: terminal.Hint,
		transcript.GateRole: terminal.Warn, transcript.NoteRole: terminal.Dim}[e.Role]
}

// entry prints an entry: number and role, and its text beside them.
func (p printer) entry(e transcript.Entry) {
	text := e.Brief
	if p.Full {
		text = e.Whole
	}
	if text == "" {
		if e.Brief != e.Whole { // folded away
			return
		}
		text = "(nothing)"
	}
	if e.Error {
		text = "ERROR " + text
	}
	number, role := "", string(e.Role)
	if e.Index >= 0 {
		number = strconv.Itoa(e.Index)
	}
	if e.Role == transcript.GateRole {
		role = "GATE"
	}
	lead := p.Paint(styleOf(e), fmt.Sprintf("%3s %-7s ", number, role))
	style := styleOf(e)
	if e.Role == transcript.AgentRole || e.Role == transcript.UserRole || e.Role == transcript.GuideRole {
		style = ""
	}
	for line := range strings.SplitSeq(strings.TrimRight(transcript.Safe(text), "\n"), "\n") {
		if e.Line && !p.Full && p.Width > gutter {
			line = terminal.Cut(line, p.Width-gutter)
		}
		p.wrapped(style, line, lead, "")
		lead = strings.Repeat(" ", gutter)
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
func (p printer) reward(c transcript.Conversation) {
	s := c.Score
	if s == nil {
		p.line("reward: not scored yet; tauguide run CONFIG --resume scores it")
		return
	}
	if s.Reward == nil {
		p.line("reward: pending (%s)", s.Pending)
	} else {
		style := terminal.Good
		if !sim.Success(*s.Reward) {
			style = terminal.Bad
		}
		p.styled(style, "reward: %g", *s.Reward)
	}
	for _, call := range s.JudgeCalls {
		if s.Pending != "" && call.Answer != "" {
			p.line("  the judge answered:\n%s", transcript.Indented(call.Answer, "    "))
		}
	}
	for _, e := range transcript.Remarks(s.JudgeCalls) {
		p.entry(e)
	}
	for _, note := range c.Notes {
		p.line("  %s", note)
	}
	for _, c := range s.Components {
		if c.State == sim.NA && !p.Full {
			continue
		}
		counted := "diagnostic, not scored"
		if c.Counted {
			counted = "counted"
		}
		p.line("  %-13s %-7s %s", c.Type, c.State, strings.TrimSpace(counted+"  "+c.Why))
	}
	for _, c := range c.Checks {
		why := ""
		if c.Label == transcript.Judged { // only a judge's reasons say more than the check
			why = " (" + c.Why + ")"
		}
		p.check(c, "  %s %s%s", transcript.Mark(c.Met), c, why)
	}
}

// check prints a check, in colour if it failed.
func (p printer) check(c transcript.Check, format string, args ...any) {
	style := terminal.Style("")
	if c.Known && !c.Met {
		style = terminal.Bad
	}
	p.styled(style, format, args...)
}

// gold prints the reference path beside what was matched of it.
func (p printer) gold(actions []transcript.Check) {
	if len(actions) == 0 {
		return
	}
	p.line("gold actions (one path to the wanted end state; required only where ACTION is counted):")
	for _, a := range actions {
		mark := " "
		if a.Known {
			mark = transcript.Mark(a.Met)
		}
		p.check(a, "  %s %s", mark, a)
	}
}

func (p printer) difference(s *sim.Score) {
	if s == nil || len(s.Diff) == 0 {
		return
	}
	p.line("database difference (wanted → got):")
	for _, c := range s.Diff {
		p.line("  %s: %s → %s", c.Path, transcript.Clipped(c.Want, 300), transcript.Clipped(c.Got, 300))
	}
}

// procedure prints how the conversation went about its task.
func (p printer) procedure(found transcript.Procedure) {
	if found.Summary != "" {
		p.line("trace rubric: %s", found.Summary)
	}
	for _, c := range found.Failed {
		at := ""
		if c.At >= 0 {
			at = fmt.Sprintf(" at message %d", c.At)
		}
		p.check(c, "  %s %s%s: %s", transcript.Mark(false), strings.TrimSuffix(c.Label, ":"), at, c.Text)
		p.line("      %s", c.Why)
	}
	for _, c := range found.NearMisses {
		p.line("near miss at message %d: %s", c.At, c.Text)
	}
}
