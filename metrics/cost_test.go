package metrics_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tauguide/tauguide/metrics"
)

func value(v float64) metrics.Estimate { return metrics.Estimate{Value: v, Defined: true} }

func not(why string) metrics.Estimate { return metrics.Estimate{Reason: why} }

func TestCostOf(t *testing.T) {
	tests := []struct {
		name          string
		use           metrics.Usage
		conversations int
		want          metrics.Costs
	}{
		{"whole", metrics.Usage{Calls: 10, Prompt: 1000, Cached: 250, Completion: 50, Cost: 2}, 4,
			metrics.Costs{CallsPerTask: value(2.5), PromptPerCall: value(100), CachedShare: value(0.25), OutputPerCall: value(5), Dollars: value(2), DollarsPerTask: value(0.5)}},
		{"never asked", metrics.Usage{}, 4,
			metrics.Costs{CallsPerTask: value(0), PromptPerCall: not("no calls"), CachedShare: not("no prompt tokens"), OutputPerCall: not("no calls"), Dollars: value(0), DollarsPerTask: value(0)}},
		{"nothing ran", metrics.Usage{}, 0,
			metrics.Costs{CallsPerTask: not("no conversations"), PromptPerCall: not("no calls"), CachedShare: not("no prompt tokens"), OutputPerCall: not("no calls"), Dollars: value(0), DollarsPerTask: not("no conversations")}},
		{"unknown price", metrics.Usage{Calls: 2, Prompt: 10, Cached: 0, Completion: 2, Cost: 1, UnknownCost: 1}, 1,
			metrics.Costs{CallsPerTask: value(2), PromptPerCall: value(5), CachedShare: value(0), OutputPerCall: value(1),
				Dollars: not("the cost of 1 of 2 calls is unknown"), DollarsPerTask: not("the cost of 1 of 2 calls is unknown")}},
		{"unknown tokens", metrics.Usage{Calls: 2, Prompt: 10, UnknownTokens: 1, UnknownCached: 2, UnknownCost: 1}, 1,
			metrics.Costs{CallsPerTask: value(2), PromptPerCall: not("1 of 2 calls came without counts of tokens"), CachedShare: not("1 of 2 calls came without counts of tokens"),
				OutputPerCall: not("1 of 2 calls came without counts of tokens"), Dollars: not("the cost of 1 of 2 calls is unknown"), DollarsPerTask: not("the cost of 1 of 2 calls is unknown")}},
		{"unknown cached", metrics.Usage{Calls: 2, Prompt: 10, Completion: 4, UnknownCached: 2, Cost: 1}, 1,
			metrics.Costs{CallsPerTask: value(2), PromptPerCall: value(5), CachedShare: not("2 of 2 calls came without a count of cached tokens"), OutputPerCall: value(2), Dollars: value(1), DollarsPerTask: value(1)}},
		{"one of them unknown cached", metrics.Usage{Calls: 2, Prompt: 10, Completion: 4, UnknownCached: 1, Cost: 1}, 1,
			metrics.Costs{CallsPerTask: value(2), PromptPerCall: value(5), CachedShare: not("1 of 2 calls came without a count of cached tokens"), OutputPerCall: value(2), Dollars: value(1), DollarsPerTask: value(1)}},
	}
	for _, tt := range tests {
		got := metrics.CostOf(map[string]metrics.Use{"a": {Usage: tt.use, Conversations: tt.conversations}})
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(metrics.Estimate{}, "Tasks", "Interval"), cmpopts.IgnoreFields(metrics.Costs{}, "TokensPerTask")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

// TestSlips: one answer in fifty is what models do; more is told as a warning. Failed calls are no answers.
func TestSlips(t *testing.T) {
	for _, c := range []struct {
		use   metrics.Usage
		often []bool
	}{
		{metrics.Usage{Calls: 50}, nil},
		{metrics.Usage{Calls: 50, CutOff: 1, CallsInText: 2}, []bool{false, true}},
		{metrics.Usage{Calls: 50, Failed: 1, Refusals: 1}, []bool{true}},
	} {
		var often []bool
		for _, s := range c.use.Slips() {
			if often = append(often, s.Often); s.What == "" || s.Cure == "" {
				t.Errorf("%+v has no words", s)
			}
		}
		if diff := cmp.Diff(c.often, often); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", c.use, diff)
		}
	}
}

// TestUsageAdds holds that every figure of a usage, those of a later version included, is summed.
func TestUsageAdds(t *testing.T) {
	var one, sum metrics.Usage
	v := reflect.ValueOf(&one).Elem()
	for i := range v.NumField() {
		v.Field(i).Set(reflect.ValueOf(i + 1).Convert(v.Field(i).Type()))
	}
	sum.Add(one)
	sum.Add(one)
	got := reflect.ValueOf(sum)
	for i := range got.NumField() {
		if n := got.Field(i).Convert(reflect.TypeFor[int]()).Int(); n != int64(2*(i+1)) {
			t.Errorf("%s is %d after adding %d twice", got.Type().Field(i).Name, n, i+1)
		}
	}
}

func TestTimes(t *testing.T) {
	if e := metrics.MeanSeconds([]float64{1, 2, 6}); !e.Defined || e.Value != 3 || e.Tasks != 3 {
		t.Errorf("mean %+v, want 3", e)
	}
	for name, e := range map[string]metrics.Estimate{
		"no times":    metrics.MeanSeconds(nil),
		"NaN":         metrics.MeanSeconds([]float64{1, math.NaN()}),
		"infinite":    metrics.MeanSeconds([]float64{math.Inf(1)}),
		"no first":    metrics.TimesAs(not("gone"), value(1)),
		"no second":   metrics.TimesAs(value(1), not("gone")),
		"nothing":     metrics.TimesAs(value(1), value(0)),
		"NaN dollars": metrics.CostOf(map[string]metrics.Use{"a": {Usage: metrics.Usage{Cost: math.NaN()}, Conversations: 1}}).Dollars,
	} {
		if e.Defined || e.Reason == "" || e.Value != 0 {
			t.Errorf("%s: %+v, want undefined with a reason", name, e)
		}
	}
	if e := metrics.MeanSeconds(nil); e.Reason != "no conversation ran to its end" {
		t.Errorf("no times: %+v", e)
	}
	if a, b := metrics.TimesAs(not("gone"), value(1)), metrics.TimesAs(value(1), not("lost")); a.Reason != "gone" || b.Reason != "lost" {
		t.Errorf("reasons %q and %q, want those of what is missing", a.Reason, b.Reason)
	}
	if e := metrics.TimesAs(value(210.1), value(36.4)); !near(e.Value, 5.772, 0.001) {
		t.Errorf("ratio %+v", e)
	}
}

// TestFailedDollars: what failed calls cost is unknown where nobody tells it, not nothing.
func TestFailedDollars(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		u       metrics.Usage
		defined bool
		value   float64
	}{
		{metrics.Usage{Calls: 2, UnknownCost: 2, Failed: 1, FailedPrompt: 100}, false, 0},
		{metrics.Usage{Calls: 2, UnknownCost: 1}, true, 0},
		{metrics.Usage{Calls: 2, FailedPrompt: 100}, true, 0},
		{metrics.Usage{Calls: 2, UnknownCost: 1, FailedPrompt: 100, FailedCost: 0.5}, true, 0.5},
	} {
		if e := tt.u.FailedDollars(); e.Defined != tt.defined || e.Value != tt.value {
			t.Errorf("%+v: %+v", tt.u, e)
		}
	}
}
