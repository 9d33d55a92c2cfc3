package view_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// mostPicture is how large a picture may be, in bytes.
const mostPicture = 150_000

const (
	pictures = "../../docs/pictures/"
	inTrial  = "/shop/trial/retail/"
	stopped  = inTrial + "PolicyGuide/cancel-gift-card-order/1/"
	failed   = inTrial + "ReAct/cancel-gift-card-order/1/"
	wrote    = inTrial + "ReAct/upgrade-on-gift-card/0/"
)

// shots are the pictures of pages: of the shop's run, by the names of their files.
var shots = []struct {
	name, path string
	look       browsertest.Look
	before     func(b *browsertest.Tab)
}{
	{"view-runs", "/", browsertest.Wide, nil},
	{"view-run", "/shop/", browsertest.Wide, nil},
	{"view-matrix", "/shop/matrix/", browsertest.Wide, nil},
	{"view-search", "/shop/trials/?q=gift+card&sort=-steps", browsertest.Wide, nil},
	{"view-score", failed + "?tab=score", browsertest.Wide, nil},
	{"view-stopped", stopped + "?tab=workflow", browsertest.Wide, at("article.refused")},
	{"view-workflow", stopped + "?tab=workflow", browsertest.Wide, at("article.event")},
	{"view-database", wrote + "?tab=database", browsertest.Wide, at("article .wrote")},
	{"view-calls", stopped + "?tab=calls", browsertest.Wide, func(b *browsertest.Tab) {
		at("article.event")(b)
		b.Click(".state:not([hidden]) a[target=detail]")
		b.Until(`document.querySelector("iframe.detail").contentDocument?.querySelector("h1")`)
	}},
	{"view-pair", failed + "beside/shop/PolicyGuide/1/", browsertest.Wide, nil},
	{"view-narrow", stopped, browsertest.Narrow, at("article.refused")},
	{"view-dark", stopped + "?tab=workflow", browsertest.Look{Width: 1400, Height: 900, Dark: true}, at("article.event")},
}

// TestPictures checks that docs/viewing.md shows each picture of a page, and that none is large. With -update it makes them:
// fonts differ between machines, so they are not compared.
func TestPictures(t *testing.T) {
	if *update {
		makePictures(t)
	}
	text, err := os.ReadFile("../../docs/viewing.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range shots {
		file := pictures + p.name + ".png"
		st, err := os.Stat(file)
		if err != nil || st.Size() > mostPicture {
			t.Errorf("%s: %v, or more than %d bytes", file, err, mostPicture)
		}
		if !strings.Contains(string(text), "(pictures/"+p.name+".png)") {
			t.Errorf("docs/viewing.md does not show %s.png", p.name)
		}
	}
	files, err := filepath.Glob(pictures + "view-*.png")
	if err != nil || len(files) != len(shots) {
		t.Errorf("%d pictures in %s, want %d: %v", len(files), pictures, len(shots), err)
	}
}

// at selects the last turn that a selector finds.
func at(selector string) func(*browsertest.Tab) {
	return func(b *browsertest.Tab) {
		b.Until(`document.querySelector(".scripted")`)
		id := browsertest.Eval[string](b, `[...document.querySelectorAll("`+selector+`")].at(-1).closest("article").id`)
		browsertest.Eval[any](b, `location.hash = "`+id+`"`)
		b.Until(`document.querySelector("#` + id + `[aria-current]")`)
	}
}

func makePictures(t *testing.T) {
	t.Helper()
	s := serve(t, shopRun(t, config.Options{}))
	for _, p := range shots {
		b := browsertest.New(t, p.look)
		b.Open(s.url + p.path)
		if p.before != nil {
			p.before(b)
		}
		shot := filepath.Join(t.TempDir(), "shot.png")
		b.Shoot(shot)
		small, err := fewColours(shot)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pictures+p.name+".png", small, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// fewColours writes a picture with the 256 colours that it has most of: a page has few, and shades of them at the edges of letters.
func fewColours(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	count := map[color.Color]int{}
	for y := range from.Bounds().Dy() {
		for x := range from.Bounds().Dx() {
			count[from.At(x, y)]++
		}
	}
	var palette color.Palette
	for c := range count {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int { return count[b] - count[a] })
	to := image.NewPaletted(from.Bounds(), palette[:min(len(palette), 256)])
	draw.Draw(to, to.Bounds(), from, image.Point{}, draw.Src)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}
