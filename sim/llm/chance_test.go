package llm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

const workers = 64 // of ask64

// phase is a stretch of a simulated run in which the endpoint behaves alike.
type phase struct {
	lasts       time.Duration
	rate, burst float64 // 0 for no limit
	chance      float64
	want        float64 // share of best that must be used on the average
}

// best is how many requests per second an endpoint allows. The latency, the way
// there of 20 ms and the waits between attempts bound what the workers can ask:
// a call is refused p/(1-p) times on the average, each time after the way there,
// and each worker has one call at a time. Retry waits what is asked for and half
// of a tenth of it plus 50 ms, or 500 ms that double without a word. A limit
// bounds what is left of that.
func best(latency, retryAfter time.Duration, f phase) float64 {
	p, wait := f.chance, retryAfter.Seconds()*1.05+0.025
	waits := wait * p / (1 - p)
	if retryAfter == 0 {
		waits = 0.5 * p / (1 - 2*p) // Σ pⁿ·0.5·2ⁿ⁻¹
	}
	way := 0.02
	rate := workers / (way + latency.Seconds() + way*p/(1-p) + waits)
	if f.rate > 0 {
		rate = min(rate, f.rate)
	}
	return rate
}

// use lets the workers ask through the phases and returns the share of the best
// that was used in each. Not a call may fail.
func use(t *testing.T, seed uint64, latency, retryAfter time.Duration, phases []phase) []float64 {
	t.Helper()
	s := &limited{latency: latency, retryAfter: retryAfter, rng: rand.New(rand.NewPCG(seed, 0))}
	l := llm.NewLimiter(llm.Limits{Concurrency: workers})
	c := llm.Chain(s, llm.Retry(llm.RetryPolicy{}), l.Wrap)
	var used []float64
	for _, f := range phases {
		s.rate, s.burst, s.chance = f.rate, f.burst, f.chance
		served, refused := s.served, s.refused
		ctx, cancel := context.WithTimeout(t.Context(), f.lasts)
		err := ask64(ctx, c)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		served, refused = s.served-served, s.refused-refused
		share := float64(served) / f.lasts.Seconds() / best(latency, retryAfter, f)
		t.Logf("seed %d: %.1f %% of %.1f/s used, %.1f %% refused, %+v", seed, 100*share, best(latency, retryAfter, f),
			100*float64(refused)/float64(served+refused), l.State())
		used = append(used, share)
	}
	return used
}

// seeds runs the phases with three seeds. The mean of the shares used must be as
// the phases want it; bad luck may cost one of them a third of the best more.
func seeds(t *testing.T, latency, retryAfter time.Duration, phases ...phase) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		sum := make([]float64, len(phases))
		for seed := range uint64(n) {
			for i, share := range use(t, seed, latency, retryAfter, phases) {
				sum[i] += share
				if least := phases[i].want - 0.35; share < least {
					t.Errorf("seed %d, phase %d: %.1f %% of what is possible was used, want %.0f %%", seed, i, 100*share, 100*least)
				}
			}
		}
		for i, f := range phases {
			if mean := sum[i] / n; mean < f.want {
				t.Errorf("phase %d: %.1f %% of what is possible was used on the average, want %.0f %%", i, 100*mean, 100*f.want)
			}
		}
	})
}

// TestRefusalsByChance: an endpoint without a limit that refuses a share of the
// requests is asked nearly as much as it would take. Finding that out takes some
// ten seconds of the three minutes.
func TestRefusalsByChance(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{0.05, 0.1, 0.2} {
		for _, wait := range []time.Duration{0, 20 * time.Millisecond, time.Second} {
			t.Run(fmt.Sprintf("%g asking for %s", p, wait), func(t *testing.T) {
				t.Parallel()
				seeds(t, time.Second, wait, phase{3 * time.Minute, 0, 0, p, 0.85})
			})
		}
	}
	t.Run("quick answers", func(t *testing.T) {
		t.Parallel()
		seeds(t, 200*time.Millisecond, time.Second, phase{3 * time.Minute, 0, 0, 0.1, 0.85})
	})
}

// TestLimitAndChance: what a limit takes is used although requests are refused by
// chance too. At ten starts per second it takes a while to see the refusals that
// tell the one from the other, up to a minute of the five with 5 %.
func TestLimitAndChance(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{10, 100} {
		for _, p := range []float64{0, 0.05, 0.1, 0.2} {
			for _, wait := range []time.Duration{0, time.Second} {
				t.Run(fmt.Sprintf("%g per second, %g asking for %s", rate, p, wait), func(t *testing.T) {
					t.Parallel()
					want := 0.75
					if p == 0 {
						want = 0.95
					}
					seeds(t, 200*time.Millisecond, wait, phase{time.Duration(min(300, 15000/rate)) * time.Second, rate, rate, p, want})
				})
			}
		}
	}
}

// TestEndpointChanges: limits are followed down at once and up within minutes,
// and chance is learnt when it begins and forgotten when it ends.
func TestEndpointChanges(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for _, c := range []struct {
		name   string
		phases []phase
	}{
		{"raised", []phase{{2 * minute, 10, 10, 0, 0.95}, {2 * minute, 100, 100, 0, 0.3}, {minute, 100, 100, 0, 0.95}}},
		{"raised, with chance", []phase{{2 * minute, 10, 10, 0.1, 0.6}, {2 * minute, 100, 100, 0.1, 0.5}, {minute, 100, 100, 0.1, 0.8}}},
		{"lowered", []phase{{2 * minute, 100, 100, 0, 0.95}, {minute, 10, 10, 0, 0.85}, {2 * minute, 10, 10, 0, 0.95}}},
		{"lowered, with chance", []phase{{2 * minute, 100, 100, 0.1, 0.7}, {minute, 10, 10, 0.1, 0.6}, {2 * minute, 10, 10, 0.1, 0.6}}},
		{"halved", []phase{{2 * minute, 10, 10, 0, 0.95}, {minute, 5, 5, 0, 0.9}}},
		{"chance begins and ends", []phase{{minute, 100, 100, 0, 0.95}, {minute, 100, 100, 0.1, 0.6}, {minute, 100, 100, 0.1, 0.8}, {2 * minute, 100, 100, 0, 0.9}}},
		{"chance, then a limit", []phase{{2 * minute, 0, 0, 0.1, 0.75}, {2 * minute, 10, 10, 0, 0.9}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seeds(t, 200*time.Millisecond, time.Second, c.phases...)
		})
	}
}

// TestSlowStartsTellChanceFromALimit follows the state: after the first refusal
// everybody waits and both bounds shrink; once chance is known neither does.
func TestSlowStartsTellChanceFromALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &limited{latency: time.Second, retryAfter: 30 * time.Second, chance: 1, rng: rand.New(rand.NewPCG(1, 0))}
		l := llm.NewLimiter(llm.Limits{Concurrency: 8})
		c := l.Wrap(s)
		_, _ = c.Complete(t.Context(), hello())
		if st := l.State(); st.Slots != 6 || time.Until(st.CoolUntil) != 30*time.Second {
			t.Errorf("after the first refusal: %+v", st)
		}
		s.chance, s.retryAfter = 0.1, time.Second
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		if err := ask64(ctx, llm.Chain(c, llm.Retry(llm.RetryPolicy{}))); err != nil {
			t.Fatal(err)
		}
		// Eight slots at 1.02 s are eight starts per second.
		if st := l.State(); st.Slots != 8 || (st.Rate > 0 && st.Rate < 8) {
			t.Errorf("once chance is known: %+v", st)
		}
		s.chance = 1
		refused := s.refused
		ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_ = ask64(ctx, llm.Chain(c, llm.Retry(llm.RetryPolicy{})))
		// 64 workers that wait a second each would be refused a thousand times.
		if st := l.State(); st.Slots == 8 || s.refused-refused > 200 {
			t.Errorf("once everything is refused: %d refusals in 20 s, %+v", s.refused-refused, st)
		}
	})
}
