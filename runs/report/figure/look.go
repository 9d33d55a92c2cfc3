package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// look is how a series is drawn.
type look struct {
	line draw.LineStyle
	dot  draw.GlyphStyle
}

// lookOf is the look of the system at a place. The first 32 differ without their colours, too, as in a print in grey, and have
// another marker where a colour comes again.
func lookOf(place int, paper bool) look {
	col := colours()[place%len(colours())]
	again := place / len(colours())
	corner := (place + again) % len(markers())
	m := markers()[corner]
	m.hollow = paper
	out := look{line: draw.LineStyle{Color: col, Width: vg.Points(1.2), Dashes: dashes()[(corner+again)%len(dashes())]},
		dot: draw.GlyphStyle{Color: col, Radius: vg.Points(2.6), Shape: m}}
	if paper {
		out.line.Width = vg.Points(0.6)
	}
	return out
}

// The colours are told apart by people with any kind of colour vision, and in print (Okabe and Ito's palette).
func colours() []color.NRGBA {
	return []color.NRGBA{{R: 0, G: 114, B: 178, A: 255}, {R: 213, G: 94, B: 0, A: 255}, {R: 0, G: 158, B: 115, A: 255}, {R: 204, G: 121, B: 167, A: 255},
		{R: 230, G: 159, B: 0, A: 255}, {R: 86, G: 180, B: 233, A: 255}, {R: 0, G: 0, B: 0, A: 255}, {R: 120, G: 120, B: 120, A: 255}}
}

func dashes() [][]vg.Length { return [][]vg.Length{nil, {5, 2}, {1.5, 1.5}, {6, 1.5, 1.5, 1.5}} }

// marker is a polygon around a point; with notches between its corners, a star.
type marker struct {
	corners int
	turn    float64 // of the first corner, in parts of a circle
	size    float64
	notch   float64 // how far notches are from the point, with corners at 1; 0 for none
	hollow  bool
}

func markers() []marker {
	return []marker{{corners: 24, size: 1}, {corners: 4, turn: 0.125, size: 1.25}, {corners: 3, turn: 0.25, size: 1.35}, {corners: 3, turn: 0.75, size: 1.35},
		{corners: 4, size: 1.35}, {corners: 5, turn: 0.25, size: 1.5, notch: 0.45}, {corners: 4, size: 1.5, notch: 0.35}, {corners: 4, turn: 0.125, size: 1.5, notch: 0.35}}
}

// DrawGlyph draws the marker.
func (m marker) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var edge []vg.Point
	add := func(angle, distance float64) {
		sin, cos := math.Sincos(2 * math.Pi * (m.turn + angle/float64(m.corners)))
		r := style.Radius * vg.Length(m.size*distance)
		edge = append(edge, vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)})
	}
	for i := range m.corners {
		if add(float64(i), 1); m.notch > 0 {
			add(float64(i)+0.5, m.notch)
		}
	}
	if !m.hollow {
		c.FillPolygon(style.Color, edge)
		return
	}
	c.FillPolygon(color.White, edge)
	c.StrokeLines(draw.LineStyle{Color: style.Color, Width: vg.Points(0.8)}, append(edge, edge[0], edge[1]))
}
