package view_test

import (
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide/export/svg"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/runs/view/browsertest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const walked = `
name: walked
note: a guided trial
trials: 1
models: {careful: {synthetic: true}}
user: {model: careful}
judge: {model: careful}
domains: [{name: mock, tasks: [finish_task]}]
systems:
  - {name: Guided, agent: policyguide, model: careful, params: {verifier: deterministic, gate: strict}}
`

// The picture of a small workflow, as it was walked in one trial.
func TestPictureGolden(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "walked")
	runtest.Execute(t, walked, config.Options{Out: dir})
	page := serve(t, dir).page("/walked/trial/mock/Guided/finish_task/0/a0/workflow/")
	got := strings.Join(regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1), "\n") + "\n"
	const golden = "testdata/walked.svg.html"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (run with -update if that is meant):\n%s", golden, d)
	}
}

// With the script the picture is that of the selected turn; a click on a node leads to the firing that settled it, and so
// does the key that follows links.
func TestWalkFollowsTheTurn(t *testing.T) {
	s := serve(t, smallRun(t))
	const trial = "/small/trial/retail/Guided/cancel-gift-card-order/0/"
	for _, look := range browsertest.Looks() {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			current := func(moment string) string {
				b.Open(s.url + trial)
				b.Open(s.url + trial + browsertest.Eval[string](b, `[...document.querySelectorAll(".walks .state:not([data-like]) h3 a")].at(`+moment+`).getAttribute("href")`))
				return browsertest.Eval[string](b, `document.querySelector(".request:not([hidden]) .current text").textContent`)
			}
			if first, last := current("0"), current("-1"); first == last || first == "" {
				t.Errorf("the walk rests at %s after the first firing, and at %s after the last that changed anything", first, last)
			}
			path := browsertest.Eval[string](b, `[...document.querySelectorAll(".request:not([hidden]) .nodes a")].filter(n => n.querySelector(".step").textContent).map(n => n.querySelector("text").textContent).join(" ")`)
			if !strings.HasPrefix(path, "start intake give_data") {
				t.Errorf("the path is %q", path)
			}
			want := browsertest.Eval[string](b, `document.querySelector('.request:not([hidden]) .nodes a[data-node="0"]').getAttribute("href")`)
			browsertest.Eval[bool](b, `(document.querySelector('.request:not([hidden]) .nodes a[data-node="0"]').focus(), true)`)
			b.Press(browsertest.Enter)
			b.Until(`location.hash === "` + want + `"`)
			b.Until(`document.querySelector("article[aria-current]").id === "` + want[1:] + `"`)
			if browsertest.Eval[bool](b, `document.querySelector(".about[open]") === null`) {
				t.Error("the node's details are not open")
			}
			b.Fits()
		})
	}
}

// Every link within the page of a trial leads to something of it, whatever guided the agent.
func TestFragments(t *testing.T) {
	s := serve(t, smallRun(t))
	href, id := regexp.MustCompile(`href="#([^"]+)"`), regexp.MustCompile(` id="([^"]+)"`)
	links := 0
	for _, path := range []string{"/small/trial/retail/Guided/cancel-gift-card-order/0/", "/small/trial/retail/Guided/cancel-one-return-one/1/", "/small/trial/mock/ReAct/finish_task/0/"} {
		page := s.page(path)
		there := map[string]int{}
		for _, m := range id.FindAllStringSubmatch(page, -1) {
			if there[m[1]]++; there[m[1]] > 1 {
				t.Errorf("%s: %s is there twice", path, m[1])
			}
		}
		for _, m := range href.FindAllStringSubmatch(page, -1) {
			if links++; there[m[1]] == 0 {
				t.Errorf("%s: nothing is at #%s", path, m[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links", links)
	}
}

// BenchmarkPicture loads the page of a trial with its pictures: laid out anew each time, and as it is served after that.
func BenchmarkPicture(b *testing.B) {
	dir := smallRun(b)
	if err := svg.Prepare(); err != nil { // as the server does when it begins
		b.Fatal(err)
	}
	load := func(site *view.Site) int {
		w := httptest.NewRecorder()
		site.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/small/trial/retail/Guided/cancel-one-return-one/0/", nil))
		return w.Body.Len()
	}
	open := func() *view.Site {
		site, err := view.Open([]string{dir}, noEnv)
		if err != nil {
			b.Fatal(err)
		}
		return site
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			site := open()
			b.StartTimer()
			load(site)
		}
	})
	b.Run("next", func(b *testing.B) {
		site, bytes := open(), 0
		for b.Loop() {
			bytes = load(site)
		}
		b.ReportMetric(float64(bytes)/1000, "kB")
	})
}

// A firing is told by its findings and the walk, not by its data once more, which was half of a page.
func TestFiringsWithoutData(t *testing.T) {
	page := serve(t, smallRun(t)).page("/small/trial/retail/Guided/cancel-gift-card-order/0/")
	article := regexp.MustCompile(`(?s)<article id="e0".*?</article>`).FindString(page)
	if !strings.Contains(article, "firing 1") || strings.Contains(article, `class="data"`) {
		t.Errorf("the first firing is\n%s", article)
	}
}
