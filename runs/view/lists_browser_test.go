package view_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// TestSearchInBrowser types a search, filters, sorts and follows a hit: on a server, and in a copy on the disk, where the
// script does all of it.
func TestSearchInBrowser(t *testing.T) {
	dir := smallRun(t)
	site, err := view.Open([]string{dir}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if _, err := site.Export(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]string{"served": serve(t, dir).url + "/", "copied": "file://" + copied + "/index.html"} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.New(t, browsertest.Wide)
			b.Open(start)
			b.Follow(`tbody a`)
			b.Follow(`a[href*="trials/"]`)
			b.Until(`!document.querySelector("form.filter").hidden`)
			shown := func(want string) {
				t.Helper()
				b.Until(`document.querySelector(".shown")?.innerText === "` + want + `"`)
			}
			shown("1 to 10 of 10")
			b.Click(`input[name="q"]`)
			b.Press(`"gift card" FIND_user_id_by_name_zip` + browsertest.Enter)
			b.Until(`location.search.includes("q=")`)
			shown("1 to 4 of 4")
			if got := b.Text("tr.said mark"); !strings.EqualFold(got, "gift card") && !strings.EqualFold(got, "find_user_id_by_name_zip") {
				t.Errorf("the first mark is %q", got)
			}
			b.Click("details.pick:nth-of-type(2) summary")
			b.Click(`input[value="Guided"]`)
			b.Click(`form.filter button`)
			b.Until(`location.search.includes("system=Guided")`)
			shown("1 to 2 of 2")
			b.Follow(`thead th:nth-child(2) a`)
			b.Until(`document.querySelector("th[aria-sort=ascending]")`)
			b.Follow(`thead th:nth-child(2) a`)
			b.Until(`document.querySelector("th[aria-sort=descending]")`)
			shown("1 to 2 of 2")
			if got := b.Text("tbody td:nth-child(2)"); got != "cancel-gift-card-order / 1" {
				t.Errorf("the first trial is %q", got)
			}
			b.Fits()
			b.Follow("tr.said a")
			b.Until(`document.querySelectorAll("article mark").length > 1`)
			b.Until(`[...document.querySelectorAll("details")].every(d => d.open || !d.querySelector("mark"))`)
			if id := browsertest.Eval[string](b, `document.querySelector(":target").id`); !browsertest.Eval[bool](b, `!!document.getElementById("`+id+`").querySelector("mark")`) {
				t.Errorf("%s was linked and has no mark", id)
			}
			b.Click(".hits button:last-of-type")
			b.Until(`document.querySelector("mark.here")`)
			b.Fits()
			if got := browsertest.Eval[string](b, `[...document.querySelectorAll(".between a[rel=prev], .between a[rel=next]")].map(a => a.textContent).join(" ")`); got != "cancel-gift-card-order / 0, Guided →" {
				t.Errorf("the trials before and after are %q", got)
			}
		})
	}
}
