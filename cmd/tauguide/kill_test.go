package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// ledger counts the calls that a model server was asked for, by trial. When it has answered as many calls as it may, it
// leaves those that follow without an answer, and says so.
type ledger struct {
	next http.Handler
	stop chan struct{} // told of calls that are left without an answer

	mu      sync.Mutex
	calls   map[sim.Key]int // since the last settlement
	total   int
	running int
	answers int // that are left to give; negative: no bound
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tag, _, err := llm.ReadTag(r.Header)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := sim.Key{Domain: tag.Domain, System: tag.System, Task: tag.Task, Trial: tag.Trial}
	hang := false
	l.count(func() {
		l.calls[key]++
		l.total++
		l.running++
		hang = l.answers == 0
		if l.answers > 0 {
			l.answers--
		}
	})
	defer l.count(func() { l.running-- })
	if !hang {
		l.next.ServeHTTP(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // only then the end of the client is noticed
	select {
	case l.stop <- struct{}{}:
	default: // it knows
	}
	<-r.Context().Done()
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
	r, err := store.Open(dir)
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

// TestKilledRunEndsLikeAnUndisturbedOne runs trials over HTTP, 8 at once: once undisturbed, and once killed without
// warning at random moments and resumed each time. No record is lost or doubled, every record is as in the undisturbed
// run, and the only calls made twice are those of the trials that were running at a kill.
func TestKilledRunEndsLikeAnUndisturbedOne(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes: left out with -short")
	}
	kills, perTask := 6, 20
	if *long {
		kills, perTask = 20, 60
	}
	const concurrency = 8
	trials := 10 * perTask
	books := &ledger{next: scriptedModels(t, time.Millisecond), calls: map[sim.Key]int{}, answers: -1, stop: make(chan struct{}, 1)}
	srv := httptest.NewServer(books)
	defer srv.Close()
	bin, dir := program(t), t.TempDir()
	file := experiment(t, srv.URL+"/v1", "10m", strconv.Itoa(perTask), fmt.Sprintf("concurrency: %d", concurrency),
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
		// All answers together are too few for the run to end before the last kill, however slow the machine is.
		share := undisturbed / (kills + 1)
		books.count(func() { books.answers = share/2 + rng.IntN(share/2) })
		cmd := start(rough, "--resume")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killAtRandom(cmd, books.stop, rng)
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
			t.Fatalf("kill %d: the run had ended: %v\n%s", i, err, stderr.String())
		}
		lost, running := books.settle(finished(t, rough))
		if running > concurrency {
			t.Errorf("kill %d: calls for %d unfinished trials, but at most %d were running", i, running, concurrency)
		}
		twice += lost
	}
	books.count(func() { books.answers = -1 })
	kept := len(finished(t, rough))
	if out, err := start(rough, "--resume").CombinedOutput(); err != nil {
		t.Fatalf("last resume: %v\n%s", err, out)
	}
	t.Logf("%d trials had ended before the last resume; %d calls in all, %d of them for trials that ran at a kill", kept, books.total, twice)
	if books.total > undisturbed+twice {
		t.Errorf("%d calls; an undisturbed run takes %d, and %d were for trials that ran at a kill", books.total, undisturbed, twice)
	}
	want, got := timeless(t, calm), timeless(t, rough)
	if len(want) != trials || len(got) != trials {
		t.Errorf("%d records undisturbed and %d after the kills, want %d each", len(want), len(got), trials)
	}
	if evaluable, void := attempts(t, rough); evaluable != trials || void != 0 {
		t.Errorf("%d attempts that count and %d void ones: a kill is no attempt", evaluable, void)
	}
	for key, text := range want {
		if diff := cmp.Diff(text, got[key]); diff != "" {
			t.Fatalf("record %s differs (-undisturbed +killed):\n%s", key, diff)
		}
	}
}

// killAtRandom ends a process without warning: in its first moments, or a little after the last answer that it gets.
func killAtRandom(cmd *exec.Cmd, stop chan struct{}, rng *rand.Rand) {
	if rng.IntN(4) > 0 {
		<-stop
		time.Sleep(time.Duration(rng.IntN(10)) * time.Millisecond)
	} else {
		time.Sleep(time.Duration(rng.IntN(100)) * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	select {
	case <-stop: // it was told after the pause
	default:
	}
}

// timeless reads a run's records and scores by trial, without times and numbers of attempts, and checks that index and
// folder agree.
func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	r, err := store.Open(dir)
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
		score := scores[store.Ref{Key: rec.Key, Attempt: rec.Attempt}]
		for i := range score.JudgeCalls {
			score.JudgeCalls[i].Transport = sim.Transport{}
		}
		attempt := rec.Attempt
		rec.Attempt, score.Attempt = 0, 0
		text, err := json.MarshalIndent(map[string]any{"record": rec.Timeless(), "score": score}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out[rec.Key.String()] = string(text)
		sent := slices.DeleteFunc(rec.Calls, func(c sim.ModelCall) bool { return c.Transport.Replayed })
		if q, err := r.Requests(store.Ref{Key: rec.Key, Attempt: attempt}); len(sent) > 0 && (err != nil || len(q.Sent()) < len(sent)) {
			t.Errorf("%s: what was sent for its %d calls is not there: %v", rec.Key.String(), len(sent), err)
		}
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
