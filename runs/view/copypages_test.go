package view_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// copyOf writes the pages of a run into a folder and returns the address of the start page.
func copyOf(t *testing.T, site *view.Site) (string, view.Copied) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pages")
	done, err := site.Export(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(filepath.Join(dir, "index.html")), done
}

// TestCopyInBrowser goes from the start page of a copy on the disk to a turn of a trial, as a reader would.
func TestCopyInBrowser(t *testing.T) {
	site, err := view.Open([]string{tinyRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	start, _ := copyOf(t, site)
	b := browsertest.New(t, browsertest.Narrow)
	b.Open(start)
	if got := b.Text("main"); !strings.Contains(got, "This copy") || strings.Contains(got, "are not in it, only") {
		t.Errorf("the start page says %s", got)
	}
	b.Follow("main tbody th a")
	b.Until(`document.querySelector("h1").textContent === "small"`)
	run := browsertest.Eval[string](b, `location.href`)
	b.Follow("a[href*='matrix/']")
	column := `[...document.querySelectorAll("tbody tr")].map(r => r.cells[0].textContent).join(" ")`
	first := browsertest.Eval[string](b, column)
	b.Click("thead th:first-child button")
	b.Click("thead th:first-child button")
	if last := browsertest.Eval[string](b, column); last == first && strings.Contains(first, " ") {
		t.Errorf("the tasks are in the order %s both ways", last)
	}
	b.Open(run)
	b.Follow("a[href*='trials/index.html']")
	b.Follow("a[href*='/Guided/']")
	b.Until(`document.querySelector("h1").textContent.includes("retail/Guided/")`)
	b.Fits()
	b.Click(".turns a[href='#m1']")
	b.Until(`location.hash.startsWith("#m1") && document.querySelector("#m1").matches("[aria-current]")`)
	b.Click(".tabs a[href*='tab-score']")
	b.Until(`document.querySelector("#tab-score").checkVisibility()`)
	b.Follow("a[href*='/beside/']")
	b.Until(`document.querySelector("h1").textContent === "Side by side"`)
	b.Fits()
}

// TestCopyOfPart leaves out what would be too much, and says so on the start page and in place of it.
func TestCopyOfPart(t *testing.T) {
	site, err := view.Open([]string{tinyRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	site.MostOpened = 0
	start, done := copyOf(t, site)
	if done.Opened != 0 || done.Left == 0 {
		t.Fatalf("the copy has %d of what opens from trials, and leaves out %d", done.Opened, done.Left)
	}
	b := browsertest.New(t, browsertest.Wide)
	b.Open(start)
	if got := b.Text("main"); !strings.Contains(got, "only the first 0.") {
		t.Errorf("the start page says %s", got)
	}
	b.Open(strings.Replace(start, "index.html", "left-out/index.html", 1))
	b.Accessible()
}
