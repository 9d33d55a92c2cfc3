package metrics_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

// figures computes everything that the package can of two systems' outcomes.
func figures(first, second []metrics.Outcome, k int, seed uint64) []any {
	b := metrics.Bootstrap{Seed: seed, Resamples: 41}
	p := metrics.PairUp(first, second, k)
	test := metrics.McNemarTest(p.Discordant(), metrics.PairUp(second, first, k+1).Discordant())
	out := []any{
		metrics.PassHat(first, k), metrics.PassAt(first, k), metrics.StrictPass(first), metrics.Consistency(first, k),
		metrics.PerTrial(first), metrics.MeanPassHat([][]metrics.Outcome{first, second}, k),
		metrics.ASR(first), metrics.ASRAt(first, k), p, b.Delta(p), metrics.Difference(p, p), test,
		metrics.Holm([]float64{test.Normal, test.Exact, math.NaN()}), metrics.Cover(first),
		metrics.TimesAs(metrics.PassHat(first, 1), metrics.PassHat(second, 1)),
	}
	return append(out, test.Odds(), metrics.PassDifference(k, metrics.Both{First: first, Second: second}))
}

// faults finds what must never leave: a number that is not finite, a figure that is undefined without saying why or
// defined with a reason, an interval the wrong way round.
func faults(v reflect.Value, at string) []string {
	var bad []string
	switch x := v.Interface().(type) {
	case metrics.Estimate:
		if x.Defined == (x.Reason != "") || !x.Defined && x.Value != 0 {
			bad = append(bad, at+": defined and reason do not go together")
		}
	case metrics.Interval:
		if x.Defined && (x.Reason != "" || x.Method == "") || x.Lo > x.Hi {
			bad = append(bad, at+": no interval")
		}
	}
	switch v.Kind() {
	case reflect.Float64:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			bad = append(bad, at+": not finite")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			bad = append(bad, faults(v.Field(i), at+"."+v.Type().Field(i).Name)...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			bad = append(bad, faults(v.Index(i), at)...)
		}
	}
	return bad
}

// checkFigures fails on any fault, and where a program could not write the figures down.
func checkFigures(t interface{ Fatalf(string, ...any) }, list []any) {
	for _, one := range list {
		if bad := faults(reflect.ValueOf(one), reflect.TypeOf(one).String()); len(bad) > 0 {
			t.Fatalf("%v in %+v", bad, one)
		}
	}
	if _, err := json.Marshal(list); err != nil {
		t.Fatalf("%v", err)
	}
}

func TestFaultsAreFound(t *testing.T) {
	for name, v := range map[string]any{
		"NaN":              metrics.McNemar{Z: math.NaN()},
		"infinite":         []float64{1, math.Inf(-1)},
		"no reason":        metrics.Estimate{},
		"reason too many":  metrics.Estimate{Defined: true, Reason: "x"},
		"value without":    metrics.Estimate{Value: 1, Reason: "x"},
		"wrong way round":  metrics.Spread{Mean: metrics.Estimate{Defined: true, Interval: metrics.Interval{Lo: 2, Hi: 1, Defined: true}}, Deviation: not("x")},
		"limit not finite": metrics.Interval{Lo: 0, Hi: math.Inf(1), Defined: true},
	} {
		if len(faults(reflect.ValueOf(v), "it")) == 0 {
			t.Errorf("%s: no fault found in %+v", name, v)
		}
	}
}

// ragged draws outcomes as no sane run has them: any states, holes, repeated trials, or nothing at all.
func ragged(t *rapid.T, name string) []metrics.Outcome {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) metrics.Outcome {
		return metrics.Outcome{Task: rapid.SampledFrom([]string{"", "a", "b", "c", "ü"}).Draw(t, "task"), Trial: rapid.IntRange(-1, 3).Draw(t, "trial"),
			State: metrics.State(rapid.IntRange(0, 4).Draw(t, "state"))}
	}), 0, 24).Draw(t, name)
}

func TestFiguresAreFiniteOrSayWhy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkFigures(t, figures(ragged(t, "first"), ragged(t, "second"), rapid.IntRange(-1, 6).Draw(t, "k"), rapid.Uint64().Draw(t, "seed")))
	})
}

// FuzzFigures reads a byte for each outcome: two bits of task, three of trial, two of state, one of side.
func FuzzFigures(f *testing.F) {
	f.Add([]byte{}, 4, uint64(0))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7}, 1, uint64(1))
	f.Add([]byte("all void or pending: \xa0\xc0\xe0\xff"), 2, uint64(7))
	f.Fuzz(func(t *testing.T, text []byte, k int, seed uint64) {
		var sides [2][]metrics.Outcome
		for _, c := range text[:min(len(text), 200)] {
			o := metrics.Outcome{Task: string('a' + rune(c&3)), Trial: int(c >> 2 & 7), State: metrics.State(c >> 5 & 3)}
			sides[c>>7] = append(sides[c>>7], o)
		}
		checkFigures(t, figures(sides[0], sides[1], k%64, seed))
	})
}
