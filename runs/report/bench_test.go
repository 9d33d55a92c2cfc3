package report_test

import (
	"os"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

// BenchmarkTables opens the run in $TAUGUIDE_RUN, or a small one, and makes every table that the index suffices for. A
// run of 10,000 records is made by
//
//	tauguide run configs/quickstart.yaml --trials 46 --out DIR
func BenchmarkTables(b *testing.B) {
	dir := os.Getenv("TAUGUIDE_RUN")
	if dir == "" {
		dir = smallRun(b)
	}
	records := 0
	for b.Loop() {
		r, err := store.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		s, err := report.FromRun(r, os.Getenv)
		if err != nil {
			b.Fatal(err)
		}
		records = len(s.Trials)
		in := report.Input{Sources: []report.Source{s}}
		for _, spec := range report.Tables() {
			if spec.Number != 5 && spec.Number != 17 {
				build(b, spec.Name, in)
			}
		}
	}
	b.ReportMetric(float64(records), "records")
}

// BenchmarkNearMisses makes Table 17 of the run in $TAUGUIDE_RUN, or of a small one: it reads the passing records, and
// runs ToolGuard's guards on their changes.
func BenchmarkNearMisses(b *testing.B) {
	dir := os.Getenv("TAUGUIDE_RUN")
	if dir == "" {
		dir = smallRun(b)
	}
	records := 0
	for b.Loop() {
		r, err := store.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		s, err := report.FromRun(r, os.Getenv)
		if err != nil {
			b.Fatal(err)
		}
		records = 0
		for _, o := range s.Outcomes {
			if o.Mut && o.State == metrics.Success {
				records++
			}
		}
		build(b, "nmr", report.Input{Sources: []report.Source{s}})
	}
	b.ReportMetric(float64(records), "records")
}
