// Package figure draws curves over k with their bands: panels side by side, one line for each system, as SVG or PNG.
// It knows no runs: report fills in what is drawn. The same figure always gives the same bytes.
package figure

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Point is a figure at k, or at a time, with the limits of its interval.
type Point struct {
	K             float64
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
	Number   int // in the paper
	Name     string
	Title    string
	X        string // what the horizontal axis shows where that is not k; values grow along it in steps then
	Y        string // what the vertical axis shows
	Scripted string // what of the results is, such as synthetic; "" for nothing
	Panels   []Panel
	Footer   []string // which runs it is of
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
	if f.Scripted != "" {
		title += " (" + f.Scripted + ")"
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
	tiles := draw.Tiles{Rows: 1, Cols: len(f.Panels), PadX: 6}
	for i, p := range f.Panels {
		f.mark(f.panel(tiles.At(area, i, 0), p, index, i == 0, lo, hi), p)
	}
}

// mark writes across a panel that its figures are synthetic, or in part, or why it has none.
func (f Figure) mark(c draw.Canvas, p Panel) {
	middle := c.Center()
	if f.Scripted != "" && len(p.Series) > 0 {
		s := style(20, text.XCenter, text.YCenter, color.NRGBA{R: 90, G: 90, B: 90, A: 60})
		s.Rotation = math.Pi / 6
		c.FillText(s, middle, f.Scripted)
	}
	if len(p.Series) == 0 {
		c.FillText(style(8, text.XCenter, text.YCenter, color.Gray{Y: 90}), middle, shown(p.Note))
	}
}

func style(size font.Length, x text.XAlignment, y text.YAlignment, col color.Color) draw.TextStyle {
	return draw.TextStyle{Color: col, Font: font.From(sans(), size), XAlign: x, YAlign: y, Handler: plain()}
}

// sans is the one font of figures.
func sans() font.Font { return font.Font{Typeface: "Liberation", Variant: "Sans"} }

// plain sets text in it.
var plain = sync.OnceValue(func() text.Handler {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // the font is a part of the program
	}
	return text.Plain{Fonts: font.NewCache(font.Collection{{Font: sans(), Face: face}})}
})

// limits are those of the vertical axes, the same for all panels, at tenths; of what grows, from nothing to a round number.
func (f Figure) limits() (lo, hi float64) {
	if f.X != "" {
		_, top := f.most()
		return 0, math.Ceil(top/step(top)-1e-9) * step(top)
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

// Lines are what the figure shows in words: the values of each series, or of what grows the last ones.
func (f Figure) Lines() (out []string) {
	for _, p := range f.Panels {
		if len(p.Series) == 0 {
			out = append(out, strings.TrimPrefix(p.Title+": "+p.Note, ": "))
		}
		for _, s := range p.Series {
			points := s.Points
			if f.X != "" {
				points = points[len(points)-1:]
			}
			var values []string
			for _, at := range points {
				if f.X != "" {
					values = append(values, fmt.Sprintf("%.3g at %.3g %s", at.Value, at.K, f.X))
				} else {
					values = append(values, fmt.Sprintf("%.2f (%.2f to %.2f)", at.Value, at.Lo, at.Hi))
				}
			}
			out = append(out, strings.TrimSpace(p.Title+" "+s.Name)+": "+strings.Join(values, ", "))
		}
	}
	return out
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
