package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs/tau2"
)

type exportOptions struct {
	tau2.ExportOptions
	layout, data string
	json         bool
}

func (o *exportOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Out, "out", "", "file to write, or the folder for the layout dir; must not exist")
	f.StringVar(&o.layout, "layout", "json", "json: one file; dir: results.json and a file for each simulation")
	f.StringVar(&o.Domain, "domain", "", "domain, where the run has several")
	f.StringVar(&o.System, "system", "", "system, where the run has several")
	f.StringVar(&o.data, "data", "", "data folder with the tasks, or the word embedded; default: the run's own, of an imported run the tasks that it brought")
	f.BoolVar(&o.json, "json", false, "print what was exported as JSON")
}

func exportCommand(p process) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:     "tau2 RUN",
		Short:   "Write a run as a τ²-bench result",
		Example: "  tauguide export tau2 results/quickstart --domain retail --system ReAct --out retail-react.json",
		Long: "Write the trials of one domain and system of a run as a τ²-bench result: of each trial the attempt that counts, with messages, ids,\n" +
			"costs, usage and the newest score. Endings that the format has no word for (user_fault, budget, cancelled) become infrastructure_error, which the\n" +
			"reference leaves out of its figures as we do; the word itself is in the simulation's info.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runExport(cmd.Context(), p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return parent("export", "Write runs in the formats of other programs", cmd, exportTrialsCommand(p, csvFile), exportTrialsCommand(p, parquetFile), exportTrialsCommand(p, inspectFile))
}

func runExport(ctx context.Context, p process, o exportOptions, dir string) error {
	if o.Out == "" {
		return usage(errors.New("--out is missing\nhint: name the file to write"))
	}
	if o.Layout = tau2.Layout(o.layout); o.Layout != tau2.LayoutJSON && o.Layout != tau2.LayoutDir {
		return usage(fmt.Errorf("--layout %s is unknown\nhint: choose json or dir", o.layout))
	}
	r, err := openRun(p, dir)
	if err != nil {
		return err
	}
	if o.Domain, o.System, err = tau2.Choose(r, o.Domain, o.System); err != nil {
		return usage(err)
	}
	head, err := tau2.ReadHead(r)
	if err != nil {
		return err
	}
	o.Program = version()
	switch {
	case o.data != "":
		o.World, err = tau2.RunWorld(r, o.Domain, o.data)
	case head == nil: // an imported run has the tasks that it brought
		o.World, err = r.World(o.Domain, p.env)
	}
	if err != nil {
		return err
	}
	done, err := tau2.Export(ctx, r, o.ExportOptions)
	if err != nil {
		return err
	}
	for reason, n := range done.Remarks {
		p.note(fmt.Sprintf("%d trials that ended with %s are written as infrastructure_error", n, reason))
	}
	for _, s := range done.Stops {
		p.note(fmt.Sprintf("%s: a strict replay in τ²-bench stops at %s", s.Trial, s.Why))
	}
	if o.json {
		return p.json(done)
	}
	p.printf("%s: %d simulations of %d tasks, %s by %s; %d void, %d without a score, %d planned trials missing\n",
		done.File, done.Simulations, done.Tasks, done.Domain, done.System, done.Void, done.Unscored, done.Missing)
	return nil
}
