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

// axes are the coordinates of a panel: k from 1 to most along c, values from lo to hi up it.
type axes struct {
	c      draw.Canvas
	most   int
	lo, hi float64
}

func (a axes) at(k int, value float64) vg.Point {
	across := (float64(k) - 0.8) / (float64(a.most) - 0.6)
	return vg.Point{X: a.c.X(across), Y: a.c.Y((value - a.lo) / (a.hi - a.lo))}
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
	a := axes{c: draw.Crop(c, left, -gap, xSpace, -titleSpace), most: 1, lo: lo, hi: hi}
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
	for v := math.Round(a.lo * 10); v <= math.Round(a.hi*10); v++ {
		y := a.at(1, v/10).Y
		c.StrokeLine2(grid, c.Min.X, y, c.Max.X, y)
		c.StrokeLine2(black, c.Min.X-gap-tickLength, y, c.Min.X-gap, y)
		c.FillText(style(8, text.XRight, text.YCenter, color.Black), vg.Point{X: c.Min.X - gap - tickLength - 2, Y: y}, strconv.FormatFloat(v/10, 'f', 1, 64))
	}
	c.StrokeLine2(black, c.Min.X-gap, c.Min.Y, c.Min.X-gap, c.Max.Y)
	bottom := c.Min.Y - gap
	for k := 1; k <= a.most; k++ {
		x, length := a.at(k, 0).X, tickLength
		if a.most <= 12 || k == 1 || k%5 == 0 {
			c.FillText(style(8, text.XCenter, text.YTop, color.Black), vg.Point{X: x, Y: bottom - tickLength - 2}, strconv.Itoa(k))
		} else {
			length /= 2
		}
		c.StrokeLine2(black, x, bottom-length, x, bottom)
	}
	c.StrokeLine2(black, c.Min.X, bottom, c.Max.X, bottom)
	c.FillText(style(9, text.XCenter, text.YTop, color.Black), vg.Point{X: c.Center().X, Y: bottom - tickLength - 14}, "k")
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
	if len(s.Points) > 1 {
		col := colours()[i%len(colours())]
		col.A = 40
		a.c.FillPolygon(col, edge)
	}
}

// line draws a series with a dot for each point.
func (a axes) line(s Series, i int) {
	look := lookOf(i)
	var at []vg.Point
	for _, p := range s.Points {
		at = append(at, a.at(p.K, p.Value))
	}
	if len(at) > 1 {
		a.c.StrokeLines(look.line, at)
	}
	for _, p := range at {
		a.c.DrawGlyph(look.dot, p)
	}
}
