// Command bench measures what users wait for and prints it beside the goals:
//
//	go run ./scripts/bench                                        # a quarter of an hour on two idle cores
//	go run ./scripts/bench -only scoring,quickstart               # a part
//	go run ./scripts/bench -count 6 -out docs/performance/v1.2.3.txt -profiles docs/performance
//	go run ./scripts/bench -compare                               # beside the last file of docs/performance
//
// The program runs as a process whose processor time, wall time and peak memory are read; what lies within it is measured
// by benchmarks of the packages. The reference's data is looked for in $TAUGUIDE_SHARED (../shared), the reference itself in the
// Python interpreter that $TAU2_PYTHON names: without them, what needs them is not measured. docs/performance.md has the figures.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// benchstat compares files of figures.
const benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

type options struct {
	bin, out, profiles, only string
	count                    int
	short, compare           bool
}

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "", "the program, where it is built already")
	flag.IntVar(&o.count, "count", 1, "how often to measure; the table has the medians, and benchstat wants six for intervals")
	flag.StringVar(&o.only, "only", "", "measurements, with commas between them, in place of all")
	flag.BoolVar(&o.short, "short", false, "measure little, to see that everything works: the figures say nothing")
	flag.StringVar(&o.out, "out", "", "file for the figures, as benchstat reads them")
	flag.StringVar(&o.profiles, "profiles", "", "folder for pictures of where the main paths spend processor time")
	flag.BoolVar(&o.compare, "compare", false, "compare with the last file in docs/performance")
	flag.Parse()
	if err := bench(context.Background(), o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench measures and prints the table. What cannot be measured is a line of log, and the rest goes on.
func bench(ctx context.Context, o options, out, log io.Writer) error {
	dir, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &lab{options: o, dir: dir, figures: figures{}, lines: bytes.NewBufferString(header())}
	if err := b.build(ctx); err != nil {
		return err
	}
	list := measurements()
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.name
	}
	only := strings.FieldsFunc(o.only, func(r rune) bool { return r == ',' })
	for _, name := range only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("-only: there is no measurement %q\nhint: there are %s", name, strings.Join(names, ", "))
		}
	}
	fmt.Fprintf(out, "| %-12s | %-58s | %12s | %12s | %9s |\n|---|---|---:|---:|---:|\n", "", "what", "goal", "figure", "of goal")
	for _, m := range list {
		if len(only) > 0 && !slices.Contains(only, m.name) {
			continue
		}
		fmt.Fprintln(log, "measuring", m.name)
		for range o.count {
			if err := m.run(b, ctx); err != nil {
				fmt.Fprintf(log, "%s: not measured: %v\n", m.name, err)
				break
			}
		}
		for _, g := range m.goals {
			fmt.Fprintln(out, g.row(m.name, b.figures))
		}
	}
	if err := b.keep(ctx, out); err != nil {
		return err
	}
	return b.draw(ctx)
}

// header says on what was measured. Others who use the machine make wall times longer.
func header() string {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	return fmt.Sprintf("goos: %s\ngoarch: %s\n# %d processors, %s, load %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), bytes.TrimSpace(load))
}

// keep writes the figures to their file, and compares them with those of the last release.
func (b *lab) keep(ctx context.Context, out io.Writer) error {
	file := cmp.Or(b.out, filepath.Join(b.dir, "now.txt"))
	last, err := newest("docs/performance", b.out) // before this one is there
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, b.lines.Bytes(), 0o644); err != nil {
		return err
	}
	if !b.compare {
		return nil
	}
	if last == "" {
		return fmt.Errorf("nothing is kept in docs/performance to compare with\nhint: keep figures with -out docs/performance/VERSION.txt")
	}
	cmd := exec.CommandContext(ctx, "go", "run", benchstat, last, file)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	return cmd.Run()
}

// newest is the file of figures of the last version in a folder, apart from one; empty if there is none. A name that is no
// version comes before all that are.
func newest(dir, apart string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	files = slices.DeleteFunc(files, func(f string) bool { return f == filepath.Clean(apart) })
	if err != nil || len(files) == 0 {
		return "", err
	}
	version := func(f string) string { return strings.TrimSuffix(filepath.Base(f), ".txt") }
	return slices.MaxFunc(files, func(a, b string) int { return semver.Compare(version(a), version(b)) }), nil
}
