package report_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// TestOverTime sums what attempts cost in the order in which they ended.
func TestOverTime(t *testing.T) {
	type attempt struct {
		system, finished string
		tokens           int64
		dollars          float64 // negative for unknown
	}
	for _, tt := range []struct {
		name     string
		attempts []attempt
		want     []string
		footer   string
	}{
		{"dollars", []attempt{{"B", "2026-01-01T13:00:00Z", 1, 2}, {"A", "2026-01-01T12:00:01Z", 1, 1}, {"A", "2026-01-01T20:00:00Z", 1, 4}, {"A", "2026-01-01T12:30:00+01:00", 1, 8}},
			[]string{"Dollars spent over time, dollars of hours", "A 0 0, 0.000278 8, 0.501 9, 8.5 13", "B 0 0, 1.5 2"}, "run made"},
		{"a cost that is not known", []attempt{{"A", "2026-01-01T12:00:00Z", 1, 1}, {"A", "2026-01-01T12:00:09Z", 1, -1}}, []string{"Dollars spent over time, dollars of seconds", "A 0 0, 1 1, 10 1"}, "the cost of 1 attempts"},
		{"tokens", []attempt{{"A", "2026-01-01T12:00:00Z", 700, -1}, {"A", "2026-01-01T12:04:59Z", 5, -1}}, []string{"Tokens over time, tokens of minutes", "A 0 0, 0.0167 700, 5 705"}, "run made"},
		{"millions", []attempt{{"A", "2026-01-01T12:00:00Z", 2_500_000, -1}}, []string{"Tokens over time, million tokens of seconds", "A 0 0, 1 2.5"}, "run made"},
		{"a time of another program", []attempt{{"A", "2026-01-01T12:00:00.5", 1, 1}, {"A", "yesterday", 1, 1}}, []string{"Dollars spent over time, dollars of seconds", "A 0 0, 1 1"}, "without 1 attempts"},
		{"no times", []attempt{{"A", "once", 1, 1}}, []string{"Tokens over time, tokens of seconds", "the index does not say when trials ended"}, "run made"},
		{"an older index", []attempt{{"A", "", 1, 1}}, []string{"Dollars spent over time, dollars of seconds", "A 0 0, 1 1"}, "run made"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "made")
			f, err := store.NewImporter(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for i, a := range tt.attempts {
				call := sim.ModelCall{Role: "agent", Usage: llm.Usage{PromptTokens: llm.Known(a.tokens), CompletionTokens: llm.Known(0)}}
				if a.dollars >= 0 {
					call.Cost = &a.dollars
				}
				r := sim.Record{Version: sim.RecordVersion, Key: sim.Key{Domain: "mock", System: a.system, Task: fmt.Sprint(i)}, Termination: sim.UserStop,
					Times: sim.Times{Finished: a.finished, Seconds: 1}, Calls: []sim.ModelCall{call}}
				if err := f.Add(config.Planned{Key: r.Key}, r, nil); err != nil {
					t.Fatal(err)
				}
			}
			c := runtest.Parse(t, listed)
			if err := f.Finish(store.Manifest{Name: "made", Config: c}, time.Now()); err != nil {
				t.Fatal(err)
			}
			got := report.OverTime(runtest.Open(t, dir))
			said := []string{got.Title + ", " + got.Y + " of " + got.X}
			for _, p := range got.Panels {
				for _, s := range p.Series {
					var points []string
					for _, at := range s.Points {
						points = append(points, fmt.Sprintf("%.3g %.3g", at.K, at.Value))
					}
					said = append(said, s.Name+" "+strings.Join(points, ", "))
				}
				if p.Note != "" {
					said = append(said, p.Note)
				}
			}
			if fmt.Sprint(said) != fmt.Sprint(tt.want) || !strings.Contains(strings.Join(got.About(), "\n"), tt.footer) {
				t.Errorf("got %q, below it %q", said, got.About())
			}
			var drawn strings.Builder
			if err := got.Write(&drawn, figure.SVG, figure.Options{}); err != nil || len(got.Lines()) != len(tt.want)-1 {
				t.Errorf("%v: %q", err, got.Lines())
			}
		})
	}
}

// TestOverTimeHasFewPoints bounds what a picture of many attempts holds, and ends where they end.
func TestOverTimeHasFewPoints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "many")
	runtest.Execute(t, strings.Replace(listed, "trials: 2", "trials: 300", 1), config.Options{Out: dir, Only: []string{"system=A,Noop"}})
	r := runtest.Open(t, dir)
	sum := map[string]int64{}
	for e := range r.Entries() {
		sum[e.System] += e.Spent().Tokens
	}
	got := report.OverTime(r)
	s := got.Panels[0].Series[0]
	points := s.Points
	if last := points[len(points)-1]; len(points) > 202 || last.Value != float64(sum[s.Name])/1e6 || len(got.Panels[0].Series) != 2 {
		t.Errorf("%d points, the last %v, of %d tokens: %s", len(points), last, sum[s.Name], got.Lines())
	}
	for i := range points[1:] {
		if points[i+1].K < points[i].K || points[i+1].Value < points[i].Value {
			t.Errorf("it shrinks: %v, %v", points[i], points[i+1])
		}
	}
}
