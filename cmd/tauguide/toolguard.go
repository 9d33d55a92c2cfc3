package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/agents/toolguard"
)

type toolguardFlags struct {
	data, split     string
	release, asJSON bool
	maxShare        float64
}

// guardReport is what the command says of one domain.
type guardReport struct {
	Domain    string            `json:"domain"`
	Published bool              `json:"published"`
	Now       string            `json:"now"`
	Rules     []toolguard.Rule  `json:"rules"`
	Gold      *toolguard.Report `json:"gold"`
}

func toolguardCommand(p process) *cobra.Command {
	var f toolguardFlags
	cmd := &cobra.Command{
		Use:   "toolguard [DOMAIN]",
		Short: "List ToolGuard's rules and measure what they do to the gold plans",
		Long: "List the rules that ToolGuard's guards hold the agent's mutating calls to, and the share of the gold plans' calls that they refuse: calls\n" +
			"that an agent ought to make and cannot. For " + strings.Join(toolguard.Domains(), ", ") + "; all of them without DOMAIN. No model is involved.\n\n" +
			"--release selects the behaviour of the released guards, faults included. Only those of the airline were released; those of the other\n" +
			"domains are this program's own and have one behaviour.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return printGuards(cmd.Context(), p, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", "embedded", "τ² data folder, or the word embedded")
	flags.StringVar(&f.split, "split", "", "only the tasks of this split")
	flags.BoolVar(&f.release, "release", false, "the airline guards as released")
	flags.Float64Var(&f.maxShare, "max-share", 1, "exit with 4 if a larger share of a domain's gold calls is refused")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func printGuards(ctx context.Context, p process, names []string, f toolguardFlags) error {
	if len(names) == 0 {
		names = toolguard.Domains()
	}
	var reports []guardReport
	for _, name := range names {
		r, err := guardsOf(ctx, name, f)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if f.asJSON {
		if err := printJSON(p, reports); err != nil {
			return err
		}
	} else {
		for _, r := range reports {
			if err := printGuardReport(p, r); err != nil {
				return err
			}
		}
	}
	for _, r := range reports {
		if r.Gold.Share() > f.maxShare {
			return coded{exitThreshold, fmt.Errorf("%s: the refused share %.4f of the gold calls is above --max-share %g", r.Domain, r.Gold.Share(), f.maxShare)}
		}
	}
	return nil
}

func guardsOf(ctx context.Context, name string, f toolguardFlags) (guardReport, error) {
	set, err := toolguard.Guards(name, toolguard.Options{Release: f.release})
	if err != nil {
		return guardReport{}, usage(err)
	}
	worlds, err := openSplit(f.data, []string{name}, f.split)
	if err != nil {
		return guardReport{}, err
	}
	tasks, err := worlds[0].Select(f.split)
	if err != nil {
		return guardReport{}, usage(err)
	}
	gold, err := set.Gold(ctx, worlds[0], tasks)
	if err != nil {
		return guardReport{}, err
	}
	return guardReport{Domain: name, Published: toolguard.Published(name), Now: set.Options().Now.Format("2006-01-02T15:04:05"), Rules: set.Rules(), Gold: gold}, nil
}

func printGuardReport(p process, r guardReport) error {
	behaviour := "our own guards"
	switch {
	case r.Published && r.Gold.Release:
		behaviour = "the guards as released"
	case r.Published:
		behaviour = "the released guards with their faults mended"
	}
	fmt.Fprintf(p.stdout, "%s: %s, %d rules; the moment of every call is %s\n", r.Domain, behaviour, len(r.Rules), r.Now)
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  rule\ttool\trequirements\treads\ta call must fulfil")
	for _, rule := range r.Rules {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", rule.ID, rule.Tool, cmp.Or(strings.Join(rule.Requirements, ", "), "–"), cmp.Or(strings.Join(rule.Reads, ", "), "–"), rule.Text)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	g := r.Gold
	fmt.Fprintf(p.stdout, "  gold plans: %d of %d changes refused (%.1f %%), in %d of %d tasks that change something\n",
		g.Blocked, g.Calls, 100*g.Share(), g.BlockedTasks, g.Changing)
	if g.Failing > 0 {
		fmt.Fprintf(p.stdout, "  the tools themselves refuse %d of the changes, %d of them among these\n", g.Failing, g.AlsoFailing)
	}
	for _, m := range g.Misses {
		fmt.Fprintf(p.stdout, "  refused: task %s, action %d %s%s\n    %s: %s\n", m.Task, m.Action, m.Tool, short(arguments(m.Arguments), 120), m.Rule, m.Message)
	}
	fmt.Fprintln(p.stdout)
	return nil
}
