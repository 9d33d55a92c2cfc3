package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm/answers"
)

type authorWorkflowOptions struct {
	authorModel
	own          ownPolicy
	reference    string
	data, out    string
	rounds       int
	noPlanReview bool
	maxCost      float64
	checks       bool
	compliant    []string
	examples     bool
	judge        bool
	dryRun       bool
	defect       string
	seed         int64
	revision     revision
}

func (o *authorWorkflowOptions) AddFlags(f *pflag.FlagSet) {
	o.authorModel.AddFlags(f)
	o.own.AddFlags(f)
	f.StringVar(&o.reference, "reference", "", "workflow that the scripted author of --synthetic repeats, in place of the domain's built-in one; needed for a policy of your own")
	f.StringVar(&o.data, "data", "embedded", "τ² data folder with the policy, or the word embedded")
	f.StringVar(&o.out, "out", "", "folder for the workflow; new or empty")
	f.IntVar(&o.rounds, "max-review-rounds", author.DefaultRounds, "how often all files are reviewed at most")
	f.BoolVar(&o.noPlanReview, "no-plan-review", false, "take the plan as it is")
	f.Float64Var(&o.maxCost, "max-cost", author.DefaultMaxCost, "dollars that all answers together may cost; 0 is no bound")
	f.StringVar(&o.defect, "defect", "", "have the scripted author make a mistake of this kind once; NAME:always has it made again when asked again")
	f.Int64Var(&o.seed, "seed", 0, "chooses the place of --defect")
	o.revision.AddFlags(f)
	f.BoolVar(&o.checks, "checks", false, "have checks written too, by which code decides nodes without a model")
	f.StringArrayVar(&o.compliant, "compliant", nil, "file with recorded conversations that keep to the policy, on which --checks are tried too")
	f.BoolVar(&o.examples, "examples", false, "have conversations made up for each authorization, in keeping with the policy and against it, and put them to the workflow")
	f.BoolVar(&o.judge, "judge-examples", false, "have the model judge, as a verifier, what code cannot decide of --examples")
	f.BoolVar(&o.dryRun, "dry-run", false, "print an estimate of calls, tokens and dollars; ask nothing")
}

func authorWorkflowCommand(p process) *cobra.Command {
	var o authorWorkflowOptions
	cmd := &cobra.Command{
		Use:   "workflow DOMAIN | --policy FILE... --tools FILE --name NAME",
		Short: "Have a model write a workflow out of a policy",
		Example: "  tauguide author workflow mock --synthetic --out todo\n" +
			"  tauguide author workflow --policy configs/authoring/lending/policy/policy.md --tools configs/authoring/tools.json --name lending --synthetic --reference configs/authoring/lending --out lending\n" +
			"  tauguide author workflow mock --synthetic --dry-run",
		Long: "Have a model write the workflow that PolicyGuide guards by, out of a policy and tools, in six stages: tools and values are\n" +
			"listed, the files are planned and the plan is reviewed, subflows and the main file are written, and all files are reviewed until neither\n" +
			"the validator nor the review has anything left. An answer that cannot be used is asked for once more. The workflow goes into --out once it\n" +
			"has no error, with coverage.md, which has the policy line by line, and authoring/, which has all prompts and answers. A command that was\n" +
			"stopped goes on where it was when it is given again.\n\n" +
			"The policy and the tools are those of DOMAIN, or your own: --policy, once for each document, and --tools, a list in any of the usual\n" +
			"forms. The folder then has copies of both, so that all workflow commands know them.\n\n" +
			"Read docs/authoring.md before you trust one.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runAuthorWorkflow(cmd.Context(), p, o, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

// check looks at the flags, and at whether there is room, before anything is spent.
func (o *authorWorkflowOptions) check() error {
	if err := o.checkLimits(); err != nil {
		return err
	}
	if o.judge && !o.examples {
		return errors.New("--judge-examples: there are none to judge\nhint: add --examples")
	}
	if name, _ := o.planted(); name != "" && (!o.synthetic || !slices.Contains(scripted.Defects(), name)) {
		return fmt.Errorf("--defect %s: it is not one that a scripted author makes\nhint: give --synthetic, and one of %v", o.defect, scripted.Defects())
	}
	if o.dryRun {
		return nil
	}
	if o.out == "" {
		return errors.New("--out is missing\nhint: give the folder for the workflow")
	}
	return o.vacant()
}

// vacant checks that there is nothing in --out that would be lost.
func (o *authorWorkflowOptions) vacant() error {
	empty, err := answers.Empty(o.out)
	if err == nil && !empty {
		err = fmt.Errorf("%s is not empty\nhint: give another folder", o.out)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func (o *authorWorkflowOptions) checkLimits() error {
	if o.rounds < 1 {
		return fmt.Errorf("--max-review-rounds %d: one review is the least\nhint: give 1 or more", o.rounds)
	}
	if !(o.maxCost >= 0) {
		return fmt.Errorf("--max-cost %g is no amount of dollars\nhint: give 0 or more", o.maxCost)
	}
	return nil
}

// planted is the mistake that --defect names, and whether it is made again.
func (o *authorWorkflowOptions) planted() (name scripted.Defect, always bool) {
	text, always := strings.CutSuffix(o.defect, ":always")
	return scripted.Defect(text), always
}

func runAuthorWorkflow(ctx context.Context, p process, o authorWorkflowOptions, args []string) error {
	if o.revision.asked() {
		return runRevision(ctx, p, o, args)
	}
	if err := o.check(); err != nil {
		return usage(err)
	}
	world, src, err := o.source(strings.Join(args, ""))
	if err != nil {
		return usage(err)
	}
	if o.scripts, err = o.repeating(p, world); err != nil {
		return usage(err)
	}
	job := author.Job{Source: src, Rounds: o.rounds, NoPlanReview: o.noPlanReview, MaxCost: o.maxCost, Checks: o.checks,
		Examples: o.examples, JudgeExamples: o.judge, Log: p.note}
	if o.dryRun {
		price, err := o.price(p)
		if err != nil {
			return usage(err)
		}
		e, err := author.NewEstimate(job, price)
		if err == nil {
			e.Print(p.stdout)
		}
		return err
	}
	if job.Traces, err = o.traces(p, world); err != nil {
		return err
	}
	a, err := o.open(p, world, o.out)
	if err != nil {
		return usage(err)
	}
	defer a.answers.Close()
	job.Model, job.Synthetic = a.model, a.scripted
	if name, always := o.planted(); name != "" {
		job.Model.Client = scripted.Plant(name, o.seed, always, job.Model.Client)
	}
	draft, err := author.Write(ctx, job)
	if draft != nil && len(draft.Calls) > 0 {
		p.note(sim.Bill(draft.Calls))
	}
	if err != nil {
		toBlame := errors.As(err, new(*sim.UnusableError)) || errors.As(err, new(*author.RefusedError))
		return a.failed(ctx, "nothing was written to "+o.out, toBlame, err)
	}
	if err = o.vacant(); err == nil { // it was before the model was asked
		err = answers.Place(o.out, draft.Files)
	}
	if err != nil {
		return a.failed(ctx, "nothing was written to "+o.out, false, err)
	}
	if err := a.answers.Remove(); err != nil {
		return err
	}
	for _, finding := range draft.Findings {
		p.printf("%v\n", finding)
	}
	if o.checks {
		tellDecided(p, o.out, draft)
	}
	p.printf("%s: main.yaml and %d subflows written to %s, %d warnings%s\n", src.Name, len(draft.Bundle.Subflows), o.out, len(draft.Findings), a.label())
	toConfirm(p, o.out, draft.Unconfirmed)
	if o.examples {
		printExamples(p, o.out, draft.Examples)
	}
	return nil
}

// traces are what checks are tried on: the completed gold plans of a domain, where it has any, and recorded conversations.
func (o *authorWorkflowOptions) traces(p process, w *domains.World) (out []compare.Trace, err error) {
	switch {
	case !o.checks && len(o.compliant) > 0:
		return nil, usage(errors.New("--compliant: the conversations are there to try checks on\nhint: add --checks"))
	case o.checks && slices.Contains(audit.Domains(), w.Name):
		if out, err = completed(p, w); err != nil {
			return nil, err
		}
	}
	known, err := recorded(o.compliant)
	return append(out, known...), err
}

func tellDecided(p process, dir string, d *author.Draft) {
	decided, judged := d.Share()
	p.printf("code decides %d of %d nodes that are judged; %d checks were dropped: %s\n", decided, judged, d.Dropped, filepath.Join(dir, author.ChecksPage))
}

// printExamples tells where the workflow and the examples do not agree.
func printExamples(p process, dir string, list []author.Assessment) {
	for _, a := range list {
		what := "too strict: %s %s is withheld at %s: %s\n"
		if a.Leaks() {
			what = "leak: %s %s is let through at %s%s\n"
		}
		if a.TooStrict() || a.Leaks() {
			p.printf(what, a.Authorization, a.Name, a.Node, a.Why)
		}
	}
	p.printf("%s: %s\n", filepath.Join(dir, author.ExamplesPage), author.Tally(list))
}
