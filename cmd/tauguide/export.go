package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
)

func exportCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write runs in the formats of other programs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o tau2.ExportOptions
	var layout, data string
	var asJSON bool
	tau := &cobra.Command{
		Use:   "tau2 RUN",
		Short: "Write a run as a τ²-bench result",
		Long: "Write the trials of one domain and system of a run as a τ²-bench result: of each trial the attempt that counts, with messages, ids,\n" +
			"costs, usage and the newest score. Endings that the format has no word for (budget, cancelled) become infrastructure_error, which the\n" +
			"reference leaves out of its figures as we do; the word itself is in the simulation's info.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Out == "" {
				return usage(errors.New("name the file to write with --out"))
			}
			if o.Layout = tau2.Layout(layout); o.Layout != tau2.LayoutJSON && o.Layout != tau2.LayoutDir {
				return usage(fmt.Errorf("--layout %s: choose json or dir", layout))
			}
			return exportTau2(cmd, p, args[0], data, o, asJSON)
		},
	}
	flags := tau.Flags()
	flags.StringVar(&o.Out, "out", "", "file to write, or the folder for the layout dir; must not exist")
	flags.StringVar(&layout, "layout", "json", "json: one file; dir: results.json and a file for each simulation")
	flags.StringVar(&o.Domain, "domain", "", "domain, where the run has several")
	flags.StringVar(&o.System, "system", "", "system, where the run has several")
	flags.StringVar(&data, "data", "", "data folder with the tasks, or the word embedded; default: the run's own")
	flags.BoolVar(&asJSON, "json", false, "print what was exported as JSON")
	cmd.AddCommand(tau)
	return cmd
}

func exportTau2(cmd *cobra.Command, p process, dir, data string, o tau2.ExportOptions, asJSON bool) error {
	r, err := runDirectory(p, dir)
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
	o.World, err = runWorld(p, r, o.Domain, data)
	switch {
	case err == nil:
	case head != nil && len(head.Tasks) > 0 && data == "":
		o.World = nil // it brought its tasks
	default:
		return err
	}
	done, err := tau2.Export(cmd.Context(), r, o)
	if err != nil {
		return err
	}
	for reason, n := range done.Remarks {
		fmt.Fprintf(p.stderr, "%d trials that ended with %s are written as infrastructure_error\n", n, reason)
	}
	if asJSON {
		return printJSON(p, done)
	}
	fmt.Fprintf(p.stdout, "%s: %d simulations of %d tasks, %s by %s; %d void, %d without a score, %d planned trials missing\n",
		done.File, done.Simulations, done.Tasks, done.Domain, done.System, done.Void, done.Unscored, done.Missing)
	return nil
}

// runWorld opens a domain of a run: on the data that it was made with or, where data is not empty, on that.
func runWorld(p process, r *store.Run, domain, data string) (*domains.World, error) {
	if data == "" {
		return r.World(domain, p.env)
	}
	d, err := openData(data)
	if err != nil {
		return nil, err
	}
	one, err := all.Domain(domain)
	if err != nil {
		return nil, usage(err)
	}
	o := domains.Options{}
	for _, c := range r.Manifest().Config.Domains {
		if c.Name == domain {
			o = domains.Options{Policy: c.PolicyType, Solo: c.Solo, Split: c.Split}
		}
	}
	w, err := one.Open(d, o)
	if err != nil {
		return nil, fmt.Errorf("open domain %s: %w", domain, err)
	}
	return w, nil
}
