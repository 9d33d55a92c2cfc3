package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/report"
)

// defaultTables are printed where none is asked for.
func defaultTables() []string { return []string{"pass", "calls"} }

// tableFlags are the flags of the tables command.
type tableFlags struct {
	format string
	names  []string
	out    string
	report.Options
}

func tablesCommand(p process) *cobra.Command {
	var f tableFlags
	cmd := &cobra.Command{
		Use:   "tables [RUN...]",
		Short: "Print the tables of recorded runs",
		Long: "Compute tables from the records of one or more runs. Runs are never pooled: each has rows of its own. Systems stand in the paper's\n" +
			"rows by what they are, not by their names. A figure that no run has, or too few trials, is a dash; the notes say why, and which\n" +
			"command would produce it.\n\n" + tableList() + "\n" + exitHelp,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat(f.format); err != nil {
				return err
			}
			return f.print(p, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", string(report.Term), fmt.Sprintf("one of %v; csv prints one table, unless --out is given", report.Formats()))
	flags.StringSliceVar(&f.names, "table", nil, fmt.Sprintf("tables to print, by number or name, or all (default %s; the first of these for csv)", strings.Join(defaultTables(), ", ")))
	flags.StringVar(&f.out, "out", "", "write each table to a file of its own in this folder")
	flags.BoolVar(&f.Published, "published", false, "put the paper's figures and the differences beside ours")
	flags.BoolVar(&f.Holm, "holm", false, "table 12: correct the p values for the number of comparisons")
	flags.StringVar(&f.Reference, "reference", "", "tables 12 and 13: the system that others are compared with (default PolicyGuide)")
	flags.Uint64Var(&f.Seed, "seed", report.DefaultSeed, "of the bootstrap")
	return cmd
}

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
	if !slices.Contains(report.Formats(), report.Format(format)) {
		return usage(fmt.Errorf("unknown format %q: choose one of %v", format, report.Formats()))
	}
	return nil
}

// printTables prints the usual tables of runs, or those of the given names.
func printTables(p process, dirs []string, format report.Format, names []string) error {
	f := tableFlags{format: string(format), names: names, Options: report.Options{Seed: report.DefaultSeed}}
	return f.print(p, dirs)
}

func (f tableFlags) print(p process, dirs []string) error {
	specs, err := f.specs()
	if err != nil {
		return usage(err)
	}
	for _, s := range specs {
		if len(dirs) == 0 && !s.Free {
			return usage(fmt.Errorf("table %s is of runs: name one, as in tauguide tables results/quickstart; those that need none are %s", s.Name, freeTables()))
		}
	}
	in := report.Input{Options: f.Options}
	if in.Sources, err = openSources(p, dirs); err != nil {
		return err
	}
	if len(f.names) == 0 && slices.ContainsFunc(in.Sources, func(s report.Source) bool { return s.Raid != nil }) {
		if specs, err = f.withAttacks(); err != nil {
			return usage(err)
		}
	}
	tables := make([]report.Table, len(specs))
	for i, s := range specs {
		if tables[i], err = s.Build(in); err != nil {
			return usageIfChoice(err)
		}
	}
	if f.out != "" {
		return f.files(p, tables)
	}
	return report.Write(p.stdout, report.Format(f.format), tables...)
}

// usageIfChoice marks an error about a system that was asked for.
func usageIfChoice(err error) error {
	if errors.Is(err, report.ErrChoice) {
		return usage(err)
	}
	return err
}

// specs are the tables that were asked for. As CSV there is one at a time: two tables in one stream are no CSV.
func (f tableFlags) specs() ([]report.Spec, error) {
	names := f.names
	csv := report.Format(f.format) == report.CSV && f.out == ""
	if len(names) == 0 {
		names = defaultTables()
		if csv {
			names = names[:1]
		}
	}
	var out []report.Spec
	for _, name := range names {
		if name == "all" {
			for _, s := range report.Tables() {
				if s.Number > 0 {
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
		return nil, fmt.Errorf("csv prints one table: choose one with --table, or name a folder for the files with --out")
	}
	return out, nil
}

// files writes each table to a file and prints the names.
func (f tableFlags) files(p process, tables []report.Table) error {
	if err := makeOut(f.out); err != nil {
		return err
	}
	ending := map[report.Format]string{report.Term: "txt", report.LaTeX: "tex"}[report.Format(f.format)]
	if ending == "" {
		ending = f.format
	}
	for _, t := range tables {
		name := t.Name
		if t.Number > 0 {
			name = fmt.Sprintf("table%02d-%s", t.Number, t.Name)
		}
		path := filepath.Join(f.out, name+"."+ending)
		err := writeTo(path, func(w io.Writer) error { return t.Write(w, report.Format(f.format)) })
		if err != nil {
			return err
		}
		fmt.Fprintln(p.stdout, path)
	}
	return nil
}

// makeOut makes the folder of --out.
func makeOut(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w: name a folder that is there, or that can be made", dir, err)
	}
	return nil
}

// realRun is where a run is, whatever it was called.
func realRun(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if errors.Is(err, os.ErrNotExist) {
		return "", usage(fmt.Errorf("there is no run %s: name the folder that tauguide run wrote, such as results/quickstart", dir))
	}
	if err != nil {
		return "", usage(err)
	}
	return real, nil
}

// writeTo writes a file; what could not be written whole is an error.
func writeTo(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// openSources reads runs for tables; the same run twice is refused, since every figure would count it twice.
func openSources(p process, dirs []string) ([]report.Source, error) {
	var sources []report.Source
	seen := map[string]string{}
	for _, dir := range dirs {
		real, err := realRun(dir)
		if err != nil {
			return nil, err
		}
		if first, twice := seen[real]; twice {
			return nil, usage(fmt.Errorf("%s and %s are the same run: name it once", first, dir))
		}
		seen[real] = dir
		r, err := runDirectory(p, dir)
		if err != nil {
			return nil, err
		}
		s, err := report.FromRun(r, p.env)
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
