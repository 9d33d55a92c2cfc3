package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// program builds the binary, without the race detector: the test is about processes that die.
func program(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "tauguide")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// ledger counts the calls that a model server was asked for, by trial.
type ledger struct {
	next http.Handler

	mu      sync.Mutex
	calls   map[sim.Key]int // since the last settlement
	total   int
	running int
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tag, _, err := llm.ReadTag(r.Header)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := sim.Key{Domain: tag.Domain, System: tag.System, Task: tag.Task, Trial: tag.Trial}
	l.count(func() { l.calls[key]++; l.total++; l.running++ })
	defer l.count(func() { l.running-- })
	l.next.ServeHTTP(w, r)
}

func (l *ledger) count(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// calm waits until the server has heard the last of a process that is dead.
func (l *ledger) calm() {
	for quiet := 0; quiet < 5; time.Sleep(2 * time.Millisecond) {
		l.count(func() {
			if quiet++; l.running > 0 {
				quiet = 0
			}
		})
	}
}

// settle forgets the calls so far, and returns how many of them were made for trials that are not finished, and for how
// many such trials.
func (l *ledger) settle(finished map[sim.Key]bool) (lost, trials int) {
	l.calm()
	l.count(func() {
		for k, n := range l.calls {
			if !finished[k] {
				lost += n
				trials++
			}
		}
		l.calls = map[sim.Key]int{}
	})
	return lost, trials
}

// finished are the trials of a run that have a record and a score.
func finished(t *testing.T, dir string) map[sim.Key]bool {
	t.Helper()
	out := map[sim.Key]bool{}
	r, err := runs.Open(dir)
	if os.IsNotExist(err) || len(recordFiles(t, dir)) == 0 {
		return out // killed before there was anything
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Index() {
		if e.Reward != nil {
			out[e.Key] = true
		}
	}
	return out
}

// TestKilledRunEndsLikeAnUndisturbedOne holds 300 conversations over HTTP, 64 at once: once in peace, and once killed
// without warning at twenty random moments and resumed each time. No record is lost or doubled, every record is as in
// peace, and the only calls made twice are those of the conversations that were in flight at a kill.
func TestKilledRunEndsLikeAnUndisturbedOne(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process 22 times: left out with -short")
	}
	const kills, concurrency = 20, 64
	books := &ledger{next: scriptedModels(t, 15*time.Millisecond), calls: map[sim.Key]int{}}
	srv := httptest.NewServer(books)
	defer srv.Close()
	bin, dir := program(t), t.TempDir()
	file := experiment(t, srv.URL+"/v1", "20s", "30", "concurrency: 64",
		"  - {name: ReAct, agent: react, model: m}\n  - {name: Noop, agent: noop}\n")
	start := func(out string, more ...string) *exec.Cmd {
		cmd := exec.Command(bin, append([]string{"run", file, "--out", out}, more...)...)
		cmd.Dir = dir
		return cmd
	}
	calm, rough := filepath.Join(dir, "calm", "run"), filepath.Join(dir, "rough", "run")
	if out, err := start(calm).CombinedOutput(); err != nil {
		t.Fatalf("undisturbed run: %v\n%s", err, out)
	}
	undisturbed := books.total
	if lost, _ := books.settle(finished(t, calm)); lost != 0 {
		t.Fatalf("%d calls of the undisturbed run are of trials without a score", lost)
	}
	books.total = 0
	seed := uint64(time.Now().UnixNano())
	t.Logf("undisturbed run: %d calls; kill moments drawn with seed %d", undisturbed, seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	twice := 0
	for i := range kills {
		cmd := start(rough, "--resume")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		killAtRandom(t, cmd, rough, rng, done)
		if err := <-done; err == nil || cmd.ProcessState.Exited() {
			t.Fatalf("kill %d: the run had ended: %v\n%s", i, err, stderr.String())
		}
		lost, trials := books.settle(finished(t, rough))
		if trials > concurrency {
			t.Errorf("kill %d: calls for %d unfinished trials, but at most %d were in flight", i, trials, concurrency)
		}
		twice += lost
	}
	if out, err := start(rough, "--resume").CombinedOutput(); err != nil {
		t.Fatalf("last resume: %v\n%s", err, out)
	}
	t.Logf("%d calls in all, %d of them for conversations in flight at a kill", books.total, twice)
	if books.total > undisturbed+twice {
		t.Errorf("%d calls; an undisturbed run takes %d, and %d were in flight at kills", books.total, undisturbed, twice)
	}
	want, got := timeless(t, calm), timeless(t, rough)
	if len(want) != 300 || len(got) != 300 {
		t.Errorf("%d records in peace and %d after the kills, want 300 each", len(want), len(got))
	}
	if evaluable, void := attempts(t, rough); evaluable != 300 || void != 0 {
		t.Errorf("%d attempts that count and %d void ones: a kill is no attempt", evaluable, void)
	}
	for key, text := range want {
		if diff := cmp.Diff(text, got[key]); diff != "" {
			t.Fatalf("record %s differs (-undisturbed +killed):\n%s", key, diff)
		}
	}
}

// killAtRandom ends a process without warning: in its first moments, or a little after some more records are there.
func killAtRandom(t *testing.T, cmd *exec.Cmd, run string, rng *rand.Rand, done chan error) {
	t.Helper()
	until := len(recordFiles(t, run)) + rng.IntN(14)
	pause := time.Duration(rng.IntN(40)) * time.Millisecond
	for len(recordFiles(t, run)) < until {
		select {
		case err := <-done:
			done <- err
			return
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(pause)
	_ = cmd.Process.Kill()
}

// timeless reads a run's records and scores by trial, without times and numbers of attempts, and checks that index and
// folder agree.
func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	r, err := runs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		score := scores[runs.Ref{Key: rec.Key, Attempt: rec.Attempt}]
		for i := range score.JudgeCalls {
			score.JudgeCalls[i].Transport = sim.Transport{}
		}
		rec.Attempt, score.Attempt = 0, 0
		text, err := json.MarshalIndent(map[string]any{"record": rec.Timeless(), "score": score}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out[runs.KeyString(rec.Key)] = string(text)
	}
	if n := len(recordFiles(t, dir)); n != len(r.Attempts()) || len(out) != len(r.Index()) {
		t.Errorf("%s: %d files of %d attempts, %d records of %d trials", dir, n, len(r.Attempts()), len(out), len(r.Index()))
	}
	return out
}

// recordFiles lists the records of a run as they are on disk.
func recordFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "trials", "*", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
