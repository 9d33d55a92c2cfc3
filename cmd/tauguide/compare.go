package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/runs/report"
)

type compareOptions struct {
	format      string
	force, json bool
	flips, k    int
}

func (o *compareOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", string(report.Term), fmt.Sprintf("one of %v; csv has the flips only, of several systems the figures", report.Formats()))
	f.BoolVar(&o.json, "json", false, "print JSON: all figures, and all flips")
	f.BoolVar(&o.force, "force", false, "compare runs that differ in more than their systems")
	f.IntVar(&o.flips, "flips", 50, "tasks and flips to list; 0 lists all")
	f.IntVar(&o.k, "k", 0, "of Pass^k (default 4, or the most that all have trials for)")
}

func compareCommand(p process) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare RUN:SYSTEM|RUN RUN:SYSTEM|SYSTEM [SYSTEM]...",
		Short: "Compare two or more systems, paired by task and trial",
		Long: "Pair systems by domain, task and trial: Pass^k and Pass^1 of both over all trials, the difference with its interval, by domain and\n" +
			"slice; McNemar's test and the odds ratio; what can be concluded from that; tasks that one passes more often, and every trial that\n" +
			"ends otherwise. RUN SYSTEM SYSTEM compares systems of one run. Of more than two the first is compared with each other, and p is\n" +
			"corrected for that. Runs that differ in data, tasks, user, judge or limits are refused, naming what differs; --force compares them\n" +
			"all the same.\n\n" + exitHelp,
		Example: "  tauguide compare results/quickstart:ReAct results/quickstart:PolicyGuide\n  tauguide compare results/quickstart ReAct PolicyGuide --k 2",
		RunE:    func(_ *cobra.Command, args []string) error { return runCompare(p, o, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runCompare(p process, o compareOptions, args []string) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if o.flips < 0 {
		return usage(fmt.Errorf("--flips %d is no number of flips\nhint: give a number, or 0 for all", o.flips))
	}
	if o.k < 0 {
		return usage(fmt.Errorf("--k %d: k starts at 1\nhint: leave it out for the usual one", o.k))
	}
	names, err := sides(args)
	if err != nil {
		return usage(err)
	}
	all, err := openSides(p, o, names)
	if err != nil {
		return err
	}
	found, err := report.CompareAll(o.k, all[0], all[1:]...)
	if err != nil {
		return err
	}
	if o.json || report.Format(o.format) == report.JSON {
		if len(found) == 1 {
			return p.json(found[0])
		}
		return p.json(found)
	}
	tables, rows := report.Family(found), 0
	if len(found) == 1 {
		tables = found[0].Tables(o.flips)
		rows = len(tables) - 1
	}
	if report.Format(o.format) == report.CSV {
		tables = tables[rows : rows+1]
	}
	return tablesOptions{format: o.format}.print(p, tables...)
}

// openSides opens the systems, which must be different ones of runs that are alike.
func openSides(p process, o compareOptions, names []sideName) ([]report.Side, error) {
	sources, all := map[string]*report.Source{}, make([]report.Side, len(names))
	for i, n := range names {
		var err error
		if all[i], err = openSide(p, n, sources); err != nil {
			return nil, err
		}
		if slices.Contains(all[:i], all[i]) {
			return nil, usage(fmt.Errorf("%s of %s is compared with itself\nhint: name two systems that differ", n.system, n.dir))
		}
		if unlike := report.Unlike(all[0].Source, all[i].Source); len(unlike) > 0 && !o.force {
			return nil, usage(fmt.Errorf("%s and %s differ in more than their systems, so that a difference would not be theirs: %s\nhint: compare like runs, or give --force",
				names[0].dir, n.dir, some(unlike, 8)))
		}
	}
	return all, nil
}

// some lists the first so many of a list.
func some(list []string, most int) string {
	if len(list) > most {
		list = append(list[:most:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(list, "; ")
}

// sideName is a system of a run as it was written.
type sideName struct{ dir, system string }

// sides reads RUN:SYSTEM RUN:SYSTEM..., or RUN SYSTEM SYSTEM...
func sides(args []string) ([]sideName, error) {
	if len(args) < 2 {
		return nil, fmt.Errorf("at least two systems are compared, not %d\nhint: write RUN:SYSTEM RUN:SYSTEM, or RUN SYSTEM SYSTEM", len(args))
	}
	var out []sideName
	if st, err := os.Stat(args[0]); len(args) > 2 && (splitSide(args[0]).system == "" || err == nil && st.IsDir()) {
		for _, system := range args[1:] {
			out = append(out, sideName{args[0], system})
		}
		return out, nil
	}
	for _, arg := range args {
		s := splitSide(arg)
		if s.system == "" {
			return nil, fmt.Errorf("%q names no system of a run\nhint: write RUN:SYSTEM, as in results/quickstart:ReAct", arg)
		}
		out = append(out, s)
	}
	return out, nil
}

// splitSide splits RUN:SYSTEM. Names of systems may have colons, as imported ones do, and so may paths: the longest beginning
// that is a folder is the run.
func splitSide(arg string) (s sideName) {
	for at := strings.LastIndex(arg, ":"); at > 0; at = strings.LastIndex(arg[:at], ":") {
		s = sideName{arg[:at], arg[at+1:]}
		if st, err := os.Stat(s.dir); err == nil && st.IsDir() {
			break
		}
	}
	return s
}

// openSide opens a side's run, each run once.
func openSide(p process, n sideName, opened map[string]*report.Source) (report.Side, error) {
	real, err := realRun(n.dir)
	if err != nil {
		return report.Side{}, err
	}
	s := opened[real]
	if s == nil {
		r, err := openRun(p, n.dir)
		if err != nil {
			return report.Side{}, err
		}
		source, err := report.FromRun(r, p.env)
		if err != nil {
			return report.Side{}, err
		}
		s = &source
		opened[real] = s
	}
	if names := s.SystemNames(); !slices.Contains(names, n.system) {
		return report.Side{}, usage(fmt.Errorf("run %s has no system %q\nhint: %s", n.dir, n.system, yamlfile.Suggest(n.system, names)))
	}
	return report.Side{Source: s, System: n.system}, nil
}
