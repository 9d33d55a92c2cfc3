package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

type powerOptions struct {
	config.Options
	format string
	effect float64
	k      int
}

func (o *powerOptions) AddFlags(f *pflag.FlagSet) {
	f.Float64Var(&o.effect, "effect", 0, "difference to plan for, such as 0.1")
	f.IntVar(&o.k, "k", 1, "plan for Pass^k")
	f.StringVar(&o.format, "format", string(report.Term), fmt.Sprintf("one of %v", report.Formats()))
	f.StringArrayVar(&o.Only, "only", nil, "of a CONFIG: plan a part, as in run")
	f.Var((*count)(&o.Limit), "limit", "of a CONFIG: plan only the first so many tasks of each domain")
	f.Var((*count)(&o.Trials), "trials", "of a CONFIG: trials of each task")
	f.StringVar(&o.Data, "data", "", "of a CONFIG: τ² data folder, or the word embedded")
	f.BoolVar(&o.Synthetic, "synthetic", false, "of a CONFIG: replace every model by its scripted twin")
}

func powerCommand(p process) *cobra.Command {
	var o powerOptions
	cmd := &cobra.Command{
		Use:   "power CONFIG|RUN",
		Short: "Say which differences an experiment can find, and what more trials or tasks would buy",
		Example: "  tauguide power quickstart --effect 0.1\n" +
			"  tauguide power results/quickstart",
		Long: "Compute which difference in Pass^1, or Pass^k, between two systems is found in 80 of 100 experiments like this one, and with other numbers\n" +
			"of trials and tasks, with their price. A RUN tells by its own results how much these differ between tasks and between trials; for\n" +
			"a CONFIG that is taken from the paper's figures, and the price from the estimate of run --dry-run.\n\n" + exitHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runPower(cmd.Context(), p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runPower(ctx context.Context, p process, o powerOptions, arg string) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if !(o.effect >= 0 && o.effect <= 1) {
		return usage(fmt.Errorf("--effect %v is no difference of shares\nhint: give a number from 0 to 1, such as 0.1", o.effect))
	}
	if o.k < 1 {
		return usage(fmt.Errorf("--k %d: k starts at 1", o.k))
	}
	planning, err := planningOf(ctx, p, o, arg)
	if err != nil {
		return err
	}
	if planning.Systems < 2 {
		return usage(errors.New("one system is compared with nothing\nhint: name a config or a run of two systems"))
	}
	return tablesOptions{format: o.format}.print(p, planning.Table(o.effect))
}

// planningOf reads a run, or plans a config.
func planningOf(ctx context.Context, p process, o powerOptions, arg string) (report.Planning, error) {
	if store.IsRun(arg) {
		sources, err := openSources(p, []string{arg})
		if err != nil {
			return report.Planning{}, err
		}
		return report.MeasuredPower(&sources[0], o.k)
	}
	cfg, err := config.Load(arg, p.env)
	if err != nil {
		return report.Planning{}, usage(err)
	}
	plan, err := config.Resolve(ctx, cfg, o.Options)
	if err != nil {
		return report.Planning{}, err
	}
	e, err := runs.NewEstimate(plan, "")
	if err != nil {
		return report.Planning{}, err
	}
	return plannedPower(plan, o.k, e)
}

// plannedPower is the planning of a plan for Pass^k at the price of its estimate, where that is known.
func plannedPower(plan *config.Plan, k int, e *runs.Estimate) (report.Planning, error) {
	dollars := 0.0
	if e.Cost != nil && e.Trials > 0 {
		dollars = *e.Cost / float64(e.Trials)
	}
	return report.PlannedPower(plan, k, dollars)
}
