package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

type exportWorkflowOptions struct{ out string }

func (o *exportWorkflowOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "folder to write; must not exist")
}

func exportWorkflowCommand(p process) *cobra.Command {
	var o exportWorkflowOptions
	cmd := &cobra.Command{
		Use:     "export DOMAIN|DIR",
		Short:   "Write a bundle in the layout of PolicyGuide's released implementation",
		Example: "  tauguide workflow export airline --out airline-released",
		Long: "Write a bundle in the layout of PolicyGuide's released implementation: _manifest.json, main.workflow.json and subflows/*.subflow.json.\n" +
			"What that layout has no place for goes into a member tauguide of each node, which the other side ignores. The policy and the tools of a\n" +
			"folder that has its own are copied.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runExportWorkflow(p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runExportWorkflow(p process, o exportWorkflowOptions, name string) error {
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	files, err := export.WriteReleased(b.Bundle)
	if err != nil {
		return err
	}
	return writeFolder(p, o.out, files, name)
}

type importWorkflowOptions struct{ out string }

func (o *importWorkflowOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "folder to write, best named like the domain; must not exist")
}

func importWorkflowCommand(p process) *cobra.Command {
	var o importWorkflowOptions
	cmd := &cobra.Command{
		Use:     "import DIR",
		Short:   "Make a bundle of a workflow in the layout of PolicyGuide's released implementation",
		Example: "  tauguide workflow import released --out ./airline",
		Long: "Read a workflow in the layout of PolicyGuide's released implementation, a folder with a _manifest.json, and write it as a bundle. What a\n" +
			"bundle has no place for is told on stderr. An imported workflow has no checks: code decides its tool nodes, a model the rest.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runImportWorkflow(p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runImportWorkflow(p process, o importWorkflowOptions, name string) error {
	b, notes, err := export.ReadReleased(os.DirFS(name))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, n := range notes {
		p.notef("left behind: %s", n)
	}
	files := map[string][]byte{}
	for _, f := range b.Files() {
		files[f.Path] = guide.Format(f)
	}
	return writeFolder(p, o.out, files, name)
}

// writeFolder writes files into a folder that it makes, with the policy and the tools of the folder that they come from if
// it has its own, and prints their names.
func writeFolder(p process, dir string, files map[string][]byte, from string) error {
	if dir == "" {
		return usage(errors.New("--out is missing\nhint: name the folder to write"))
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return usage(fmt.Errorf("--out %s exists already\nhint: name a folder that does not", dir))
	}
	if described.Described(from) {
		tools, documents, err := described.ReadFolder(from)
		if err != nil {
			return err
		}
		for name, text := range described.Files(tools, documents) {
			files[name] = []byte(text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		p.printf("%s\n", path)
	}
	return nil
}
