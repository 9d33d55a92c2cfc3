package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// TestMain lets test scripts call the program by its name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tauguide": func() {
			os.Exit(run(context.Background(), process{args: os.Args[1:], env: os.Getenv, stdout: os.Stdout, stderr: os.Stderr, progress: os.Stderr}))
		},
	})
}

// TestScripts runs the command line as users see it: one script for each behaviour, in testdata/script.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	root := domaintest.Root(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CONFIGS", filepath.Join(root, "configs"))
			return nil
		},
	})
}
