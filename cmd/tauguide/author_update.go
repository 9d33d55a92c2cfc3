package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm/answers"
)

// revision is what is to be done to a workflow that is there already.
type revision struct {
	continued, finding, update string
	overwrite                  bool
}

func (r *revision) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&r.continued, "continue", "", "folder of a workflow that a model wrote: have a model answer --finding about it, or write --checks for it")
	f.StringVar(&r.finding, "finding", "", "what is wrong with the workflow, in your words")
	f.StringVar(&r.update, "update", "", "folder of a workflow that a model wrote: bring it up to date with the policy and the tools as they are now")
	f.BoolVar(&r.overwrite, "overwrite-edits", false, "let what the model writes replace nodes that were edited by hand")
}

func (r revision) asked() bool {
	return r.continued != "" || r.update != "" || r.finding != "" || r.overwrite
}

// check looks at what of the other flags does not go with a revision.
func (o authorWorkflowOptions) checkRevision() error {
	switch r := o.revision; {
	case r.continued == "" && r.update == "":
		return errors.New("--finding and --overwrite-edits are about a workflow that is there\nhint: name its folder with --continue or --update")
	case r.update != "" && (r.continued != "" || r.finding != ""):
		return errors.New("--update has nothing to do with a finding\nhint: update first, and then --continue with the finding")
	case o.checks && (r.update != "" || r.finding != ""):
		return errors.New("--checks are written for a workflow as it stands\nhint: change it first, and then give --continue with --checks alone")
	case r.update == "" && r.finding == "" && !o.checks:
		return errors.New("--continue: the finding is missing\nhint: say what is wrong with the workflow, with --finding, or have checks written, with --checks")
	case o.out != "":
		return errors.New("--out: the workflow is replaced where it is\nhint: leave it out; to keep the old one, copy the folder before")
	case o.examples || o.judge:
		return errors.New("--examples: those of the workflow are put to it again\nhint: leave the flag out")
	case o.defect != "":
		return errors.New("--defect is of workflows that are written from the beginning\nhint: leave it out")
	}
	return o.checkLimits()
}

func runRevision(ctx context.Context, p process, o authorWorkflowOptions, args []string) error {
	if err := o.checkRevision(); err != nil {
		return usage(err)
	}
	r := o.revision
	published, err := author.ReadPublished(cmp.Or(r.continued, r.update))
	if err != nil {
		return usage(err)
	}
	if len(args) > 0 && args[0] != published.Manifest.Domain {
		return usage(fmt.Errorf("%s is of %s, not of %s\nhint: leave the domain out", published.Dir, published.Manifest.Domain, args[0]))
	}
	w, src, err := o.sourceOf(published)
	if err != nil {
		return err
	}
	if o.scripts, err = o.repeating(p, w); err != nil {
		return usage(err)
	}
	job := author.Job{Source: src, Rounds: o.rounds, MaxCost: o.maxCost, OverwriteEdits: r.overwrite, Checks: o.checks, Log: p.note}
	var changes *author.Changes
	if r.update != "" {
		if changes, err = published.Compare(src); err != nil {
			return err
		}
		if changes.Same {
			p.printf("%s: policy and tools are those that it was written for: nothing is to be done\n", published.Dir)
			return nil
		}
		changes.Print(p.stdout)
	}
	if o.dryRun {
		price, err := o.price(p)
		if err != nil {
			return usage(err)
		}
		e, err := author.EstimateRevision(job, published, changes, price)
		if err == nil {
			e.Print(p.stdout)
		}
		return err
	}
	if job.Traces, err = o.traces(p, w); err != nil {
		return err
	}
	a, err := o.open(p, w, published.Dir)
	if err != nil {
		return usage(err)
	}
	defer a.answers.Close()
	job.Model, job.Synthetic = a.model, a.scripted
	var draft *author.Draft
	switch {
	case r.update != "":
		draft, err = author.Update(ctx, job, published, changes)
	case o.checks:
		draft, err = author.Decide(ctx, job, published)
	default:
		draft, err = author.Continue(ctx, job, published, r.finding)
	}
	if err = a.replace(ctx, published, draft, err); err == nil && o.checks {
		tellDecided(p, published.Dir, draft)
	}
	return err
}

// sourceOf is what a published workflow is made of as it is now: the domain's, or what is in its folder, of which the flags
// may give another state.
func (o authorWorkflowOptions) sourceOf(published *author.Published) (*domains.World, author.Source, error) {
	if !described.Described(published.Dir) {
		return o.source(published.Manifest.Domain)
	}
	tools, documents, err := described.ReadFolder(published.Dir)
	if err != nil {
		return nil, author.Source{}, err
	}
	if len(o.own.policy) > 0 {
		if documents, err = described.ReadPolicy(o.own.policy); err != nil {
			return nil, author.Source{}, fmt.Errorf("--policy: %w", err)
		}
	}
	if o.own.tools != "" {
		now, err := o.own.read()
		if err != nil {
			return nil, author.Source{}, err
		}
		now.Name = tools.Name
		tools = now.Knowing(tools)
	}
	if unknown := tools.Unknown(); len(unknown) > 0 {
		return nil, author.Source{}, fmt.Errorf("--tools: nobody has said of what kind these are: %s\nhint: give a tools.yaml that has the kinds, such as the one in %s", strings.Join(unknown, ", "), published.Dir)
	}
	src, err := author.Own(tools, documents)
	return &domains.World{Name: tools.Name, Agent: src.Inventory.Agent}, src, err
}

// replace puts what became of a workflow in its place, or says why it stays as it is.
func (a *authoring) replace(ctx context.Context, published *author.Published, draft *author.Draft, err error) error {
	p, dir := a.p, published.Dir
	if draft != nil && len(draft.Calls) > 0 {
		p.note(sim.Bill(draft.Calls))
	}
	stays := dir + " stays as it is"
	if e := (*author.EditedError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s: %w\nhint: take the new texts with --overwrite-edits: no answer is asked for again", stays, err)
	}
	if err != nil {
		toBlame := errors.As(err, new(*sim.UnusableError)) || errors.As(err, new(*author.RefusedError))
		return a.failed(ctx, stays, toBlame, err)
	}
	if len(draft.Files) > 0 {
		if err = published.Stands(); err == nil {
			err = answers.Place(dir, draft.Files)
		}
		if err != nil {
			return a.failed(ctx, stays, false, err)
		}
	}
	if err := a.answers.Remove(); err != nil {
		return err
	}
	if len(draft.Files) == 0 {
		p.printf("%s: nothing is to be changed; the model says:\n%s\n", dir, draft.Said)
		return nil
	}
	for _, finding := range draft.Findings {
		p.printf("%v\n", finding)
	}
	for _, name := range draft.Changed {
		p.printf("changed: %s\n", name)
	}
	p.printf("%s: %d changed, %d warnings%s\n", dir, len(draft.Changed), len(draft.Findings), a.label())
	if len(draft.Examples) > 0 {
		printExamples(p, dir, draft.Examples)
	}
	return nil
}
