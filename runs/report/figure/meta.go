package figure

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// page is a picture of any kind.
type page struct {
	width, height  vg.Length
	title, subject string // in the metadata
	draw           func(draw.Canvas)
}

// resolution is that of PNG, in dots per inch.
const resolution = 300

// write draws the page. All text is drawn with letters that the font has; those of other scripts are spelled in Latin ones.
func (p page) write(w io.Writer, format Format) error {
	paint := func(c vg.CanvasSizer) {
		all := draw.New(c)
		all.FillPolygon(color.White, corners(all.Rectangle))
		p.draw(all)
	}
	switch format {
	case SVG:
		c := &svg{Canvas: vgsvg.New(p.width, p.height)}
		paint(c)
		return c.write(w, p.title, p.subject)
	case PDF:
		c := newPDF(p.width, p.height)
		paint(c)
		return c.write(w, p.title, p.subject)
	case PNG:
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(resolution), vgimg.UseBackgroundColor(color.White))}
		paint(c)
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			return err
		}
		return p.writePNG(w, b.Bytes())
	}
	return fmt.Errorf("unknown picture format %q: choose svg, pdf or png", format)
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

// svg is a drawing that knows how wide its texts are.
type svg struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString draws a text.
func (s *svg) FillString(f font.Face, at vg.Point, text string) {
	s.widths = append(s.widths, f.Width(text))
	s.Canvas.FillString(f, at, text)
}

// write writes the drawing with its metadata behind the head. Where the font is missing, others follow, and texts are fitted into
// the width that they have in it.
func (s *svg) write(w io.Writer, title, subject string) error {
	var b, about bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil {
		return err
	}
	element := func(name, text string) {
		about.WriteString("<" + name + ">")
		_ = xml.EscapeText(&about, []byte(text)) // a buffer takes everything
		about.WriteString("</" + name + ">\n")
	}
	element("title", title)
	element("metadata", subject)
	const text, family = "<text ", `style="font-family:Liberation Sans`
	parts := bytes.Split(bytes.ReplaceAll(b.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif")), []byte(text))
	end := []byte(">\n")
	at := bytes.Index(parts[0], []byte("<svg"))
	at += bytes.Index(parts[0][at:], end) + len(end)
	parts[0] = slices.Concat(parts[0][:at], about.Bytes(), parts[0][at:])
	for i, width := range s.widths {
		parts[i+1] = append(fmt.Appendf(nil, `%stextLength="%.2f" lengthAdjust="spacingAndGlyphs" `, text, width), parts[i+1]...)
	}
	_, err := w.Write(bytes.Join(parts, nil))
	return err
}

// writePNG writes the picture with its resolution and its metadata behind the head.
func (p page) writePNG(w io.Writer, picture []byte) error {
	const head, metre = 8 + 25, 1 / 0.0254 // signature and size; in inches
	dots := binary.BigEndian.AppendUint32(nil, uint32(math.Round(resolution*metre)))
	text := func(keyword, text string) []byte { return chunk("iTXt", []byte(keyword+"\x00\x00\x00\x00\x00"+text)) }
	_, err := w.Write(slices.Concat(picture[:head], chunk("pHYs", append(slices.Repeat(dots, 2), 1)),
		text("Title", p.title), text("Description", p.subject), picture[head:]))
	return err
}

// chunk is a part of a PNG file.
func chunk(kind string, data []byte) []byte {
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}
