package svg

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Layout is where the parts of a graph are. Lengths are in points, from the upper left corner.
type Layout struct {
	Width, Height float64
	Nodes         map[string]Box // by name
	Groups        []Box
	Edges         []Curve
}

// Box is a node by its name, or a group by its label.
type Box struct {
	Name       string
	X, Y, W, H float64 // of its upper left corner; width and height
}

// Curve is an edge.
type Curve struct {
	From, To string  // names of nodes
	Points   []Point // its beginning, and for each part of it two points that bend it and its end
	Tip      *Point  // of its arrow, which begins at the last point; nil if it has none
	Label    string
	X, Y     float64 // the middle of the label
}

// Point is a place.
type Point struct{ X, Y float64 }

// Path is the curve as the attribute d of a path of SVG has it, in whole points: every part is seen from where it begins,
// straight ones are lines, and those without a length left out.
func (c Curve) Path() string {
	var b strings.Builder
	var begin pixel
	for i, p := range c.Points {
		at := p.pixel()
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%d %d", at.x, at.y)
			begin = at
		case i%3 == 0:
			p, q, end := c.Points[i-2].pixel().from(begin), c.Points[i-1].pixel().from(begin), at.from(begin)
			switch {
			case p == q && q == end && end == pixel{}:
			case straight(p, end) && straight(q, end):
				fmt.Fprintf(&b, "l%d %d", end.x, end.y)
			default:
				fmt.Fprintf(&b, "c%d %d %d %d %d %d", p.x, p.y, q.x, q.y, end.x, end.y)
			}
			begin = at
		}
	}
	return strings.ReplaceAll(b.String(), " -", "-")
}

// pixel is a place in whole points, or the way to it from another.
type pixel struct{ x, y int }

func (p Point) pixel() pixel { return pixel{int(math.Round(p.X)), int(math.Round(p.Y))} }

func (p pixel) from(o pixel) pixel { return pixel{p.x - o.x, p.y - o.y} }

// straight reports whether p is within about a point of the line to end.
func straight(p, end pixel) bool {
	off := p.x*end.y - p.y*end.x
	return max(off, -off) <= max(end.x, -end.x, end.y, -end.y)
}

// Lay lays a graph out, for whoever draws it. Edges that are not to be seen (style=invis) are left out.
func Lay(ctx context.Context, dot string) (Layout, error) {
	text, err := render(ctx, dot, "json0")
	if err != nil {
		return Layout{}, err
	}
	var g laid
	if err := json.Unmarshal(text, &g); err != nil {
		return Layout{}, fmt.Errorf("read the graph's layout: %w", err)
	}
	return g.layout()
}

// laid is a layout as Graphviz writes it: y grows upwards, and coordinates are texts.
type laid struct {
	BB      string `json:"bb"` // the corners: x,y,x,y
	Objects []struct {
		Name, Label, BB, Pos string
		Width, Height        string // in inches
	} `json:"objects"`
	Edges []struct {
		Tail, Head            int
		Pos, Label, LP, Style string
	} `json:"edges"`
}

const pointsPerInch = 72

func (g laid) layout() (out Layout, err error) {
	read := func(text string, want int) []float64 {
		list := make([]float64, 0, want)
		for part := range strings.SplitSeq(text, ",") {
			v, bad := strconv.ParseFloat(part, 64)
			err = cmp.Or(err, bad)
			list = append(list, v)
		}
		if len(list) != want && err == nil {
			err = fmt.Errorf("%q has not %d numbers", text, want)
		}
		return append(list, make([]float64, want)...)
	}
	bb := read(g.BB, 4)
	out.Nodes = map[string]Box{}
	out.Width, out.Height = bb[2], bb[3]
	for _, o := range g.Objects {
		if o.BB != "" {
			b := read(o.BB, 4)
			out.Groups = append(out.Groups, Box{o.Label, b[0], out.Height - b[3], b[2] - b[0], b[3] - b[1]})
			continue
		}
		at, w, h := read(o.Pos, 2), pointsPerInch*read(o.Width, 1)[0], pointsPerInch*read(o.Height, 1)[0]
		out.Nodes[o.Name] = Box{o.Name, at[0] - w/2, out.Height - at[1] - h/2, w, h}
	}
	for _, e := range g.Edges {
		if e.Style == "invis" || e.Tail >= len(g.Objects) || e.Head >= len(g.Objects) {
			continue
		}
		c := Curve{From: g.Objects[e.Tail].Name, To: g.Objects[e.Head].Name, Label: e.Label}
		for _, part := range strings.Fields(e.Pos) {
			part, tip := strings.CutPrefix(part, "e,")
			p := read(part, 2)
			if at := (Point{p[0], out.Height - p[1]}); tip {
				c.Tip = &at
			} else {
				c.Points = append(c.Points, at)
			}
		}
		if e.LP != "" {
			at := read(e.LP, 2)
			c.X, c.Y = at[0], out.Height-at[1]
		}
		out.Edges = append(out.Edges, c)
	}
	return out, err
}
