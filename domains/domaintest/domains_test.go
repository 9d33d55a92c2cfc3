package domaintest

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
)

// recorded counts what the conformance vectors of a domain hold.
type recorded struct {
	tools     [2]int // of the agent and the user
	plans     plans
	databases int
}

var vectors = map[string]recorded{
	"airline": {[2]int{14, 0}, plans{tasks: 50, actions: 142}, 1},
	"retail":  {[2]int{16, 0}, plans{tasks: 114, actions: 550, failing: 18}, 1},
	"telecom": {[2]int{13, 30}, plans{tasks: 114, actions: 516, assertions: 209}, 2},
	"mock":    {[2]int{4, 2}, plans{tasks: 10, actions: 8, assertions: 3}, 2},
}

// eachRecorded runs a test on each domain that has conformance vectors, and compares what it counts.
func eachRecorded[T comparable](t *testing.T, want func(recorded) T, run func(*testing.T, domains.Domain) T) {
	for _, d := range all.Domains() {
		if r, ok := vectors[d.Name]; ok {
			t.Run(d.Name, func(t *testing.T) {
				t.Parallel()
				if got := run(t, d); got != want(r) {
					t.Errorf("compared %v, want %v", got, want(r))
				}
			})
		}
	}
}

func TestSchemas(t *testing.T) {
	for name, open := range map[string]func(testing.TB, domains.Domain, domains.Options) *domains.World{"real": Real, "embedded": Embedded} {
		t.Run(name, func(t *testing.T) {
			eachRecorded(t, func(r recorded) [2]int { return r.tools }, func(t *testing.T, d domains.Domain) [2]int {
				return schemas(t, open(t, d, domains.Options{}))
			})
		})
	}
}

func TestGoldVectors(t *testing.T) {
	eachRecorded(t, func(r recorded) plans { return r.plans }, goldPlans)
}

func TestFuzzVectors(t *testing.T) {
	eachRecorded(t, func(recorded) int { return 1800 }, fuzz)
}

func TestPreImages(t *testing.T) {
	eachRecorded(t, func(r recorded) int { return r.databases }, preImages)
}

func TestInvariants(t *testing.T) {
	for _, d := range all.Domains() {
		t.Run(d.Name, func(t *testing.T) {
			invariants(t, func(t testing.TB) *domains.World { return Embedded(t, d, domains.Options{}) })
		})
	}
}

func TestInvariantsOfTheRealData(t *testing.T) {
	for _, name := range []string{"retail", "telecom", "mock"} { // the airline's takes too long
		t.Run(name, func(t *testing.T) {
			d, err := all.Domain(name)
			if err != nil {
				t.Fatal(err)
			}
			invariants(t, func(t testing.TB) *domains.World { return Real(t, d, domains.Options{}) })
		})
	}
}

func TestInvariantsInSoloMode(t *testing.T) {
	for _, d := range all.Domains() {
		if _, err := d.Open(domains.Embedded(), domains.Options{Solo: true}); err == nil {
			t.Run(d.Name, func(t *testing.T) {
				invariants(t, func(t testing.TB) *domains.World { return Embedded(t, d, domains.Options{Solo: true}) })
			})
		}
	}
}
