package runs_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
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
