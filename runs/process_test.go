package runs_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// childVar makes the test binary a process that executes the small config into the folder it names.
// With the second variable all but four trials wait for the file that it names. With the third it gives up root's rights,
// which no file mode stops.
const (
	childVar  = "TAUGUIDE_TEST_CHILD"
	holdVar   = "TAUGUIDE_TEST_HOLD"
	nobodyVar = "TAUGUIDE_TEST_NOBODY"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVar); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

// child runs slowly, so that its parent can see it at work.
func child(dir string) int {
	if os.Getenv(nobodyVar) != "" {
		if err := becomeNobody(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 3
		}
	}
	c, err := config.Parse("small.yaml", []byte(runtest.Small), runtest.NoEnv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	j, err := config.Resolve(context.Background(), c, config.Options{Out: dir, Resume: true, Concurrency: 3})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var made atomic.Int64
	next := j.MakeAgent
	j.MakeAgent = func(s config.System, setup agents.Setup) (sim.Participant, error) {
		speaker, err := next(s, setup)
		n := made.Add(1)
		return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
			time.Sleep(10 * time.Millisecond)
			for hold := os.Getenv(holdVar); hold != "" && n > 4; time.Sleep(time.Millisecond) {
				if _, err := os.Stat(hold); err == nil {
					break
				}
			}
			return speaker.Next(ctx, v)
		}), err
	}
	if _, err := runs.Execute(context.Background(), j, runs.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func startChild(t *testing.T, dir string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childVar+"="+dir), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, &stderr
}

// recorded waits until a run has some records, or its process is done.
func recorded(t *testing.T, dir string, n int, done <-chan error) (ended bool) {
	t.Helper()
	for {
		files, err := filepath.Glob(filepath.Join(dir, "trials", "*", "*", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) >= n {
			return false
		}
		select {
		case <-done:
			return true
		case <-time.After(time.Millisecond):
		}
	}
}

func TestKilledProcessLosesOnlyWhatWasRunning(t *testing.T) {
	calm, dir := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	seed := uint64(time.Now().UnixNano())
	t.Logf("moments of killing drawn with seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	for n := range 3 {
		cmd, _ := startChild(t, dir)
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		if !recorded(t, dir, 3*(n+1), done) {
			time.Sleep(time.Duration(chance.IntN(20)) * time.Millisecond)
			_ = cmd.Process.Kill()
			<-done
		}
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !s.Complete() || s.Executed > 3 {
		t.Errorf("resumed %+v", s)
	}
	runtest.Consistent(t, dir)
	runtest.Same(t, calm, dir)
	if n := len(runtest.Open(t, dir).Attempts()); n != 12 {
		t.Errorf("%d attempts, want 12: a kill is no attempt", n)
	}
}

func TestTwoProcessesOnOneRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	release := filepath.Join(t.TempDir(), "go on")
	first, stderr := startChild(t, dir, holdVar+"="+release)
	done := make(chan error, 1)
	go func() { done <- first.Wait() }()
	recorded(t, dir, 1, done)
	before := runtest.Text(t, filepath.Join(dir, "manifest.json"))
	for _, o := range []config.Options{{Out: dir, Resume: true}, {Out: dir, Fresh: true}} {
		_, err := runtest.Run(context.Background(), runtest.Parse(t, runtest.Small), o)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("being written by process %d on ", first.Process.Pid)) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	if r := runtest.Open(t, dir); len(r.Plan()) != 12 {
		t.Errorf("reading while it is written: %d planned", len(r.Plan()))
	}
	if err := runtest.Open(t, dir).AppendScores(store.Grading{}); err == nil {
		t.Error("a score was added while another process was writing")
	}
	runtest.Write(t, release, nil)
	if err := <-done; err != nil {
		t.Fatalf("the first process: %v\n%s", err, stderr)
	}
	if !bytes.Equal(before, runtest.Text(t, filepath.Join(dir, "manifest.json"))) {
		t.Error("the second process changed the manifest")
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !s.Complete() || s.Executed != 0 {
		t.Errorf("after both: %+v", s)
	}
}
