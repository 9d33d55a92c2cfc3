package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/check"
)

func domainsCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "domains",
		Short: "List, show and check domains",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var data string
	var asJSON bool
	cmd.PersistentFlags().StringVar(&data, "data", "embedded", "τ² data folder, or the word embedded")
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the domains", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return listDomains(p, data, asJSON) }},
		&cobra.Command{Use: "show NAME", Short: "Show a domain's policy, tools and tasks", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return showDomain(p, data, args[0], asJSON) }},
		&cobra.Command{Use: "check [NAME...]", Short: "Count tasks and replay every gold plan",
			Long: "Count the tasks of every split (PV: no mutating call of the agent's in the gold plan; Mut: the others), replay every gold plan,\n" +
				"and list the gold actions that fail, and what in tasks and policy makes figures mean something else than they say: unknown tools\n" +
				"and arguments, texts that no message can hold, components that always pass, tasks that doing nothing passes, tools that the policy\n" +
				"names and the agent lacks. Where the data has an invariants.yaml, records that break its rules are listed too, and temptations\n" +
				"that cannot be given in to. Findings are facts about the data and no error of the check.",
			RunE: func(_ *cobra.Command, args []string) error { return checkDomains(p, data, args, asJSON) }},
	)
	return cmd
}

// openData resolves the --data flag.
func openData(data string) (domains.Data, error) {
	if data == "" || data == "embedded" {
		return domains.Embedded(), nil
	}
	d, err := domains.Folder(data)
	return d, usage(err)
}

// openWorlds opens the named domains, or all, with the tasks of tasks.json.
func openWorlds(data string, names []string) ([]*domains.World, error) {
	return openSplit(data, names, "")
}

// openSplit is openWorlds with the tasks of a split, wherever they stand.
func openSplit(data string, names []string, split string) ([]*domains.World, error) {
	d, err := openData(data)
	if err != nil {
		return nil, err
	}
	list := all.Domains()
	if len(names) > 0 {
		list = nil
		for _, n := range names {
			one, err := all.Domain(n)
			if err != nil {
				return nil, usage(err)
			}
			list = append(list, one)
		}
	}
	var out []*domains.World
	for _, one := range list {
		w, err := one.Open(d, domains.Options{Split: split})
		if err != nil {
			return nil, fmt.Errorf("open domain %s: %w", one.Name, err)
		}
		out = append(out, w)
	}
	return out, nil
}

func printJSON(p process, v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func listDomains(p process, data string, asJSON bool) error {
	worlds, err := openWorlds(data, nil)
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
	if asJSON {
		return printJSON(p, lines)
	}
	for _, l := range lines {
		fmt.Fprintf(p.stdout, "%-8s %4d tasks, %2d agent tools, %2d user tools: %s\n", l.Name, l.Tasks, l.Agent, l.User, l.Summary)
	}
	return nil
}

func showDomain(p process, data, name string, asJSON bool) error {
	worlds, err := openSplit(data, []string{name}, domains.EverySplit)
	if err != nil {
		return err
	}
	w := worlds[0]
	if asJSON {
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
		return printJSON(p, map[string]any{"name": w.Name, "policy": w.Policy, "splits": w.Splits, "sources": w.Sources,
			"agent_tools": list(w.Agent), "user_tools": list(w.User)})
	}
	fmt.Fprintf(p.stdout, "%s\n\n%s\n", w.Name, w.Policy)
	for _, side := range []struct {
		who string
		kit *domains.Kit
	}{{"agent", w.Agent}, {"user", w.User}} {
		if side.kit == nil {
			continue
		}
		fmt.Fprintf(p.stdout, "Tools of the %s:\n", side.who)
		for _, t := range side.kit.Tools {
			fmt.Fprintf(p.stdout, "  %-8s %s: %s\n", t.Kind, t.Spec.Name, t.Spec.Description)
		}
	}
	fmt.Fprintln(p.stdout, "Tasks:")
	for i := range w.Tasks {
		t := &w.Tasks[i]
		slice := "PV"
		if t.Mutating(w) {
			slice = "Mut"
		}
		fmt.Fprintf(p.stdout, "  %-3s %s\n", slice, t.ID)
	}
	return nil
}

func checkDomains(p process, data string, names []string, asJSON bool) error {
	worlds, err := openSplit(data, names, domains.EverySplit)
	if err != nil {
		return err
	}
	var reports []check.Report
	for _, w := range worlds {
		reports = append(reports, check.World(w))
	}
	if asJSON {
		return printJSON(p, reports)
	}
	for _, r := range reports {
		fmt.Fprintf(p.stdout, "%s: %d gold actions replayed, %d fail, %d tasks broken\n", r.Domain, r.Actions, len(r.Failing), len(r.Broken))
		for _, s := range r.Splits {
			fmt.Fprintf(p.stdout, "  split %-6s %4d tasks: %d PV, %d Mut", s.Name, s.Tasks, s.PV, s.Mut)
			if n := len(s.Missing); n > 0 {
				fmt.Fprintf(p.stdout, "; %d more that the split lists are neither in tasks.json nor in %s", n, domains.SplitFile(s.Name))
			}
			fmt.Fprintln(p.stdout)
		}
		for _, f := range r.Failing {
			fmt.Fprintf(p.stdout, "  task %s, gold action %d %s (%s): %s\n", f.Task, f.Action, f.Name, f.Kind, f.Error)
		}
		for _, b := range r.Broken {
			fmt.Fprintf(p.stdout, "  task %s is broken: %s\n", b.Task, b.Error)
		}
		for _, u := range r.Unreached {
			fmt.Fprintf(p.stdout, "  task %s: the gold plan alone does not reach %s\n", u.Task, u.Error)
		}
		printLints(p, r.Lints)
	}
	return nil
}

// printLints prints findings about the data, those that read alike together with the tasks that have them.
func printLints(p process, lints []check.Lint) {
	const most = 8
	type like struct {
		kind       check.LintKind
		field, why string
	}
	tasks := map[like][]string{}
	var order []like
	for _, l := range lints {
		k := like{l.Kind, l.Field, l.Why}
		if tasks[k] == nil {
			order = append(order, k)
		}
		tasks[k] = append(tasks[k], l.Task)
	}
	for _, k := range order {
		list := tasks[k]
		where := k.field
		if list[0] != "" {
			shown := list[:min(len(list), most)]
			where = fmt.Sprintf("%d tasks (%s", len(list), strings.Join(shown, ", "))
			if len(list) > most {
				where += ", …; --json lists all"
			}
			where += "), " + k.field
		}
		fmt.Fprintf(p.stdout, "  %s: %s: %s\n", k.kind, where, k.why)
	}
}
