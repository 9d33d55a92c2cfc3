package svg_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
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
