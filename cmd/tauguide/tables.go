package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

type tablesOptions struct {
	report.Options
	format, out string
	names       []string
	usual       []string // where none is asked for
	provenance  bool
}

func (o *tablesOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", string(report.Term), fmt.Sprintf("one of %v; csv prints one table, unless --out is given", report.Formats()))
	f.StringSliceVar(&o.names, "table", nil, fmt.Sprintf("tables to print, by number or name, or all (default %s; the first of these for csv)", strings.Join(defaultTables(), ", ")))
	f.StringVar(&o.out, "out", "", "write each table to a file of its own in this folder")
	f.BoolVar(&o.Published, "published", false, "put the paper's figures and the differences beside ours; without RUN, print the paper's alone")
	f.BoolVar(&o.provenance, "provenance", false, "say in full what runs are: the hashes of config, data and workflows, and the model of each system")
	f.BoolVar(&o.Holm, "holm", false, "table 12: correct the p values for the number of comparisons")
	f.StringVar(&o.Reference, "reference", "", "tables 12 and 13: the system that others are compared with (default PolicyGuide)")
	f.StringArrayVar(&o.Bundles, "bundle", nil, "table 16: folder of a workflow to add; those of the runs' configs are there already")
	f.Uint64Var(&o.Seed, "seed", report.DefaultSeed, "table 13: of the bootstrap")
}

func tablesCommand(p process) *cobra.Command {
	o := tablesOptions{usual: defaultTables()}
	cmd := &cobra.Command{
		Use:   "tables [RUN...]",
		Short: "Print the tables of recorded runs",
		Example: "  tauguide tables results/quickstart --table pass-k,mcnemar\n" +
			"  tauguide tables results/quickstart --table all --format latex --out tables\n" +
			"  tauguide tables --table requirements",
		Long: "Compute tables from the records of one or more runs. Runs are never pooled: each has rows of its own. Systems are in the paper's\n" +
			"rows by what they are, not by their names. A figure that no run has, or too few trials, is a dash; the notes say why, and which\n" +
			"command would produce it.\n\n" + tableList() + "\n" + exitHelp,
		RunE: func(_ *cobra.Command, args []string) error { return runTables(p, o, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runTables(p process, o tablesOptions, dirs []string) error {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // of a run of 16,000 records a fifth less time, and 268 MB in place of 161
	tables, err := o.build(p, dirs)
	if err != nil {
		return err
	}
	if begun := slices.ContainsFunc(dirs, store.HasRecords); len(dirs) > 0 && !begun {
		return usage(fmt.Errorf("%s: no trial has a record, so that there is nothing to tabulate\nhint: run its config again with --resume", strings.Join(dirs, ", ")))
	}
	if o.out != "" {
		return o.files(p, tables)
	}
	return o.print(p, tables...)
}

// build computes the tables that were asked for.
func (o tablesOptions) build(p process, dirs []string) ([]report.Table, error) {
	if err := checkFormat(o.format); err != nil {
		return nil, err
	}
	specs, err := o.specs(len(dirs), false)
	if err != nil {
		return nil, usage(err)
	}
	for _, s := range specs {
		if len(dirs) == 0 && !s.Free && !o.Published {
			return nil, usage(fmt.Errorf("table %s is of runs\nhint: name one, as in tauguide tables results/quickstart; those that need none are %s", s.Name, freeTables()))
		}
	}
	if len(dirs) == 0 && len(o.names) == 0 {
		published, err := report.PublishedTables()
		if err == nil && o.one() {
			published = published[:1]
		}
		return published, err
	}
	in := report.Input{Options: o.Options}
	if in.Sources, err = openSources(p, dirs); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(in.Sources, func(s report.Source) bool { return s.Attack != nil }) {
		if specs, err = o.specs(len(dirs), true); err != nil {
			return nil, usage(err)
		}
	}
	tables := make([]report.Table, len(specs))
	for i, s := range specs {
		tables[i], err = s.Build(in)
		if errors.Is(err, report.ErrChoice) {
			return nil, usage(err)
		}
		if err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// print writes tables to stdout.
func (o tablesOptions) print(p process, tables ...report.Table) error {
	if format := report.Format(o.format); format != report.Term {
		return report.Write(p.stdout, format, tables...)
	}
	return report.Print(p.out.Styled(), p.out.Page, o.provenance, tables...)
}

// defaultTables are what tables prints where none is asked for.
func defaultTables() []string { return []string{"pass", "calls"} }

// tableList says which tables there are.
func tableList() string {
	var b strings.Builder
	b.WriteString("Tables, those of the paper by number:\n")
	for _, s := range report.Tables() {
		number, free := "", ""
		if s.Number > 0 {
			number = fmt.Sprint(s.Number)
		}
		if s.Free {
			free = " (needs no RUN)"
		}
		fmt.Fprintf(&b, "  %2s  %-20s %s%s\n", number, s.Name, s.About, free)
	}
	return b.String()
}

// freeTables names the tables that need no run.
func freeTables() string {
	var names []string
	for _, s := range report.Tables() {
		if s.Free {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}

// checkFormat refuses an unknown format before anything is done.
func checkFormat(format string) error {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, string(f))
	}
	if slices.Contains(names, format) {
		return nil
	}
	return usage(fmt.Errorf("unknown format %q\nhint: %s", format, yamlfile.Suggest(format, names)))
}

// one reports whether there is one table at a time: two in one stream are not CSV.
func (o tablesOptions) one() bool { return report.Format(o.format) == report.CSV && o.out == "" }

// specs are the tables that were asked for, of so many runs; where none was, the usual ones, with that of attacks first if there
// were any. All are those of the paper, and of runs the others too.
func (o tablesOptions) specs(runs int, attacked bool) ([]report.Spec, error) {
	names, csv := o.names, o.one()
	if len(names) == 0 {
		names = o.usual
		if attacked {
			names = append([]string{"asr"}, names...)
		}
		if csv {
			names = names[:1]
		}
	}
	var out []report.Spec
	for _, name := range names {
		if name == "all" {
			for _, s := range report.Tables() {
				if s.Number > 0 || runs > 0 && (s.Name != "asr" || attacked) {
					out = append(out, s)
				}
			}
			continue
		}
		s, err := report.FindTable(name)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if csv && len(out) != 1 {
		return nil, errors.New("csv prints one table\nhint: choose one with --table, or name a folder for the files with --out")
	}
	return out, nil
}

// files writes each table to a file and prints the names.
func (o tablesOptions) files(p process, tables []report.Table) error {
	if err := makeOut(o.out); err != nil {
		return err
	}
	ending := map[report.Format]string{report.Term: "txt", report.LaTeX: "tex"}[report.Format(o.format)]
	if ending == "" {
		ending = o.format
	}
	for _, t := range tables {
		name := t.Name
		if t.Number > 0 {
			name = fmt.Sprintf("table%02d-%s", t.Number, t.Name)
		}
		path := filepath.Join(o.out, name+"."+ending)
		err := writeTo(path, func(w io.Writer) error { return t.Write(w, report.Format(o.format)) })
		if err != nil {
			return err
		}
		p.printf("%s\n", path)
	}
	return nil
}

// makeOut makes the folder of --out.
func makeOut(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w\nhint: name a folder that exists, or that can be made", dir, err)
	}
	return nil
}

// writeTo writes a file; what could not be written whole is an error.
func writeTo(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
