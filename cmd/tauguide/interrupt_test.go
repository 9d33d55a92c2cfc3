package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// TestInterruptedRun: a run that is interrupted prints no table, but how much is saved and the command that continues, which
// works as printed; quiet or not.
func TestInterruptedRun(t *testing.T) {
	models := scriptedModels(t, 0)
	for _, flag := range []string{"--quiet", "--full"} {
		t.Run(flag, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			var answered atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if answered.Add(1) == 60 {
					interrupt()
				}
				models.ServeHTTP(w, r)
			}))
			defer srv.Close()
			file := experiment(t, srv.URL+"/v1", "20s", "3", "concurrency: 1", "  - {name: ReAct, agent: react, model: m}\n")
			progress, err := os.Create(filepath.Join(t.TempDir(), "progress"))
			if err != nil {
				t.Fatal(err)
			}
			defer progress.Close()
			var out, said bytes.Buffer
			code := run(ctx, process{args: []string{"run", file, "--out", filepath.Join(t.TempDir(), "run"), flag}, env: noEnv, stdout: &out, stderr: &said, progress: progress})
			told := regexp.MustCompile("^tauguide: interrupted: ([1-9]|1[0-4]) of 15 trials are finished and saved in .*run\nhint: continue with `tauguide (run .* --resume .*)`\n$").FindStringSubmatch(said.String())
			if code != exitInterrupted || out.Len() > 0 || told == nil {
				t.Fatalf("exit code %d\n%s%s", code, &out, &said)
			}
			code, _, stderr := command(t, noEnv, strings.Fields(told[2])...)
			if code != exitOK || !strings.Contains(stderr, "15 of 15 trials evaluable") {
				t.Errorf("continued: exit code %d: %s", code, stderr)
			}
		})
	}
}
