// Command genairline writes the airline data set that ships with tauguide:
// db.json, tasks.json and split_tasks.json. The output depends on nothing but
// this source, so two runs give the same bytes. policy.md in the same folder
// is written by hand; the package's test holds the two against each other.
//
// Usage, from the repository root: go run ./scripts/genairline [-out DIR]
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("genairline", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", filepath.Join("domains", "airline", "data"), "folder that receives the files; it must exist")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "genairline: unexpected argument %q: only -out is accepted\n", flags.Arg(0))
		return 2
	}
	if info, err := os.Stat(*out); err != nil || !info.IsDir() {
		fmt.Fprintf(stderr, "genairline: %s is not a folder: run from the repository root or pass -out\n", *out)
		return 1
	}
	files, err := generate()
	if err != nil {
		fmt.Fprintf(stderr, "genairline: %v\n", err)
		return 1
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(*out, f.name), f.body, 0o644); err != nil {
			fmt.Fprintf(stderr, "genairline: write %s: %v: make the folder writable\n", f.name, err)
			return 1
		}
	}
	return 0
}

// file is one generated file, named relative to the output folder.
type file struct {
	name string
	body []byte
}

// generate builds the data set, replays every task against it and renders the
// files. It fails if a reference plan breaks the rules or a tool, or if a
// request that a task calls forbidden would be allowed.
func generate() ([]file, error) {
	db, drafts, err := build()
	if err != nil {
		return nil, err
	}
	tasks := make([]task, 0, len(drafts))
	splits := table[[]string]{}
	base, train, test := []string{}, []string{}, []string{}
	for i, d := range drafts {
		t, err := check(i)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", d.id, err)
		}
		tasks = append(tasks, t)
		base = append(base, d.id)
		if d.test {
			test = append(test, d.id)
		} else {
			train = append(train, d.id)
		}
	}
	splits.put("base", base)
	splits.put("train", train)
	splits.put("test", test)

	files := []file{{name: "db.json"}, {name: "tasks.json"}, {name: "split_tasks.json"}}
	for i, v := range []any{db, tasks, splits} {
		if files[i].body, err = render(v); err != nil {
			return nil, fmt.Errorf("render %s: %w", files[i].name, err)
		}
	}
	return files, nil
}

// render writes v as JSON with one space of indent and a final newline.
func render(v any) ([]byte, error) {
	compact, err := encode(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", " "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
