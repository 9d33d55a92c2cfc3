package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/sim"
)

type compareWorkflowsOptions struct {
	data, domain, traces string
	compliant            []string
	judge                authorModel
	json                 bool
}

func (o *compareWorkflowsOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", "embedded", "τ² data folder whose gold plans are completed to conversations, or the word embedded")
	f.StringVar(&o.traces, "traces", "", "run whose conversations with reward 1 take the place of those")
	f.StringArrayVar(&o.compliant, "compliant", nil, "file with recorded conversations that keep to the policy, which take the place of those")
	f.StringVar(&o.domain, "domain", "", "domain that both are for; default: that of B, or else of A, if the program knows it")
	f.StringVar(&o.judge.name, "judge", "", "model that reads, without knowing which workflow it has, what node enforces each requirement; named as in author")
	f.StringVar(&o.judge.config, "config", "", "config that has the judge; without one the key is read from $OPENAI_API_KEY")
	f.StringVar(&o.judge.baseURL, "base-url", "", "endpoint to ask in place of the judge's own")
	f.BoolVar(&o.judge.synthetic, "synthetic", false, "ask a scripted judge: in this process, or at --base-url")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func compareWorkflowsCommand(p process) *cobra.Command {
	var o compareWorkflowsOptions
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Measure how alike two workflows of one policy are, whatever their words",
		Example: "  tauguide workflow compare retail ./retail\n" +
			"  tauguide workflow compare retail ./retail --traces results/quickstart",
		Long: "Measure how alike two workflows of one policy are: A, as one that a model wrote, and the reference B. Each is a bundle that is built into\n" +
			"the program, the folder of one, or a folder in the layout of PolicyGuide's released implementation. Compared are the tools that they\n" +
			"authorize, the requirements that their nodes name, what stands before each authorization, whether the changes of conversations that\n" +
			"keep to the policy can be reached, and which of these are withheld once an event of the conversation is left out. Every difference is\n" +
			"listed with the nodes of both (docs/workflow-commands.md). No model is involved, unless --judge names one.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompareWorkflows(cmd.Context(), p, o, args[0], args[1])
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runCompareWorkflows(ctx context.Context, p process, o compareWorkflowsOptions, nameA, nameB string) error {
	a, err := openEitherLayout(p, nameA)
	if err != nil {
		return err
	}
	b, err := openEitherLayout(p, nameB)
	if err != nil {
		return err
	}
	basis, err := o.basis(p, a, b)
	if err != nil {
		return err
	}
	judge, err := o.connect(p, basis)
	if err != nil {
		return usage(fmt.Errorf("--judge: %w", err))
	}
	r, err := compare.Compare(a.Bundle, b.Bundle, compare.Pair[string]{A: nameA, B: nameB}, basis)
	if err != nil {
		return err
	}
	var unread error // what needs no model is printed in any case
	if judge != nil {
		var calls []sim.ModelCall
		if calls, unread = r.Judge(ctx, judge.model, a.Bundle, b.Bundle, basis.Catalog); unread != nil {
			unread = fmt.Errorf("--judge: %w", unread)
		} else {
			r.Judged.Synthetic = judge.scripted
		}
		p.note(sim.Bill(calls))
	}
	if o.json {
		err = p.json(r)
	} else {
		err = r.Print(p.out.Prose())
	}
	return errors.Join(err, unread)
}

// connect connects to the judge; nil if none is named.
func (o compareWorkflowsOptions) connect(p process, basis compare.Basis) (*authoring, error) {
	switch {
	case o.judge.name == "" && !o.judge.synthetic:
		return nil, nil
	case basis.Catalog == nil:
		return nil, errors.New("there is no catalog of requirements to read for\nhint: name the domain with --domain")
	}
	return o.judge.connect(p, basis.World)
}

// openEitherLayout reads a bundle, or a workflow in the released layout.
func openEitherLayout(p process, name string) (source, error) {
	if st, err := os.Stat(filepath.Join(name, "_manifest.json")); err != nil || st.IsDir() || slices.Contains(guide.Shipped(), name) {
		return openBundle(p, name)
	}
	s := source{dir: name}
	if err := s.openOwn(); err != nil {
		return s, err
	}
	var notes []string
	var err error
	if s.Bundle, notes, err = export.ReadReleased(os.DirFS(name)); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	for _, n := range notes {
		p.notef("%s: left behind: %s", name, n)
	}
	return s, nil
}

// basis is what the domain has to compare on; nothing where it is known neither to the program nor by a tools.yaml.
func (o compareWorkflowsOptions) basis(p process, a, b source) (compare.Basis, error) {
	w, err := o.worldOf(a, b)
	if w == nil || err != nil {
		return compare.Basis{}, err
	}
	out := compare.Basis{World: w}
	if out.Catalog, err = guide.ShippedCatalog(w.Name); err != nil {
		return out, err
	}
	switch {
	case o.traces != "" && len(o.compliant) > 0:
		return out, usage(errors.New("--traces and --compliant: changes are looked for in conversations of one origin\nhint: give one of them"))
	case len(o.compliant) > 0:
		out.Source = "in recorded conversations"
		out.Traces, err = recorded(o.compliant)
	case o.traces != "":
		out.Source = "in passed trials of " + o.traces
		out.Traces, err = passed(p, o.traces, w.Name)
	case slices.Contains(audit.Domains(), w.Name):
		out.Source = "in completed gold plans"
		out.Traces, err = completed(p, w)
	}
	return out, err
}

// worldOf opens the domain of --domain, or that of B, or else of A; nil if neither is known.
func (o compareWorkflowsOptions) worldOf(a, b source) (*domains.World, error) {
	if o.domain != "" {
		return b.world(o.data, o.domain, "")
	}
	for _, x := range []source{b, a} {
		if _, err := all.Domain(x.Domain); err == nil || x.own != nil {
			return x.world(o.data, "", "")
		}
	}
	if o.traces != "" || len(o.compliant) > 0 || o.data != "embedded" {
		return nil, usage(errors.New("--data, --traces and --compliant: neither workflow is of a domain that the program knows\nhint: name it with --domain"))
	}
	return nil, nil
}

// completed are the gold plans of a domain; of one that cannot be completed, as far as it goes.
func completed(p process, w *domains.World) ([]compare.Trace, error) {
	tasks, err := w.Select("")
	if err != nil {
		return nil, err
	}
	paths, err := audit.Paths(w, tasks)
	if err != nil {
		return nil, err
	}
	var out []compare.Trace
	for _, path := range paths {
		if path.Err != nil {
			p.warn(fmt.Sprintf("the gold plan of task %s is not complete: %v", path.Task.ID, path.Err))
		}
		out = append(out, compare.Trace{Name: "task " + path.Task.ID, Messages: path.Messages})
	}
	return out, nil
}

// recorded are the conversations of the files of --compliant.
func recorded(files []string) (out []compare.Trace, err error) {
	chats, err := readChats(files)
	if err != nil {
		return nil, fmt.Errorf("--compliant: %w", err)
	}
	for _, c := range chats {
		out = append(out, compare.Trace{Name: c.Name, Messages: c.Messages})
	}
	return out, nil
}

// passed are the conversations of a run's trials in a domain that have reward 1.
func passed(p process, dir, domain string) ([]compare.Trace, error) {
	run, err := openRun(p, dir)
	if err != nil {
		return nil, err
	}
	var out []compare.Trace
	for _, e := range run.Index() {
		if e.Domain != domain || e.Reward == nil || *e.Reward != 1 {
			continue
		}
		rec, err := run.Record(e.Key)
		if err != nil {
			return nil, err
		}
		out = append(out, compare.Trace{Name: e.Key.String(), Messages: rec.Messages})
	}
	if len(out) == 0 {
		return nil, usage(fmt.Errorf("--traces %s: no trial in domain %s has reward 1\nhint: name a run with passed trials, or leave the flag out", dir, domain))
	}
	return out, nil
}
