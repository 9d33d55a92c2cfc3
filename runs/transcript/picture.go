package transcript

import (
	"context"
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/guide/export/svg"
	"github.com/tauguide/tauguide/guide/verify"
)

// What is drawn at most of one request, and of all requests of a conversation: a picture of more says nothing, and takes long.
const (
	mostBoxes    = 200
	mostPictures = 8
)

// Picture is the workflow as a request went through it, laid out. Lengths are in pixels.
type Picture struct {
	Request       int // among those of the conversation; -1 for a workflow that nobody followed
	Width, Height int
	Boxes         []Box
	Groups        []Group
	Lines         []Line
	Why           string // why there is no picture; "" if there is
}

// Box is a node, or a subflow that is folded to one.
type Box struct {
	Rect
	Text  []string
	Type  guide.Type
	Title string // all of its id, "" where its text is that
	Node  int    // among those of the request; -1 if the request did not come here
	Of    *Node
	Step  int // its place in the latest walk, from 1; 0 if it is not on it
}

// Rect is where something is.
type Rect struct{ X, Y, W, H int }

// Group is a subflow that is not folded.
type Group struct {
	Rect
	Title string
}

// Line is an edge. On the latest walk both ends follow each other.
type Line struct {
	From, To int // nodes of the request; -1 for one that it did not come to
	Path     string
	Text     string
	X, Y     int
	Walked   bool
}

// Pictures draws the workflow for each request of the walks; without any, once. Subflows that a request did not come to are
// folded to a box each.
func (c Conversation) Pictures(ctx context.Context) []Picture {
	g := c.Guides
	if g == nil || g.Graph == nil {
		return nil
	}
	if len(c.Walks.Requests) == 0 {
		return []Picture{g.picture(ctx, -1, nil, nil)}
	}
	var out []Picture
	for i, q := range c.Walks.Requests {
		if i == mostPictures {
			return append(out, Picture{Request: i, Why: fmt.Sprintf("the first %d requests are drawn, and the others listed", mostPictures)})
		}
		out = append(out, g.picture(ctx, i, q.Nodes, c.Walks.latest(i)))
	}
	return out
}

// latest is the last walk of a request.
func (w Walks) latest(request int) []verify.Visit {
	for _, m := range slices.Backward(w.Moments) {
		for _, p := range m.Places {
			if p.Request == request && p.Walk != nil {
				return p.Walk
			}
		}
	}
	return nil
}

func (g *Guides) picture(ctx context.Context, request int, nodes []Node, walk []verify.Visit) Picture {
	out := Picture{Request: request}
	reached, open := map[string]int{}, map[string]bool{}
	for i, n := range nodes {
		reached[n.ID] = i
		for k, c := range n.ID {
			if c == '.' {
				open[n.ID[:k]] = true
			}
		}
	}
	p := export.Folded(g.Graph, func(anchor string) bool { return open[anchor] })
	if len(p.Nodes) > mostBoxes {
		out.Why = fmt.Sprintf("the workflow has %d nodes there, more than the %d that are drawn: the walk is listed", len(p.Nodes), mostBoxes)
		return out
	}
	l, err := g.layout(ctx, export.Narrow(p, func(id string) bool { _, ok := reached[id]; return ok }))
	if err != nil {
		out.Why = fmt.Sprintf("the workflow cannot be drawn: %v", err)
		return out
	}
	out.Width, out.Height = int(l.Width)+1, int(l.Height)+1
	steps := map[[2]string]bool{}
	for _, n := range p.Nodes {
		b := Box{Rect: rect(l.Nodes[n.ID]), Text: export.Lines(n), Type: n.Type, Node: -1}
		if n.ID != n.Local {
			b.Title = n.ID
		}
		if k, ok := reached[n.ID]; ok {
			b.Node, b.Of = k, &nodes[k]
		}
		b.Step = 1 + slices.IndexFunc(walk, func(v verify.Visit) bool { return v.Node == n.ID })
		out.Boxes = append(out.Boxes, b)
	}
	for i := range walk[:max(0, len(walk)-1)] {
		steps[[2]string{walk[i].Node, walk[i+1].Node}] = true
	}
	for _, b := range l.Groups {
		out.Groups = append(out.Groups, Group{rect(b), b.Name})
	}
	place := func(id string) int {
		if k, ok := reached[id]; ok {
			return k
		}
		return -1
	}
	for _, e := range l.Edges {
		out.Lines = append(out.Lines, Line{place(e.From), place(e.To), e.Path(), e.Label, int(e.X), int(e.Y), steps[[2]string{e.From, e.To}]})
	}
	return out
}

func rect(b svg.Box) Rect { return Rect{int(b.X), int(b.Y), int(b.W), int(b.H)} }

// layout lays a graph out, once for all trials that have the same.
func (g *Guides) layout(ctx context.Context, dot string) (svg.Layout, error) {
	if l, ok := g.layouts.Load(dot); ok {
		return l.(svg.Layout), nil
	}
	l, err := svg.Lay(ctx, dot)
	if err == nil {
		g.layouts.Store(dot, l)
	}
	return l, err
}

// Between reports whether a request may have gone the way.
func (l Line) Between() bool { return l.From >= 0 && l.To >= 0 }

// Middle is the middle of a box from side to side, seen from its left.
func (b Box) Middle() int { return b.W / 2 }

// Lines are the texts of a box with the height of each, seen from its top.
func (b Box) Lines() []Label {
	const height = 12
	top := b.H/2 - height*(len(b.Text)-1)/2 + 4
	var out []Label
	for i, t := range b.Text {
		out = append(out, Label{t, top + i*height})
	}
	return out
}

// Label is a line of text and where its foot is.
type Label struct {
	Text string
	Y    int
}

// Classes are what a style sheet can tell boxes by: type and state.
func (b Box) Classes() string {
	out := "t-" + string(b.Type)
	if b.Of != nil {
		out += " " + string(b.Of.State)
		if b.Of.Current {
			out += " current"
		}
	}
	return out
}
