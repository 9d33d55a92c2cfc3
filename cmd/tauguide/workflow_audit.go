package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/guide/audit"
)

type auditOptions struct {
	data, domain, split, forbidden string
	minShare                       float64
	json                           bool
}

func (o *auditOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", "embedded", "τ² data folder, or the word embedded")
	f.StringVar(&o.domain, "domain", "", domainHelp)
	f.StringVar(&o.split, "split", "", "only the tasks of this split")
	f.StringVar(&o.forbidden, "forbidden", "", "JSON file of forbidden calls")
	f.Float64Var(&o.minShare, "min-share", 0, "exit with 4 if a smaller share of the gold changes is authorized, or of the policy calls withheld")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func auditCommand(p process) *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:     "audit DOMAIN|DIR",
		Short:   "Measure whether a workflow allows what the gold plans do and withholds what is forbidden",
		Example: "  tauguide workflow audit retail",
		Long: "Complete the gold plans of a domain's tasks to conversations that keep to the policy, in the real environment with a cooperative\n" +
			"scripted user, and ask the workflow for each of the agent's changes when it is due. Every change that is withheld is listed with the\n" +
			"node at which it rests and what is not met there.\n\n" +
			"--forbidden names a file of calls that must not be made, each of kind policy (the policy forbids it) or selection (allowed, but not\n" +
			"what the task's user should get). They are put to the workflow when everything has been read and the user claims and agrees to\n" +
			"everything. For " + strings.Join(audit.Domains(), ", ") + "; no model is involved.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runAudit(p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runAudit(p process, o auditOptions, name string) error {
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	w, err := b.world(o.data, o.domain, o.split)
	if err != nil {
		return err
	}
	tasks, err := w.Select(o.split)
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
	var forbidden *audit.ForbiddenReport
	if o.forbidden != "" {
		calls, err := audit.ReadTemptations(o.forbidden)
		if err != nil {
			return usage(err)
		}
		if forbidden, err = audit.Forbidden(w, c, calls); err != nil {
			return usage(err)
		}
	}
	if err := printAudit(p, o, gold, forbidden); err != nil {
		return err
	}
	if gold.Share() < o.minShare {
		return coded{exitThreshold, fmt.Errorf("the authorized share %.4f of the gold changes is below --min-share %g", gold.Share(), o.minShare)}
	}
	if forbidden == nil {
		return nil
	}
	if n := forbidden.Counts[audit.Policy]; float64(n.Withheld) < o.minShare*float64(n.Calls) {
		return coded{exitThreshold, fmt.Errorf("%d of %d policy calls are withheld, which is below --min-share %g", n.Withheld, n.Calls, o.minShare)}
	}
	return nil
}

func printAudit(p process, o auditOptions, gold *audit.Report, forbidden *audit.ForbiddenReport) error {
	if o.json {
		return p.json(map[string]any{"gold": gold, "forbidden": forbidden})
	}
	gold.Print(p.out.Prose())
	if forbidden == nil {
		return nil
	}
	return forbidden.Print(p.out.Prose())
}
