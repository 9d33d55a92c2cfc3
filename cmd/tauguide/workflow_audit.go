package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
)

type auditFlags struct {
	data, domain, split, forbidden string
	minShare                       float64
	asJSON                         bool
}

func auditCommand(p process) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit DOMAIN|DIR",
		Short: "Measure whether a workflow allows what the gold plans do and withholds what is forbidden",
		Long: "Complete the gold plans of a domain's tasks to conversations that keep to the policy, in the real environment with a cooperative\n" +
			"scripted user, and ask the workflow for each of the agent's changes when it is due. Every change that is withheld is listed with the\n" +
			"node at which it rests and what is not met there.\n\n" +
			"--forbidden names a file of calls that must not be made, each of kind policy (the policy forbids it) or selection (allowed, but not\n" +
			"what the task's user should get). They are put to the workflow when everything has been read and the user claims and agrees to\n" +
			"everything. For " + strings.Join(audit.Domains(), ", ") + "; no model is involved.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return auditBundle(p, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", "embedded", "τ² data folder, or the word embedded")
	flags.StringVar(&f.domain, "domain", "", domainHelp)
	flags.StringVar(&f.split, "split", "", "only the tasks of this split")
	flags.StringVar(&f.forbidden, "forbidden", "", "JSON file of forbidden calls")
	flags.Float64Var(&f.minShare, "min-share", 0, "exit with 4 if a smaller share of the gold changes is authorized, or of the policy calls withheld")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func auditBundle(p process, name string, f auditFlags) error {
	b, err := openBundle(name)
	if err != nil {
		return err
	}
	w, err := b.world(f.data, f.domain, f.split)
	if err != nil {
		return err
	}
	tasks, err := w.Select(f.split)
	if err != nil {
		return usage(err)
	}
	c, err := audit.NewChecker(w, b.Bundle)
	if err != nil {
		return err
	}
	gold, err := audit.Gold(w, c, tasks)
	if err != nil {
		return usage(err)
	}
	forbidden, err := auditForbidden(w, c, f.forbidden)
	if err != nil {
		return err
	}
	if f.asJSON {
		err = printJSON(p, map[string]any{"gold": gold, "forbidden": forbidden})
	} else {
		printGold(p, gold)
		err = printForbidden(p, forbidden)
	}
	if err != nil {
		return err
	}
	return auditVerdict(gold, forbidden, f.minShare)
}

// auditForbidden returns nil without a file.
func auditForbidden(w *domains.World, c *guide.Checker, file string) (*audit.ForbiddenReport, error) {
	if file == "" {
		return nil, nil
	}
	list, err := audit.ReadTemptations(file)
	if err != nil {
		return nil, usage(err)
	}
	r, err := audit.Forbidden(w, c, list)
	return r, usage(err)
}

func auditVerdict(gold *audit.Report, forbidden *audit.ForbiddenReport, least float64) error {
	if gold.Share() < least {
		return coded{exitThreshold, fmt.Errorf("the authorized share %.4f of the gold changes is below --min-share %g", gold.Share(), least)}
	}
	if forbidden == nil {
		return nil
	}
	if n := forbidden.Counts[audit.Policy]; float64(n.Withheld) < least*float64(n.Calls) {
		return coded{exitThreshold, fmt.Errorf("%d of %d policy calls are withheld, which is below --min-share %g", n.Withheld, n.Calls, least)}
	}
	return nil
}

func printGold(p process, r *audit.Report) {
	fmt.Fprintf(p.stdout, "%s: %d of %d gold changes authorized when due (%.1f %%), in %d of %d tasks\n",
		r.Domain, r.Authorized, r.Changes, 100*r.Share(), r.Changing, r.Tasks)
	a := r.Added
	fmt.Fprintf(p.stdout, "  added: %d questions, %d answers, %d summaries, %d consents, %d reads, %d device steps\n",
		a.Questions, a.Answers, a.Summaries, a.Consents, a.Reads, a.Device)
	for _, list := range []struct {
		title   string
		changes []audit.Change
	}{{"withheld", r.Misses}, {"authorized again after it was made", r.Again}, {"authorized, but it fails", r.Failed}} {
		for _, c := range list.changes {
			fmt.Fprintf(p.stdout, "  %s: task %s, action %d %s%s\n", list.title, c.Task, c.Action, c.Tool, arguments(c.Arguments))
			printStop(p, c.Stop)
			if c.Result != "" {
				fmt.Fprintf(p.stdout, "    the tool says: %s\n", c.Result)
			}
		}
	}
	for _, x := range r.Problems {
		fmt.Fprintf(p.stdout, "  task %s cannot be completed: %s\n", x.Task, x.Error)
	}
}

func printStop(p process, s audit.Stop) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(p.stdout, "    %s: %s\n", name, strings.Join(strings.Fields(text), " "))
		}
	}
	line("rests at", s.Node)
	line("not met", s.Condition)
	line("check", s.Check)
	line("because", s.Note)
}

func arguments(v value.Value) string { return string(value.AppendDump(nil, v, value.Declared)) }

func printForbidden(p process, r *audit.ForbiddenReport) error {
	if r == nil {
		return nil
	}
	fmt.Fprintln(p.stdout, "forbidden calls, when everything was read and the user claims and agrees to everything:")
	for _, kind := range []string{audit.Policy, audit.Selection} {
		n := r.Counts[kind]
		fmt.Fprintf(p.stdout, "  %s: %d of %d withheld", kind, n.Withheld, n.Calls)
		if n.OnWord > 0 {
			fmt.Fprintf(p.stdout, "; %d of these would be due to a user whose word the policy takes for a reason", n.OnWord)
		}
		fmt.Fprintln(p.stdout)
	}
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  task\tkind\ttool\twithheld\ttried\trests at\targuments")
	for _, c := range r.Calls {
		said := "no"
		switch {
		case c.Withheld && c.OnWord:
			said = "yes, but on word"
		case c.Withheld:
			said = "yes"
		}
		node := c.Node
		if !c.Withheld {
			node = "–"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%d\t%s\t%s\n", c.Task, c.Kind, c.Tool, said, c.Variants, node, short(arguments(c.Arguments), 80))
	}
	return t.Flush()
}

// short cuts a text to that many characters.
func short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
