package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/report"
)

func tablesCommand(p process) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "tables RUN...",
		Short: "Print the tables of recorded runs",
		Long:  "Compute Pass^k, overall and for PV and Mut tasks, with the coverage, and the cost by role, from the records of one or more runs.\n\n" + exitHelp,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return printTables(p, args, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", string(report.Term), fmt.Sprintf("one of %v", report.Formats()))
	return cmd
}

func printTables(p process, dirs []string, format string) error {
	var sources []report.Source
	for _, dir := range dirs {
		r, err := runDirectory(dir)
		if err != nil {
			return err
		}
		s, err := report.FromRun(r)
		if err != nil {
			return err
		}
		sources = append(sources, s)
	}
	return report.Write(p.stdout, report.Format(format), report.PassHat(sources), report.Usage(sources))
}
