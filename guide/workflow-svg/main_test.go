package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// drawing counts the drawn nodes and edges of an SVG.
type drawing struct{ nodes, edges int }

func measure(t *testing.T, svg []byte) drawing {
	t.Helper()
	var d drawing
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return d
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
				d.nodes++
			case a.Name.Local == "class" && a.Value == "edge":
				d.edges++
			}
		}
	}
}

// The golden DOT of the mock domain becomes a drawing with all of its nodes and edges, the same bytes each time.
func TestRun(t *testing.T) {
	dot, err := os.ReadFile("../render/testdata/mock.dot")
	if err != nil {
		t.Fatal(err)
	}
	var first, again bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &again} {
		if err := run(context.Background(), bytes.NewReader(dot), out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("two drawings of one graph differ")
	}
	want := drawing{nodes: strings.Count(string(dot), "shape="), edges: strings.Count(string(dot), "->")}
	if got := measure(t, first.Bytes()); got != want || got.nodes == 0 {
		t.Errorf("drawn %+v, want %+v", got, want)
	}
}

func TestRunRefuses(t *testing.T) {
	for name, in := range map[string]string{"empty": "", "no graph": "digraph {", "prose": "hello there"} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(context.Background(), strings.NewReader(in), &out)
			if err == nil || !strings.Contains(err.Error(), "render --format dot") {
				t.Errorf("error %v does not say what to pipe in", err)
			}
			if out.Len() > 0 {
				t.Errorf("wrote %d bytes in spite of the error", out.Len())
			}
		})
	}
}
