package runs_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim"
)

// What can happen to the folder of a run, and the tests that hold it to a clear error or a clean continuation:
//
//	disk full                      TestFullDisk
//	folder or parent read-only     TestReadOnlyFolders
//	read-only in the middle        TestReadOnlyFolders
//	folder deleted, moved or
//	replaced in the middle         TestLostFolder
//	a folder that cannot be made   TestStoreErrorsNameThePathAndHarmNothing
//	two processes                  TestTwoProcessesOnOneRun
//	clock stepping back            TestClockSteppingBack
//	killed at any step of storing  TestResumeAfterACrashAtEveryStep, TestKilledProcessLosesOnlyWhatWasRunning
//	files damaged or lost          TestOpenRefusesWhatItCannotRead, TestALostPlanIsAnErrorThatAResumeMends and others beside them

// TestReadOnlyFolders has a process without rights of its own write where it may not.
func TestReadOnlyFolders(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	part := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: part, Only: []string{"system=Noop"}})
	mode := func(path string, m os.FileMode) func(*testing.T) {
		return func(t *testing.T) {
			if err := os.Chmod(path, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		begun bool                                // whether the run has records already
		lock  func(dir string) func(t *testing.T) // takes the right to write
		open  func(dir string) func(t *testing.T) // gives it back
		want  string                              // in the error, below the run's parent
	}{
		{"the parent of a new run", false, func(dir string) func(*testing.T) { return mode(filepath.Dir(dir), 0o555) },
			func(dir string) func(*testing.T) { return mode(filepath.Dir(dir), 0o755) }, "run"},
		{"the folder of a run", true, func(dir string) func(*testing.T) { return mode(dir, 0o555) },
			func(dir string) func(*testing.T) { return mode(dir, 0o755) }, "run"},
		{"the records, in the middle", true, func(dir string) func(*testing.T) { return mode(filepath.Join(dir, "trials", "retail"), 0o555) },
			func(dir string) func(*testing.T) { return mode(filepath.Join(dir, "trials", "retail"), 0o755) }, "run/trials/retail/ReAct"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			mode(filepath.Dir(top), 0o755)(t) // for all to enter; the system's temporary folder is so anyway
			dir := filepath.Join(top, "place", "run")
			if err := os.Mkdir(filepath.Dir(dir), 0o755); err != nil {
				t.Fatal(err)
			}
			if tt.begun {
				if err := os.CopyFS(dir, os.DirFS(part)); err != nil {
					t.Fatal(err)
				}
			}
			give(t, filepath.Dir(dir))
			tt.lock(dir)(t)
			t.Cleanup(func() { tt.open(dir)(t) })
			before := runtest.Snapshot(t, filepath.Dir(dir))
			cmd, stderr := startChild(t, dir, nobodyVar+"=1")
			if err := cmd.Wait(); err == nil || !strings.Contains(stderr.String(), filepath.Join(filepath.Dir(dir), tt.want)) || !strings.Contains(stderr.String(), "permission denied") {
				t.Errorf("%v: %s", err, stderr)
			}
			after := runtest.Snapshot(t, filepath.Dir(dir))
			for path, text := range before {
				if strings.Contains(path, "trials") && after[path] != text {
					t.Errorf("%s was changed", path)
				}
			}
			tt.open(dir)(t)
			if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !s.Complete() {
				t.Errorf("resumed with the right to write: %+v", s)
			}
			runtest.Consistent(t, dir)
			runtest.Same(t, calm, dir)
		})
	}
}

// give hands a folder with all that is in it to the user that owns nothing else.
func give(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return ownedByNobody(path)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLostFolder takes the run's folder away while conversations run.
func TestLostFolder(t *testing.T) {
	for _, tt := range []struct {
		name string
		take func(t *testing.T, dir string)
	}{
		{"deleted", func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		}},
		{"moved", func(t *testing.T, dir string) {
			if err := os.Rename(dir, dir+".elsewhere"); err != nil {
				t.Error(err)
			}
		}},
		{"replaced by another run", func(t *testing.T, dir string) {
			if err := os.Rename(dir, dir+".elsewhere"); err != nil {
				t.Error(err)
			}
			runtest.Execute(t, runtest.Small, config.Options{Out: dir, Limit: 1, Trials: 1})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			var begun atomic.Int64
			j := wrapped(t, runtest.Small, config.Options{Out: dir, Concurrency: 1}, func(_ agents.Setup, s sim.Participant) sim.Participant {
				if begun.Add(1) == 7 {
					tt.take(t, dir)
				}
				return s
			})
			s, err := runs.Execute(context.Background(), j, runs.Options{})
			if err == nil || !strings.Contains(err.Error(), "run "+dir+" was deleted or moved") || !strings.Contains(err.Error(), "put it back and resume") || s == nil {
				t.Fatalf("%v; %+v", err, s)
			}
			if begun.Load() > 8 {
				t.Errorf("%d conversations were begun, though nothing can be stored any more", begun.Load())
			}
			switch tt.name {
			case "deleted":
				if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the folder was made again, without a manifest: %v", err)
				}
				return
			case "replaced by another run":
				if r := runtest.Open(t, dir); len(r.Index()) != 2 {
					t.Errorf("the other run has %d records, want 2", len(r.Index()))
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Rename(dir+".elsewhere", dir); err != nil {
				t.Fatal(err)
			}
			if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !s.Complete() || s.Executed != 6 {
				t.Errorf("put back and resumed: %+v", s)
			}
			runtest.Consistent(t, dir)
		})
	}
}

// TestClockSteppingBack lets the wall clock lose an hour with every look at it, and resumes a run whose files are of
// tomorrow.
func TestClockSteppingBack(t *testing.T) {
	calm, dir := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	var looks atomic.Int64
	start := time.Date(2026, 3, 29, 3, 0, 0, 0, time.UTC)
	back := func() time.Time { return start.Add(-time.Duration(looks.Add(1)) * time.Hour) }
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Only: []string{"trial=0"}}, runs.Options{Now: back}); s.Evaluable != 6 {
		t.Errorf("%+v", s)
	}
	tomorrow := time.Now().Add(24 * time.Hour)
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, tomorrow, tomorrow)
	})
	if err != nil {
		t.Fatal(err)
	}
	before := runtest.Open(t, dir).Index()
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}, runs.Options{Now: back}); s.Executed != 6 || !s.Complete() {
		t.Errorf("resumed: %+v", s)
	}
	runtest.Consistent(t, dir)
	runtest.Same(t, calm, dir)
	for i, e := range runtest.Open(t, dir).Index()[:6] {
		if diff := cmp.Diff(before[i].SHA256, e.SHA256); diff != "" || e.Seconds < 0 {
			t.Errorf("%s: %v seconds, checksum %s", e.Ref, e.Seconds, diff)
		}
	}
	// Two runs put aside at the same moment stay apart.
	same := func() time.Time { return start }
	first := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Fresh: true, Limit: 1}, runs.Options{Now: same})
	second := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Fresh: true, Limit: 1}, runs.Options{Now: same})
	if first.MovedTo == second.MovedTo || len(runtest.Open(t, first.MovedTo).Index()) != 12 || len(runtest.Open(t, second.MovedTo).Index()) != 4 {
		t.Errorf("moved to %s and %s", first.MovedTo, second.MovedTo)
	}
}
