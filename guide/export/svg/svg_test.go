package svg_test

import (
	"context"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/guide/export/svg"
)

func TestLayRefuses(t *testing.T) {
	out, err := svg.Lay(context.Background(), "digraph {")
	if err == nil || !strings.Contains(err.Error(), "not a graph in DOT") || out.Nodes != nil {
		t.Errorf("%d nodes, error %v", len(out.Nodes), err)
	}
}

func TestDraw(t *testing.T) {
	out, err := svg.Draw(context.Background(), `digraph { a -> b [label="so often"] }`)
	if err != nil || !strings.Contains(string(out), "</svg>") || !strings.Contains(string(out), "so often") {
		t.Errorf("error %v, drawing:\n%s", err, out)
	}
}

// An arrow begins where its edge ends; without one, the edge ends at the node.
func TestLayArrows(t *testing.T) {
	l, err := svg.Lay(context.Background(), "digraph { a -> b; a -> c [arrowhead=none] }")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range l.Edges {
		end, top := e.Points[len(e.Points)-1], l.Nodes[e.To].Y
		switch {
		case len(e.Points)%3 != 1:
			t.Errorf("%s: %d points", e.To, len(e.Points))
		case (e.Tip != nil) != (e.To == "b"):
			t.Errorf("%s: tip %v", e.To, e.Tip)
		case e.Tip == nil && math.Abs(end.Y-top) > 2 || e.Tip != nil && (math.Abs(e.Tip.Y-top) > 2 || end.Y > top-5):
			t.Errorf("%s: the edge ends at %v, with the tip %v, and the node begins at %v", e.To, end, e.Tip, top)
		}
	}
}

// A layout has every node and group within its bounds, and the edges that are to be seen; it is the same each time.
func TestLay(t *testing.T) {
	dot, err := os.ReadFile("../testdata/mock.narrow.dot")
	if err != nil {
		t.Fatal(err)
	}
	l, err := svg.Lay(context.Background(), string(dot))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := svg.Lay(context.Background(), string(dot)); err != nil || !reflect.DeepEqual(again, l) {
		t.Errorf("two layouts of one graph differ, error %v", err)
	}
	if want := strings.Count(string(dot), "subgraph"); len(l.Nodes) == 0 || len(l.Groups) != want || want == 0 {
		t.Errorf("%d nodes, and %d groups of %d", len(l.Nodes), len(l.Groups), want)
	}
	for _, b := range append(slices.Collect(maps.Values(l.Nodes)), l.Groups...) {
		if b.X < 0 || b.Y < 0 || b.W <= 0 || b.H <= 0 || b.X+b.W > l.Width || b.Y+b.H > l.Height {
			t.Errorf("%+v is not within %.0f×%.0f", b, l.Width, l.Height)
		}
	}
	if want := strings.Count(string(dot), "->") - strings.Count(string(dot), "style=invis"); len(l.Edges) != want {
		t.Errorf("%d edges, want %d", len(l.Edges), want)
	}
	for _, e := range l.Edges {
		if _, ok := l.Nodes[e.To]; !ok || !strings.HasPrefix(e.Path(), "M") {
			t.Errorf("%+v", e)
		}
	}
	if l.Nodes["start"].Y >= l.Nodes["classify"].Y {
		t.Error("the start is not at the top")
	}
}
