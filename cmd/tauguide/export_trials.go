package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs/export"
	"github.com/tauguide/tauguide/runs/store"
)

// trialsFile is a format that all trials of a run are written in.
type trialsFile struct {
	name, short, long, example string
	text                       bool // goes to standard output where no file is named
	write                      func(context.Context, *store.Run, io.Writer) (export.Result, error)
}

var csvFile = trialsFile{
	name: "csv", short: "Write the trials of a run as a table", text: true, write: export.CSV,
	long: "Write a run as CSV with a row for each trial, for R, pandas or a spreadsheet: what ran, how it came out, what it cost, and how often guides\n" +
		"acted. docs/other-tools.md explains the columns. Trials without a record have no row. Without --out the table goes to standard output.",
	example: "  tauguide export csv results/quickstart --out trials.csv\n  tauguide export csv results/quickstart",
}

type exportTrialsOptions struct {
	out         string
	force, json bool
}

func (o *exportTrialsOptions) AddFlags(f *pflag.FlagSet, name string) {
	f.StringVar(&o.out, "out", "", "file to write (default: "+name+")")
	f.BoolVar(&o.force, "force", false, "replace the file if it exists")
	f.BoolVar(&o.json, "json", false, "print what was exported as JSON; needs a file")
}

func exportTrialsCommand(p process, format trialsFile) *cobra.Command {
	var o exportTrialsOptions
	cmd := &cobra.Command{
		Use: format.name + " RUN", Short: format.short, Example: format.example, Long: format.long, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExportTrials(cmd.Context(), p, format, o, args[0])
		},
	}
	place := "the run's name with ." + format.name
	if format.text {
		place = "standard output"
	}
	o.AddFlags(cmd.Flags(), place)
	return cmd
}

func runExportTrials(ctx context.Context, p process, format trialsFile, o exportTrialsOptions, dir string) error {
	if o.json && o.out == "" && format.text {
		return usage(errors.New("--json tells of a file\nhint: name it with --out"))
	}
	r, err := openRun(p, dir)
	if err != nil {
		return err
	}
	write := func(w io.Writer) (export.Result, error) { return format.write(ctx, r, w) }
	var done export.Result
	if o.out == "" && !format.text {
		o.out = filepath.Base(r.Manifest().Name) + "." + format.name
	}
	if o.out == "" {
		done, err = write(p.stdout)
	} else {
		done, err = export.ToFile(o.out, o.force, write)
	}
	for _, damaged := range done.Damaged {
		p.warn(damaged)
	}
	switch {
	case err != nil:
		return err
	case o.json:
		return p.json(done)
	case o.out == "":
		p.note(done.String())
	default:
		p.printf("%s: %s\n", done.File, done)
	}
	return nil
}
