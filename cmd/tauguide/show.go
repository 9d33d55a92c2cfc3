package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

type showOptions struct {
	show.Options
	json bool
}

func (o *showOptions) AddFlags(f *pflag.FlagSet) {
	f.IntVar(&o.MaxResult, "max-result", 600, "characters of a tool result to print; 0 prints all")
	f.BoolVar(&o.json, "json", false, "print the record and its score as JSON")
}

func showCommand(p process) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show RUN KEY",
		Short: "Print one recorded conversation",
		Long: "Print the conversation of one trial: messages, calls and results, the reward by component, the gold actions, and where the\n" +
			"database differs from the wanted one. Where the user attacks, the calls that it is after are marked. KEY is domain/system/task/trial, with trials counted from 0.",
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return runShow(p, o, args[0], args[1]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runShow(p process, o showOptions, dir, name string) error {
	r, err := openRun(p, dir)
	if err != nil {
		return err
	}
	key, err := config.ParseKey(name, r.Plan())
	if err != nil {
		return usage(err)
	}
	rec, err := r.Record(key)
	if err != nil {
		return err
	}
	scores, err := r.Scores()
	if err != nil {
		return err
	}
	v := show.Trial{Record: rec, Attack: show.NewAttack(r.Attack(), r.Attacks(key.Domain), key.Task),
		Workflows: r.Manifest().Authored(key.System, key.Domain)}
	if s, ok := scores[store.Ref{Key: rec.Key, Attempt: rec.Attempt}]; ok {
		v.Score = &s
	}
	v.Slice = metrics.PV
	for _, p := range r.Plan() {
		if p.Key == key {
			v.Slice, v.Note = report.SliceOf(p), p.Note
		}
	}
	if o.json {
		out := map[string]any{"record": rec, "score": v.Score}
		if v.Note != "" {
			out["note"] = v.Note
		}
		return p.json(out)
	}
	if v.Task, err = taskOf(p, r, key); err != nil {
		return err
	}
	return show.Print(p.stdout, v, o.Options)
}

// taskOf returns the task of a trial: that of an imported run, that of the data otherwise; nil where neither
// has it.
func taskOf(p process, r *store.Run, key sim.Key) (*domains.Task, error) {
	head, err := tau2.ReadHead(r)
	if err != nil {
		return nil, err
	}
	recorded, ok := head.ReadableTask(key.Task)
	if ok && recorded.Criteria != nil {
		return recorded, nil
	}
	w, err := r.World(key.Domain, p.env)
	if errors.Is(err, store.ErrData) {
		p.notef("without the task: %v", err)
		return recorded, nil
	}
	if err != nil {
		return nil, err
	}
	t, _ := head.WithTasks(w).Task(key.Task)
	return t, nil
}
