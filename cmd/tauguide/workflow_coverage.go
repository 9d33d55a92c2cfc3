package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/coverage"
)

type coverageOptions struct {
	pairs int
	json  bool
}

func (o *coverageOptions) AddFlags(f *pflag.FlagSet) {
	f.IntVar(&o.pairs, "pairs", 10, "uncovered pairs to print for each schedule; 0 prints all")
	f.BoolVar(&o.json, "json", false, "print JSON, with all pairs")
}

func coverageCommand(p process) *cobra.Command {
	var o coverageOptions
	cmd := &cobra.Command{
		Use:     "coverage DOMAIN|DIR",
		Short:   "Count the first deviations that each firing schedule can stop",
		Example: "  tauguide workflow coverage retail",
		Long: "Count the first deviations from a workflow: events of the agent that leave it, each at the step that was taken last. For each schedule\n" +
			"that a verifier can be asked by, print how many of them it can stop, and those that it cannot.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runCoverage(p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runCoverage(p process, o coverageOptions, name string) error {
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	g, err := guide.Compose(b.Bundle)
	if err != nil {
		return err
	}
	r := coverage.Analyze(g, coverage.Schedules())
	if o.json {
		return p.json(r)
	}
	r.Print(p.out.Prose(), o.pairs)
	return nil
}
