package llm_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/sim/llm"
)

func answering(r llm.Response, err error) llm.Client {
	return llm.Func(func(context.Context, llm.Request) (llm.Response, error) { return r, err })
}

func tagged(role string) llm.Request {
	r := hello()
	r.Tag.Role = role
	return r
}

// TestMeterByRole sums what is known and counts what is not.
func TestMeterByRole(t *testing.T) {
	t.Parallel()
	var m llm.Meter
	full := llm.Response{Attempts: 2, Cost: ptr(0.25), Latency: 3, Usage: llm.Usage{
		PromptTokens: llm.Known(100), CachedTokens: llm.Known(60), CompletionTokens: llm.Known(10), ReasoningTokens: llm.Known(4)}}
	blind := llm.Response{Attempts: 1}
	failed := &llm.Error{Kind: llm.KindContextWindow, Attempts: 3, Spent: llm.Spent{Usage: llm.Usage{PromptTokens: llm.Known(7), CompletionTokens: llm.Known(1)}, Cost: ptr(0.5)}}
	down := &llm.Error{Kind: llm.KindNetwork, Attempts: 5}
	for _, c := range []struct {
		role string
		resp llm.Response
		err  error
	}{{"agent", full, nil}, {"agent", full, nil}, {"agent", blind, nil}, {"judge", llm.Response{}, failed}, {"judge", llm.Response{}, down}, {"", full, nil}} {
		_, _ = m.Wrap(answering(c.resp, c.err)).Complete(context.Background(), tagged(c.role))
	}
	want := map[string]llm.Totals{
		"agent": {Calls: 3, Attempts: 5, PromptTokens: 200, CachedTokens: 120, CompletionTokens: 20, ReasoningTokens: 8,
			UnknownPrompt: 1, UnknownCached: 1, UnknownCompletion: 1, UnknownReasoning: 1, Cost: 0.5, UnknownCost: 1, Latency: 6},
		"judge": {Calls: 2, Failed: 2, Attempts: 8, PromptTokens: 7, CompletionTokens: 1, UnknownCached: 1, UnknownReasoning: 1, Cost: 0.5},
		"other": {Calls: 1, Attempts: 2, PromptTokens: 100, CachedTokens: 60, CompletionTokens: 10, ReasoningTokens: 4, Cost: 0.25, Latency: 3},
	}
	got := m.Snapshot()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(llm.Totals{})); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if c := got["agent"].KnownCost(); c != nil {
		t.Errorf("cost with an unpriced answer is %v, want unknown", *c)
	}
	if c := got["judge"].KnownCost(); c == nil || *c != 0.5 {
		t.Errorf("cost of the judge is %v, want 0.5", c)
	}
	if sum := m.Total(); sum.Calls != 6 || sum.Cost != 1.25 {
		t.Errorf("total %+v", sum)
	}
}

// TestMeterSumIgnoresOrder: the same calls give the same bits in any order and
// from any number of goroutines.
func TestMeterSumIgnoresOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.Float64Range(0, 3), 1, 40).Draw(t, "costs")
		order := rapid.Permutation(costs).Draw(t, "order")
		var serial, parallel llm.Meter
		for _, c := range costs {
			_, _ = serial.Wrap(answering(llm.Response{Cost: &c}, nil)).Complete(context.Background(), tagged("agent"))
		}
		var wg sync.WaitGroup
		for _, c := range order {
			wg.Go(func() {
				_, _ = parallel.Wrap(answering(llm.Response{Cost: &c}, nil)).Complete(context.Background(), tagged("agent"))
			})
		}
		wg.Wait()
		if a, b := serial.Total(), parallel.Total(); a != b {
			t.Fatalf("%v and %v", a, b)
		}
	})
}

func TestUsageConventions(t *testing.T) {
	t.Parallel()
	k := llm.Known
	tests := []struct {
		name, usage string
		want        llm.Usage
		quirks      []string
	}{
		{"OpenAI", `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}`,
			llm.Usage{PromptTokens: k(10), CachedTokens: k(4), CompletionTokens: k(5), ReasoningTokens: k(2)}, nil},
		{"null details", `{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":null,"completion_tokens_details":null}`,
			llm.Usage{PromptTokens: k(10), CompletionTokens: k(5)}, nil},
		{"DeepSeek", `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":2}`,
			llm.Usage{PromptTokens: k(10), CachedTokens: k(8), CompletionTokens: k(5)}, nil},
		{"Anthropic's own spelling", `{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":50}`,
			llm.Usage{PromptTokens: k(160), CachedTokens: k(100), CacheWriteTokens: k(50), CompletionTokens: k(5)}, []string{"cached_outside_prompt"}},
		{"responses spelling", `{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":3},"output_tokens_details":{"reasoning_tokens":1}}`,
			llm.Usage{PromptTokens: k(10), CachedTokens: k(3), CompletionTokens: k(5), ReasoningTokens: k(1)}, nil},
		{"cache outside the prompt, by size", `{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":90}}`,
			llm.Usage{PromptTokens: k(100), CachedTokens: k(90), CompletionTokens: k(5)}, []string{"cached_outside_prompt"}},
		{"cache outside the prompt, by total", `{"prompt_tokens":50,"completion_tokens":5,"total_tokens":85,"prompt_tokens_details":{"cached_tokens":30}}`,
			llm.Usage{PromptTokens: k(80), CachedTokens: k(30), CompletionTokens: k(5)}, []string{"cached_outside_prompt"}},
		{"reasoning outside the completion, by size", `{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":70}}`,
			llm.Usage{PromptTokens: k(10), CompletionTokens: k(75), ReasoningTokens: k(70)}, []string{"reasoning_outside_completion"}},
		{"reasoning only in the total", `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":55}`,
			llm.Usage{PromptTokens: k(10), CompletionTokens: k(45), ReasoningTokens: k(40)}, []string{"reasoning_outside_completion"}},
		{"text and floats", `{"prompt_tokens":"10","completion_tokens":5.0}`, llm.Usage{PromptTokens: k(10), CompletionTokens: k(5)}, []string{"float_usage"}},
		{"nonsense is unknown", `{"prompt_tokens":-1,"completion_tokens":2.5}`, llm.Usage{}, []string{"odd_usage"}},
		{"no object", `"many"`, llm.Usage{}, nil},
		{"empty", `{}`, llm.Usage{}, nil},
		{"zero completion is known", `{"prompt_tokens":10,"completion_tokens":0}`, llm.Usage{PromptTokens: k(10), CompletionTokens: k(0)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _, quirks := llm.ReadUsage(tt.usage)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.quirks, quirks, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("quirks (-want +got):\n%s", diff)
			}
		})
	}
	if _, billed, _ := llm.ReadUsage(`{"prompt_tokens":1,"completion_tokens":1,"cost":0.0125}`); billed == nil || *billed != 0.0125 {
		t.Errorf("billed cost %v, want 0.0125", billed)
	}
}

// TestCountJSON keeps unknown apart from zero in files.
func TestCountJSON(t *testing.T) {
	t.Parallel()
	in := llm.Usage{PromptTokens: llm.Known(0), CompletionTokens: llm.Known(7)}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"prompt_tokens":0,"cached_tokens":null,"completion_tokens":7,"reasoning_tokens":null}`
	if string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	var out llm.Usage
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Errorf("read back %+v, error %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"prompt_tokens":1.5}`), &out); err == nil {
		t.Error("a fraction was accepted")
	}
	if s := (llm.Count{}).String() + " " + llm.Known(3).String(); s != "unknown 3" {
		t.Errorf("text %q", s)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	full := llm.Price{Input: ptr(2.0), Cached: ptr(0.5), CacheWrite: ptr(2.5), Output: ptr(8.0), UpToPrompt: ptr(int64(2_000_000))}
	k := llm.Known
	tests := []struct {
		name  string
		price llm.Price
		usage llm.Usage
		want  *float64
	}{
		{"all parts", full, llm.Usage{PromptTokens: k(1_000_000), CachedTokens: k(400_000), CacheWriteTokens: k(100_000), CompletionTokens: k(500_000), ReasoningTokens: k(400_000)},
			ptr(0.5*2 + 0.4*0.5 + 0.1*2.5 + 0.5*8)},
		{"cached unknown is charged in full", full, llm.Usage{PromptTokens: k(1_000_000), CompletionTokens: k(0)}, ptr(2.0)},
		{"prompt unknown", full, llm.Usage{CompletionTokens: k(1)}, nil},
		{"completion unknown", full, llm.Usage{PromptTokens: k(1)}, nil},
		{"no price", llm.Price{}, llm.Usage{PromptTokens: k(1), CompletionTokens: k(1)}, nil},
		{"no price for what was cached", llm.Price{Input: ptr(2.0), Output: ptr(8.0)}, llm.Usage{PromptTokens: k(10), CachedTokens: k(1), CompletionTokens: k(1)}, nil},
		{"nothing was cached", llm.Price{Input: ptr(2.0), Output: ptr(8.0)}, llm.Usage{PromptTokens: k(10), CachedTokens: k(0), CompletionTokens: k(1)}, ptr(28.0 / 1e6)},
		{"beyond the bracket", full, llm.Usage{PromptTokens: k(2_000_001), CompletionTokens: k(1)}, nil},
		{"free", llm.Price{Input: ptr(0.0), Output: ptr(0.0)}, llm.Usage{PromptTokens: k(10), CompletionTokens: k(1)}, ptr(0.0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.price.Cost(tt.usage), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("cost (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMeterKnowsWhatIsUnderWay follows one call that is sent twice, and one that
// waits for a slot.
func TestMeterKnowsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		meter := &llm.Meter{}
		want := func(retrying int, oldest time.Time) {
			t.Helper()
			synctest.Wait()
			if n, at := meter.Ongoing(); n != retrying || !at.Equal(oldest) {
				t.Errorf("%d retrying, oldest of %s, want %d and %s", n, at, retrying, oldest)
			}
		}
		want(0, time.Time{})
		busy := &script{errs: []error{fault(llm.KindServer, time.Second)}}
		l := llm.NewLimiter(llm.Limits{Concurrency: 1})
		slow := llm.Chain(&endpoint{latency: 10 * time.Second}, meter.Wrap, l.Wrap)
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = llm.Chain(busy, meter.Wrap, llm.RetryMetered(meter)).Complete(t.Context(), hello()) })
		want(1, start)
		time.Sleep(2 * time.Second)
		want(0, time.Time{})
		second := time.Now()
		wg.Go(func() { _, _ = slow.Complete(t.Context(), hello()) })
		want(0, second)
		time.Sleep(time.Second)
		wg.Go(func() { _, _ = slow.Complete(t.Context(), hello()) })
		want(0, second)
		time.Sleep(9 * time.Second)
		want(0, second.Add(time.Second))
		wg.Wait()
		want(0, time.Time{})
	})
}
