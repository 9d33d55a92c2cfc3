package figure

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes around the curves of a panel.
const (
	titleSpace = vg.Length(18)
	xSpace     = vg.Length(40) // the k axis with its numbers and label
	ySpace     = vg.Length(36) // the vertical axis with its numbers
	ySpaceName = vg.Length(14) // and with its label
	tickLength = vg.Length(5)
	gap        = vg.Length(5) // between an axis and the curves
)

// axes are the coordinates of a panel: k from 1 to most along c, or x from 0, values from lo to hi up it.
type axes struct {
	c      draw.Canvas
	x      string // what grows with; "" for k
	most   float64
	lo, hi float64
}

func (a axes) at(k, value float64) vg.Point {
	across := (k - 0.8) / (a.most - 0.6)
	if a.x != "" {
		across = k / a.most
	}
	return vg.Point{X: a.c.X(across), Y: a.c.Y((value - a.lo) / (a.hi - a.lo))}
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

// panel draws one plot, with the name of the vertical axis if it is the first, and returns where its curves are.
func (f Figure) panel(c draw.Canvas, p Panel, index map[string]int, first bool, lo, hi float64) draw.Canvas {
	c.FillText(style(10, text.XCenter, text.YTop, color.Black), vg.Point{X: c.Center().X, Y: c.Max.Y}, shown(p.Title))
	left := ySpace
	if first {
		left += ySpaceName
		s := style(9, text.XCenter, text.YTop, color.Black)
		s.Rotation = math.Pi / 2
		c.FillText(s, vg.Point{X: c.Min.X, Y: c.Center().Y}, shown(f.Y))
	}
	a := axes{c: draw.Crop(c, left, -gap, xSpace, -titleSpace), x: f.X, most: 1, lo: lo, hi: hi}
	if f.X != "" {
		a.most, _ = f.most()
	}
	for _, s := range p.Series {
		for _, at := range s.Points {
			a.most = max(a.most, at.K)
		}
	}
	a.draw()
	for _, s := range p.Series { // all bands below all lines
		a.band(s, index[s.Name])
	}
	for _, s := range p.Series {
		a.line(s, index[s.Name])
	}
	return a.c
}

// draw draws the grid, both axes and their numbers.
func (a axes) draw() {
	c, black := a.c, draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
	grid := draw.LineStyle{Color: color.Gray{Y: 225}, Width: vg.Points(0.25)}
	rise, along, decimals, x := 0.1, 1.0, 1, "k"
	if a.x != "" {
		rise, along, decimals, x = step(a.hi), step(a.most), -1, a.x
	}
	for n := math.Round(a.lo / rise); n <= math.Round(a.hi/rise); n++ {
		y := a.at(1, n*rise).Y
		c.StrokeLine2(grid, c.Min.X, y, c.Max.X, y)
		c.StrokeLine2(black, c.Min.X-gap-tickLength, y, c.Min.X-gap, y)
		c.FillText(style(8, text.XRight, text.YCenter, color.Black), vg.Point{X: c.Min.X - gap - tickLength - 2, Y: y}, number(n*rise, decimals))
	}
	c.StrokeLine2(black, c.Min.X-gap, c.Min.Y, c.Min.X-gap, c.Max.Y)
	bottom := c.Min.Y - gap
	for n := 0; float64(n)*along <= a.most; n++ {
		if n == 0 && a.x == "" {
			continue // k begins at 1
		}
		x, length := a.at(float64(n)*along, 0).X, tickLength
		if a.x != "" || a.most <= 12 || n == 1 || n%5 == 0 {
			c.FillText(style(8, text.XCenter, text.YTop, color.Black), vg.Point{X: x, Y: bottom - tickLength - 2}, number(float64(n)*along, -1))
		} else {
			length /= 2
		}
		c.StrokeLine2(black, x, bottom-length, x, bottom)
	}
	c.StrokeLine2(black, c.Min.X, bottom, c.Max.X, bottom)
	c.FillText(style(9, text.XCenter, text.YTop, color.Black), vg.Point{X: c.Center().X, Y: bottom - tickLength - 14}, shown(x))
}

// number is a number at an axis: with so many decimals, or with those that it has where that is -1.
func number(v float64, decimals int) string {
	return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', decimals, 64)
}

// band fills the interval around a series.
func (a axes) band(s Series, i int) {
	var edge []vg.Point
	for _, p := range s.Points {
		edge = append(edge, a.at(p.K, p.Hi))
	}
	for j := len(s.Points) - 1; j >= 0; j-- {
		edge = append(edge, a.at(s.Points[j].K, s.Points[j].Lo))
	}
	if len(s.Points) > 1 && a.x == "" {
		col := colours()[i%len(colours())]
		col.A = 40
		a.c.FillPolygon(col, edge)
	}
}

// line draws a series with a dot for each point; what grows, in steps without dots.
func (a axes) line(s Series, i int) {
	look := lookOf(i)
	var at []vg.Point
	for _, p := range s.Points {
		if n := len(at); a.x != "" && n > 0 {
			at = append(at, vg.Point{X: a.at(p.K, 0).X, Y: at[n-1].Y})
		}
		at = append(at, a.at(p.K, p.Value))
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
