package runs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
)

// TestFullDisk has the system refuse to let files grow in the middle of a write, as a full disk does. The limit holds
// for all that a process writes, and a test process has files of its own: so a second one takes it upon itself.
func TestFullDisk(t *testing.T) {
	const alone = "TAUGUIDE_TEST_FULL_DISK"
	if os.Getenv(alone) == "" {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), alone+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestFullDisk") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, concurrency := range []int{1, 8} { // scores that end together are written together
		fillDisk(t, concurrency)
	}
}

func fillDisk(t *testing.T, concurrency int) {
	t.Helper()
	calm, dir := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Only: []string{"system=Noop"}})
	kept := runtest.Snapshot(t, filepath.Join(dir, "trials"))
	room := len(runtest.Text(t, filepath.Join(dir, "scores.jsonl"))) + 5000 // not enough for the scores to come
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(room), Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	s, err := runtest.Run(context.Background(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true, Concurrency: concurrency})
	if back := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); back != nil {
		t.Fatal(back)
	}
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "file too large") {
		t.Errorf("error %v, want one that names %s", err, dir)
	}
	if s == nil || s.Evaluable < 6 || s.Complete() {
		t.Errorf("summary %+v", s)
	}
	for path, text := range kept {
		if string(runtest.Text(t, path)) != text {
			t.Errorf("%s was changed", path)
		}
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !s.Complete() {
		t.Errorf("resumed with room: %+v", s)
	}
	runtest.Consistent(t, dir)
	runtest.Same(t, calm, dir)
}
