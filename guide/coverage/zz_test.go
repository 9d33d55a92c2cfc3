package coverage_test

import (
	"testing"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/coverage"
)

func TestZZ(t *testing.T) {
	for _, n := range guide.Shipped() {
		b, _ := guide.LoadShipped(n)
		g, err := guide.Compose(b)
		if err != nil {
			t.Log(err)
			continue
		}
		r := coverage.Analyze(g, coverage.Schedules())
		t.Log(n, r.Positions, r.Events, r.Deviations, r.Results[0].Share(), r.Results[1].Share(), r.Results[2].Share())
	}
}
