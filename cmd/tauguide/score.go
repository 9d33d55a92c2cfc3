package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/rescore"
	"github.com/tauguide/tauguide/runs/tau2"
)

type scoreOptions struct {
	strict, tasks, judge, opinion, config, cassette, data, domain string
	hash, all, update, accept, json                               bool
	minAgreement                                                  float64
}

func (o *scoreOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.strict, "strict", "", "fail trials that do not replay exactly: writes, or full to run reads again too")
	f.Lookup("strict").NoOptDefVal = string(tau2.Writes)
	f.StringVar(&o.tasks, "tasks", string(tau2.RecordedTasks), "recorded: the tasks that came with the record; current: those of the data")
	f.StringVar(&o.judge, "judge", "", "model of the config that grades outcomes again")
	f.StringVar(&o.opinion, "opinion", "", "with --judge: keep its verdicts beside those of a run, under this name")
	f.StringVar(&o.config, "config", "", "config that has the judge's model")
	f.StringVar(&o.cassette, "cassette", "", "for the judge's answers: off, record, replay or verify, with :FOLDER behind it for another folder than the config's or the run's")
	f.StringVar(&o.data, "data", "", "τ² data folder, or the word embedded; default: the run's own, for τ² files $"+rescore.DataVariable)
	f.StringVar(&o.domain, "domain", "", "domain of τ² files that do not name it")
	f.BoolVar(&o.hash, "hash", false, "print τ²-compatible hashes of the databases at the end")
	f.BoolVar(&o.all, "all", false, "list all trials, with their components")
	f.BoolVar(&o.update, "update", false, "store changed scores in the run")
	f.BoolVar(&o.accept, "accept-edits", false, "take over records and plans of runs that were edited, and store their scores as with --update")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.Float64Var(&o.minAgreement, "min-agreement", 0, "exit with 4 if a smaller share of the recorded rewards is reproduced")
}

func scoreCommand(p process) *cobra.Command {
	var o scoreOptions
	cmd := &cobra.Command{
		Use:   "score RUN|FILE|DIR...",
		Short: "Score recorded conversations again and compare with the recorded rewards",
		Example: "  tauguide score results/quickstart\n" +
			"  tauguide score results/quickstart --all --strict\n" +
			"  tauguide score results/quickstart --judge careful --config quickstart --opinion careful",
		Long: "Replay recorded conversations, score them, and compare the rewards with the recorded ones: of runs, of τ²-bench results, or of all\n" +
			"that a folder holds. Each trial whose reward differs is listed with the components that differ and why. Replay is lenient: results\n" +
			"that differ from the recorded ones are noted. --strict wants the results of all writes, all ids and the pairing of calls and results\n" +
			"to be right, --strict=full runs reads again as well; what is not right is an error then.\n\n" +
			"Recorded verdicts of a judge are used again, unless --judge names a model of the config in --config. Its answers are recorded and\n" +
			"replayed as the config's cassette says, and without one as the run's did; --cassette off asks again. Scores that a run lacks are\n" +
			"added to it; changed ones only with --update. --opinion keeps them beside the run's own, where they count nowhere, and\n" +
			"`tauguide tables RUN --table judges` says how far both agree. Records that are not what was stored count as missing until --accept-edits takes them over.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runScore(cmd.Context(), p, o, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runScore(ctx context.Context, p process, o scoreOptions, paths []string) error {
	debug.SetGCPercent(200) // what is read of results is garbage soon; collecting it took a fifth of the time
	how, err := o.scoring(p)
	if err != nil {
		return usage(err)
	}
	printer := rescore.Text(p.out.Prose(), o.all, o.hash)
	if o.json {
		printer = rescore.JSON(p.stdout)
	}
	result, err := rescore.Paths(ctx, paths, how, printer)
	if err != nil {
		return err
	}
	total := result.Total
	switch {
	case total.Outcomes[tau2.Failed] > 0:
		return fmt.Errorf("%d of %d trials cannot be scored", total.Outcomes[tau2.Failed], total.Trials)
	case result.Unreadable > 0:
		return coded{exitIncomplete, fmt.Errorf("%d records are damaged or were edited, and count as missing", result.Unreadable)}
	case result.Unjudged > 0:
		return coded{exitIncomplete, fmt.Errorf("%d trials could not be judged, such as this: %w", result.Unjudged, result.Failure)}
	case total.Agreement() < o.minAgreement:
		return coded{exitThreshold, fmt.Errorf("agreement %.4f is below --min-agreement %g", total.Agreement(), o.minAgreement)}
	case total.Outcomes[tau2.Waiting] > 0:
		return coded{exitIncomplete, fmt.Errorf("%d trials need a judge\nhint: name one with --judge and --config", total.Outcomes[tau2.Waiting])}
	}
	return nil
}

// scoring checks the flags and reads the judge's config.
func (o scoreOptions) scoring(p process) (rescore.Options, error) {
	how := rescore.Options{Strictness: tau2.Strictness(o.strict), Tasks: tau2.TaskChoice(o.tasks), Data: o.data, Domain: o.domain,
		Hashes: o.hash, Update: o.update, Accept: o.accept, Judge: o.judge, Opinion: o.opinion, Cassette: o.cassette, Env: p.env, Note: p.note}
	switch how.Strictness {
	case "":
		how.Strictness = tau2.Lenient
	case tau2.Lenient, tau2.Writes, tau2.Full:
	default:
		return how, fmt.Errorf("--strict=%s is unknown\nhint: choose %s or %s", o.strict, tau2.Writes, tau2.Full)
	}
	if how.Tasks != tau2.RecordedTasks && how.Tasks != tau2.CurrentTasks {
		return how, fmt.Errorf("--tasks %s is unknown\nhint: choose %s or %s", o.tasks, tau2.RecordedTasks, tau2.CurrentTasks)
	}
	switch {
	case o.opinion != "" && (o.judge == "" || o.update || o.accept):
		return how, errors.New("--opinion keeps the verdicts of a judge beside the run's own\nhint: name the judge with --judge, and leave --update and --accept-edits out")
	case o.judge == "" && o.cassette != "":
		return how, errors.New("--cassette is for the answers of a judge\nhint: name one with --judge, or leave --cassette out")
	case o.judge == "":
		return how, nil
	case o.config == "":
		return how, errors.New("--judge needs the config that has the model\nhint: give it with --config")
	}
	c, err := config.Load(o.config, p.env)
	how.Config = c
	return how, err
}
