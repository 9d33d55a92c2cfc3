package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view/browsertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}

// TestProblems shows pages that do what none may.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ policy, body, want string }{
		"dialog":    {"", `<script>alert("hi")</script>`, `a dialog: alert "hi"`},
		"exception": {"", `<script>gone()</script>`, "gone is not defined"},
		"rejection": {"", `<script>Promise.reject(new Error("lost"))</script>`, "lost"},
		"console":   {"", `<script>console.warn("odd")</script>`, `warning "odd"`},
		"request":   {"", `<img src="http://elsewhere.example/x.png">`, "a request: http://elsewhere.example/x.png"},
		"policy":    {"default-src 'none'", `<script>alert(1)</script>`, "violates the following Content Security Policy"},
		"style":     {"default-src 'none'", `<p style="color:red">x`, "violates the following Content Security Policy"},
		"window":    {"", `<script>open("/w")</script>`, "a window: "},
		"missing":   {"", `<img src="/missing.png">`, "404"},
		"none":      {"default-src 'none'", `<p>well`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/missing.png" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Security-Policy", c.policy)
				fmt.Fprint(w, "<!DOCTYPE html><title>t</title>"+c.body)
			}))
			defer s.Close()
			b := browsertest.New(t, browsertest.Wide)
			b.Open(s.URL + "/")
			if got := b.Problems(); (c.want == "") != (len(got) == 0) || !slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, c.want) }) && c.want != "" {
				t.Errorf("problems %q, want one with %q", got, c.want)
			}
		})
	}
}

// TestTab drives a page from the disk.
func TestTab(t *testing.T) {
	dir := t.TempDir()
	write := func(name, body string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("<!DOCTYPE html><title>t</title>"+body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("index.html", `<a href="next.html">next</a><p id=p></p><style>p { color: rgb(1, 2, 3) } @media (prefers-color-scheme: dark) { p { color: rgb(4, 5, 6) } }</style>
<script>addEventListener("keydown", e => p.textContent += e.key); addEventListener("load", () => setTimeout(() => p.textContent += "!", 50))</script>`)
	write("next.html", `<main>there<div style="width: 500px; height: 1px">`)
	at := "file://" + filepath.ToSlash(filepath.Join(dir, "index.html"))

	b := browsertest.New(t, browsertest.Look{Width: 400, Height: 300, Dark: true})
	b.Open(at)
	b.Until(`p.textContent === "!"`)
	b.Press("j?" + browsertest.Escape)
	if got := b.Text("p"); got != "!j?Escape" {
		t.Errorf("the page has %q", got)
	}
	if colour := browsertest.Eval[string](b, "getComputedStyle(p).color"); colour != "rgb(4, 5, 6)" {
		t.Errorf("colour %s", colour)
	}
	b.Fits()
	b.Follow("a")
	if got := b.Text("main"); got != "there" {
		t.Errorf("the page has %q", got)
	}
	b.Shoot(filepath.Join(dir, "x.png"))

	plain := browsertest.New(t, browsertest.Look{NoScript: true})
	plain.Open(at)
	plain.Press("j")
	if got := plain.Text("p"); got != "" {
		t.Errorf("a script ran: %q", got)
	}
}

// seen is a test that only notes whether it failed.
type seen struct {
	testing.TB
	failed bool
}

func (s *seen) Errorf(string, ...any) { s.failed = true }

func TestFits(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "<!DOCTYPE html><title>t</title><div style='width: 500px; height: 1px'>")
	}))
	defer s.Close()
	for width, want := range map[int64]bool{400: true, 600: false} {
		spy := &seen{TB: t}
		b := browsertest.New(spy, browsertest.Look{Width: width, Height: 300})
		b.Open(s.URL)
		if b.Fits(); spy.failed != want {
			t.Errorf("width %d: failed %v, want %v", width, spy.failed, want)
		}
	}
}
