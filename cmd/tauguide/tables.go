package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/report"
)

// tableNames are the tables that can be asked for.
var tableNames = []string{"pass", "calls"}

func tablesCommand(p process) *cobra.Command {
	var format string
	var names []string
	cmd := &cobra.Command{
		Use:   "tables RUN...",
		Short: "Print the tables of recorded runs",
		Long: "Compute tables from the records of one or more runs: Pass^k, overall and for PV and Mut tasks, with the coverage (pass), and the\n" +
			"model calls, tokens and cost by role (calls). Runs are never pooled: each has rows of its own.\n\n" + exitHelp,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			return printTables(p, args, report.Format(format), names)
		},
	}
	cmd.Flags().StringVar(&format, "format", string(report.Term), fmt.Sprintf("one of %v; csv prints one table", report.Formats()))
	cmd.Flags().StringSliceVar(&names, "table", nil, fmt.Sprintf("tables to print, of %v (default all; pass for csv)", tableNames))
	return cmd
}

// checkFormat refuses an unknown format before anything is done.
func checkFormat(format string) error {
	if !slices.Contains(report.Formats(), report.Format(format)) {
		return usage(fmt.Errorf("unknown format %q: choose one of %v", format, report.Formats()))
	}
	return nil
}

// printTables prints tables of runs. As CSV there is one at a time: two tables in one stream are no CSV.
func printTables(p process, dirs []string, format report.Format, names []string) error {
	switch {
	case len(names) == 0 && format == report.CSV:
		names = tableNames[:1]
	case len(names) == 0:
		names = tableNames
	case len(names) > 1 && format == report.CSV:
		return usage(fmt.Errorf("csv prints one table: choose one of %v with --table", tableNames))
	}
	sources, err := openSources(p, dirs)
	if err != nil {
		return err
	}
	var tables []report.Table
	for _, name := range names {
		switch name {
		case "pass":
			tables = append(tables, report.PassHat(sources))
		case "calls":
			tables = append(tables, report.Usage(sources))
		default:
			return usage(fmt.Errorf("unknown table %q: choose of %v", name, tableNames))
		}
	}
	return report.Write(p.stdout, format, tables...)
}

// openSources reads runs for tables; the same run twice is refused, since every figure would count it twice.
func openSources(p process, dirs []string) ([]report.Source, error) {
	var sources []report.Source
	seen := map[string]string{}
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return nil, usage(err)
		}
		if first, twice := seen[real]; twice {
			return nil, usage(fmt.Errorf("%s and %s are the same run: name it once", first, dir))
		}
		seen[real] = dir
		r, err := runDirectory(p, dir)
		if err != nil {
			return nil, err
		}
		s, err := report.FromRun(r)
		if err != nil {
			return nil, err
		}
		for _, other := range sources {
			if other.Name == s.Name {
				s.Name = dir // runs of one name are told apart by their folders
			}
		}
		sources = append(sources, s)
	}
	return sources, nil
}
