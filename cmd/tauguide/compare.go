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
	flips       int
}

func (o *compareOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", string(report.Term), fmt.Sprintf("one of %v; csv has the flips only", report.Formats()))
	f.BoolVar(&o.json, "json", false, "print JSON: all figures, and all flips")
	f.BoolVar(&o.force, "force", false, "compare runs that differ in more than their systems")
	f.IntVar(&o.flips, "flips", 50, "flips to list; 0 lists all")
}

func compareCommand(p process) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare RUN:SYSTEM|RUN RUN:SYSTEM|SYSTEM [SYSTEM]",
		Short: "Compare two systems, paired by task and trial",
		Long: "Pair two systems by domain, task and trial: Pass^4 of both (or the largest k that both have trials for), the difference with its\n" +
			"interval, McNemar's test, and every trial that ends otherwise. RUN SYSTEM SYSTEM compares two systems of one run. Runs that differ in\n" +
			"data, tasks, user, judge or limits are refused, naming what differs; --force compares them all the same.\n\n" + exitHelp,
		Example: "  tauguide compare results/quickstart:ReAct results/quickstart:PolicyGuide\n  tauguide compare results/quickstart ReAct PolicyGuide",
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
	names, err := sides(args)
	if err != nil {
		return usage(err)
	}
	sources := map[string]*report.Source{}
	var both [2]report.Side
	for i, n := range names {
		if both[i], err = openSide(p, n, sources); err != nil {
			return err
		}
	}
	if both[0] == both[1] {
		return usage(fmt.Errorf("%s of %s is compared with itself\nhint: name two systems", both[0].System, names[0].dir))
	}
	if unlike := report.Unlike(both[0].Source, both[1].Source); len(unlike) > 0 && !o.force {
		return usage(fmt.Errorf("%s and %s differ in more than their systems, so that a difference would not be theirs: %s\nhint: compare like runs, or give --force",
			names[0].dir, names[1].dir, some(unlike, 8)))
	}
	c, err := report.Compare(both[0], both[1])
	if err != nil {
		return err
	}
	switch format := report.Format(o.format); {
	case o.json || format == report.JSON:
		return p.json(c)
	case format == report.CSV:
		return report.Write(p.stdout, format, c.Tables(o.flips)[1])
	default:
		return tablesOptions{format: o.format}.print(p, c.Tables(o.flips)...)
	}
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

// sides reads RUN:SYSTEM RUN:SYSTEM, or RUN SYSTEM SYSTEM.
func sides(args []string) ([2]sideName, error) {
	var out [2]sideName
	switch len(args) {
	case 2:
	case 3:
		return [2]sideName{{args[0], args[1]}, {args[0], args[2]}}, nil
	default:
		return out, fmt.Errorf("two systems are compared, not %d arguments\nhint: write RUN:SYSTEM RUN:SYSTEM, or RUN SYSTEM SYSTEM", len(args))
	}
	for i, arg := range args {
		if out[i] = splitSide(arg); out[i].system == "" {
			return out, fmt.Errorf("%q names no system of a run\nhint: write RUN:SYSTEM, as in results/quickstart:ReAct", arg)
		}
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
