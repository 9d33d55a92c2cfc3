package figure

import (
	"fmt"
	"image/color"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/gosimple/unidecode"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func style(size font.Length, x text.XAlignment, y text.YAlignment, col color.Color) draw.TextStyle {
	return draw.TextStyle{Color: col, Font: font.From(sans(), size), XAlign: x, YAlign: y, Handler: plain()}
}

// sans is the one font of figures: Latin, Greek, Cyrillic and Hebrew letters.
func sans() font.Font { return font.Font{Typeface: "Liberation", Variant: "Sans"} }

var face = sync.OnceValue(func() *sfnt.Font {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // the font is a part of the program
	}
	return face
})

// plain sets text in it.
var plain = sync.OnceValue(func() text.Handler {
	return text.Plain{Fonts: font.NewCache(font.Collection{{Font: sans(), Face: face()}})}
})

// shown is a text in letters that the font has: others are spelled in Latin ones, what cannot be spelled, such as a picture, is
// named by its number, and marks upon what is spelled are left out. A control character is a space.
func shown(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch at, err := face().GlyphIndex(nil, r); {
		case unicode.IsControl(r):
			out.WriteByte(' ')
		case at != 0 && err == nil:
			out.WriteRune(r)
		case !unicode.In(r, unicode.Mn, unicode.Cf):
			if spelled := unidecode.Unidecode(string(r)); strings.TrimSpace(spelled) != "" {
				out.WriteString(spelled)
			} else {
				fmt.Fprintf(&out, "[U+%04X]", r)
			}
		}
	}
	return strings.TrimSpace(out.String())
}

// wrap breaks a text into lines of a width, between words where that is possible.
func wrap(s string, width vg.Length, size font.Length) (out []string) {
	measure := style(size, text.XLeft, text.YTop, color.Black).Width
	line := ""
	for word := range strings.FieldsSeq(shown(s)) {
		if line != "" && measure(line+" "+word) > width {
			out, line = append(out, line), ""
		}
		for letters := []rune(word); measure(word) > width && len(letters) > 1; letters = []rune(word) {
			n := 1
			for n < len(letters) && measure(string(letters[:n+1])) <= width {
				n++
			}
			out, word = append(out, string(letters[:n])), string(letters[n:])
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// lines writes lines of text below each other, the first one with its top at a point.
func lines(c draw.Canvas, s draw.TextStyle, top vg.Point, height vg.Length, text []string) {
	for i, line := range text {
		c.FillText(s, vg.Point{X: top.X, Y: top.Y - height*vg.Length(i)}, line)
	}
}
