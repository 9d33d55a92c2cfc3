package view_test

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/view/browsertest"
	"github.com/tauguide/tauguide/sim"
)

// troubled is a run in which much went wrong.
func troubled(t testing.TB) string {
	t.Helper()
	call := func(role, finish, failed string) sim.ModelCall {
		return sim.ModelCall{Role: role, Finish: finish, Error: failed}
	}
	say := sim.Message{Role: domains.RoleUser, Content: domains.Text("hello")}
	broken := talk("broken")
	broken.Termination, broken.Fault, broken.Calls = sim.Infra, &sim.Fault{Kind: "transport", Text: "no route"}, []sim.ModelCall{call("agent", "", "no route")}
	open := talk("open", say)
	open.Events = []sim.Event{{Kind: sim.EventFiring}, {Kind: sim.EventFailOpen, Text: "no answer"}}
	open.Calls = []sim.ModelCall{call("guide", "length", ""), call("guide", "stop", "")}
	cut := talk("cut", say)
	cut.Calls = []sim.ModelCall{call("agent", "length", ""), call("guide", "length", "")}
	return written(t, broken, open, cut, talk("fine", say))
}

// TestTroublesAreCounted follows each count of a run's page to the list of those trials.
func TestTroublesAreCounted(t *testing.T) {
	s := serve(t, troubled(t))
	body := s.page("/made/")
	for name, want := range map[string]struct {
		count int
		tasks string
	}{
		"infrastructure_error": {1, "broken"}, "user_stop": {3, "cut fine open"}, "transport": {1, "broken"}, "verifier failed open": {1, "open"}, "agent: failed": {1, "broken"},
		"guide: cut off by the output limit": {2, "cut open"}, "agent: cut off by the output limit": {1, "cut"},
	} {
		m := regexp.MustCompile(`<dt>` + name + `</dt><dd><a href="([^"]*)">(\d+)</a>`).FindStringSubmatch(body)
		if m == nil || m[2] != fmt.Sprint(want.count) {
			t.Errorf("%s: %v, want %d", name, m, want.count)
			continue
		}
		var tasks []string
		for _, l := range regexp.MustCompile(`>(\w+) / 0<`).FindAllStringSubmatch(s.page(html.UnescapeString(m[1])), -1) {
			tasks = append(tasks, l[1])
		}
		slices.Sort(tasks)
		if got := strings.Join(tasks, " "); got != want.tasks {
			t.Errorf("%s leads to %s, want %s", name, got, want.tasks)
		}
	}
	if got := words(serve(t, tinyRun(t)).page("/small/")); !strings.Contains(got, "Every call has an answer that could be used") || strings.Contains(got, "Faults") {
		t.Errorf("a run without trouble: %s", got)
	}
}

// TestFigures loads the figures of a run's page, and what they show in words.
func TestFigures(t *testing.T) {
	s := serve(t, smallRun(t))
	body := s.page("/small/")
	for name, want := range map[string]string{"figure4-pass-k": "In words: Pass^k retail ReAct: 0.", "spent-over-time": "In words: tokens ReAct: "} {
		if !strings.Contains(body, `<img src="/small/figure/`+name+`.svg" alt="`) {
			t.Errorf("%s is not on the page", name)
		}
		status, svg, head := s.get("/small/figure/" + name + ".svg")
		if status != http.StatusOK || head.Get("Content-Type") != "image/svg+xml" || !strings.Contains(svg, "<svg") || !strings.Contains(svg, "synthetic") {
			t.Errorf("%s: status %d, %v", name, status, head)
		}
		if got := words(s.page("/small/figure/" + name + "/")); !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
	for _, path := range []string{"/small/figure/", "/small/figure/figure5-families.svg", "/small/figure/..%2fmanifest.json", "/small/figure/figure4-pass-k.png"} {
		if status, _, _ := s.get(path); status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

// TestMatrixPage goes from the matrix to trials, and to parts and orders of it.
func TestMatrixPage(t *testing.T) {
	s := serve(t, smallRun(t))
	got := words(s.page("/small/matrix/"))
	for _, want := range []string{"all tasks (2) only where systems differ (2) flaky only (1) both (1)", "2 of 2 tasks of retail", "Task PV/Mut ReAct Guided All these 2 tasks 1/4 4/4 5/8",
		"cancel-gift-card-order Mut 1/2 ✓ ✗ 2/2 ✓ ✓ 3/4", "cancel-one-return-one Mut 0/2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	flaky := s.page("/small/matrix/?only=flaky&sort=-system%3AReAct")
	if got := words(flaky); !strings.Contains(got, "1 of 2 tasks of retail") || strings.Contains(got, "cancel-one-return-one") || strings.Count(flaky, `aria-sort="descending"`) != 1 ||
		!strings.Contains(flaky, `href="/small/matrix/?domain=retail&amp;only=flaky&amp;sort=system%3AReAct"`) {
		t.Errorf("%s", got)
	}
	cell := s.page("/small/trials/?domain=retail&system=Guided&task=cancel-gift-card-order")
	if !strings.Contains(s.page("/small/matrix/"), `href="/small/trials/?domain=retail&amp;system=Guided&amp;task=cancel-gift-card-order"`) || !strings.Contains(words(cell), "1 to 2 of 2") {
		t.Errorf("a cell does not lead to its trials: %s", words(cell))
	}
}

// TestRunInBrowser goes from a run's page to its matrix, its flaky tasks, and a trial, on a wide and a narrow window.
func TestRunInBrowser(t *testing.T) {
	s := serve(t, smallRun(t))
	for _, look := range []browsertest.Look{browsertest.Wide, {Width: browsertest.Narrow.Width, Height: browsertest.Narrow.Height, Dark: true}} {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			b.Open(s.url + "/small/")
			b.Until(`[...document.images].length === 2 && [...document.images].every(i => i.complete && i.naturalWidth > 0)`)
			b.Fits()
			if to := os.Getenv("TAUGUIDE_SHOTS"); to != "" {
				b.Shoot(filepath.Join(to, "run-"+look.String()+".png"))
			}
			b.Follow(`a[href$="/matrix/"]`)
			b.Follow(`a[href*="only=flaky"]`)
			b.Follow(`th a[href*="sort=-total"]`)
			if got := browsertest.Eval[string](b, `document.querySelector("th[aria-sort=descending]").innerText + document.querySelectorAll("tbody tr").length`); !strings.HasPrefix(got, "All") || !strings.HasSuffix(got, "1") {
				t.Errorf("the flaky tasks by their passes: %s", got)
			}
			b.Fits()
			if to := os.Getenv("TAUGUIDE_SHOTS"); to != "" {
				b.Shoot(filepath.Join(to, "matrix-"+look.String()+".png"))
			}
			flaky := browsertest.Eval[string](b, `location.href`)
			b.Follow(`.totals td:last-child a`) // the trials of that task alone
			b.Until(`document.querySelector(".shown")?.innerText === "1 to 4 of 4"`)
			b.Open(flaky)
			b.Follow(`tbody td a`)
			b.Follow(`td a[href*="/trial/"]`)
			b.Until(`document.querySelector("h1").innerText.startsWith("retail/ReAct/cancel-gift-card-order/")`)
		})
	}
}

// TestRunName: a run is called by its folder on its pages, as in the list of runs, whatever its config is called.
func TestRunName(t *testing.T) {
	dir := filepath.Join(filepath.Dir(smallRun(t)), "moved")
	if err := os.Rename(filepath.Join(filepath.Dir(dir), "small"), dir); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir)
	for path, want := range map[string]string{"/": "moved synthetic finished", "/moved/": "moved all 10 trials", "/moved/trials/": "runs / moved / trials"} {
		if got := words(s.page(path)); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q: %s", path, want, got)
		}
	}
}
