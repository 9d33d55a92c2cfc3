package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
)

type authorAttacksOptions struct {
	authorModel
	data, attacks, out string
	force              bool
}

func (o *authorAttacksOptions) AddFlags(f *pflag.FlagSet) {
	o.authorModel.AddFlags(f)
	f.StringVar(&o.data, "data", "embedded", "τ² data folder with policy and tasks, or the word embedded")
	f.StringVar(&o.attacks, "attacks", "default", "file of attacks, or the word default for those that come with the program")
	f.StringVar(&o.out, "out", "", "file for the plans")
	f.BoolVar(&o.force, "force", false, "make all plans again")
}

func authorAttacksCommand(p process) *cobra.Command {
	var o authorAttacksOptions
	cmd := &cobra.Command{
		Use:     "attacks DOMAIN",
		Short:   "Have a model work out plans for the attacks on a domain",
		Example: "  tauguide author attacks airline --synthetic --out plans.yaml",
		Long: "Have a model work out how a user could get what the policy forbids, once for each attack of a set, in three roles: the analyser picks\n" +
			"the passages of the policy that matter for the request, the planner devises a false premise, and the advisor lists what not to say. An\n" +
			"answer that cannot be used is asked for once more.\n\n" +
			"The plans go into --out, each with a hash of what it was made from. If the file is there, only those plans are made that are\n" +
			"missing, or whose attack, policy, prompts or model have changed; plans written by hand are kept. Use the file with\n" +
			"user: {attack: craft, plans: FILE}. docs/red-teaming.md describes the format.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runAuthorAttacks(cmd.Context(), p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runAuthorAttacks(ctx context.Context, p process, o authorAttacksOptions, domain string) error {
	if o.out == "" {
		return usage(errors.New("--out is missing\nhint: give the file for the plans"))
	}
	old, err := attack.ReadPlans(o.out)
	if err != nil {
		return usage(fmt.Errorf("--out: %w\nhint: give another file", err))
	}
	worlds, err := all.Open(o.data, []string{domain}, "")
	if err != nil {
		return err
	}
	set, err := config.LoadAttacks(domain, config.DataKind(o.data), o.attacks)
	if err != nil {
		return usage(fmt.Errorf("--attacks: %w", err))
	}
	w, err := set.With(worlds[0])
	if err != nil {
		return usage(fmt.Errorf("--attacks: %w", err))
	}
	o.out = filepath.Clean(o.out)
	a, err := o.open(p, w, o.out)
	if err != nil {
		return usage(err)
	}
	defer a.answers.Close()
	var unsaved error
	job := attack.Authoring{World: w, Set: set, Model: a.model, Old: old, All: o.force, Synthetic: a.scripted,
		Save: func(plans *attack.Plans) error { unsaved = plans.Save(o.out); return unsaved },
		Log:  p.note}
	done, err := job.Write(ctx)
	if len(done.Calls) > 0 {
		p.note(sim.Bill(done.Calls))
	}
	if err != nil {
		what := "no plan was made"
		if n := len(done.Made); n > 0 && unsaved == nil {
			what = fmt.Sprintf("%d plans were made and are in %s", n, o.out)
		}
		return a.failed(ctx, what, unsaved == nil, err)
	}
	if err := done.Plans.Save(o.out); err != nil {
		return a.failed(ctx, "the plans were made, but not written", false, err)
	}
	if err := a.answers.Remove(); err != nil {
		return err
	}
	label := ""
	if done.Plans.Synthetic {
		label = " (*synthetic*)"
	}
	p.printf("%s: %d plans in %s, %d of them made now%s\n", domain, len(done.Plans.Plans), o.out, len(done.Made), label)
	return nil
}
