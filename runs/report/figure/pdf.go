package figure

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdf is a page that is drawn on. Letters are drawn as shapes: publishers want fonts to be in the file, the half of one that is
// needed is larger than all the shapes, and gonum's own PDF has Western letters only and the time of writing.
type pdf struct {
	width, height vg.Length
	b             bytes.Buffer
	now           pen
	saved         []pen
	opacities     []uint8 // that occur, each a graphics state by its number
}

// pen is what vg keeps on its stack beside what PDF keeps.
type pen struct {
	col   color.NRGBA
	width vg.Length
}

func newPDF(width, height vg.Length) *pdf {
	p := &pdf{width: width, height: height}
	vg.Initialize(p)
	return p
}

func (p *pdf) Size() (x, y vg.Length)   { return p.width, p.height }
func (p *pdf) SetLineWidth(w vg.Length) { p.now.width = w; p.op("w", float64(w)) }
func (p *pdf) Translate(at vg.Point)    { p.matrix(1, 0, 0, 1, float64(at.X), float64(at.Y)) }
func (p *pdf) Scale(x, y float64)       { p.matrix(x, 0, 0, y, 0, 0) }
func (p *pdf) Push()                    { p.saved = append(p.saved, p.now); p.op("q") }

func (p *pdf) Pop() {
	p.now, p.saved = p.saved[len(p.saved)-1], p.saved[:len(p.saved)-1]
	p.op("Q")
}

func (p *pdf) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	p.matrix(cos, sin, -sin, cos, 0, 0)
}

func (p *pdf) SetLineDash(pattern []vg.Length, offset vg.Length) {
	p.b.WriteString("[")
	for _, d := range pattern {
		fmt.Fprintf(&p.b, "%s ", number(float64(d), -1))
	}
	p.b.WriteString("] ")
	p.op("d", float64(offset))
}

func (p *pdf) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	col := color.NRGBAModel.Convert(c).(color.NRGBA)
	p.now.col = col
	r, g, b := float64(col.R)/255, float64(col.G)/255, float64(col.B)/255
	p.op("rg", r, g, b)
	p.op("RG", r, g, b)
	at := slices.Index(p.opacities, col.A)
	if at < 0 {
		at, p.opacities = len(p.opacities), append(p.opacities, col.A)
	}
	fmt.Fprintf(&p.b, "/G%d gs\n", at)
}

func (p *pdf) Stroke(path vg.Path) {
	if p.now.width > 0 {
		p.path(path, "S")
	}
}

func (p *pdf) Fill(path vg.Path) { p.path(path, "f") }

// path draws a path of straight lines and of curves with two points that bend them, which are all that figures have beside letters.
func (p *pdf) path(path vg.Path, paint string) {
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp:
			p.op("m", float64(part.Pos.X), float64(part.Pos.Y))
		case vg.LineComp:
			p.op("l", float64(part.Pos.X), float64(part.Pos.Y))
		case vg.CurveComp:
			bend := part.Control
			p.op("c", float64(bend[0].X), float64(bend[0].Y), float64(bend[1].X), float64(bend[1].Y), float64(part.Pos.X), float64(part.Pos.Y))
		case vg.CloseComp:
			p.op("h")
		default:
			panic("figures have no arcs")
		}
	}
	p.op(paint)
}

// FillString draws the letters as shapes in the units of the font: a letter that is there again compresses to next to nothing.
func (p *pdf) FillString(f font.Face, at vg.Point, text string) {
	var b sfnt.Buffer
	units := fixed.I(int(f.Face.UnitsPerEm()))
	scale := float64(f.Font.Size) / float64(units.Round())
	x := float64(at.X)
	for _, r := range text {
		i, err := f.Face.GlyphIndex(&b, r)
		if err != nil {
			continue
		}
		if shape, err := f.Face.LoadGlyph(&b, i, units, nil); err == nil && len(shape) > 0 {
			p.op("q")
			p.matrix(scale, 0, 0, scale, x, float64(at.Y))
			p.shape(shape)
			p.op("Q")
		}
		if advance, err := f.Face.GlyphAdvance(&b, i, units, 0); err == nil {
			x += float64(advance) / 64 * scale
		}
	}
}

// shape fills the outline of a letter, whose vertical axis goes down.
func (p *pdf) shape(segments sfnt.Segments) {
	point := func(q fixed.Point26_6) (x, y float64) { return float64(q.X) / 64, -float64(q.Y) / 64 }
	var fromX, fromY float64
	for i, s := range segments {
		x, y := point(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				p.op("h")
			}
			p.op("m", x, y)
		case sfnt.SegmentOpLineTo:
			p.op("l", x, y)
		case sfnt.SegmentOpQuadTo: // TrueType has no other curves
			midX, midY := x, y
			x, y = point(s.Args[1])
			p.op("c", (fromX+2*midX)/3, (fromY+2*midY)/3, (x+2*midX)/3, (y+2*midY)/3, x, y)
		}
		fromX, fromY = x, y
	}
	p.op("h f")
}

// DrawImage draws nothing: figures have no images.
func (p *pdf) DrawImage(vg.Rectangle, image.Image) {}

// matrix turns, scales and moves what follows.
func (p *pdf) matrix(a, b, c, d, x, y float64) {
	fmt.Fprintf(&p.b, "%.6f %.6f %.6f %.6f %.3f %.3f cm\n", a, b, c, d, x, y)
}

// op writes an operator behind its numbers.
func (p *pdf) op(name string, numbers ...float64) {
	for _, v := range numbers {
		p.b.WriteString(number(math.Round(v*1000)/1000, -1) + " ")
	}
	p.b.WriteString(name + "\n")
}

// write writes the document.
func (p *pdf) write(w io.Writer, title, subject string) error {
	var content bytes.Buffer
	z := zlib.NewWriter(&content)
	if _, err := z.Write(p.b.Bytes()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	var states strings.Builder
	for i, a := range p.opacities {
		fmt.Fprintf(&states, "/G%d <</CA %.3f /ca %.3f>> ", i, float64(a)/255, float64(a)/255)
	}
	objects := []string{
		"<</Type /Catalog /Pages 2 0 R>>",
		"<</Type /Pages /Kids [3 0 R] /Count 1>>",
		fmt.Sprintf("<</Type /Page /Parent 2 0 R /MediaBox [0 0 %.3f %.3f] /Resources <</ExtGState <<%s>>>> /Contents 4 0 R>>", p.width, p.height, states.String()),
		fmt.Sprintf("<</Length %d /Filter /FlateDecode>>\nstream\n%s\nendstream", content.Len(), content.String()),
		fmt.Sprintf("<</Title %s /Subject %s /Producer %s>>", wide(title), wide(subject), wide("tauguide")),
	}
	out := bytes.NewBufferString("%PDF-1.4\n")
	var table strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", out.Len())
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d /Root 1 0 R /Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table.String(), len(objects)+1, out.Len())
	_, err := out.WriteTo(w)
	return err
}

// wide is a text of any script as PDF has it.
func wide(s string) string {
	out := "<FEFF"
	for _, u := range utf16.Encode([]rune(s)) {
		out += fmt.Sprintf("%04X", u)
	}
	return out + ">"
}
