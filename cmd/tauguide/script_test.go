package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// long asks for the tests in full: as many trials and kills as are worth a minute, and pages whose code has to be built.
var long = flag.Bool("long", false, "run the long forms of the tests")

// TestMain puts this test binary into the PATH as tauguide: tests that need a process of their own build nothing.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tauguide": main})
}

// program is the path of the program as a binary of its own.
func program(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath("tauguide")
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// command runs a command line in this process.
func command(t *testing.T, env func(string) string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	progress, e := os.Create(filepath.Join(t.TempDir(), "progress"))
	if e != nil {
		t.Fatal(e)
	}
	defer progress.Close()
	code = run(context.Background(), process{args: args, env: env, stdout: &out, stderr: &err, progress: progress})
	return code, out.String(), err.String()
}

func noEnv(string) string { return "" }

// variables is an environment of these alone.
func variables(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
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
			if dir, err := os.UserCacheDir(); err == nil { // scripts have no home
				e.Setenv("XDG_CACHE_HOME", dir)
			}
			return nil
		},
	})
}
