// Package figure draws curves over k with their bands: panels side by side, one line for each system, as SVG or PNG.
// It knows no runs: report fills in what is drawn. The same figure always gives the same bytes.
package figure

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Point is a figure at k, with the limits of its interval.
type Point struct {
	K             int
	Value, Lo, Hi float64
}

// Series is a system's curve; it has the points that are defined, in the order of k.
type Series struct {
	Name   string
	Points []Point
}

// Panel is one plot of a figure.
type Panel struct {
	Title  string
	Series []Series
	Note   string // why there is nothing, where there is nothing
}

// Figure is a row of panels.
type Figure struct {
	Number    int // in the paper
	Name      string
	Title     string
	Y         string // what the vertical axis shows
	Synthetic bool
	Panels    []Panel
	Footer    []string // which runs it is of
}

// Format is a kind of picture.
type Format string

// The formats; each is also the ending of its files.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// Sizes of the parts of a figure.
const (
	panelWidth   = 3.1 * vg.Inch
	panelHeight  = 3.2 * vg.Inch
	titleHeight  = 0.45 * vg.Inch
	lineHeight   = 0.15 * vg.Inch
	legendHeight = 0.2 * vg.Inch
	resolution   = 150 // dots per inch of PNG
	footerWidth  = 62  // characters of the footer to a panel
)

// The colours are told apart by people with any kind of colour vision, and in print (Okabe and Ito's palette).
func colours() []color.NRGBA {
	return []color.NRGBA{{R: 0, G: 114, B: 178, A: 255}, {R: 213, G: 94, B: 0, A: 255}, {R: 0, G: 158, B: 115, A: 255}, {R: 204, G: 121, B: 167, A: 255},
		{R: 230, G: 159, B: 0, A: 255}, {R: 86, G: 180, B: 233, A: 255}, {R: 0, G: 0, B: 0, A: 255}, {R: 120, G: 120, B: 120, A: 255}}
}

func shapes() []draw.GlyphDrawer {
	return []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}}
}

// Write draws the figure.
func (f Figure) Write(w io.Writer, format Format) error {
	footer := f.wrapped()
	width := panelWidth * vg.Length(max(1, len(f.Panels)))
	legend := f.legend(width)
	height := panelHeight + titleHeight + lineHeight*vg.Length(len(footer)+1) + legendHeight*vg.Length(len(legend))
	var c vg.CanvasSizer
	var out io.WriterTo
	switch format {
	case SVG:
		s := vgsvg.New(width, height)
		c, out = s, s
	case PNG:
		i := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(resolution), vgimg.UseBackgroundColor(color.White))}
		c, out = i, i
	default:
		return fmt.Errorf("unknown picture format %q: choose svg or png", format)
	}
	f.draw(draw.New(c), footer, legend)
	_, err := out.WriteTo(w)
	return err
}

func (f Figure) draw(c draw.Canvas, footer []string, legend [][]entry) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	title := f.Title
	if f.Number > 0 {
		title = fmt.Sprintf("Figure %d: %s", f.Number, f.Title)
	}
	if f.Synthetic {
		title += " (synthetic)"
	}
	c.FillText(style(12, text.XCenter, text.YTop, color.Black), vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y - 6}, shown(title))
	for i, line := range footer {
		c.FillText(style(7, text.XLeft, text.YBottom, color.Gray{Y: 90}), vg.Point{X: c.Min.X + 6, Y: c.Min.Y + 4 + lineHeight*vg.Length(len(footer)-1-i)}, shown(line))
	}
	if len(f.Panels) == 0 {
		return
	}
	foot := lineHeight * vg.Length(len(footer)+1)
	for i, line := range legend {
		for _, e := range line {
			e.draw(c, c.Min.Y+foot+legendHeight*(vg.Length(len(legend)-1-i)+0.5))
		}
	}
	area := draw.Crop(c, 4, -4, foot+legendHeight*vg.Length(len(legend)), -titleHeight)
	lo, hi := f.limits()
	index := f.index()
	var row []*plot.Plot
	for i, p := range f.Panels {
		row = append(row, f.panel(p, index, i == 0, lo, hi))
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: 6}
	for i, canvas := range plot.Align([][]*plot.Plot{row}, tiles, area)[0] {
		row[i].Draw(canvas)
		f.mark(row[i].DataCanvas(canvas), f.Panels[i])
	}
}

// mark writes across a panel that its figures are synthetic, or why it has none.
func (f Figure) mark(c draw.Canvas, p Panel) {
	middle := c.Center()
	if f.Synthetic && len(p.Series) > 0 {
		s := style(20, text.XCenter, text.YCenter, color.NRGBA{R: 90, G: 90, B: 90, A: 60})
		s.Rotation = math.Pi / 6
		c.FillText(s, middle, "synthetic")
	}
	if len(p.Series) == 0 {
		c.FillText(style(8, text.XCenter, text.YCenter, color.Gray{Y: 90}), middle, shown(p.Note))
	}
}

func style(size font.Length, x text.XAlignment, y text.YAlignment, col color.Color) draw.TextStyle {
	return draw.TextStyle{Color: col, Font: font.From(sans(), size), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}

// sans is a font that the drawing library carries.
func sans() font.Font { return font.Font{Typeface: "Liberation", Variant: "Sans"} }

// limits are those of the vertical axes, the same for all panels, at tenths.
func (f Figure) limits() (lo, hi float64) {
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

func (f Figure) panel(p Panel, index map[string]int, first bool, lo, hi float64) *plot.Plot {
	out := plot.New()
	out.Title.Text = shown(p.Title)
	for _, s := range []struct {
		text *text.Style
		size font.Length
	}{{&out.Title.TextStyle, 10}, {&out.X.Label.TextStyle, 9}, {&out.Y.Label.TextStyle, 9}, {&out.X.Tick.Label, 8}, {&out.Y.Tick.Label, 8}} {
		s.text.Font = font.From(sans(), s.size)
	}
	out.X.Label.Text = "k"
	if first {
		out.Y.Label.Text = f.Y
	}
	out.Y.Min, out.Y.Max = lo, hi
	most := 1
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal.Color = color.Gray{Y: 225}
	out.Add(grid)
	for _, band := range []bool{true, false} { // all bands below all lines
		for _, s := range p.Series {
			for _, at := range s.Points {
				most = max(most, at.K)
			}
			if band {
				addBand(out, s, index[s.Name])
			} else {
				addLine(out, s, index[s.Name])
			}
		}
	}
	var ticks []plot.Tick
	for k := 1; k <= most; k++ {
		tick := plot.Tick{Value: float64(k)}
		if most <= 12 || k == 1 || k%5 == 0 {
			tick.Label = strconv.Itoa(k)
		}
		ticks = append(ticks, tick)
	}
	out.X.Min, out.X.Max = 0.8, float64(most)+0.2
	out.X.Tick.Marker = plot.ConstantTicks(ticks)
	var levels []plot.Tick
	for v := math.Round(lo * 10); v <= math.Round(hi*10); v++ {
		levels = append(levels, plot.Tick{Value: v / 10, Label: strconv.FormatFloat(v/10, 'f', 1, 64)})
	}
	out.Y.Tick.Marker = plot.ConstantTicks(levels)
	return out
}

func addBand(p *plot.Plot, s Series, i int) {
	if len(s.Points) < 2 {
		return
	}
	var edge plotter.XYs
	for _, at := range s.Points {
		edge = append(edge, plotter.XY{X: float64(at.K), Y: at.Hi})
	}
	for j := len(s.Points) - 1; j >= 0; j-- {
		edge = append(edge, plotter.XY{X: float64(s.Points[j].K), Y: s.Points[j].Lo})
	}
	band, err := plotter.NewPolygon(edge)
	if err != nil {
		return // no polygon without finite corners: the line is there
	}
	col := colours()[i%len(colours())]
	col.A = 40
	band.Color, band.LineStyle.Width = col, 0
	p.Add(band)
}

func addLine(p *plot.Plot, s Series, i int) {
	var at plotter.XYs
	for _, x := range s.Points {
		at = append(at, plotter.XY{X: float64(x.K), Y: x.Value})
	}
	line, dots, err := plotter.NewLinePoints(at)
	if err != nil {
		return // nothing defined to draw
	}
	look := lookOf(i)
	line.LineStyle, dots.GlyphStyle = look.line, look.dot
	p.Add(line, dots)
}

// look is how a series is drawn.
type look struct {
	line draw.LineStyle
	dot  draw.GlyphStyle
}

func lookOf(i int) look {
	col := colours()[i%len(colours())]
	out := look{line: draw.LineStyle{Color: col, Width: vg.Points(1.4)},
		dot: draw.GlyphStyle{Color: col, Radius: vg.Points(2.6), Shape: shapes()[i%len(shapes())]}}
	if i >= len(colours()) {
		out.line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
	}
	return out
}

// index numbers the series by name, in the order of the panels: a system looks the same in all of them.
func (f Figure) index() map[string]int {
	out := map[string]int{}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if _, ok := out[s.Name]; !ok {
				out[s.Name] = len(out)
			}
		}
	}
	return out
}

// entry is a series in the legend, at a place in its line.
type entry struct {
	name string
	x    vg.Length
	look look
}

// legend lays out the names of all series in lines of a width.
func (f Figure) legend(width vg.Length) [][]entry {
	index := f.index()
	names := make([]string, len(index))
	for name, i := range index {
		names[i] = name
	}
	face := style(8, text.XLeft, text.YCenter, color.Black)
	var out [][]entry
	x := width
	for i, name := range names {
		step := face.Width(shown(name)) + 46
		if x+step > width {
			out, x = append(out, nil), 12
		}
		out[len(out)-1] = append(out[len(out)-1], entry{name, x, lookOf(i)})
		x += step
	}
	return out
}

func (e entry) draw(c draw.Canvas, y vg.Length) {
	x := c.Min.X + e.x
	c.StrokeLine2(e.look.line, x, y, x+22, y)
	c.DrawGlyph(e.look.dot, vg.Point{X: x + 11, Y: y})
	c.FillText(style(8, text.XLeft, text.YCenter, color.Black), vg.Point{X: x + 27, Y: y}, shown(e.name))
}

// shown is a text that a picture can hold: the signs of markup written out for SVG are gonum's business, control
// characters are nobody's.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// wrapped breaks the footer into lines of the figure's width.
func (f Figure) wrapped() []string {
	most := footerWidth * max(1, len(f.Panels))
	var out []string
	for _, text := range f.Footer {
		line := ""
		for _, word := range strings.Fields(text) {
			if line != "" && len([]rune(line))+1+len([]rune(word)) > most {
				out, line = append(out, line), "   "
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		out = append(out, line)
	}
	return out
}
