package toolguard_test

import (
	"testing"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
)

// BenchmarkCheck measures the guard of one gold call of each domain on the reference's data.
func BenchmarkCheck(b *testing.B) {
	tools := map[string]string{"airline": "book_reservation", "retail": "exchange_delivered_order_items", "telecom": "resume_line"}
	for _, d := range guarded() {
		b.Run(d.Name, func(b *testing.B) {
			w := domaintest.Real(b, d, domains.Options{})
			c, env := find(b, w, tools[d.Name])
			set := guards(b, d.Name, toolguard.Options{})
			b.ReportAllocs()
			for b.Loop() {
				if v, err := set.Check(b.Context(), c, reader(env)); err != nil || v.Blocked() {
					b.Fatal(v, err)
				}
			}
		})
	}
}
