package trials_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// BenchmarkSearch searches 10,000 conversations of about 30 kB of words each, or the run that TAUGUIDE_SEARCH names.
// Bytes of memory are those that the index keeps.
func BenchmarkSearch(b *testing.B) {
	dir := os.Getenv("TAUGUIDE_SEARCH")
	if dir == "" {
		dir = talkative(b, 10_000, 30_000)
	}
	r := runtest.Open(b, dir)
	lines := trials.All(r)
	x := &trials.Index{}
	began, before := time.Now(), heap()
	find := func(text string) trials.Found {
		found, err := x.Find(b.Context(), r, lines, trials.NewQuery(map[string][]string{trials.Text: {text}}), 0)
		if err != nil {
			b.Fatal(err)
		}
		return found
	}
	find("nothing of the kind")
	first, kept := time.Since(began), heap()-before
	for _, text := range []string{"nothing of the kind", "the", `"word17 word3"`, "order cancel zebra"} {
		b.Run(text, func(b *testing.B) {
			hits := 0
			for b.Loop() {
				hits = len(find(text).Places)
			}
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(first.Seconds(), "s/first")
			b.ReportMetric(float64(kept), "bytes")
		})
	}
	b.Run("excerpts", func(b *testing.B) {
		found := find("the")
		for b.Loop() {
			for _, i := range found.Places[:min(100, len(found.Places))] {
				if _, err := x.Excerpts(&lines[i], trials.NewWords("the"), 3); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// talkative makes a run of so many conversations of about so many bytes.
func talkative(tb testing.TB, conversations, size int) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "talkative")
	f, err := store.NewImporter(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	draw := rand.New(rand.NewPCG(1, 2))
	common := rand.NewZipf(draw, 1.1, 3, 20_000)
	words := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "word%d ", common.Uint64())
		}
		return b.String()
	}
	for i := range conversations {
		r := sim.Record{Version: sim.RecordVersion, Key: sim.Key{Domain: "mock", System: "A", Task: fmt.Sprint(i / 4), Trial: i % 4}, Termination: sim.UserStop}
		for range size / 1000 {
			call := sim.ToolCall{ID: "c", Name: "get_order", Requestor: domains.AgentSide}
			r.Messages = append(r.Messages, sim.Message{Role: domains.RoleUser, Content: domains.Text("the " + words(200))},
				sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{call}},
				sim.Message{Role: domains.RoleTool, ID: "c", Content: domains.Text(fmt.Sprintf(`{"order_id": "#W%d", "note": %q}`, draw.IntN(1e7), words(600)))},
				sim.Message{Role: domains.RoleAssistant, Content: domains.Text(words(200))})
		}
		if err := f.Add(config.Planned{Key: r.Key}, r, nil); err != nil {
			tb.Fatal(err)
		}
	}
	c := runtest.Parse(tb, "note: made\nmodels: {m: {synthetic: true}}\nuser: {model: m}\ndomains: [{name: mock}]\nsystems: [{name: A, agent: react, model: m}]\n")
	if err := f.Finish(store.Manifest{Name: "talkative", Config: c}, time.Now()); err != nil {
		tb.Fatal(err)
	}
	return dir
}
