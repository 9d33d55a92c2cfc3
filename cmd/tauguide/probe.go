package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/llm/probe"
)

type probeOptions struct {
	config.Options
	json bool
}

func (o *probeOptions) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.Only, "only", nil, "probe the models of a part: key=value[,value] with key domain, system, agent, task or trial")
	f.StringVar(&o.Data, "data", "", "τ² data folder, or the word embedded, instead of the config's")
	f.StringVar(&o.BaseURL, "base-url", "", "send every model to this endpoint")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func probeCommand(p process) *cobra.Command {
	var o probeOptions
	cmd := &cobra.Command{
		Use:   "probe CONFIG",
		Short: "Ask each model of a config what the run will ask it, before anything is spent",
		Example: "  tauguide probe quickstart\n" +
			"  tauguide probe configs/quickstart.yaml --only system=ReAct --json",
		Long: "Ask each model of a config in each of its roles what the run will ask it, and say what is wrong and what to change: a refused key\n" +
			"or parameter, a server that leaves tool calls in the text, a chat template that refuses the greeting, the model's own call or the\n" +
			"guidance amid the conversation, a context that is too small, a verdict without its form. An agent is asked at most four questions,\n" +
			"a user three, a judge, verifier and guard one; each prompt is of real size. Nothing is written. Scripted models are not asked.\n" +
			"Exit code 4 if a model cannot be used in its role.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runProbe(cmd.Context(), p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runProbe(ctx context.Context, p process, o probeOptions, file string) error {
	cfg, err := config.Load(file, p.env)
	if err != nil {
		return usage(err)
	}
	o.Cassette = "off" // recordings answer nothing here
	plan, err := config.Resolve(ctx, cfg, o.Options)
	if err != nil {
		return err
	}
	results, err := runs.Probe(ctx, plan, nil)
	if err != nil {
		return err
	}
	failures := probe.Failures(results)
	if o.json {
		err = p.json(map[string]any{"ok": failures == 0, "results": results})
	} else {
		err = probe.Print(p.out.Prose(), results)
	}
	if err == nil && failures > 0 {
		err = coded{exitThreshold, fmt.Errorf("%d of %d models cannot be used in their role: see above", failures, len(results))}
	}
	return err
}
