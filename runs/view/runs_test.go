package view_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// folder makes a folder of runs: each is a copy of the small one.
func folder(t testing.TB, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		put(t, root, name)
	}
	return root
}

// put copies the small run into a folder.
func put(t testing.TB, root, name string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(root, name), os.DirFS(smallRun(t))); err != nil {
		t.Fatal(err)
	}
}

// rowOf is what a reader sees of the row of the table that begins with a name.
func rowOf(body, name string) string {
	for _, row := range strings.Split(body, "<tr>") {
		if got := words(row); strings.HasPrefix(got, name+" ") {
			return got
		}
	}
	return ""
}

// TestListOfRuns shows a folder with runs, one that is damaged, and folders and files that are none; more come and go.
func TestListOfRuns(t *testing.T) {
	root := folder(t, "good", "b-half", "damaged")
	index := filepath.Join(root, "b-half", "index.jsonl")
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(root, "damaged", "manifest.json"): "{", filepath.Join(root, "note.txt"): "x",
		index: strings.Join(strings.SplitAfter(string(text), "\n")[:4], "")} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "<b>pages"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := serve(t, root)
	check := func(wants map[string]string) {
		t.Helper()
		body := s.page("/")
		for name, want := range wants {
			if got := rowOf(body, name); !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("%s: %q, want %q in\n%s", name, got, want, words(body))
			}
		}
		if !refreshes(body) {
			t.Error("the list does not follow")
		}
	}
	check(map[string]string{"good": "good synthetic finished 10 of 10 ReAct 0.38 Guided 1.00 1 of 2 domains – ", "b-half": "interrupted 4 of 10", "damaged": "manifest.json: damaged at byte", "later": ""})
	if got := words(s.page("/")); !strings.Contains(got, "3 runs of "+root) || !strings.Contains(got, "no manifest.json: "+filepath.Join(root, "<b>pages")) || strings.Contains(got, "note.txt") {
		t.Errorf("%s", got)
	}
	if status, body, _ := s.get("/damaged/"); status != http.StatusInternalServerError || !strings.Contains(words(body), "manifest.json") {
		t.Errorf("the damaged run: status %d\n%s", status, words(body))
	}
	s.page("/good/")
	for _, path := range []string{"/later/", "/note.txt/", "/<b>pages/", "/../"} {
		if status, _, _ := s.get(path); status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
	put(t, root, "later")
	if err := os.RemoveAll(filepath.Join(root, "good")); err != nil {
		t.Fatal(err)
	}
	check(map[string]string{"later": "finished 10 of 10", "good": ""})
	s.page("/later/trials/")
	if status, _, _ := s.get("/good/"); status != http.StatusNotFound {
		t.Errorf("a run that is gone: status %d", status)
	}
}

// TestRunsAreSorted follows the headings of the list: each orders it one way, then the other.
func TestRunsAreSorted(t *testing.T) {
	s := serve(t, folder(t, "b", "c", "a"))
	order := func(path string) (names []string, body string) {
		body = s.page(path)
		for _, l := range links(body) {
			if l = strings.Trim(l, "/"); len(l) == 1 {
				names = append(names, l)
			}
		}
		return names, body
	}
	for path, want := range map[string][]string{"/?sort=dir": {"a", "b", "c"}, "/?sort=-dir": {"c", "b", "a"}, "/?sort=nothing": {"a", "b", "c"}} {
		if got, _ := order(path); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	_, body := order("/")
	if !strings.Contains(body, `aria-sort="descending"><a href="/?sort=created">Began`) || strings.Count(body, "aria-sort") != 1 {
		t.Error("the newest are not first, or the heading does not say so")
	}
	for _, key := range []string{"dir", "state", "-done", "pass", "-cost", "created", "config", "note"} {
		if !strings.Contains(body, `<a href="/?sort=`+key+`"`) {
			t.Errorf("no heading leads to the order by %s", key)
		}
		down, plain := strings.CutPrefix(key, "-")
		_, body := order("/?sort=" + key)
		want := `aria-sort="ascending"><a href="/?sort=-` + down + `"`
		if plain {
			want = `aria-sort="descending"><a href="/?sort=` + down + `"`
		}
		if !strings.Contains(body, want) {
			t.Errorf("sorted by %s, its heading does not turn the order", key)
		}
	}
}

// TestListFollows watches the list in a browser while runs come and end: place and focus stay.
func TestListFollows(t *testing.T) {
	root := folder(t, "first")
	s := serve(t, root)
	b := browsertest.New(t, browsertest.Narrow)
	b.Open(s.url + "/?sort=dir")
	browsertest.Eval[any](b, `document.querySelector('a[href="/first/"]').focus(), document.querySelector(".scroll").scrollLeft = 40, null`)
	put(t, root, "another")
	b.Until(`document.querySelector('a[href="/another/"]')`)
	if got := browsertest.Eval[string](b, `document.activeElement.getAttribute("href") + " " + document.querySelector(".scroll").scrollLeft`); got != "/first/ 40" {
		t.Errorf("focus and place: %s", got)
	}
	b.Fits()
}

// BenchmarkManyRuns opens the list of a thousand runs.
func BenchmarkManyRuns(b *testing.B) {
	root, small := b.TempDir(), smallRun(b)
	for n := range 1000 {
		dir := filepath.Join(root, "run-"+strings.Repeat("x", n%7)+string(rune('a'+n%26))+strings.Repeat("y", n/26))
		if err := os.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"manifest.json", "plan.jsonl", "index.jsonl"} {
			if err := os.Link(filepath.Join(small, name), filepath.Join(dir, name)); err != nil {
				b.Fatal(err)
			}
		}
	}
	if dirs, err := store.Folders(root); err != nil || len(dirs) != 1000 {
		b.Fatal(len(dirs), err)
	}
	for b.Loop() {
		site, err := view.Open([]string{root}, noEnv)
		if err != nil {
			b.Fatal(err)
		}
		w := httptest.NewRecorder()
		if site.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/", nil)); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}
