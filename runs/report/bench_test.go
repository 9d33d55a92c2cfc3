package report_test

import (
	"os"
	"testing"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

// BenchmarkTables opens the run in $TAUGUIDE_RUN, or a small one, and makes every table that the index suffices for, or
// Table 17, which reads the passing records and runs ToolGuard's guards on their changes. A run of 10,000 records is made
// by
//
//	tauguide run configs/quickstart.yaml --trials 46 --out DIR
func BenchmarkTables(b *testing.B) {
	dir := os.Getenv("TAUGUIDE_RUN")
	if dir == "" {
		dir = smallRun(b)
	}
	ofIndex := func(s report.Spec) bool { return s.Number != 5 && s.Number != 17 }
	nearMisses := func(s report.Spec) bool { return s.Number == 17 }
	for name, wanted := range map[string]func(report.Spec) bool{"of the index": ofIndex, "near misses": nearMisses} {
		b.Run(name, func(b *testing.B) {
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
				for _, spec := range report.Tables() {
					if wanted(spec) {
						build(b, spec.Name, report.Input{Sources: []report.Source{s}})
					}
				}
			}
			b.ReportMetric(float64(records), "records")
		})
	}
}
