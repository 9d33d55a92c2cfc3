package llm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

// limited simulates a server that refuses what exceeds its rate, a bucket that
// holds burst starts and refills at rate per second, or its concurrency, and a
// share of the requests by chance.
type limited struct {
	rate, burst float64
	most        int // at once, 0 for no bound
	latency     time.Duration
	retryAfter  time.Duration
	chance      float64
	rng         *rand.Rand // of chance, and of latencies that differ by a tenth; nil for neither

	mu              sync.Mutex
	level           float64
	at              time.Time
	now             int // in flight
	served, refused int
}

func (s *limited) admit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rng != nil && s.rng.Float64() < s.chance {
		s.refused++
		return false
	}
	now := time.Now()
	if s.at.IsZero() {
		s.level = s.burst
	} else {
		s.level = min(s.burst, s.level+now.Sub(s.at).Seconds()*s.rate)
	}
	s.at = now
	if (s.rate > 0 && s.level < 1-1e-9) || (s.most > 0 && s.now >= s.most) {
		s.refused++
		return false
	}
	if s.rate > 0 {
		s.level--
	}
	s.now++
	return true
}

// answers is how long the next answer takes. Equal latencies would bring retries
// and answers into step.
func (s *limited) answers() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rng == nil {
		return s.latency
	}
	return time.Duration(float64(s.latency) * (0.9 + 0.2*s.rng.Float64()))
}

func (s *limited) Complete(ctx context.Context, _ llm.Request) (llm.Response, error) {
	// The way to the server, so that requests that start together arrive
	// before the first refusal comes back.
	time.Sleep(20 * time.Millisecond)
	if !s.admit() {
		return llm.Response{}, &llm.Error{Kind: llm.KindRateLimit, Status: 429, Message: "slow down", RetryAfter: s.retryAfter, Attempts: 1}
	}
	select {
	case <-time.After(s.answers()):
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
	if ctx.Err() != nil {
		return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: "cancelled", Err: ctx.Err()}
	}
	s.served++
	return llm.Response{Attempts: 1}, nil
}

// TestPaceFollowsTheEndpoint lets 64 workers ask an endpoint that takes so many
// requests per second. None may fail, and nearly all that the endpoint would take
// must be used, whatever it says about waiting and however quickly it answers.
func TestPaceFollowsTheEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		server *limited
		best   float64 // requests per second
		share  float64 // of it that must be used
	}{
		{"quick, bucket of one", &limited{rate: 10, burst: 1, retryAfter: time.Second}, 10, 0.5}, // at more than its rate, every second one is refused
		{"quick, bucket of one, no word", &limited{rate: 10, burst: 1}, 10, 0.5},
		{"quick, bucket of ten", &limited{rate: 10, burst: 10, retryAfter: time.Second}, 10, 0.9},
		{"quick, bucket of ten, no word", &limited{rate: 10, burst: 10}, 10, 0.9},
		{"200 ms, bucket of ten", &limited{rate: 10, burst: 10, latency: 200 * time.Millisecond, retryAfter: time.Second}, 10, 0.9},
		{"200 ms, bucket of ten, no word", &limited{rate: 10, burst: 10, latency: 200 * time.Millisecond}, 10, 0.9},
		{"5 s, bucket of ten", &limited{rate: 10, burst: 10, latency: 5 * time.Second, retryAfter: time.Second}, 10, 0.9},
		{"5 s, bucket of ten, no word", &limited{rate: 10, burst: 10, latency: 5 * time.Second}, 10, 0.9},
		{"bucket of a minute", &limited{rate: 10, burst: 600, latency: 200 * time.Millisecond, retryAfter: 5 * time.Second}, 10, 0.9},
		{"eight at once", &limited{most: 8, latency: time.Second}, 8 / 1.02, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := c.server
				const span = 5 * time.Minute
				l := llm.NewLimiter(llm.Limits{Concurrency: 64})
				ctx, cancel := context.WithTimeout(t.Context(), span)
				defer cancel()
				failed := ask64(ctx, llm.Chain(s, llm.Retry(llm.RetryPolicy{}), l.Wrap))
				if failed != nil {
					t.Fatal(failed)
				}
				used := float64(s.served) / span.Seconds() / c.best
				t.Logf("%.1f %% used, %d refusals, pace %.2f", 100*used, s.refused, l.State().Rate)
				if used < c.share {
					t.Errorf("%d requests served, %.1f %% of what the endpoint takes, want %.0f %%", s.served, 100*used, 100*c.share)
				}
			})
		})
	}
}

// ask64 asks without end from 64 workers until ctx ends; the error is the first
// that is not its end.
func ask64(ctx context.Context, c llm.Client) error {
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for {
				_, err := c.Complete(ctx, hello())
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					mu.Lock()
					first = err
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	return first
}

// phase is a stretch of a simulated run in which the endpoint behaves alike.
type phase struct {
	lasts       time.Duration
	rate, burst float64 // 0 for no limit
	chance      float64
	want        float64 // share of what is possible that must be used
}

// possible is how many requests per second 64 workers get answered at best: each has one call at a time, which is refused
// p/(1-p) times on the average, each time after 20 ms and with a wait that Retry spreads. A limit bounds the rest.
func possible(latency, retryAfter time.Duration, f phase) float64 {
	p := f.chance
	waits := (retryAfter.Seconds()*1.05 + 0.025) * p / (1 - p)
	if retryAfter == 0 {
		waits = 0.5 * p / (1 - 2*p) // the sum of pⁿ·0.5·2ⁿ⁻¹
	}
	rate := 64 / (0.02 + latency.Seconds() + 0.02*p/(1-p) + waits)
	if f.rate > 0 {
		rate = min(rate, f.rate)
	}
	return rate
}

// askThrough lets the workers ask through the phases, three times. Not a call may fail, and on the average so much must be used
// of what is possible.
func askThrough(t *testing.T, latency, retryAfter time.Duration, phases ...phase) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		const seeds = 3
		used := make([]float64, len(phases))
		for seed := range uint64(seeds) {
			s := &limited{latency: latency, retryAfter: retryAfter, rng: rand.New(rand.NewPCG(seed, 0))}
			c := llm.Chain(s, llm.Retry(llm.RetryPolicy{}), llm.NewLimiter(llm.Limits{Concurrency: 64}).Wrap)
			for i, f := range phases {
				s.rate, s.burst, s.chance = f.rate, f.burst, f.chance
				before := s.served
				ctx, cancel := context.WithTimeout(t.Context(), f.lasts)
				err := ask64(ctx, c)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				used[i] += float64(s.served-before) / f.lasts.Seconds() / possible(latency, retryAfter, f) / seeds
			}
		}
		for i, f := range phases {
			if used[i] < f.want {
				t.Errorf("phase %d: %.1f %% of what is possible was used, want %.0f %%", i, 100*used[i], 100*f.want)
			}
		}
	})
}

// TestRefusalsByChance: an endpoint that refuses a tenth of the requests at random is used nearly as much as it could be,
// and so is a limit below that.
func TestRefusalsByChance(t *testing.T) {
	t.Parallel()
	for _, limit := range []float64{0, 10, 100} {
		for _, latency := range []time.Duration{200 * time.Millisecond, time.Second} {
			for _, wait := range []time.Duration{0, 20 * time.Millisecond, time.Second} {
				t.Run(fmt.Sprintf("limit %g, latency %s, asking for %s", limit, latency, wait), func(t *testing.T) {
					t.Parallel()
					askThrough(t, latency, wait, phase{2 * time.Minute, limit, limit, 0.1, 0.7})
				})
			}
		}
	}
}

// TestEndpointChanges: limits are followed down at once and up within minutes.
func TestEndpointChanges(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for name, phases := range map[string][]phase{
		"raised":               {{minute, 10, 10, 0, 0.9}, {2 * minute, 100, 100, 0, 0.3}, {minute, 100, 100, 0, 0.9}},
		"lowered":              {{minute, 100, 100, 0, 0.8}, {minute, 10, 10, 0, 0.7}, {minute, 10, 10, 0, 0.9}},
		"lifted":               {{minute, 10, 10, 0, 0.9}, {2 * minute, 0, 0, 0, 0.3}, {minute, 0, 0, 0, 0.9}},
		"chance, then a limit": {{minute, 0, 0, 0.1, 0.7}, {minute, 10, 10, 0, 0.7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			askThrough(t, 200*time.Millisecond, time.Second, phases...)
		})
	}
}

// TestTokensPerMinute bounds tokens by what answers say they took, which is not
// what was estimated.
func TestTokensPerMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const perAnswer = 3000
		var mu sync.Mutex
		total := 0
		s := llm.Func(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
			time.Sleep(2 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			total += perAnswer
			return llm.Response{Attempts: 1, Usage: llm.Usage{PromptTokens: llm.Known(perAnswer - 500), CompletionTokens: llm.Known(500)}}, nil
		})
		l := llm.NewLimiter(llm.Limits{Concurrency: 64, TPM: 60000})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := ask64(ctx, l.Wrap(s)); err != nil {
			t.Fatal(err)
		}
		// The first moments go by a guess, ten seconds may be saved up, the
		// requests that are under way at the end are not counted.
		if total < 580_000 || total > 800_000 {
			t.Errorf("%d tokens in ten minutes at 60,000 per minute", total)
		}
	})
}

// TestTokensOfOneLargeRequest: a request that is larger than the bucket is made
// anyway, alone.
func TestTokensOfOneLargeRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &endpoint{latency: time.Second}
		l := llm.NewLimiter(llm.Limits{Concurrency: 4, TPM: 600})
		start := time.Now()
		if failed := run(t.Context(), l.Wrap(s), 2, 1); failed != nil {
			t.Fatal(failed[0])
		}
		if took := time.Since(start); took < 10*time.Second || took > time.Minute {
			t.Errorf("two requests of about 200 tokens at 600 per minute took %s", took)
		}
	})
}
