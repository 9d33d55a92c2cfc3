package view_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/runs/view/browsertest"
	"github.com/tauguide/tauguide/sim"
)

// single writes a trial as one file, in a folder of its own.
func single(t *testing.T, dir string, key sim.Key) (address, body string) {
	t.Helper()
	site, err := view.Open([]string{dir}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	page, err := site.Single(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trial.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(file), string(page)
}

// TestSingle opens a trial that is one file: everything is in it, and nothing is loaded.
func TestSingle(t *testing.T) {
	address, body := single(t, smallRun(t), sim.Key{Domain: "retail", System: "Guided", Task: "cancel-gift-card-order"})
	for _, m := range regexp.MustCompile(`(?:href|src|action|target)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !strings.HasPrefix(m[1], "#") || !strings.Contains(body, ` id="`+m[1][1:]+`"`) {
			t.Errorf("the file refers to %q", m[1])
		}
	}
	have := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if have[m[1]] {
			t.Errorf("there are two of id %s", m[1])
		}
		have[m[1]] = true
	}
	for _, want := range []string{"synthetic", "find_user_id_by_name_zip", "Model calls", "Trace rubric:"} {
		if !strings.Contains(words(body), want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, look := range []browsertest.Look{browsertest.Wide, browsertest.Narrow} {
		b := browsertest.New(t, look)
		b.Open(address)
		b.Fits()
		b.Click(".turns a[href='#m1']")
		b.Until(`document.querySelector("#m1[aria-current]")`)
		b.Click(".tabs a[href='#tab-score']")
		b.Until(`document.querySelector("#tab-score").checkVisibility() && !document.querySelector("#tab-calls").checkVisibility()`)
	}
	plain := browsertest.New(t, browsertest.Look{NoScript: true})
	plain.Open(address)
	if got := browsertest.Eval[int](plain, `[...document.querySelectorAll(".panel")].filter(p => p.checkVisibility()).length`); got != 4 {
		t.Errorf("without script %d tabs can be seen, want all 4", got)
	}
}

// TestSingleHostile puts hostile texts everywhere in a trial that is one file.
func TestSingleHostile(t *testing.T) {
	_, plain := single(t, written(t, everywhere("word")), everywhere("word").Key)
	b := browsertest.New(t, browsertest.Narrow)
	for _, text := range hostile() {
		r := everywhere(text)
		address, body := single(t, written(t, r), r.Key)
		harmless(t, text, plain, body)
		b.Open(address)
		b.Fits()
		b.Press("j")
	}
}

// TestSingleLong: a conversation that has several pages is whole in one file, and so are texts that a page cuts.
func TestSingleLong(t *testing.T) {
	r := long(500, 500_000)
	huge := strings.Repeat("word ", 30_000)
	r.Messages[1].Content = &huge
	_, body := single(t, written(t, r), r.Key)
	for _, want := range []string{` id="m0"`, ` id="m499"`, `href="#m499"`, huge} {
		if !strings.Contains(body, want) {
			t.Errorf("%.20q is missing", want)
		}
	}
	if strings.Contains(body, "from=") {
		t.Error("the file refers to another page of the conversation")
	}
}

// TestSingleDamaged: a trial of which models' requests cannot be read is one file nevertheless, which says so.
func TestSingleDamaged(t *testing.T) {
	dir := shopRun(t, config.Options{Limit: 1})
	if err := os.WriteFile(filepath.Join(dir, "requests", "0001.zst"), []byte("no zstd, but long enough"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, body := single(t, dir, sim.Key{Domain: "retail", System: "ReAct", Task: "cancel-gift-card-order"})
	for _, want := range []string{"find_user_id_by_name_zip", "magic number mismatch"} {
		if !strings.Contains(words(body), want) {
			t.Errorf("%q is missing", want)
		}
	}
}
