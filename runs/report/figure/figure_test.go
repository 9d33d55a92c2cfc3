package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/report/figure"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func example() figure.Figure {
	curve := func(name string, from float64) figure.Series {
		s := figure.Series{Name: name}
		for k := 1; k <= 4; k++ {
			v := from / float64(k)
			s.Points = append(s.Points, figure.Point{K: float64(k), Value: v, Lo: v - 0.05, Hi: v + 0.1})
		}
		return s
	}
	return figure.Figure{Number: 4, Name: "pass-k", Title: "Pass^k by k", Y: "Pass^k", Scripted: "synthetic",
		Panels: []figure.Panel{{Title: "airline", Series: []figure.Series{curve("ReAct", 0.6), curve("Policy<Guide> & co", 0.8)}}, {Title: "retail", Note: "no run has it"}},
		Footer: []string{"run demo, config 0123abcd; " + strings.Repeat("word ", 60)}}
}

func drawn(t *testing.T, f figure.Figure, format figure.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPicturesAreTheSameEachTime(t *testing.T) {
	for _, format := range []figure.Format{figure.SVG, figure.PNG} {
		first := drawn(t, example(), format)
		for range 3 {
			if !bytes.Equal(first, drawn(t, example(), format)) {
				t.Fatalf("two drawings as %s differ", format)
			}
		}
	}
}

func TestSVGGolden(t *testing.T) {
	got := drawn(t, example(), figure.SVG)
	file := filepath.Join("testdata", "example.svg")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(file, got, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if !bytes.Equal(want, got) {
		t.Error("the drawing is not the golden one; look at it, then run with -update")
	}
}

// texts are what an SVG says in words.
func texts(t *testing.T, svg []byte) string {
	t.Helper()
	var out strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
		if c, ok := token.(xml.CharData); ok {
			out.Write(c)
		}
	}
}

func TestPictureSaysWhatItIs(t *testing.T) {
	f := example()
	said := texts(t, drawn(t, f, figure.SVG))
	for _, want := range []string{"Figure 4: Pass^k by k (synthetic)", "airline", "Policy<Guide> & co", "no run has it", "config 0123abcd"} {
		if !strings.Contains(said, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if n := strings.Count(said, "synthetic"); n != 2 {
		t.Errorf("%d marks of synthetic results, want one in the title and one across the panel", n)
	}
	f.Scripted = ""
	if said := texts(t, drawn(t, f, figure.SVG)); strings.Contains(said, "synthetic") {
		t.Error("results of real models are marked synthetic")
	}
}

func TestPNGHasTheSizeOfItsPanels(t *testing.T) {
	one, two := example(), example()
	one.Panels = one.Panels[:1]
	width := func(f figure.Figure) int {
		c, err := png.DecodeConfig(bytes.NewReader(drawn(t, f, figure.PNG)))
		if err != nil {
			t.Fatal(err)
		}
		return c.Width
	}
	if a, b := width(one), width(two); b != 2*a {
		t.Errorf("one panel is %d wide, two are %d", a, b)
	}
}

func TestOddFigures(t *testing.T) {
	for name, f := range map[string]figure.Figure{
		"nothing":      {},
		"empty panels": {Panels: []figure.Panel{{}, {}, {}}},
		"one point":    {Panels: []figure.Panel{{Series: []figure.Series{{Name: "a", Points: []figure.Point{{K: 1, Value: 1, Lo: 1, Hi: 1}}}}}}},
		"no points":    {Panels: []figure.Panel{{Series: []figure.Series{{Name: "a"}}}}},
		"many":         {Panels: []figure.Panel{{Series: make([]figure.Series, 20)}}},
		"long title":   {Title: strings.Repeat("x", 500), Panels: []figure.Panel{{Title: "\x00\n"}}},
	} {
		if len(drawn(t, f, figure.SVG)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	if err := example().Write(io.Discard, "gif"); err == nil {
		t.Error("an unknown format is accepted")
	}
}

// TestLines says in words what a picture shows.
func TestLines(t *testing.T) {
	grown := figure.Figure{X: "hours", Y: "dollars", Panels: []figure.Panel{{Series: []figure.Series{{Name: "A", Points: []figure.Point{{}, {K: 0.5, Value: 2}, {K: 1.25, Value: 12.5}}}}}, {Note: "nothing"}}}
	for _, tt := range []struct {
		f    figure.Figure
		want []string
	}{
		{example(), []string{"airline ReAct: 0.60 (0.55 to 0.70), 0.30 (0.25 to 0.40), 0.20 (0.15 to 0.30), 0.15 (0.10 to 0.25)",
			"airline Policy<Guide> & co: 0.80 (0.75 to 0.90), 0.40 (0.35 to 0.50), 0.27 (0.22 to 0.37), 0.20 (0.15 to 0.30)", "retail: no run has it"}},
		{grown, []string{"A: 12.5 at 1.25 hours", "nothing"}},
	} {
		if got := tt.f.Lines(); !slices.Equal(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
