package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
)

// dryRun prints what a run would do.
func dryRun(p process, o runOptions, plan *config.Plan) error {
	type part struct{ domain, system string }
	counts := map[part]int{}
	var order []part
	for _, t := range plan.Trials {
		k := part{t.Domain, t.System}
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k]++
	}
	for _, w := range plan.Warnings {
		p.warn(w)
	}
	fmt.Fprintf(p.stdout, "%d trials into %s\n", len(plan.Trials), plan.Dir)
	for _, k := range order {
		fmt.Fprintf(p.stdout, "  %s on %s: %d\n", k.system, k.domain, counts[k])
	}
	for _, line := range attackLines(plan) {
		fmt.Fprintln(p.stdout, line)
	}
	e, err := runs.Estimate(plan, o.like)
	if err != nil {
		return err
	}
	return printEstimate(p.stdout, e)
}

// printEstimate prints what a run will probably use.
func printEstimate(out io.Writer, e *config.Estimate) error {
	if e.Finished > 0 {
		fmt.Fprintf(out, "%d of these are finished; the estimate is of the other %d\n", e.Finished, e.Trials)
	}
	if len(e.Basis) == 0 {
		_, err := fmt.Fprintln(out, "\nestimate: no model has to be asked")
		return err
	}
	fmt.Fprintf(out, "\nestimate, by %s:\n", strings.Join(e.Basis, "; and by "))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "role\tmodel\tcalls\tprompt tokens\tcached\toutput tokens\tdollars\t")
	for _, l := range e.Lines {
		dollars := "?"
		switch {
		case l.Scripted:
			dollars = "0 (scripted)"
		case l.Cost != nil:
			dollars = fmt.Sprintf("%.2f", *l.Cost)
		}
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%s\t\n", l.Role, l.Model, l.Calls, l.Prompt, l.Cached, l.Completion, dollars)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, what := range e.Unknown {
		fmt.Fprintf(out, "not estimated: %s; give an earlier run with --like\n", what)
	}
	if e.Cost == nil {
		fmt.Fprintf(out, "total: ? dollars; %.2f of it for what has a known price\n", e.KnownCost)
	} else {
		fmt.Fprintf(out, "total: about %.2f dollars\n", *e.Cost)
	}
	return nil
}

// attackLines says what a plan's user attacks with, nothing if it does not.
func attackLines(plan *config.Plan) []string {
	var out []string
	sets := plan.Attacks.Sets
	for _, domain := range slices.Sorted(maps.Keys(sets)) {
		s := sets[domain]
		line := fmt.Sprintf("the user attacks on %s: %s, %d attacks on %s data", domain, plan.Config.User.Attack, len(s.Tasks), s.Data)
		if s.Note != "" {
			line += " (" + s.Note + ")"
		}
		out = append(out, line)
	}
	return out
}
