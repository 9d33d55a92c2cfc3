package transcript

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

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
		return []Picture{g.fold(nil).picture(ctx, -1, nil)}
	}
	drawn := c.Walks.Requests[:min(mostPictures, len(c.Walks.Requests))]
	out, folds := make([]Picture, len(drawn)), make([]fold, len(drawn))
	var layouts errgroup.Group
	for i, q := range drawn {
		f := g.fold(q.Nodes)
		folds[i] = f
		if f.dot != "" {
			layouts.Go(func() error { _, _ = f.layout(ctx); return nil }) // its picture says what is wrong
		}
	}
	_ = layouts.Wait()
	for i, f := range folds {
		out[i] = f.picture(ctx, i, c.Walks.latest(i))
	}
	if n := len(drawn); n < len(c.Walks.Requests) {
		out = append(out, Picture{Request: n, Why: fmt.Sprintf("the first %d requests are drawn, and the others listed", n)})
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

// fold is the workflow with the subflows folded that a request did not come to.
type fold struct {
	guides *Guides
	export.Picture
	nodes   []Node
	reached map[string]int // place of a node among nodes
	dot     string         // "" for more boxes than are drawn
}

func (g *Guides) fold(nodes []Node) fold {
	f, open := fold{guides: g, nodes: nodes, reached: map[string]int{}}, map[string]bool{}
	for i, n := range nodes {
		f.reached[n.ID] = i
		for k, c := range n.ID {
			if c == '.' {
				open[n.ID[:k]] = true
			}
		}
	}
	f.Picture = export.Folded(g.Graph, func(anchor string) bool { return open[anchor] })
	if len(f.Nodes) <= mostBoxes {
		f.dot = export.Narrow(f.Picture, func(id string) bool { _, ok := f.reached[id]; return ok })
	}
	return f
}

func (f fold) picture(ctx context.Context, request int, walk []verify.Visit) Picture {
	out := Picture{Request: request}
	if f.dot == "" {
		out.Why = fmt.Sprintf("the workflow has %d nodes there, more than the %d that are drawn: the walk is listed", len(f.Nodes), mostBoxes)
		return out
	}
	l, err := f.layout(ctx)
	if err != nil {
		out.Why = fmt.Sprintf("the workflow cannot be drawn: %v", err)
		return out
	}
	out.Width, out.Height = int(l.Width)+1, int(l.Height)+1
	steps := map[[2]string]bool{}
	for _, n := range f.Nodes {
		b := Box{Rect: rect(l.Nodes[n.ID]), Text: export.Lines(n), Type: n.Type, Node: -1}
		if n.ID != n.Local {
			b.Title = n.ID
		}
		if k, ok := f.reached[n.ID]; ok {
			b.Node, b.Of = k, &f.nodes[k]
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
		if k, ok := f.reached[id]; ok {
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
func (f fold) layout(ctx context.Context) (svg.Layout, error) {
	if l, ok := f.guides.layouts.Load(f.dot); ok {
		return l.(svg.Layout), nil
	}
	l, err := svg.Lay(ctx, f.dot)
	if err == nil {
		f.guides.layouts.Store(f.dot, l)
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
