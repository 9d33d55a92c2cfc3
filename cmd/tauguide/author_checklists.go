package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/agents/checklist/author"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/sim"
)

type authorChecklistsOptions struct {
	authorModel
	data, out string
	force     bool
}

func (o *authorChecklistsOptions) AddFlags(f *pflag.FlagSet) {
	o.authorModel.AddFlags(f)
	f.StringVar(&o.data, "data", "embedded", "τ² data folder with the policy, or the word embedded")
	f.StringVar(&o.out, "out", "", "folder for the files; new or empty, unless --force is given")
	f.BoolVar(&o.force, "force", false, "replace checklists that are in --out")
}

func authorChecklistsCommand(p process) *cobra.Command {
	var o authorChecklistsOptions
	cmd := &cobra.Command{
		Use:     "checklists DOMAIN",
		Short:   "Have a model write PolicyGuard's checklists out of a policy",
		Example: "  tauguide author checklists mock --synthetic --out checklists",
		Long: "Have a model write the checklists that PolicyGuard judges by, out of the domain's policy and tools, in four stages: it sorts the tools,\n" +
			"writes a checklist for each that changes data, writes the general rules, and reviews all files once. An answer that cannot be used is\n" +
			"asked for once more. The files go into --out together, once all is well; use them with params: {checklists: DIR}. A command that\n" +
			"was stopped goes on where it was when it is given again.\n\n" +
			"Read them before you trust them: what is not in them the guard does not look for, and what is too strict in them blocks what\n" +
			"the policy allows. docs/checklists.md describes the format.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAuthorChecklists(cmd.Context(), p, o, args[0])
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runAuthorChecklists(ctx context.Context, p process, o authorChecklistsOptions, domain string) error {
	if o.out == "" {
		return usage(errors.New("--out is missing\nhint: give the folder for the files"))
	}
	if err := author.Free(o.out, o.force); err != nil { // before anything is spent
		return usage(err)
	}
	worlds, err := all.Open(o.data, []string{domain}, "")
	if err != nil {
		return err
	}
	a, err := o.open(p, worlds[0], o.out)
	if err != nil {
		return usage(err)
	}
	defer a.answers.Close()
	draft, err := author.Write(ctx, author.Job{World: worlds[0], Model: a.model, Synthetic: a.scripted, Log: p.note})
	if draft != nil && len(draft.Calls) > 0 {
		p.note(sim.Bill(draft.Calls))
	}
	if err != nil {
		return a.failed(ctx, "nothing was written", true, err)
	}
	if err := draft.Save(o.out, o.force); err != nil {
		return a.failed(ctx, "nothing was written", false, err)
	}
	if err := a.answers.Remove(); err != nil {
		return err
	}
	for _, finding := range draft.Findings {
		p.printf("%v\n", finding)
	}
	p.printf("%s: %d checklists and %s written to %s, %d warnings%s\n",
		domain, len(draft.Files)-1, checklist.RulesFile, o.out, len(draft.Findings), a.label())
	return nil
}
