package synthetic_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// BenchmarkConversation holds one whole conversation with direct models: the first task of each embedded set, and a
// trial in which every mistake may be drawn.
func BenchmarkConversation(b *testing.B) {
	for _, d := range catalogue() {
		w := domaintest.Embedded(b, d, domains.Options{})
		for _, c := range []struct {
			name string
			cfg  synthetic.Config
		}{{"faultless", synthetic.Config{}}, {"mistakes", halfRates}} {
			b.Run(d.Name+"/"+c.name, func(b *testing.B) {
				s := newStage(w, c.cfg)
				b.ReportAllocs()
				steps := 0
				for n := 0; b.Loop(); n++ {
					steps += s.talk(b, trial{"react", &w.Tasks[0], n}).Steps
				}
				b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
			})
		}
	}
}
