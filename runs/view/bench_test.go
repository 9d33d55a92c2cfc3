package view_test

import (
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
)

// BenchmarkBigRun opens a run of about a gigabyte and loads its pages. It needs a run to copy records from, named by
// TAUGUIDE_BIG_FROM, and a folder for the copy, named by TAUGUIDE_BIG_RUN, which it makes where it is not there.
func BenchmarkBigRun(b *testing.B) {
	from, dir := os.Getenv("TAUGUIDE_BIG_FROM"), os.Getenv("TAUGUIDE_BIG_RUN")
	if from == "" || dir == "" {
		b.Skip("TAUGUIDE_BIG_FROM and TAUGUIDE_BIG_RUN are not set")
	}
	if _, err := os.Stat(dir); err != nil {
		multiply(b, from, dir, 1_000_000_000)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if _, err := view.Open([]string{dir}, os.Getenv); err != nil {
				b.Fatal(err)
			}
		}
	})
	site, err := view.Open([]string{dir}, os.Getenv)
	if err != nil {
		b.Fatal(err)
	}
	h := site.Handler()
	for _, path := range []string{"/", "/big/", "/big/trials/?outcome=failed&page=40", "/big/matrix/", "/big/trial/retail/ReAct/cancel-gift-card-order/0/"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost"+path, nil)
				if h.ServeHTTP(w, r); w.Code != 200 {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

// multiply copies the records of a run under other numbers of trials until there are so many bytes of them.
func multiply(tb testing.TB, from, to string, bytes int64) {
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
	for shift := 0; bytes > 0; shift += trials {
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
		for _, e := range r.Index() {
			bytes -= e.Size
		}
	}
	m := r.Manifest()
	m.Name = "big"
	if err := f.Finish(m, time.Now()); err != nil {
		tb.Fatal(err)
	}
}
