package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains/all"
)

type toolguardOptions struct {
	data, split   string
	release, json bool
	maxShare      float64
}

func (o *toolguardOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", "embedded", "τ² data folder, or the word embedded")
	f.StringVar(&o.split, "split", "", "only the tasks of this split")
	f.BoolVar(&o.release, "release", false, "the airline guards as released")
	f.Float64Var(&o.maxShare, "max-share", 1, "exit with 4 if a larger share of a domain's gold calls is refused")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func toolguardCommand(p process) *cobra.Command {
	var o toolguardOptions
	cmd := &cobra.Command{
		Use:   "toolguard [DOMAIN]",
		Short: "List ToolGuard's rules and measure what they do to the gold plans",
		Example: "  tauguide toolguard\n" +
			"  tauguide toolguard airline --release",
		Long: "List the rules that ToolGuard's guards check the agent's mutating calls by, and the share of the gold plans' calls that they refuse: calls\n" +
			"that an agent ought to make and cannot. For " + strings.Join(toolguard.Domains(), ", ") + "; all of them without DOMAIN. No model is involved.\n\n" +
			"--release selects the behaviour of the released guards, faults included. Only those of the airline were released; those of the other\n" +
			"domains are this program's own and have one behaviour.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runToolguard(cmd.Context(), p, o, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runToolguard(ctx context.Context, p process, o toolguardOptions, names []string) error {
	if len(names) == 0 {
		names = toolguard.Domains()
	}
	var list []toolguard.Listing
	for _, name := range names {
		guards, err := toolguard.Guards(name, toolguard.Options{Release: o.release})
		if err != nil {
			return usage(err)
		}
		worlds, err := all.Open(o.data, []string{name}, o.split)
		if err != nil {
			return err
		}
		tasks, err := worlds[0].Select(o.split)
		if err != nil {
			return usage(err)
		}
		l, err := guards.List(ctx, worlds[0], tasks)
		if err != nil {
			return err
		}
		list = append(list, l)
	}
	if err := printGuards(p, o, list); err != nil {
		return err
	}
	for _, l := range list {
		if l.Gold.Share() > o.maxShare {
			return coded{exitThreshold, fmt.Errorf("%s: the refused share %.4f of the gold calls is above --max-share %g", l.Domain, l.Gold.Share(), o.maxShare)}
		}
	}
	return nil
}

func printGuards(p process, o toolguardOptions, list []toolguard.Listing) error {
	if o.json {
		return p.json(list)
	}
	for _, l := range list {
		if err := l.Print(p.out.Prose()); err != nil {
			return err
		}
	}
	return nil
}
