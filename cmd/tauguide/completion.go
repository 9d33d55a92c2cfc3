package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/trials"
)

// shells are those that there is a script for, with what writes it.
func shells(root *cobra.Command, p process) map[string]func() error {
	return map[string]func() error{
		"bash":       func() error { return root.GenBashCompletionV2(p.stdout, true) },
		"zsh":        func() error { return root.GenZshCompletion(p.stdout) },
		"fish":       func() error { return root.GenFishCompletion(p.stdout, true) },
		"powershell": func() error { return root.GenPowerShellCompletionWithDesc(p.stdout) },
	}
}

func shellNames() []string { return []string{"bash", "fish", "powershell", "zsh"} }

func completionCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write the script that has a shell complete commands, runs, keys, systems and tables",
		Long: "Write the script by which a shell completes tauguide's commands and flags, runs of " + config.ResultsDir + ", keys of their trials, systems, domains,\n" +
			"tables, figures and the keys of --only. SHELL is bash, fish, powershell or zsh. Where scripts go depends on the shell; read in by the\n" +
			"examples, they last as long as the session.",
		Example: "  source <(tauguide completion bash)\n  source <(tauguide completion zsh)\n  tauguide completion fish > ~/.config/fish/completions/tauguide.fish",
		Args:    cobra.ExactArgs(1),

		ValidArgs: shellNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write, ok := shells(cmd.Root(), p)[args[0]]; ok {
				return write()
			}
			return usage(fmt.Errorf("no script for shell %q\nhint: %s", args[0], yamlfile.Suggest(args[0], shellNames())))
		},
	}
}

// completer lists what may stand at a place, given the arguments before it. What begins otherwise is left out by who asks.
type completer func(p process, args []string) []string

// byWord completes an argument by what its place is called in the use line of a command.
func byWord() map[string]completer {
	domainNames := func(process, []string) []string {
		var out []string
		for _, d := range all.Domains() {
			out = append(out, d.Name)
		}
		return out
	}
	runs := func(process, []string) []string {
		out, _ := store.Folders(config.ResultsDir) // no folder, no names
		return out
	}
	runSystems := func(p process, _ []string) (out []string) {
		for _, dir := range runs(p, nil) {
			for _, s := range systems(p, []string{dir}) {
				out = append(out, dir+":"+s)
			}
		}
		return out
	}
	return map[string]completer{
		"RUN": runs, "RUN|FILE|DIR": runs, "NAME": domainNames, "DOMAIN": domainNames,
		"CONFIG":     func(process, []string) []string { return configs.Names() },
		"DOMAIN|DIR": func(process, []string) []string { return guide.Shipped() },
		"KEY":        keys,
		"RUN:SYSTEM|RUN": func(p process, args []string) []string {
			return append(runSystems(p, args), runs(p, args)...)
		},
		"RUN:SYSTEM|SYSTEM": func(p process, args []string) []string {
			if of := systems(p, args); of != nil {
				return of
			}
			return runSystems(p, args)
		},
		"SYSTEM": systems,
	}
}

// byFlag completes the value of a flag by its name.
func byFlag() map[string]completer {
	domainNames := byWord()["NAME"]
	return map[string]completer{
		"domain": domainNames, "system": systems, "reference": systems, "beside": systems, "only": conditions,
		"like": byWord()["RUN"], "config": byWord()["CONFIG"],
		"table": func(process, []string) (out []string) {
			for _, s := range report.Tables() {
				out = append(out, s.Name)
			}
			return append(out, "all")
		},
		"figure":  func(process, []string) []string { return report.FigureNames() },
		"task":    tasks,
		"sort":    func(process, []string) []string { return trials.ColumnKeys() },
		"outcome": inList("outcome"), "slice": inList("slice"), "ending": inList("ending"), "fault": inList("fault"), "trouble": inList("trouble"),
		"color": func(process, []string) []string { return []string{"auto", "always", "never"} },
	}
}

// planned are the trials of the run that is the first argument; none if it is none.
func planned(args []string) []config.Planned {
	if len(args) == 0 {
		return nil
	}
	r, err := store.Open(args[0])
	if err != nil {
		return nil
	}
	return r.Plan()
}

// inList completes what the lines of the run that is the first argument have of a field.
func inList(name string) completer {
	return func(_ process, args []string) (out []string) {
		if len(args) == 0 {
			return nil
		}
		r, err := store.Open(args[0])
		if err != nil {
			return nil
		}
		for _, f := range trials.Fields() {
			if f.Name == name {
				out, _ = trials.Choices(trials.All(r), f)
			}
		}
		return out
	}
}

// keys are those of a run's trials.
func keys(_ process, args []string) (out []string) {
	for _, trial := range planned(args) {
		out = append(out, trial.Key.String())
	}
	return out
}

// tasks are those of a run's trials.
func tasks(_ process, args []string) (out []string) {
	for _, trial := range planned(args) {
		out = append(out, trial.Task)
	}
	return out
}

// configOf is the config of the run or config that is the first argument; nil if it is none.
func configOf(p process, args []string) *config.Config {
	if len(args) == 0 {
		return nil
	}
	if o, err := store.Glance(args[0]); err == nil {
		return o.Manifest.Config
	}
	c, err := config.Load(args[0], p.env)
	if err != nil {
		return nil
	}
	return c
}

// systems are those of the run or config that is the first argument.
func systems(p process, args []string) (out []string) {
	if c := configOf(p, args); c != nil {
		for _, s := range c.Systems {
			out = append(out, s.Name)
		}
	}
	return out
}

// conditions are what --only can begin with, and the whole of it where the names are known.
func conditions(p process, args []string) []string {
	c := configOf(p, args)
	if c == nil {
		return config.FilterKeys()
	}
	var out []string
	for _, s := range c.Systems {
		out = append(out, "system="+s.Name, "agent="+s.Agent)
	}
	for _, d := range c.Domains {
		out = append(out, "domain="+d.Name)
	}
	return append(out, "task=", "trial=")
}

// complete has the shell complete the arguments and flags of a command and of those below it. What is no list of names is
// completed as a file.
func complete(p process, cmd *cobra.Command) {
	words, flags := byWord(), byFlag()
	offer := func(c completer) cobra.CompletionFunc {
		return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if c == nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			directive := cobra.ShellCompDirectiveDefault
			list := slices.Compact(slices.Sorted(slices.Values(c(p, args))))
			if at := strings.LastIndex(begun, ","); at >= 0 { // one more of a list, as in system=A,B
				key, _, _ := strings.Cut(begun, "=")
				for i, name := range list {
					list[i] = begun[:at+1] + strings.TrimPrefix(name, key+"=")
				}
			}
			list = slices.DeleteFunc(list, func(name string) bool { return !strings.HasPrefix(name, filepath.FromSlash(begun)) })
			if slices.ContainsFunc(list, func(name string) bool { return strings.HasSuffix(name, "=") }) {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			return list, directive
		}
	}
	arguments, _, _ := strings.Cut(cmd.Use, " -") // flags and what else there may be in their place come last
	if places := strings.Fields(strings.TrimRight(arguments, " |"))[1:]; len(places) > 0 && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			place := places[min(len(args), len(places)-1)]
			if len(args) >= len(places) && !strings.Contains(place, "...") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(words[strings.Trim(place, "[].")])(cmd, args, begun)
		}
	}
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if c, ok := flags[f.Name]; ok {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, offer(c)) // fails for a flag that is not there, or twice
			}
		})
	}
	for _, below := range cmd.Commands() {
		complete(p, below)
	}
}
