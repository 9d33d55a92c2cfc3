package figure_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/report/figure"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func example() figure.Figure {
	curve := func(place int, name string, from float64) figure.Series {
		s := figure.Series{Name: name, Look: place}
		for k := 1; k <= 4; k++ {
			v := from / float64(k)
			s.Points = append(s.Points, figure.Point{K: float64(k), Value: v, Lo: v - 0.05, Hi: v + 0.1})
		}
		return s
	}
	return figure.Figure{Number: 4, Name: "pass-k", Title: "Pass^k by k", Y: "Pass^k", Scripted: "synthetic",
		Panels:  []figure.Panel{{Title: "airline", Series: []figure.Series{curve(0, "ReAct", 0.6), curve(2, "Policy<Guide> & co", 0.8)}}, {Title: "retail", Note: "no run has it"}},
		Caption: []string{"bands are intervals; " + strings.Repeat("word ", 60)}, Runs: []string{"run demo, config 0123abcd"}}
}

func drawn(t *testing.T, f figure.Figure, format figure.Format, o ...figure.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format, append(o, figure.Options{})[0]); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPicturesAreTheSameEachTime(t *testing.T) {
	for _, format := range figure.Formats() {
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
	for _, want := range []string{"Figure 4: Pass^k by k (synthetic)", "airline", "Policy<Guide> & co", "no run has it", "bands are intervals"} {
		if !strings.Contains(said, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	f.Scripted = ""
	if said := texts(t, drawn(t, f, figure.SVG)); strings.Contains(said, "synthetic") {
		t.Error("results of real models are marked synthetic")
	}
}

// TestNoCaption leaves out the title and the caption, and still says that results are synthetic.
func TestNoCaption(t *testing.T) {
	body := string(drawn(t, example(), figure.SVG, figure.Options{NoCaption: true}))
	_, body, _ = strings.Cut(body, "</metadata>")
	for text, want := range map[string]int{"Figure 4": 0, "bands are": 0, ">synthetic<": 1, ">ReAct<": 1, ">airline<": 1} {
		if n := strings.Count(body, text); n != want {
			t.Errorf("%q is %d times in the picture, want %d", text, n, want)
		}
	}
}

// TestMetadata finds title, caption and runs in the files' metadata, and the runs nowhere else.
func TestMetadata(t *testing.T) {
	f := example()
	f.Title = "Pass^k für α & β"
	svg := string(drawn(t, f, figure.SVG))
	if strings.Count(svg, "0123abcd") != 1 || !strings.Contains(svg, "run demo, config 0123abcd</metadata>") || !strings.Contains(svg, "<title>Figure 4: Pass^k für α &amp; β (synthetic)</title>") {
		t.Errorf("the SVG has no metadata: %.600s", svg)
	}
	chunks := map[string]string{}
	for rest := drawn(t, f, figure.PNG)[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		chunks[string(rest[4:8])] += string(rest[8 : 8+n])
		if sum := binary.BigEndian.Uint32(rest[8+n:]); sum != crc32.ChecksumIEEE(rest[4:8+n]) {
			t.Errorf("chunk %s has another checksum", rest[4:8])
		}
		rest = rest[12+n:]
	}
	if got := chunks["iTXt"]; !strings.Contains(got, "Title\x00\x00\x00\x00\x00Figure 4: Pass^k für α & β (synthetic)") || !strings.Contains(got, "run demo, config 0123abcd") {
		t.Errorf("the PNG has %q", got)
	}
	if got := chunks["pHYs"]; got != "\x00\x00\x2e\x23\x00\x00\x2e\x23\x01" { // 11,811 dots per metre
		t.Errorf("the PNG's resolution is %q", got)
	}
	pdf := string(drawn(t, f, figure.PDF))
	for _, want := range []string{"Figure 4: Pass^k für α & β (synthetic)", "run demo, config 0123abcd"} {
		var hex strings.Builder
		for _, r := range want {
			fmt.Fprintf(&hex, "%04X", r)
		}
		if !strings.Contains(pdf, hex.String()) {
			t.Errorf("the PDF does not say %q", want)
		}
	}
}

// TestPDF follows the table of objects, and finds opacity, dashes and shapes on the page.
func TestPDF(t *testing.T) {
	pdf := drawn(t, example(), figure.PDF)
	at, err := strconv.Atoi(strings.Fields(string(pdf[bytes.LastIndex(pdf, []byte("startxref")):]))[1])
	if err != nil || !bytes.HasPrefix(pdf[at:], []byte("xref\n0 6\n")) {
		t.Fatalf("no table of objects at %d: %v", at, err)
	}
	for i, line := range strings.Split(string(pdf[at:]), "\n")[3:8] {
		offset, err := strconv.Atoi(strings.Fields(line)[0])
		if want := fmt.Sprintf("%d 0 obj\n", i+1); err != nil || !bytes.HasPrefix(pdf[offset:], []byte(want)) {
			t.Errorf("object %d is not at %d: %v", i+1, offset, err)
		}
	}
	_, stream, _ := bytes.Cut(pdf, []byte("stream\n"))
	z, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" gs\n", "] 0 d\n", " cm\n", " c\n", "\nS\n", "h f\n"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
	if bytes.Count(page, []byte("q\n")) != bytes.Count(page, []byte("Q\n")) {
		t.Error("states of the page are not closed")
	}
}

// TestSystemsKeepTheirLook draws a system alone and beside others.
func TestSystemsKeepTheirLook(t *testing.T) {
	f := example()
	alone := f.Of([]string{"Policy<Guide> & co"})
	for _, colour := range []string{"#009E73", "#0072B2"} { // of the third place and the first
		both, one := strings.Contains(string(drawn(t, f, figure.SVG)), colour), strings.Contains(string(drawn(t, alone, figure.SVG)), colour)
		if !both || one != (colour == "#009E73") {
			t.Errorf("%s: %v beside others, %v alone", colour, both, one)
		}
	}
	if got := f.Of([]string{"other"}).Lines(); !slices.Equal(got, []string{"airline: without these systems", "retail: no run has it"}) {
		t.Errorf("%q", got)
	}
	if len(f.Panels[0].Series) != 2 {
		t.Error("the figure lost its curves")
	}
}

// TestLooksDiffer draws one system after the other without colours, and without dashes.
func TestLooksDiffer(t *testing.T) {
	for name, left := range map[string]string{"in grey": "#[0-9A-F]{6}", "without dashes": "stroke-dasharray:[^;\"]*"} {
		t.Run(name, func(t *testing.T) { looksDiffer(t, regexp.MustCompile(left)) })
	}
}

func looksDiffer(t *testing.T, left *regexp.Regexp) {
	seen := map[string]int{}
	for place := range 32 {
		f := example()
		f.Panels = f.Panels[:1]
		f.Panels[0].Series = f.Panels[0].Series[:1]
		f.Panels[0].Series[0].Look = place
		svg := left.ReplaceAllString(string(drawn(t, f, figure.SVG)), "")
		if other, ok := seen[svg]; ok {
			t.Errorf("places %d and %d look alike", other, place)
		}
		seen[svg] = place
	}
}

// many is a figure of systems with long names in several scripts.
func many() figure.Figure {
	f := figure.Figure{Number: 4, Name: "many", Title: strings.Repeat("A title that is much longer than the picture is wide ", 5), Y: "Pass^k", Scripted: "synthetic"}
	names := []string{"PolicyGuide with a verifier of its own, deterministic gate and no raw dialogue", "Агент с проверкой", "系统甲", "🤖 Bot", "ReAct", "ToolGuard", strings.Repeat("x", 200), "Ἀγαθόν"}
	for _, title := range []string{"airline", "retail with quite a long name of its own, too", "telecom"} {
		p := figure.Panel{Title: title}
		for i, name := range names {
			s := figure.Series{Name: name, Look: i}
			for k := 1; k <= 4; k++ {
				v := 0.95 - 0.08*float64(i) - 0.1*float64(k-1)
				s.Points = append(s.Points, figure.Point{K: float64(k), Value: v, Lo: max(0, v-0.1), Hi: min(1, v+0.1)})
			}
			p.Series = append(p.Series, s)
			s.Paper = true
			s.Points = slices.Clone(s.Points)
			for j := range s.Points {
				s.Points[j].Value -= 0.03
			}
			if i < 2 {
				p.Series = append(p.Series, s)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// TestManySystems has bars instead of bands for more than four systems, and says which points are the paper's.
func TestManySystems(t *testing.T) {
	f := many()
	few := f.Of([]string{"ReAct", "ToolGuard"})
	for _, tt := range []struct {
		f     figure.Figure
		bands bool
	}{{f, false}, {few, true}} {
		svg := string(drawn(t, tt.f, figure.SVG))
		if got := strings.Contains(svg, "fill-opacity:0.15"); got != tt.bands {
			t.Errorf("bands: %v, want %v", got, tt.bands)
		}
		if got := strings.Contains(svg, "published in the paper"); got == tt.bands {
			t.Errorf("the paper in the legend: %v", got)
		}
	}
}

// TestPlacesAreTheSame has a system at one place beside the others, whatever their order in the panel is.
func TestPlacesAreTheSame(t *testing.T) {
	f := many()
	lines := func(f figure.Figure) []string {
		out := strings.Split(string(drawn(t, f, figure.SVG, figure.Options{Width: 400})), "\n")
		slices.Sort(out)
		return out
	}
	turned := f
	turned.Panels = slices.Clone(f.Panels)
	for i, p := range f.Panels {
		turned.Panels[i].Series = slices.Clone(p.Series)
		slices.Reverse(turned.Panels[i].Series)
	}
	if a, b := lines(f), lines(turned); !slices.Equal(a, b) {
		t.Error("the order of systems in a panel moves them")
	}
}

// TestOnePoint draws the interval of a system that has one point, as a bar.
func TestOnePoint(t *testing.T) {
	for name, series := range map[string]int{"alone": 1, "beside another": 2} {
		f := example()
		f.Panels[0].Series = f.Panels[0].Series[:series]
		f.Panels[0].Series[0].Points = f.Panels[0].Series[0].Points[:1]
		bars := regexp.MustCompile(`stroke-width:0\.7\d*[;"]`) // the bar and its ends
		if n := len(bars.FindAllString(string(drawn(t, f, figure.SVG)), -1)); n != 3 {
			t.Errorf("%s: %d lines of bars", name, n)
		}
	}
}

// TestScripts spells what the font has no letters for, in every picture alike.
func TestScripts(t *testing.T) {
	said := texts(t, drawn(t, many(), figure.SVG))
	for _, want := range []string{"Агент с проверкой", "Xi Tong Jia", "[U+1F916] Bot", "Ἀγαθόν"} {
		if !strings.Contains(said, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

// TestNothingIsClipped measures where each text begins and ends.
func TestNothingIsClipped(t *testing.T) {
	for name, f := range map[string]figure.Figure{"example": example(), "many": many(),
		"numbers": {X: "seconds", Y: "tokens", Panels: []figure.Panel{{Series: []figure.Series{{Name: "A", Points: []figure.Point{{}, {K: 3, Value: 987654}}}}}}}} {
		for _, width := range []string{"", "84mm", "2in", "7in"} {
			var o figure.Options
			if width != "" {
				w, err := figure.ParseWidth(width)
				if err != nil {
					t.Fatal(err)
				}
				o.Width = w
			}
			if err := figure.Inside(f, o); err != nil {
				t.Errorf("%s at %q: %v", name, width, err)
			}
		}
	}
}

// TestWidth refuses what is no width, and makes pictures of those that are.
func TestWidth(t *testing.T) {
	for text, want := range map[string]float64{"84mm": 84 / 25.4 * 72, "3.3in": 237.6, "240pt": 240, "17cm": 17 / 2.54 * 72, "84": 0, "": 0, "wide": 0, "-3in": 0, "1in": 0, "1e9in": 0, "NaNin": 0} {
		got, err := figure.ParseWidth(text)
		if (err == nil) != (want > 0) || err == nil && math.Abs(float64(got)-want) > 0.01 {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	c, err := png.DecodeConfig(bytes.NewReader(drawn(t, example(), figure.PNG, figure.Options{Width: 240})))
	if err != nil || c.Width != 1000 {
		t.Errorf("240 points are %d dots wide, want 1000: %v", c.Width, err)
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
		for _, format := range figure.Formats() {
			if len(drawn(t, f, format)) == 0 {
				t.Errorf("%s is empty", name)
			}
		}
	}
	if err := example().Write(io.Discard, "gif", figure.Options{}); err == nil {
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
