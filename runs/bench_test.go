package runs_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
)

// BenchmarkTrial is the cost of one trial with all that belongs to it: conversation, synced record, score, index line.
func BenchmarkTrial(b *testing.B) {
	const trials = 50
	dir := b.TempDir()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := runtest.Execute(b, runtest.Small, config.Options{Out: filepath.Join(dir, strconv.Itoa(i)), Only: []string{"system=ReAct"}, Limit: 1, Trials: trials})
		if !s.Complete() {
			b.Fatalf("%+v", s)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*trials), "ns/trial")
}

// BenchmarkOpen is the cost of opening a run of a thousand trials whose index is whole.
func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "run")
	runtest.Execute(b, runtest.Small, config.Options{Out: dir, Only: []string{"system=Noop"}, Limit: 1, Trials: 1000})
	b.ReportAllocs()
	for b.Loop() {
		if n := len(runtest.Open(b, dir).Index()); n != 1000 {
			b.Fatal(n)
		}
	}
}

// BenchmarkHundredThousand opens a run of 100,000 trials, and resumes it up to where the first conversation would begin. A
// folder named by TAUGUIDE_HUGE_RUN keeps the run, which takes a minute to be made.
func BenchmarkHundredThousand(b *testing.B) {
	const trials = 100_000 / 6
	dir := cmp.Or(os.Getenv("TAUGUIDE_HUGE_RUN"), filepath.Join(b.TempDir(), "huge"))
	if _, err := os.Stat(dir); err != nil {
		from := filepath.Join(b.TempDir(), "run")
		runtest.Execute(b, runtest.Small, config.Options{Out: from, Trials: 1})
		multiply(b, runtest.Open(b, from), dir, trials)
	}
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if n := runtest.Open(b, dir).Trials(); n != 6*trials {
				b.Fatal(n)
			}
		}
	})
	b.Run("resume", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			s, err := runs.Execute(ctx, runtest.Resolve(b, runtest.Small, config.Options{Out: dir, Resume: true, Trials: trials}), runs.Options{})
			if err != nil || s.Missing != 0 {
				b.Fatal(s, err)
			}
		}
	})
}

// multiply copies the trials of a run of one trial a task until there are so many of each.
func multiply(b *testing.B, r *store.Run, to string, trials int) {
	b.Helper()
	scores, err := r.Scores()
	if err != nil {
		b.Fatal(err)
	}
	f, err := store.NewImporter(to)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for _, p := range r.Plan() {
		rec, err := r.Record(p.Key)
		if err != nil {
			b.Fatal(err)
		}
		s := scores[store.Ref{Key: p.Key}]
		for n := range trials {
			p.Trial, rec.Trial, s.Trial = n, n, n
			if err := f.Add(p, rec, &s); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := f.Finish(r.Manifest(), time.Now()); err != nil {
		b.Fatal(err)
	}
}
