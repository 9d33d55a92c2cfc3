package metrics_test

import (
	"math"
	"testing"
)

// span is a closed interval of numbers: arithmetic on published figures, which are rounded, has to carry what the
// rounding leaves open.
type span struct{ lo, hi float64 }

// rounded is what a number printed with so many decimals can stand for.
func rounded(v float64, decimals int) span {
	half := 0.5 * math.Pow10(-decimals)
	return span{v - half, v + half}
}

func exact(v float64) span { return span{v, v} }

func (a span) add(b span) span { return span{a.lo + b.lo, a.hi + b.hi} }

func (a span) sub(b span) span { return span{a.lo - b.hi, a.hi - b.lo} }

func (a span) mul(b span) span {
	products := []float64{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}
	out := span{products[0], products[0]}
	for _, p := range products[1:] {
		out = span{min(out.lo, p), max(out.hi, p)}
	}
	return out
}

// over is the quotient by a span that does not hold 0.
func (a span) over(b span) span { return a.mul(span{1 / b.hi, 1 / b.lo}) }

// slack is for the last bits that decimal fractions lose.
const slack = 1e-12

func (a span) meets(b span) bool     { return a.lo <= b.hi+slack && b.lo <= a.hi+slack }
func (a span) holds(v float64) bool  { return a.lo-slack <= v && v <= a.hi+slack }
func (a span) width() float64        { return a.hi - a.lo }
func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

func TestSpans(t *testing.T) {
	tests := []struct {
		name string
		got  span
		want span
	}{
		{"rounded", rounded(0.62, 2), span{0.615, 0.625}},
		{"add", span{1, 2}.add(span{-3, 4}), span{-2, 6}},
		{"sub", span{1, 2}.sub(span{-3, 4}), span{-3, 5}},
		{"mul", span{-1, 2}.mul(span{-3, 4}), span{-6, 8}},
		{"over", span{1, 2}.over(span{4, 8}), span{0.125, 0.5}},
		{"exact", exact(3).mul(span{1, 2}), span{3, 6}},
	}
	for _, tt := range tests {
		if !near(tt.got.lo, tt.want.lo, slack) || !near(tt.got.hi, tt.want.hi, slack) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	if (span{0, 1}).meets(span{1.1, 2}) || !(span{0, 1}).meets(span{1, 2}) || (span{0, 1}).holds(1.1) || !near(span{1, 3}.width(), 2, 0) {
		t.Error("meets, holds or width is wrong")
	}
}
