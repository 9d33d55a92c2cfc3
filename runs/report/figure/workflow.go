package figure

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	graph "github.com/tauguide/tauguide/guide/export/svg"
)

// Workflow is a picture of a workflow.
type Workflow struct {
	export.Picture
	Scripted string   // as that of a Figure
	Origin   []string // which workflow it is: in the metadata alone
}

// Sizes of the parts of a workflow's picture.
const (
	leastDrawn  = 3.3 * vg.Inch // the width of a page where none is asked for, if the workflow needs no more
	boxText     = 10            // letters in boxes, and groups; that of Graphviz's layout
	boxLine     = 12
	branchText  = 9
	depth       = 4 // of a box that stands for others
	roundness   = 6
	slope       = 10   // of a trapezium: how far its upper corners are inside
	arrowSpread = 0.35 // half the width of an arrow, of its length
)

// drawing is a workflow with the places of its parts.
type drawing struct {
	Workflow
	layout         graph.Layout
	width, height  vg.Length
	scale          vg.Length // of a point of the layout
	title, caption []string
	key            [][]entry
}

// Write draws the workflow.
func (f Workflow) Write(ctx context.Context, w io.Writer, format Format, o Options) error {
	d, err := f.layOut(ctx, o)
	if err != nil {
		return err
	}
	return d.page().write(w, format)
}

func (d drawing) page() page {
	return page{d.width, d.height, d.heading(), strings.Join(slices.Concat(d.reading(), d.Origin), "\n"), d.draw}
}

// heading is the title, which says what is scripted.
func (f Workflow) heading() string {
	if f.Scripted != "" {
		return f.Title + " (" + f.Scripted + ")"
	}
	return f.Title
}

// reading says how the picture is to be read.
func (f Workflow) reading() (out []string) {
	if f.Classifier != "" {
		out = append(out, "dashed: branches of the classifier; other edges lead on when their node is satisfied")
	}
	if slices.ContainsFunc(f.Nodes, func(n *guide.Node) bool { return n.ID == export.Others }) {
		out = append(out, "dotted: branches that are not drawn, with what follows them")
	}
	return out
}

func (f Workflow) layOut(ctx context.Context, o Options) (drawing, error) {
	d := drawing{Workflow: f, width: o.Width, scale: 1}
	var err error
	if d.layout, err = graph.Lay(ctx, export.Plan(f.Picture)); err != nil {
		return d, err
	}
	if d.width == 0 {
		d.width = max(leastDrawn, vg.Length(d.layout.Width)+2*margin)
	}
	inside := d.width - 2*margin
	d.scale = min(1, inside/vg.Length(d.layout.Width))
	if heading := f.heading(); !o.NoCaption {
		d.title = wrap(heading, inside, 12)
		for _, line := range f.reading() {
			d.caption = append(d.caption, wrap(line, inside, 7)...)
		}
	} else {
		d.title = wrap(f.Scripted, inside, 12)
	}
	d.key = f.keys(inside)
	d.height = 4*margin + titleLine*vg.Length(len(d.title)) + d.scale*vg.Length(d.layout.Height) + captionLine*vg.Length(len(d.caption))
	for _, row := range d.key {
		d.height += rowLines(row)
	}
	return d, nil
}

// keys says which type of node looks how.
func (f Workflow) keys(width vg.Length) [][]entry {
	var all []entry
	names := map[export.Style]string{}
	for _, t := range guide.Types() {
		look := export.StyleOf(t)
		if !slices.ContainsFunc(f.Nodes, func(n *guide.Node) bool { return n.Type == t }) {
			continue
		}
		name := strings.ReplaceAll(string(t), "_", " ")
		if also := names[look]; also != "" { // an exit looks like an entry
			name = also + ", " + name
			all = all[:len(all)-1]
		}
		names[look] = name
		all = append(all, entry{name: wrap(name, width-sampleSpace, 8), sample: func(c draw.Canvas, left vg.Point) {
			drawBox(c, t, vg.Rectangle{Min: vg.Point{X: left.X + 2, Y: left.Y - 5}, Max: vg.Point{X: left.X + sampleSpace - 8, Y: left.Y + 5}}, 0.5)
		}})
	}
	return inRows(all, width)
}

func (d drawing) draw(c draw.Canvas) {
	y := c.Max.Y - margin
	lines(c, style(12, text.XCenter, text.YTop, color.Black), vg.Point{X: c.Center().X, Y: y}, titleLine, d.title)
	y -= titleLine*vg.Length(len(d.title)) + margin
	left := c.Center().X - d.scale*vg.Length(d.layout.Width)/2
	at := func(x, down float64) vg.Point {
		return vg.Point{X: left + d.scale*vg.Length(x), Y: y - d.scale*vg.Length(down)}
	}
	place := func(b graph.Box) vg.Rectangle { return vg.Rectangle{Min: at(b.X, b.Y+b.H), Max: at(b.X+b.W, b.Y)} }
	d.drawGroups(c, place)
	for _, e := range d.layout.Edges {
		d.drawEdge(c, e, at)
	}
	d.nameGroups(c, place)
	for _, n := range d.Nodes {
		r := place(d.layout.Nodes[n.ID])
		if n.ID == export.Others {
			c.FillPolygon(color.White, corners(r))
			c.StrokeLines(draw.LineStyle{Color: colour(export.StyleOf(n.Type).Ink), Width: d.scale, Dashes: []vg.Length{1.5, 2}}, append(corners(r), r.Min))
		} else {
			drawBox(c, n.Type, r, d.scale)
		}
		at := middle(r)
		if n.Type == guide.Anchor && n.ID != export.Others { // on the box's front
			at = at.Sub(vg.Point{X: depth / 2, Y: depth / 2}.Scale(d.scale))
		}
		d.centred(c, boxText, boxLine, at, export.Label(n))
	}
	drawBelow(c, y-d.scale*vg.Length(d.layout.Height)-margin, d.key, d.caption)
}

// drawGroups draws the expanded subflows, the outer ones first, as the layout has them.
func (d drawing) drawGroups(c draw.Canvas, place func(graph.Box) vg.Rectangle) {
	for _, g := range d.layout.Groups {
		r := place(g)
		c.FillPolygon(groupFill(), corners(r))
		c.StrokeLines(draw.LineStyle{Color: color.Gray{Y: 196}, Width: d.scale, Dashes: []vg.Length{4, 3}}, append(corners(r), r.Min))
	}
}

// nameGroups writes the names of the expanded subflows over the edges that cross them.
func (d drawing) nameGroups(c draw.Canvas, place func(graph.Box) vg.Rectangle) {
	name := style(d.scale*boxText, text.XLeft, text.YTop, color.Black)
	for _, g := range d.layout.Groups {
		r, said := place(g), shown(g.Name)
		at := vg.Point{X: r.Min.X + 4*d.scale, Y: r.Max.Y - 4*d.scale}
		c.FillPolygon(groupFill(), corners(vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - d.scale*boxLine}, Max: vg.Point{X: at.X + name.Width(said), Y: at.Y}}))
		c.FillText(name, at, said)
	}
}

func groupFill() color.Color { return color.Gray{Y: 244} }

func (d drawing) drawEdge(c draw.Canvas, e graph.Curve, at func(x, down float64) vg.Point) {
	var points []vg.Point
	for _, p := range e.Points {
		points = append(points, at(p.X, p.Y))
	}
	var path vg.Path
	path.Move(points[0])
	for bend := range slices.Chunk(points[1:], 3) {
		path.CubeTo(bend[0], bend[1], bend[2])
	}
	line := draw.LineStyle{Color: color.Gray{Y: 96}, Width: d.scale}
	if e.From == d.Classifier {
		line.Dashes = []vg.Length{4, 3}
	}
	c.Push()
	c.SetLineStyle(line)
	c.Stroke(path)
	c.Pop()
	if e.Tip != nil {
		end, tip := points[len(points)-1], at(e.Tip.X, e.Tip.Y)
		side := vg.Point{X: end.Y - tip.Y, Y: tip.X - end.X}.Scale(arrowSpread)
		c.FillPolygon(line.Color, []vg.Point{tip, end.Add(side), end.Sub(side)})
	}
	if e.Label != "" {
		d.centred(c, branchText, boxLine, at(e.X+2, e.Y), []string{e.Label})
	}
}

// centred writes lines around a point.
func (d drawing) centred(c draw.Canvas, size, height vg.Length, at vg.Point, said []string) {
	for i, line := range said {
		c.FillText(style(d.scale*size, text.XCenter, text.YCenter, color.Black), vg.Point{X: at.X, Y: at.Y + d.scale*height*(vg.Length(len(said)-1)/2-vg.Length(i))}, shown(line))
	}
}

// drawBox draws what a node of a type is drawn as.
func drawBox(c draw.Canvas, t guide.Type, r vg.Rectangle, scale vg.Length) {
	s := export.StyleOf(t)
	ink := draw.LineStyle{Color: colour(s.Ink), Width: scale}
	x0, y0, x1, y1 := r.Min.X, r.Min.Y, r.Max.X, r.Max.Y
	edge := corners(r)
	switch {
	case s.Shape == "diamond":
		m := middle(r)
		edge = []vg.Point{{X: x0, Y: m.Y}, {X: m.X, Y: y1}, {X: x1, Y: m.Y}, {X: m.X, Y: y0}}
	case s.Shape == "trapezium":
		in := min(slope*scale, (x1-x0)/4)
		edge = []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1 - in, Y: y1}, {X: x0 + in, Y: y1}}
	case s.Shape == "box3d":
		in := depth * scale
		edge = []vg.Point{{X: x0, Y: y0}, {X: x1 - in, Y: y0}, {X: x1, Y: y0 + in}, {X: x1, Y: y1}, {X: x0 + in, Y: y1}, {X: x0, Y: y1 - in}}
		defer func() {
			c.StrokeLines(ink, []vg.Point{{X: x0, Y: y1 - in}, {X: x1 - in, Y: y1 - in}, {X: x1 - in, Y: y0}}, []vg.Point{{X: x1 - in, Y: y1 - in}, {X: x1, Y: y1}})
		}()
	case t == guide.Entry || t == guide.Exit:
		drawRounded(c, r, s, ink, roundness*scale)
		return
	}
	c.FillPolygon(colour(s.Fill), edge)
	c.StrokeLines(ink, append(edge, edge[0]))
}

func drawRounded(c draw.Canvas, r vg.Rectangle, s export.Style, ink draw.LineStyle, radius vg.Length) {
	var path vg.Path
	all := corners(r)
	toward := func(from, to vg.Point) vg.Point {
		d := to.Sub(from)
		return from.Add(d.Scale(radius / (max(d.X, -d.X) + max(d.Y, -d.Y))))
	}
	for i, corner := range all {
		before, after := all[(i+3)%4], all[(i+1)%4]
		if from := toward(corner, before); i == 0 {
			path.Move(from)
		} else {
			path.Line(from)
		}
		path.CubeTo(corner, corner, toward(corner, after))
	}
	path.Close()
	c.Push()
	c.SetColor(colour(s.Fill))
	c.Fill(path)
	c.SetLineStyle(ink)
	c.Stroke(path)
	c.Pop()
}

func middle(r vg.Rectangle) vg.Point { return r.Min.Add(r.Max).Scale(0.5) }

// colour reads one that is written as #rrggbb.
func colour(text string) color.Color {
	out := color.NRGBA{A: 255}
	_, _ = fmt.Sscanf(text, "#%02x%02x%02x", &out.R, &out.G, &out.B) // those of the program's own styles
	return out
}
