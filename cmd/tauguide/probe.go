package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/llm/probe"
)

func probeCommand(p process) *cobra.Command {
	var o config.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "probe CONFIG",
		Short: "Ask each model of a config once, before anything is spent",
		Long: "Ask each model of a config in each of its roles (agent, user, judge, verifier, guard) once for a tool call, and say what is wrong\n" +
			"and what to change: a refused key or parameter, a server that leaves tool calls in the text, missing token counts, another model\n" +
			"than the one asked for. Nothing is written. Scripted models are not asked. Exit code 4 if a model cannot be used in its role.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := config.Load(args[0], p.env)
			if err != nil {
				return usage(err)
			}
			// Recordings answer nothing here.
			o.Cassette = "off"
			plan, err := config.Resolve(cmd.Context(), cfg, o)
			if err != nil {
				return usageIf(err)
			}
			results, err := runs.Probe(cmd.Context(), plan, nil)
			if err != nil {
				return usageIf(err)
			}
			if err := printProbe(p, results, asJSON); err != nil {
				return err
			}
			return probeVerdict(results)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Only, "only", nil, "probe the models of a part: key=value[,value] with key domain, system, agent, task or trial")
	flags.StringVar(&o.Data, "data", "", "τ² data folder, or the word embedded, instead of the config's")
	flags.StringVar(&o.BaseURL, "base-url", "", "send every model to this endpoint")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// probeReport is the JSON of a probe.
type probeReport struct {
	OK      bool           `json:"ok"`
	Results []probe.Result `json:"results"`
}

func printProbe(p process, results []probe.Result, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(p.stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(probeReport{OK: failures(results) == 0, Results: results})
	}
	var b strings.Builder
	for _, r := range results {
		state := "ok"
		switch {
		case !r.OK():
			state = "FAILED"
		case !r.Asked:
			state = "not asked"
		}
		fmt.Fprintf(&b, "%-8s %s (%s): %s", r.Role, r.Name, r.Model, state)
		if r.Asked {
			fmt.Fprintf(&b, ", %.1f s, %s + %s tokens, $%s", r.Seconds, r.Usage.PromptTokens, r.Usage.CompletionTokens, dollars(r.Cost))
		}
		b.WriteByte('\n')
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "  %s: %s\n", f.Severity, printable(f.Text))
			if f.Fix != "" {
				fmt.Fprintf(&b, "    -> %s\n", printable(f.Fix))
			}
		}
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

func dollars(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.4f", *v)
}

// printable keeps a foreign text from steering a terminal.
func printable(s string) string {
	q := fmt.Sprintf("%q", s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

func failures(results []probe.Result) int {
	n := 0
	for _, r := range results {
		if !r.OK() {
			n++
		}
	}
	return n
}

// probeVerdict is the exit code of a probe.
func probeVerdict(results []probe.Result) error {
	if n := failures(results); n > 0 {
		return coded{exitThreshold, fmt.Errorf("%d of %d models cannot be used in their role: see above", n, len(results))}
	}
	return nil
}
