package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// heard is a test that keeps what it is told.
type heard struct {
	testing.TB
	said []string
}

func (h *heard) Errorf(format string, args ...any) {
	h.said = append(h.said, fmt.Sprintf(format, args...))
}

func TestAccessible(t *testing.T) {
	const good = `<header><nav aria-label="way">x</nav></header><main><h1>One</h1>%s</main>`
	for name, c := range map[string]struct{ body, want string }{
		"nothing":        {fmt.Sprintf(good, `<h2>Two</h2><button>do</button><details><summary>more</summary></details>`), ""},
		"no main":        {`<header>x</header><h1>One</h1>`, "0 of main"},
		"heading":        {fmt.Sprintf(good, `<h3>Three</h3>`), `heading "Three" has level 3 after 1`},
		"two of level 1": {fmt.Sprintf(good, `<h1>Again</h1>`), "2 of heading"},
		"button":         {fmt.Sprintf(good, `<button></button>`), "without a name: button"},
		"link":           {fmt.Sprintf(good, `<a href="/x"><span aria-hidden="true">¶</span></a>`), "without a name: link"},
		"field":          {fmt.Sprintf(good, `<input>`), "without a name: textbox"},
		"picture":        {fmt.Sprintf(good, `<svg role="img" width=10 height=10></svg>`), "without a name: im"},
		"same landmark":  {fmt.Sprintf(good, `<nav aria-label="way">y</nav>`), `two landmarks are navigation "way"`},
		"no name":        {fmt.Sprintf(good, `<aside>y</aside>`), "a landmark without a name: complementary"},
		"faint":          {fmt.Sprintf(good, `<p style="color: #888; background: #999">faint`), "contrast 1.24 of p"},
		"translucent":    {fmt.Sprintf(good, `<p style="opacity: .4">faint`), "contrast 2.85 of p"},
		"drawing":        {fmt.Sprintf(good, `<svg role="img" aria-label="d" width=90 height=30><rect width=90 height=30 fill="#222"/><text y=20>dark</text></svg>`), "contrast 1.32 of text"},
		"drawn well":     {fmt.Sprintf(good, `<svg role="img" aria-label="d" width=90 height=30><rect width=90 height=30 fill="#222"/><text y=20 fill="white">light</text></svg>`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><title>t</title><body>`+c.body)
			}))
			defer s.Close()
			spy := &heard{TB: t}
			b := browsertest.New(spy, browsertest.Wide)
			b.Open(s.URL)
			b.Accessible()
			if (c.want == "") != (len(spy.said) == 0) || c.want != "" && !slices.ContainsFunc(spy.said, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("said %q, want %q", spy.said, c.want)
			}
		})
	}
}
