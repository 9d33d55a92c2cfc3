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
	"github.com/tauguide/tauguide/runs/tau2"
)

// trialsFile is a format that all trials of a run are written in.
type trialsFile struct {
	name, short, long, example string
	ending                     string // of a file's name; "" for a text, which goes to standard output where no file is named
	one                        bool   // holds one domain and system
	write                      func(context.Context, *store.Run, export.Selection, io.Writer) (export.Result, error)
}

var csvFile = trialsFile{
	name: "csv", short: "Write the trials of a run as a table", write: export.CSV,
	long: "Write a run as CSV with a row for each trial, for R, pandas or a spreadsheet: what ran, how it came out, what it cost, and how often guides\n" +
		"acted. docs/other-tools.md explains the columns. Trials without a record have no row. Without --out the table goes to standard output.",
	example: "  tauguide export csv results/quickstart --out trials.csv\n  tauguide export csv results/quickstart",
}

var parquetFile = trialsFile{
	name: "parquet", short: "Write the trials of a run as Parquet", ending: ".parquet", write: export.Parquet,
	long: "Write the rows that export csv writes as a Parquet file, with types and missing values, for pandas, Arrow and DuckDB.\n" +
		"docs/other-tools.md explains the columns.",
	example: "  tauguide export parquet results/quickstart --out trials.parquet",
}

var inspectFile = trialsFile{
	name: "inspect", short: "Write the conversations of a run as a log of Inspect", ending: ".eval", one: true,
	write: func(ctx context.Context, r *store.Run, s export.Selection, w io.Writer) (export.Result, error) {
		return export.Inspect(ctx, r, s, version(), w)
	},
	long: "Write the trials of one domain and system as a log that `inspect view` and inspect_ai.log.read_eval_log open: a sample for each trial, with\n" +
		"messages, scores, usage and what guides did. docs/other-tools.md says what is where.",
	example: "  tauguide export inspect results/quickstart --domain retail --system ReAct --out react.eval",
}

type exportTrialsOptions struct {
	export.Selection
	out         string
	force, json bool
}

func (o *exportTrialsOptions) AddFlags(f *pflag.FlagSet, format trialsFile) {
	place := "standard output"
	if format.ending != "" {
		place = "the run's name with " + format.ending
	}
	f.StringVar(&o.out, "out", "", "file to write (default: "+place+")")
	if format.one {
		f.StringVar(&o.Domain, "domain", "", "domain, where the run has several")
		f.StringVar(&o.System, "system", "", "system, where the run has several")
	}
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
	o.AddFlags(cmd.Flags(), format)
	return cmd
}

func runExportTrials(ctx context.Context, p process, format trialsFile, o exportTrialsOptions, dir string) error {
	if o.json && o.out == "" && format.ending == "" {
		return usage(errors.New("--json tells of a file\nhint: name it with --out"))
	}
	r, err := openRun(p, dir)
	if err != nil {
		return err
	}
	if format.one {
		if o.Domain, o.System, err = tau2.Choose(r, o.Domain, o.System); err != nil {
			return usage(err)
		}
	}
	write := func(w io.Writer) (export.Result, error) { return format.write(ctx, r, o.Selection, w) }
	var done export.Result
	if o.out == "" && format.ending != "" {
		o.out = filepath.Base(r.Manifest().Name) + format.ending
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
