package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

type runsOptions struct{ json bool }

func (o *runsOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.json, "json", false, "print JSON: an object for each run, the newest first")
}

func runsCommand(p process) *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "runs [DIR]",
		Short: "List the runs of a folder: how far each is, what came out, what it cost",
		Long: "List the runs of a folder, the newest first: whether each is running, finished, interrupted, or was ended by its budget; how many of\n" +
			"its trials are done and how many of the planned ones can be evaluated; the best system of a complete run, by the mean of Pass^k over\n" +
			"its domains; dollars paid; age. DIR is " + config.ResultsDir + " where it is left out. Manifests and indexes are read, and no record.",
		Example: "  tauguide runs\n  tauguide runs results --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runRuns(p, o, append(args, config.ResultsDir)[0])
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runRuns(p process, o runsOptions, dir string) error {
	dirs, err := runFolders(dir)
	if err != nil {
		return err
	}
	lines := report.ListRuns(dirs)
	if o.json {
		return p.json(lines)
	}
	return report.Print(p.out.Styled(), p.out.Page, false, report.RunsTable(lines, time.Now()))
}

// runFolders lists the runs of a folder, of which there must be one at least.
func runFolders(dir string) ([]string, error) {
	dirs, err := store.Folders(dir)
	switch {
	case store.IsRun(dir):
		return nil, usage(fmt.Errorf("%s is a run itself\nhint: tauguide show %s lists its trials; tauguide runs lists the runs of a folder, as %s", dir, dir, filepath.Dir(dir)))
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage(fmt.Errorf("there is no folder %s\nhint: name a folder of runs, or make one with tauguide run configs/quickstart.yaml", dir))
	case err != nil:
		return nil, usage(err)
	case len(dirs) == 0:
		return nil, usage(fmt.Errorf("%s holds no run\nhint: make one with tauguide run configs/quickstart.yaml", dir))
	}
	return dirs, nil
}
