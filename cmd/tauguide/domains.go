package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/check"
)

type domainsOptions struct {
	data string
	json bool
}

func (o *domainsOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", "embedded", "τ² data folder, or the word embedded")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func domainsCommand(p process) *cobra.Command {
	var o domainsOptions
	cmd := parent("domains", "List, show and check domains",
		&cobra.Command{
			Use:     "list",
			Short:   "List the domains",
			Example: "  tauguide domains list",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return runDomainsList(p, o) },
		},
		&cobra.Command{
			Use:     "show NAME",
			Short:   "Show a domain's policy, tools and tasks",
			Example: "  tauguide domains show mock",
			Args:    cobra.ExactArgs(1),
			RunE:    func(_ *cobra.Command, args []string) error { return runDomainsShow(p, o, args[0]) },
		},
		&cobra.Command{
			Use:     "check [NAME...]",
			Short:   "Count tasks and replay every gold plan",
			Example: "  tauguide domains check retail",
			Long: "Count the tasks of every split (PV: no mutating call of the agent's in the gold plan; Mut: the others), replay every gold plan,\n" +
				"and list the gold actions that fail, and what in tasks and policy makes figures mean something else than they say: unknown tools,\n" +
				"arguments and fields, texts that no message can contain, components that always pass, tasks that doing nothing passes, tools that the policy\n" +
				"names and the agent lacks. Where the data has an invariants.yaml, records that break its rules are listed too, and temptations\n" +
				"that cannot be given in to. Findings are facts about the data and no error of the check.",
			RunE: func(_ *cobra.Command, args []string) error { return runDomainsCheck(p, o, args) },
		})
	o.AddFlags(cmd.PersistentFlags())
	return cmd
}

func runDomainsList(p process, o domainsOptions) error {
	worlds, err := all.Open(o.data, nil, "")
	if err != nil {
		return err
	}
	type line struct {
		Name    string `json:"name"`
		Summary string `json:"summary"`
		Tasks   int    `json:"tasks"`
		Agent   int    `json:"agent_tools"`
		User    int    `json:"user_tools"`
	}
	var lines []line
	for i, w := range worlds {
		lines = append(lines, line{w.Name, all.Domains()[i].Summary, len(w.Tasks), len(w.Agent.Specs()), len(w.User.Specs())})
	}
	if o.json {
		return p.json(lines)
	}
	for _, l := range lines {
		fmt.Fprintf(p.out.Prose(), "%-8s %4d tasks, %2d agent tools, %2d user tools: %s\n", l.Name, l.Tasks, l.Agent, l.User, l.Summary)
	}
	return nil
}

func runDomainsShow(p process, o domainsOptions, name string) error {
	worlds, err := all.Open(o.data, []string{name}, domains.EverySplit)
	if err != nil {
		return err
	}
	w := worlds[0]
	if o.json {
		type tool struct {
			Name        string          `json:"name"`
			Kind        domains.Kind    `json:"kind"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		}
		list := func(k *domains.Kit) []tool {
			out := []tool{}
			if k != nil {
				for _, t := range k.Tools {
					out = append(out, tool{t.Spec.Name, t.Kind, t.Spec.Description, t.Spec.Parameters})
				}
			}
			return out
		}
		return p.json(map[string]any{"name": w.Name, "policy": w.Policy, "splits": w.Splits, "sources": w.Sources,
			"agent_tools": list(w.Agent), "user_tools": list(w.User)})
	}
	p.printf("%s\n\n%s\n", w.Name, w.Policy)
	for _, side := range []struct {
		who string
		kit *domains.Kit
	}{{"agent", w.Agent}, {"user", w.User}} {
		if side.kit == nil {
			continue
		}
		p.printf("Tools of the %s:\n", side.who)
		for _, t := range side.kit.Tools {
			fmt.Fprintf(p.out.Prose(), "  %-8s %s: %s\n", t.Kind, t.Spec.Name, t.Spec.Description)
		}
	}
	p.printf("Tasks:\n")
	for i := range w.Tasks {
		t := &w.Tasks[i]
		slice := "PV"
		if t.Mutating(w) {
			slice = "Mut"
		}
		p.printf("  %-3s %s\n", slice, t.ID)
	}
	return nil
}

func runDomainsCheck(p process, o domainsOptions, names []string) error {
	worlds, err := all.Open(o.data, names, domains.EverySplit)
	if err != nil {
		return err
	}
	var reports []check.Report
	for _, w := range worlds {
		reports = append(reports, check.World(w))
	}
	if o.json {
		return p.json(reports)
	}
	for _, r := range reports {
		r.Print(p.out.Prose())
	}
	return nil
}
