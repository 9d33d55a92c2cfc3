package export_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func load(t *testing.T) (*guide.Bundle, *guide.Graph) { return shipped(t, "mock") }

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (run with -update if that is meant):\n%s", name, d)
	}
}

func TestPictureGolden(t *testing.T) {
	b, g := load(t)
	one := func(name string) export.Picture {
		p, err := export.OneFile(b, name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, tt := range []struct{ file, text string }{
		{"mock.prompt.md", export.Prompt(g)},
		{"mock.dot", export.DOT(export.Whole(g))},
		{"mock.mmd", export.Mermaid(export.Whole(g))},
		{"mock.main.dot", export.DOT(one("main"))},
		{"mock.set_status.mmd", export.Mermaid(one("set_status"))},
	} {
		t.Run(tt.file, func(t *testing.T) { golden(t, tt.file, tt.text) })
	}
}

// Rendering again, from a bundle loaded again, gives the same bytes.
func TestStable(t *testing.T) {
	_, first := load(t)
	for range 20 {
		_, g := load(t)
		if export.Prompt(g) != export.Prompt(first) || export.DOT(export.Whole(g)) != export.DOT(export.Whole(first)) {
			t.Fatal("two renderings of one bundle differ")
		}
	}
}

func TestUnknownSubflow(t *testing.T) {
	b, _ := load(t)
	_, err := export.OneFile(b, "paint")
	if err == nil || !strings.Contains(err.Error(), "set_status") {
		t.Errorf("error does not name the subflows: %v", err)
	}
}

// Texts with the characters that the languages reserve stay inside their quotes.
func TestEscapes(t *testing.T) {
	n := &guide.Node{ID: `a"b`, Local: `a"b\c <x>`, Type: guide.Decision, Edges: []guide.Edge{{To: `a"b`, When: `say "no"`}}}
	p := export.Picture{Title: "odd \"title\"\nof two lines", Nodes: []*guide.Node{n}}
	dot := export.DOT(p)
	if !strings.Contains(dot, `"a\"b" -> "a\"b" [label="say \"no\""]`) || !strings.Contains(dot, `a\"b\\c <x>`) {
		t.Errorf("DOT does not escape:\n%s", dot)
	}
	mmd := export.Mermaid(p)
	if !strings.Contains(mmd, `a#quot;b\c #lt;x#gt;`) || !strings.Contains(mmd, `|"say #quot;no#quot;"|`) {
		t.Errorf("Mermaid does not escape:\n%s", mmd)
	}
}
