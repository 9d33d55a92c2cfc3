package config

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print lists how many trials of each system on each domain the plan has, and what the user attacks with.
func (p *Plan) Print(out io.Writer) {
	type part struct{ domain, system string }
	counts := map[part]int{}
	var order []part
	for _, t := range p.Trials {
		k := part{t.Domain, t.System}
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k]++
	}
	fmt.Fprintf(out, "%d trials into %s\n", len(p.Trials), p.Dir)
	for _, k := range order {
		fmt.Fprintf(out, "  %s on %s: %d\n", k.system, k.domain, counts[k])
	}
	for _, domain := range slices.Sorted(maps.Keys(p.Attacks.Sets)) {
		s := p.Attacks.Sets[domain]
		fmt.Fprintf(out, "the user attacks on %s: %s, %d attacks on %s data", domain, p.Config.User.Attack, len(s.Tasks), s.Data)
		if s.Note != "" {
			fmt.Fprintf(out, " (%s)", s.Note)
		}
		fmt.Fprintln(out)
	}
}

// Print tells what a plan will probably use.
func (e *Estimate) Print(out io.Writer) error {
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
