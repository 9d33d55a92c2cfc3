// Command passcheck computes Pass^k of recorded τ²-bench results by a second way: it reads the raw files with nothing but
// encoding/json, counts in exact fractions and knows none of the program's code. Its test holds the program's figures
// against it; run it by hand to see for any result file what the program's tables should say:
//
//	go run ./scripts/passcheck [-tasks tasks.json] results.json...
//
// Each file is taken as one system on one domain. -tasks gives the tasks of files that carry none. Behind each figure are its
// standard error over tasks and its 95 % limits. A folder of a run has a line for each of its systems and domains.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "passcheck:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("passcheck", flag.ContinueOnError)
	tasks := flags.String("tasks", "", "file of tasks, for results that carry none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("no file given\nhint: name τ²-bench result files")
	}
	other := map[string]task{}
	if *tasks != "" {
		text, err := os.ReadFile(*tasks)
		if err != nil {
			return err
		}
		var list []task
		if err := json.Unmarshal(text, &list); err != nil {
			return fmt.Errorf("%s: %w", *tasks, err)
		}
		for _, t := range list {
			other[t.ID] = t
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "file\ttasks of\t#\tsuccess\tfailure\tvoid\tunscored\tPass^k, k = 1, 2, ...")
	for _, name := range flags.Args() {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			r, err := readRun(name)
			if err != nil {
				return err
			}
			for _, at := range r.places() {
				line(w, at.domain+" "+at.system, r.outcomes[at])
			}
			continue
		}
		list, err := read(name, other)
		if err != nil {
			return err
		}
		line(w, filepath.Base(name), list)
	}
	return w.Flush()
}

// line prints the figures of simulations, of all tasks and of each kind.
func line(w io.Writer, name string, list []simulation) {
	for _, kind := range []string{"all", "PV", "Mut"} {
		c := count(list, kind)
		if len(c) == 0 {
			continue
		}
		t := c.total()
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t", name, kind, len(c), t.success, t.failure, t.void, t.unscored)
		for k := 1; k <= c.most(); k++ {
			parts := c.passes(k)
			if parts == nil {
				fmt.Fprint(w, "- ")
				continue
			}
			b := share([][]part{parts}, 0, 2)
			fmt.Fprintf(w, "%.4f ", b.value)
			if b.ok {
				fmt.Fprintf(w, "(%.4f, %.4f to %.4f) ", b.se, b.lo, b.hi)
			}
		}
		fmt.Fprintln(w)
	}
}
