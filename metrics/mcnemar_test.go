package metrics_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

// coins is the two-sided exact p by counting: twice the share of the 2^n outcomes with at most min(a,b) heads.
func coins(a, b int) float64 {
	n := int64(a + b)
	sum := new(big.Int)
	for i := range int64(min(a, b)) + 1 {
		sum.Add(sum, new(big.Int).Binomial(n, i))
	}
	p := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n)))
	v, _ := p.Float64()
	return min(1, v)
}

func TestMcNemarExact(t *testing.T) {
	for a := range 41 {
		for b := range 41 {
			got := metrics.McNemarTest(metrics.Discordant{First: a, Second: b})
			if want := coins(a, b); math.Abs(got.Exact-want) > 1e-12*(1+1/want) {
				t.Errorf("%d and %d: exact p %v, want %v", a, b, got.Exact, want)
			}
			odds := got.Odds()
			if odds.Defined != (b > 0) || odds.Defined && odds.Value != float64(a)/float64(b) {
				t.Errorf("%d and %d: odds ratio %+v", a, b, odds)
			}
			if i := odds.Interval; odds.Defined && (i.Lo > 1 || i.Hi < 1) != (got.Exact < 0.05) {
				t.Errorf("%d and %d: odds ratio between %v and %v, exact p %v", a, b, i.Lo, i.Hi, got.Exact)
			}
		}
	}
}

func TestMcNemarNormal(t *testing.T) {
	tests := []struct {
		name   string
		strata []metrics.Discordant
		z, p   float64
	}{
		{"no strata", nil, 0, 1},
		{"nothing discordant", []metrics.Discordant{{}, {}}, 0, 1},
		{"balanced", []metrics.Discordant{{First: 8, Second: 8}}, 0, 1},
		{"one sigma", []metrics.Discordant{{First: 10, Second: 6}}, 1, 0.31731050786291415},
		{"two sigma over strata", []metrics.Discordant{{First: 1, Second: 4}, {First: 5, Second: 15}, {Second: 0}}, -2.6, 0.0093223760474},
		{"strata may cancel", []metrics.Discordant{{First: 9, Second: 1}, {First: 1, Second: 9}}, 0, 1},
		{"the far tail keeps its digits", []metrics.Discordant{{First: 100}}, 10, 1.5239706048321e-23},
		{"negative counts are none", []metrics.Discordant{{First: -3, Second: -1}}, 0, 1},
	}
	for _, tt := range tests {
		got := metrics.McNemarTest(tt.strata...)
		if !near(got.Z, tt.z, 1e-9) || math.Abs(got.Normal-tt.p) > 1e-9*tt.p || got.Strata != len(tt.strata) {
			t.Errorf("%s: %+v, want Z %v, p %v", tt.name, got, tt.z, tt.p)
		}
	}
}

// TestMcNemarOf pools the pairings that compare something, and counts only those as strata.
func TestMcNemarOf(t *testing.T) {
	airline := metrics.PairUp(system("a s", "b s", "c f"), system("a f", "b f", "c s"), 1)
	retail := metrics.PairUp(system("a s", "b s"), system("a f", "b s"), 1)
	lost := metrics.PairUp(system("a s", "b v"), system("a f", "b s"), 1)
	got := metrics.McNemarOf(airline, lost, retail)
	if want := metrics.McNemarTest(metrics.Discordant{First: 2, Second: 1}, metrics.Discordant{First: 1}); got != want || got.Strata != 2 || got.Discordant() != 4 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := metrics.McNemarOf(lost); got != metrics.McNemarTest() {
		t.Errorf("nothing to compare: %+v", got)
	}
}

func TestHolm(t *testing.T) {
	tests := []struct {
		name     string
		in, want []float64
	}{
		{"none", nil, nil},
		{"one", []float64{0.03}, []float64{0.03}},
		{"keeps the order", []float64{0.04, 0.01, 0.03}, []float64{0.06, 0.03, 0.06}},
		{"never above 1", []float64{0.9, 0.5}, []float64{1, 1}},
		{"ties", []float64{0.02, 0.02}, []float64{0.04, 0.04}},
		{"no probability is 1", []float64{math.NaN(), 0.01, -1, math.Inf(1)}, []float64{1, 0.04, 1, 1}},
	}
	for _, tt := range tests {
		got := metrics.Holm(tt.in)
		for i := range tt.want {
			if len(got) != len(tt.want) || !near(got[i], tt.want[i], 1e-15) {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
				break
			}
		}
	}
}

// TestHolmIsMonotone: corrected p are in the order of the plain ones, none is smaller, and none exceeds Bonferroni's.
func TestHolmIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 12).Draw(t, "p")
		got := metrics.Holm(ps)
		for i, p := range ps {
			if got[i] < p || got[i] > min(1, p*float64(len(ps)))+1e-15 {
				t.Fatalf("p %v became %v of %d", p, got[i], len(ps))
			}
			for j, q := range ps {
				if p < q && got[i] > got[j] {
					t.Fatalf("%v < %v became %v > %v", p, q, got[i], got[j])
				}
			}
		}
	})
}
