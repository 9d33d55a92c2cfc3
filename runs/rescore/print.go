package rescore

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// Printer shows comparisons as they come.
type Printer interface {
	Begin(g Group)
	Trial(c tau2.Comparison)
	Close(t Tally) // ends the group
	End(total Tally) error
}

// Text returns a printer for people: each trial that is worth a look, or all of them, then the sums of the group.
func Text(w io.Writer, all, hashes bool) Printer { return &textPrinter{w: w, all: all, hashes: hashes} }

// JSON returns a printer of one document.
func JSON(w io.Writer) Printer { return &jsonPrinter{w: w, Results: []jsonGroup{}} }

type textPrinter struct {
	w      io.Writer
	all    bool
	hashes bool
	groups int
}

func (t *textPrinter) line(format string, args ...any) {
	fmt.Fprintln(t.w, transcript.Safe(fmt.Sprintf(format, args...)))
}

func (t *textPrinter) Begin(g Group) {
	if t.groups++; t.groups > 1 {
		t.line("")
	}
	t.line("%s: %s, %s by %s; %s tasks, %s replay", g.Path, g.Layout, g.Domain, g.System, g.Tasks, g.Strictness)
}

func (t *textPrinter) Trial(c tau2.Comparison) {
	quiet := c.Outcome == tau2.Agree && len(c.Parts) == 0 || c.Outcome == tau2.Void
	if !quiet || t.all || t.hashes {
		t.line("  %s", headline(c))
	}
	if !quiet || t.all {
		t.details(c)
	}
	if h := c.Hashes; h != nil {
		t.line("    agent %s gold %s", h.Agent, h.GoldAgent)
		if h.User != "" {
			t.line("    user  %s gold %s", h.User, h.GoldUser)
		}
	}
}

// headline names a trial and its outcome.
func headline(c tau2.Comparison) string {
	id := ""
	if c.ID != "" {
		id = " " + c.ID
	}
	s := fmt.Sprintf("%s/%d%s: %s", c.Task, c.Trial, id, c.Outcome)
	switch {
	case c.Outcome == tau2.Failed:
		return s + ", " + oneLine(c.Err)
	case c.Outcome == tau2.Void:
		return s + ", ended with " + string(c.Reason)
	}
	return fmt.Sprintf("%s, reward recorded %s, now %s (%s)", s, rewardText(c.Recorded), rewardText(c.Computed), c.Reason)
}

// oneLine keeps texts of tools, which may have many lines, from tearing the list.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func rewardText(r *float64) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%g", *r)
}

func (t *textPrinter) details(c tau2.Comparison) {
	if c.Score != nil {
		t.line("    %s", componentsText(*c.Score))
	}
	for _, x := range c.Parts {
		counted := "diagnostic, not scored"
		if x.Counted {
			counted = "counted"
		}
		t.line("    %s (%s): recorded %s, now %s", x.Component, counted, x.Recorded, x.Computed)
		for _, why := range x.Why {
			t.line("      %s", why)
		}
	}
	if c.Score != nil && c.Score.Pending != "" {
		t.line("    pending: %s", c.Score.Pending)
	}
	for _, n := range c.Notes {
		t.line("    note: %s", oneLine(n))
	}
}

// componentsText is all components of a score in one line, those that count marked, and the basis.
func componentsText(s sim.Score) string {
	var parts []string
	for _, x := range s.Components {
		mark := ""
		if x.Counted {
			mark = "*"
		}
		parts = append(parts, fmt.Sprintf("%s%s %s", x.Type, mark, x.State))
	}
	if len(parts) == 0 {
		return "no criteria"
	}
	return strings.Join(parts, ", ") + "; basis " + tau2.Basis(s.Info.RewardBasis)
}

func (t *textPrinter) Close(sum Tally) {
	t.line("  %d trials: %s; mean reward recorded %s, now %s; %d with notes", sum.Trials, sum.counts(), sum.Recorded, sum.Computed, sum.Noted)
	if len(sum.Components) > 0 {
		t.line("  %-14s %6s %6s %6s %8s %8s", "component", "pass", "fail", "n.a.", "pending", "counted")
	}
	for _, x := range sum.Components {
		t.line("  %-14s %6d %6d %6d %8d %8d", x.Type, x.Pass, x.Fail, x.NA, x.Pending, x.Counted)
	}
}

func (t *textPrinter) End(total Tally) error {
	if t.groups > 1 {
		t.line("")
		t.line("total: %d trials: %s; mean reward recorded %s, now %s", total.Trials, total.counts(), total.Recorded, total.Computed)
	}
	return nil
}

type jsonPrinter struct {
	w       io.Writer
	Results []jsonGroup `json:"results"`
	Total   Tally       `json:"total"`
}

// jsonGroup is a group with its trials.
type jsonGroup struct {
	About   Group             `json:"about"`
	Trials  []tau2.Comparison `json:"trials"`
	Summary Tally             `json:"summary"`
}

func (j *jsonPrinter) Begin(g Group) {
	j.Results = append(j.Results, jsonGroup{About: g, Trials: []tau2.Comparison{}})
}

func (j *jsonPrinter) last() *jsonGroup { return &j.Results[len(j.Results)-1] }

func (j *jsonPrinter) Trial(c tau2.Comparison) {
	j.last().Trials = append(j.last().Trials, c)
}

func (j *jsonPrinter) Close(t Tally) { j.last().Summary = t }

func (j *jsonPrinter) End(total Tally) error {
	j.Total = total
	return json.NewEncoder(j.w).Encode(j)
}
