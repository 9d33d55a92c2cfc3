package view_test

import (
	"cmp"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
)

// BenchmarkBigRun opens a run of 40,000 records and loads its pages. Bytes are what a process that opened it keeps. A folder
// named by TAUGUIDE_BIG_RUN keeps the run, which takes a while to be made.
func BenchmarkBigRun(b *testing.B) {
	dir := cmp.Or(os.Getenv("TAUGUIDE_BIG_RUN"), filepath.Join(b.TempDir(), "big"))
	if _, err := os.Stat(dir); err != nil {
		multiply(b, smallRun(b), dir, 40_000)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if _, err := view.Open([]string{dir}, os.Getenv); err != nil {
				b.Fatal(err)
			}
		}
	})
	before := heap()
	site, err := view.Open([]string{dir}, os.Getenv)
	if err != nil {
		b.Fatal(err)
	}
	kept := heap() - before
	h := site.Handler()
	for _, path := range []string{"/", "/big/", "/big/trials/?outcome=failed&page=40", "/big/trials/?sort=-tokens", "/big/matrix/", "/big/trial/retail/ReAct/cancel-gift-card-order/0/"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost"+path, nil)
				if h.ServeHTTP(w, r); w.Code != 200 {
					b.Fatal(w.Code, w.Body)
				}
			}
			b.ReportMetric(float64(kept), "bytes")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// multiply copies the records of a run under other numbers of trials until there are so many.
func multiply(tb testing.TB, from, to string, records int) {
	tb.Helper()
	r, err := store.Open(from)
	if err != nil {
		tb.Fatal(err)
	}
	scores, err := r.Scores()
	if err != nil {
		tb.Fatal(err)
	}
	f, err := store.NewImporter(to)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	trials, plan := 0, map[string]config.Planned{}
	for _, p := range r.Plan() {
		trials = max(trials, p.Trial+1)
		plan[p.Key.String()] = p
	}
	for shift := 0; records > 0; shift += trials {
		for rec, err := range r.Records() {
			if err != nil {
				tb.Fatal(err)
			}
			p, s := plan[rec.Key.String()], scores[store.Ref{Key: rec.Key, Attempt: rec.Attempt}]
			p.Trial += shift
			rec.Trial += shift
			s.Trial += shift
			if err := f.Add(p, rec, &s); err != nil {
				tb.Fatal(err)
			}
		}
		records -= len(plan)
	}
	m := r.Manifest()
	m.Name = "big"
	if err := f.Finish(m, time.Now()); err != nil {
		tb.Fatal(err)
	}
}
