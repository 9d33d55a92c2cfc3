package figure

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes around the curves of a panel.
const (
	xSpace     = vg.Length(40) // the k axis with its numbers and label
	tickLength = vg.Length(5)
	gap        = vg.Length(5) // between an axis and the curves
)

// mostBands is how many bands can lie over each other; more systems stand beside each other, with bars.
const mostBands = 4

// axes are the coordinates of a panel: k from 1 to most along c, or x from 0, values from lo to hi up it.
type axes struct {
	c            draw.Canvas
	x            string // what grows with; "" for k
	most, stride float64
	lo, hi, rise float64 // limits of the values, and the distance between their numbers
	decimals     int     // of these
	ySpace       vg.Length
	aside        float64 // between systems that stand beside each other; 0 where there are bands
	looks        []int   // of all systems in the figure, which have their places beside each other in this order
}

// axes are those of all panels, in cells of a width.
func (f Figure) axes(width vg.Length) axes {
	a := axes{x: f.X, most: 1, rise: 0.1, decimals: 1}
	a.lo, a.hi = f.limits()
	k, _ := f.most()
	a.most = max(a.most, k)
	if a.x != "" {
		a.most, a.rise, a.decimals = k, step(a.hi), -1
	}
	crowd := 0
	for _, p := range f.Panels {
		n := 0
		for _, s := range p.Series {
			if !slices.Contains(a.looks, s.Look) {
				a.looks = append(a.looks, s.Look)
			}
			if !s.Paper {
				n++
			}
		}
		crowd = max(crowd, n)
	}
	slices.Sort(a.looks)
	if a.x == "" && (crowd > mostBands || k == 1 && crowd > 1) {
		a.aside = 0.7 / float64(len(a.looks))
	}
	label := style(8, text.XRight, text.YCenter, color.Black)
	for n := math.Round(a.lo / a.rise); n <= math.Round(a.hi/a.rise); n++ {
		a.ySpace = max(a.ySpace, gap+tickLength+4+label.Width(number(n*a.rise, a.decimals)))
	}
	a.stride = step(a.most)
	if a.x == "" {
		room := (width - a.ySpace - margin) / vg.Length(a.most)
		for _, a.stride = range []float64{1, 5, 10, 20} {
			if room*vg.Length(a.stride) >= label.Width("00")+3 {
				break
			}
		}
	}
	return a
}

func (a axes) at(k, value float64) vg.Point {
	side := 0.2
	if a.aside > 0 {
		side = 0.45
	}
	across := (k - 1 + side) / (a.most - 1 + 2*side)
	if a.x != "" {
		across = k / a.most
	}
	return vg.Point{X: a.c.X(across), Y: a.c.Y((value - a.lo) / (a.hi - a.lo))}
}

// beside is where k is for a system.
func (a axes) beside(k float64, look int) float64 {
	return k + a.aside*(float64(slices.Index(a.looks, look))-float64(len(a.looks)-1)/2)
}

// step is a round number that fits into a span about five times.
func step(span float64) float64 {
	if span <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, n := range []float64{1, 2, 5} {
		if span <= 5.5*n*unit {
			return n * unit
		}
	}
	return 10 * unit
}

// draw draws the grid, both axes and their numbers.
func (a axes) draw() {
	c, black := a.c, draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
	grid := draw.LineStyle{Color: color.Gray{Y: 225}, Width: vg.Points(0.25)}
	for n := math.Round(a.lo / a.rise); n <= math.Round(a.hi/a.rise); n++ {
		y := a.at(1, n*a.rise).Y
		c.StrokeLine2(grid, c.Min.X, y, c.Max.X, y)
		c.StrokeLine2(black, c.Min.X-gap-tickLength, y, c.Min.X-gap, y)
		c.FillText(style(8, text.XRight, text.YCenter, color.Black), vg.Point{X: c.Min.X - gap - tickLength - 2, Y: y}, number(n*a.rise, a.decimals))
	}
	c.StrokeLine2(black, c.Min.X-gap, c.Min.Y, c.Min.X-gap, c.Max.Y)
	bottom := c.Min.Y - gap
	label, tick, first := "k", 1.0, 1.0
	if a.x != "" {
		label, tick, first = shown(a.x), a.stride, 0
	}
	for k := first; k <= a.most; k += tick {
		x, length := a.at(k, 0).X, tickLength
		if a.x != "" || k == 1 || math.Mod(k, a.stride) == 0 {
			c.FillText(style(8, text.XCenter, text.YTop, color.Black), vg.Point{X: x, Y: bottom - tickLength - 2}, number(k, -1))
		} else {
			length /= 2
		}
		c.StrokeLine2(black, x, bottom-length, x, bottom)
	}
	c.StrokeLine2(black, c.Min.X, bottom, c.Max.X, bottom)
	c.FillText(style(9, text.XCenter, text.YTop, color.Black), vg.Point{X: c.Center().X, Y: bottom - tickLength - 14}, label)
}

// number is a number at an axis: with so many decimals, or with those that it has where that is -1.
func number(v float64, decimals int) string {
	return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', decimals, 64)
}

// interval draws the intervals of a system: a band, or bars where there are too many, or one point alone.
func (a axes) interval(s Series) {
	col := lookOf(s.Look, false).line.Color.(color.NRGBA)
	if a.aside > 0 || len(s.Points) == 1 {
		bar := draw.LineStyle{Color: col, Width: vg.Points(0.7)}
		for _, p := range s.Points {
			lo, hi := a.at(a.beside(p.K, s.Look), p.Lo), a.at(a.beside(p.K, s.Look), p.Hi)
			a.c.StrokeLine2(bar, lo.X, lo.Y, hi.X, hi.Y)
			for _, end := range []vg.Point{lo, hi} {
				a.c.StrokeLine2(bar, end.X-1.5, end.Y, end.X+1.5, end.Y)
			}
		}
		return
	}
	var edge []vg.Point
	for _, p := range s.Points {
		edge = append(edge, a.at(p.K, p.Hi))
	}
	for j := len(s.Points) - 1; j >= 0; j-- {
		edge = append(edge, a.at(s.Points[j].K, s.Points[j].Lo))
	}
	if len(edge) > 0 {
		col.A = 40
		a.c.FillPolygon(col, edge)
	}
}

// line draws the series of a system with a marker for each point; what grows, in steps with the last one alone.
func (a axes) line(s Series) {
	look := lookOf(s.Look, s.Paper)
	var at []vg.Point
	for _, p := range s.Points {
		if n := len(at); a.x != "" && n > 0 {
			at = append(at, vg.Point{X: a.at(p.K, 0).X, Y: at[n-1].Y})
		}
		at = append(at, a.at(a.beside(p.K, s.Look), p.Value))
	}
	if len(at) > 1 {
		a.c.StrokeLines(look.line, at)
	}
	if a.x != "" && len(at) > 0 {
		at = at[len(at)-1:]
	}
	for _, p := range at {
		a.c.DrawGlyph(look.dot, p)
	}
}

// limits are those of the vertical axes, the same for all panels, at tenths; of what grows, from nothing to a round number.
func (f Figure) limits() (lo, hi float64) {
	if f.X != "" {
		_, top := f.most()
		return 0, max(1e-9, math.Ceil(top/step(top)-1e-9)*step(top))
	}
	lo, hi = 1, 0
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, at := range s.Points {
				lo, hi = min(lo, at.Lo, at.Value), max(hi, at.Hi, at.Value)
			}
		}
	}
	if lo > hi {
		return 0, 1
	}
	lo, hi = math.Floor(lo*10+1e-9)/10, math.Ceil(hi*10-1e-9)/10
	if hi-lo < 0.1 {
		lo, hi = max(0, lo-0.1), min(1, hi+0.1)
	}
	return lo, hi
}

// most is the largest k or time, and the largest value.
func (f Figure) most() (k, value float64) {
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, at := range s.Points {
				k, value = max(k, at.K), max(value, at.Value)
			}
		}
	}
	return k, value
}
