package airline_test

import (
	"runtime"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
)

// TestTenThousandOpenTrials holds ten thousand trials of the real data open at once, each in the state that its gold
// plan leads to, and measures what they keep on the heap together with the shared base.
func TestTenThousandOpenTrials(t *testing.T) {
	w := domaintest.Real(t, airline.Domain(), domains.Options{})
	const trials, limit = 10_000, 1536 << 20
	open := make([]*domains.Env, trials)
	for i := range open {
		task := &w.Tasks[i%len(w.Tasks)]
		env, err := w.New(task)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range task.Criteria.Actions {
			env.Call(a.Requestor, a.Call())
		}
		open[i] = env
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d open trials: %.0f MiB of heap in use", trials, float64(m.HeapAlloc)/(1<<20))
	if m.HeapAlloc > limit {
		t.Errorf("%d bytes of heap in use, want at most %d", m.HeapAlloc, limit)
	}
	runtime.KeepAlive(open)
	runtime.KeepAlive(w)
}
