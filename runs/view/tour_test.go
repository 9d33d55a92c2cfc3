package view_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// column is what a column of the list of trials has, from the top.
func column(b *browsertest.Tab, title string) []string {
	return browsertest.Eval[[]string](b, `(() => { const t = document.querySelector("table.trials"),
		at = [...t.tHead.rows[0].cells].findIndex(c => c.innerText.trim().startsWith(`+"`"+title+"`"+`));
		return [...t.tBodies[0].rows].filter(r => !r.matches(".said")).map(r => r.cells[at].innerText.trim()) })()`)
}

// selected is the turn that is selected.
func selected(b *browsertest.Tab) string {
	return browsertest.Eval[string](b, `document.querySelector("article[aria-current]")?.id ?? ""`)
}

// TestTour goes through the pages as a reader does who looks for a conversation and reads it, with keys and with the mouse.
func TestTour(t *testing.T) {
	s := serve(t, smallRun(t))
	for _, look := range browsertest.Looks() {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			b.Open(s.url + "/")
			b.Follow("main tbody th a")
			b.Follow("main a[href$='/trials/']")

			heading := `[...document.querySelectorAll("th a")].find(a => a.innerText.trim().startsWith("Steps"))`
			for _, order := range []func(a, b int) int{func(a, b int) int { return b - a }, func(a, b int) int { return a - b }} {
				b.FollowScript(heading + `.click()`)
				steps := column(b, "Steps")
				if len(steps) != 10 || !slices.IsSortedFunc(steps, func(x, y string) int { return order(number(t, x), number(t, y)) }) {
					t.Errorf("sorted by steps the list is %v", steps)
				}
			}

			b.Press("/")
			b.Until(`document.activeElement.type === "search"`)
			b.Press("cancel")
			b.FollowScript(`document.activeElement.form.requestSubmit()`)
			b.Until(`document.querySelector("mark")`)
			if got := strings.ToLower(b.Text("mark")); got != "cancel" {
				t.Errorf("marked is %q", got)
			}
			b.FollowScript(`document.querySelector("input[name=system][value=Guided]").checked = true; document.querySelector("form.filter").requestSubmit()`)
			if got := slices.Compact(column(b, "System")); len(got) != 1 || got[0] != "Guided" {
				t.Errorf("filtered by system the list is of %v", got)
			}

			b.Follow("table.trials td a[href*='/trial/']")
			first := browsertest.Eval[string](b, "location.pathname")
			b.Press("j")
			before := selected(b)
			b.Press("j")
			if at := selected(b); at == before || at == "" {
				t.Errorf("j goes from %q to %q", before, at)
			}
			b.Press("k")
			if at := selected(b); at != before {
				t.Errorf("k goes back to %q, not %q", at, before)
			}
			b.Click("#m2 .who span")
			b.Until(`location.hash === "#m2" && document.querySelector("#m2[aria-current]") && document.querySelector(".turns a[aria-current]").hash === "#m2"`)
			b.Click("article.event .who span")
			b.Until(`document.querySelector("article.event[aria-current]") && document.querySelectorAll(".turns a[aria-current]").length === 1`)
			b.Click("#m2 .who span")
			for _, tab := range []string{"database", "score", "calls", "workflow"} {
				b.Click(".tabs a[href='#tab-" + tab + "']")
				b.Until(`document.querySelector("#tab-` + tab + `").checkVisibility() && document.querySelectorAll(".panel:not([hidden])").length === 1`)
				b.Fits()
			}
			b.Click(".tabs a[href='#tab-score']")
			b.Open(browsertest.Eval[string](b, "location.href"))
			b.Until(`document.querySelector("#m2[aria-current]") && document.querySelector("#tab-score").checkVisibility()`)

			b.FollowKey("n")
			if at := browsertest.Eval[string](b, "location.pathname"); at == first || !strings.Contains(at, "/Guided/") {
				t.Errorf("n goes from %s to %s, which should be the next of the filter", first, at)
			}
			b.FollowKey("p")
			if at := browsertest.Eval[string](b, "location.pathname"); at != first {
				t.Errorf("p goes back to %s, not %s", at, first)
			}
			b.Press("?")
			b.Until(`document.querySelector("dialog[open]")?.innerText.includes("the next turn")`)
			b.Press(browsertest.Escape)
			b.Until(`!document.querySelector("dialog[open]")`)
		})
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Error(err)
	}
	return n
}
