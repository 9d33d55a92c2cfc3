package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/sim"
)

func showCommand(p process) *cobra.Command {
	var o show.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN KEY",
		Short: "Print one recorded conversation",
		Long: "Print the conversation of one trial: messages, calls and results, the reward by component, the gold actions, and where the\n" +
			"database differs from the wanted one. KEY is domain/system/task/trial, with trials counted from 0.",
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := runDirectory(args[0])
			if err != nil {
				return err
			}
			key, err := parseKey(args[1])
			if err != nil {
				return usage(err)
			}
			return showTrial(p, r, key, o, asJSON)
		},
	}
	cmd.Flags().IntVar(&o.MaxResult, "max-result", 600, "characters of a tool result to print; 0 prints all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the record and its score as JSON")
	return cmd
}

// parseKey reads domain/system/task/trial; only the task may hold slashes.
func parseKey(s string) (sim.Key, error) {
	parts := strings.Split(s, "/")
	if len(parts) < 4 {
		return sim.Key{}, fmt.Errorf("key %q: want domain/system/task/trial, such as retail/ReAct/12/0", s)
	}
	trial, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil {
		return sim.Key{}, fmt.Errorf("key %q: the trial %q is no number", s, parts[len(parts)-1])
	}
	return sim.Key{Domain: parts[0], System: parts[1], Task: strings.Join(parts[2:len(parts)-1], "/"), Trial: trial}, nil
}

func showTrial(p process, r *runs.Run, key sim.Key, o show.Options, asJSON bool) error {
	rec, err := r.Record(key)
	if err != nil {
		return err
	}
	scores, err := r.Scores()
	if err != nil {
		return err
	}
	v := show.View{Record: rec}
	if s, ok := scores[runs.Ref{Key: rec.Key, Attempt: rec.Attempt}]; ok {
		v.Score = &s
	}
	if asJSON {
		return printJSON(p, map[string]any{"record": rec, "score": v.Score})
	}
	w, err := r.World(key.Domain, p.env)
	switch {
	case errors.Is(err, runs.ErrData):
		fmt.Fprintf(p.stderr, "without the task: %v\n", err)
	case err != nil:
		return err
	default:
		if t, ok := w.Task(key.Task); ok {
			v.Task, v.Slice = t, metrics.PV
			if t.Mutating(w) {
				v.Slice = metrics.Mut
			}
		}
	}
	return show.Print(p.stdout, v, o)
}
