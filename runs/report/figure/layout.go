package figure

import (
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the parts of a figure.
const (
	panelWidth  = 3.1 * vg.Inch // where no width is asked for
	narrowest   = 1.6 * vg.Inch // of a panel where there are several side by side
	titleLine   = vg.Length(15)
	panelLine   = vg.Length(12)
	captionLine = vg.Length(9)
	legendLine  = vg.Length(13)
	margin      = vg.Length(6)
	nameSpace   = vg.Length(14) // the name of the vertical axis
	sampleSpace = vg.Length(32) // a line of the legend before its name
)

// layout is a figure with the places of its parts.
type layout struct {
	Figure
	width, height          vg.Length
	columns                int
	cellWidth, curveHeight vg.Length // of a panel with its numbers; of its curves alone
	title, caption         []string
	titleHeight            vg.Length
	titles                 [][]string // of the panels
	titleLines             int        // of the panel with the most
	legend                 [][]entry
	axes                   axes // the same in all panels, but for where they are drawn
}

// entry is a name in a legend, at a place in its row, with what draws its sample to the right of a point.
type entry struct {
	name   []string
	x      vg.Length
	sample func(c draw.Canvas, left vg.Point)
}

func (f Figure) layout(o Options) layout {
	n := max(1, len(f.Panels))
	l := layout{Figure: f, width: o.Width, columns: n}
	if l.width == 0 {
		l.width = panelWidth*vg.Length(n) + nameSpace + 2*margin
	}
	inside := l.width - nameSpace - 2*margin
	l.columns = min(n, max(1, int(inside/narrowest)))
	l.cellWidth = inside / vg.Length(l.columns)
	l.curveHeight = min(2.5*vg.Inch, max(1.5*vg.Inch, 0.8*l.cellWidth))
	l.axes = f.axes(l.cellWidth)
	if !o.NoCaption {
		l.title = wrap(f.title(), l.width-2*margin, 12)
		l.titleHeight = titleLine*vg.Length(len(l.title)) + margin
		for _, line := range f.Caption {
			l.caption = append(l.caption, wrap(line, l.width-2*margin, 7)...)
		}
	}
	for _, p := range f.Panels {
		title := wrap(p.Title, l.cellWidth-l.axes.ySpace-margin, 10)
		l.titles, l.titleLines = append(l.titles, title), max(l.titleLines, len(title))
	}
	l.legend = f.legend(l.width - 2*margin)
	rows := (n + l.columns - 1) / l.columns
	l.height = 2*margin + l.titleHeight + l.rowHeight()*vg.Length(rows) + captionLine*vg.Length(len(l.caption))
	for _, row := range l.legend {
		l.height += rowLines(row)
	}
	return l
}

// rowHeight is that of a row of panels.
func (l layout) rowHeight() vg.Length {
	return panelLine*vg.Length(l.titleLines) + margin + l.curveHeight + xSpace
}

// rowLines is the height of a row of the legend.
func rowLines(row []entry) vg.Length {
	n := 1
	for _, e := range row {
		n = max(n, len(e.name))
	}
	return legendLine * vg.Length(n)
}

// legend lays out the names of all systems, in the order of their places, in rows of a width, and what marks the paper's points.
func (f Figure) legend(width vg.Length) [][]entry {
	names, paper := map[int]string{}, false
	for _, p := range f.Panels {
		for _, s := range p.Series {
			names[s.Look], paper = s.label(), paper || s.Paper
		}
	}
	var all []entry
	add := func(name string, look look) {
		all = append(all, entry{name: wrap(name, width-sampleSpace, 8), sample: look.sample})
	}
	for _, place := range slices.Sorted(maps.Keys(names)) {
		add(names[place], lookOf(place, false))
	}
	if paper {
		hollow := lookOf(0, true)
		hollow.line.Color, hollow.dot.Color = color.Black, color.Black
		add("hollow: published in the paper", hollow)
	}
	return inRows(all, width)
}

// inRows lays entries out in rows of a width.
func inRows(all []entry, width vg.Length) (out [][]entry) {
	x := width
	for _, e := range all {
		step := sampleSpace + margin
		for _, line := range e.name {
			step = max(step, sampleSpace+margin+style(8, text.XLeft, text.YTop, color.Black).Width(line))
		}
		if x+step > width+margin {
			out, x = append(out, nil), 0
		}
		e.x = x
		out[len(out)-1] = append(out[len(out)-1], e)
		x += step
	}
	return out
}

func (l layout) draw(c draw.Canvas) {
	y := c.Max.Y - margin
	lines(c, style(12, text.XCenter, text.YTop, color.Black), vg.Point{X: c.Center().X, Y: y}, titleLine, l.title)
	y -= l.titleHeight
	name := style(9, text.XCenter, text.YTop, color.Black)
	name.Rotation = math.Pi / 2
	for i, p := range l.Panels {
		x := c.Min.X + margin + nameSpace + l.cellWidth*vg.Length(i%l.columns)
		curves := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x + l.axes.ySpace, Y: y - l.rowHeight() + xSpace},
			Max: vg.Point{X: x + l.cellWidth - margin, Y: y - l.rowHeight() + xSpace + l.curveHeight}}}
		lines(c, style(10, text.XCenter, text.YTop, color.Black), vg.Point{X: curves.Center().X, Y: y}, panelLine, l.titles[i])
		if i%l.columns == 0 {
			c.FillText(name, vg.Point{X: c.Min.X + margin, Y: curves.Center().Y}, shown(l.Y))
		}
		l.panel(curves, p)
		if i%l.columns == l.columns-1 || i == len(l.Panels)-1 {
			y -= l.rowHeight()
		}
	}
	drawBelow(c, y, l.legend, l.caption)
}

// drawBelow draws a legend from a height on, and the caption below it.
func drawBelow(c draw.Canvas, y vg.Length, legend [][]entry, caption []string) {
	for _, row := range legend {
		for _, e := range row {
			at := vg.Point{X: c.Min.X + margin + e.x, Y: y - legendLine/2}
			e.sample(c, at)
			lines(c, style(8, text.XLeft, text.YCenter, color.Black), vg.Point{X: at.X + sampleSpace, Y: at.Y}, legendLine, e.name)
		}
		y -= rowLines(row)
	}
	lines(c, style(7, text.XLeft, text.YTop, color.Gray{Y: 90}), vg.Point{X: c.Min.X + margin, Y: y - 3}, captionLine, caption)
}

// sample draws what stands before a system's name.
func (l look) sample(c draw.Canvas, left vg.Point) {
	c.StrokeLine2(l.line, left.X, left.Y, left.X+sampleSpace-6, left.Y)
	c.DrawGlyph(l.dot, vg.Point{X: left.X + (sampleSpace-6)/2, Y: left.Y})
}

// panel draws the axes, below the series that they are synthetic, or in part, and the series, or why there are none.
func (l layout) panel(c draw.Canvas, p Panel) {
	a := l.axes
	a.c = c
	a.draw()
	if l.Scripted != "" && len(p.Series) > 0 {
		s := style(20, text.XCenter, text.YCenter, color.Gray{Y: 185})
		s.Font.Size = min(20, 20*(c.Max.X-c.Min.X)/s.Width(l.Scripted))
		s.Rotation = math.Pi / 6
		c.FillText(s, c.Center(), l.Scripted)
	}
	for _, s := range p.Series { // all intervals below all lines
		if !s.Paper && a.x == "" {
			a.interval(s)
		}
	}
	for _, s := range p.Series {
		a.line(s)
	}
	if len(p.Series) == 0 {
		note := wrap(p.Note, c.Max.X-c.Min.X, 8)
		top := vg.Point{X: c.Center().X, Y: c.Center().Y + panelLine*vg.Length(len(note)-1)/2}
		lines(c, style(8, text.XCenter, text.YCenter, color.Gray{Y: 90}), top, panelLine, note)
	}
}
