package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/report"
)

// compareFlags are the flags of the compare command.
type compareFlags struct {
	format        string
	force, asJSON bool
	flips         int
	report.Options
}

func compareCommand(p process) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare RUN:SYSTEM RUN:SYSTEM",
		Short: "Compare two systems, paired by task and trial",
		Long: "Pair two systems by domain, task and trial: Pass^4 of both (or the largest k that both have trials for), the difference with its\n" +
			"interval, McNemar's test, and every trial that ends otherwise. RUN SYSTEM SYSTEM compares two systems of one run. Runs that differ in\n" +
			"data, tasks, user, judge or limits are refused, naming what differs; --force compares them all the same.\n\n" + exitHelp,
		Example: "  tauguide compare results/quickstart:ReAct results/quickstart:PolicyGuide\n  tauguide compare results/quickstart ReAct PolicyGuide",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat(f.format); err != nil {
				return err
			}
			return f.compare(p, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", string(report.Term), fmt.Sprintf("one of %v; csv has the flips only", report.Formats()))
	flags.BoolVar(&f.asJSON, "json", false, "print JSON: all figures, and all flips")
	flags.BoolVar(&f.force, "force", false, "compare runs that differ in more than their systems")
	flags.IntVar(&f.flips, "flips", 50, "flips to list; 0 lists all")
	flags.Uint64Var(&f.Seed, "seed", report.DefaultSeed, "of the bootstrap")
	return cmd
}

func (f compareFlags) compare(p process, args []string) error {
	if f.flips < 0 {
		return usage(fmt.Errorf("--flips %d: give a number, or 0 for all", f.flips))
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
		return usage(fmt.Errorf("%s of %s is compared with itself: name two systems", both[0].System, names[0].dir))
	}
	if unlike := report.Unlike(both[0].Source, both[1].Source); len(unlike) > 0 && !f.force {
		return usage(fmt.Errorf("%s and %s differ in more than their systems, so that a difference would not be theirs: %s; compare like runs, or give --force",
			names[0].dir, names[1].dir, some(unlike, 8)))
	}
	c, err := report.Compare(both[0], both[1], f.Options)
	if err != nil {
		return err
	}
	switch format := report.Format(f.format); {
	case f.asJSON || format == report.JSON:
		return printJSON(p, c)
	case format == report.CSV:
		return report.Write(p.stdout, format, c.Tables(f.flips)[1])
	default:
		return report.Write(p.stdout, format, c.Tables(f.flips)...)
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
		return out, fmt.Errorf("two systems are compared: write RUN:SYSTEM RUN:SYSTEM, or RUN SYSTEM SYSTEM")
	}
	for i, arg := range args {
		at := strings.LastIndex(arg, ":")
		if at < 1 || at == len(arg)-1 {
			return out, fmt.Errorf("%q: write RUN:SYSTEM, as in results/quickstart:ReAct", arg)
		}
		out[i] = sideName{arg[:at], arg[at+1:]}
	}
	return out, nil
}

// openSide opens a side's run, each run once.
func openSide(p process, n sideName, opened map[string]*report.Source) (report.Side, error) {
	real, err := realRun(n.dir)
	if err != nil {
		return report.Side{}, err
	}
	s := opened[real]
	if s == nil {
		r, err := runDirectory(p, n.dir)
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
	if names, ok := s.HasSystem(n.system); !ok {
		return report.Side{}, usage(fmt.Errorf("run %s has no system %q: choose one of %s", n.dir, n.system, strings.Join(names, ", ")))
	}
	return report.Side{Source: s, System: n.system}, nil
}
