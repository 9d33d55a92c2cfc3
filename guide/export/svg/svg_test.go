package svg_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/guide/export/svg"
)

// count returns how many nodes and edges an SVG draws.
func count(t *testing.T, drawing []byte) (nodes, edges int) {
	t.Helper()
	for dec := xml.NewDecoder(bytes.NewReader(drawing)); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nodes, edges
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "class" && a.Value == "node":
				nodes++
			case a.Name.Local == "class" && a.Value == "edge":
				edges++
			}
		}
	}
}

// The DOT of the mock domain becomes a drawing with all of its nodes and edges, the same bytes each time.
func TestDraw(t *testing.T) {
	dot, err := os.ReadFile("../testdata/mock.dot")
	if err != nil {
		t.Fatal(err)
	}
	first, err := svg.Draw(context.Background(), string(dot))
	if err != nil {
		t.Fatal(err)
	}
	again, err := svg.Draw(context.Background(), string(dot))
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("two drawings of one graph differ, error %v", err)
	}
	nodes, edges := count(t, first)
	if want := strings.Count(string(dot), "shape="); nodes != want || want == 0 {
		t.Errorf("%d nodes are drawn, want %d", nodes, want)
	}
	if want := strings.Count(string(dot), "->"); edges != want {
		t.Errorf("%d edges are drawn, want %d", edges, want)
	}
}

func TestDrawRefuses(t *testing.T) {
	out, err := svg.Draw(context.Background(), "digraph {")
	if err == nil || !strings.Contains(err.Error(), "not a graph in DOT") || out != nil {
		t.Errorf("%d bytes, error %v", len(out), err)
	}
}

// A layout has every node and group within its bounds, and the edges that are to be seen.
func TestLay(t *testing.T) {
	dot, err := os.ReadFile("../testdata/mock.narrow.dot")
	if err != nil {
		t.Fatal(err)
	}
	l, err := svg.Lay(context.Background(), string(dot))
	if err != nil {
		t.Fatal(err)
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
		if _, ok := l.Nodes[e.To]; !ok || !strings.HasPrefix(e.Path, "M") {
			t.Errorf("%+v", e)
		}
	}
	if l.Nodes["start"].Y >= l.Nodes["classify"].Y {
		t.Error("the start is not at the top")
	}
}
