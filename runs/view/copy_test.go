package view_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view"
)

// TestExport writes two runs into a folder and follows every link of every page.
func TestExport(t *testing.T) {
	site, err := view.Open([]string{tinyRun(t), tinyRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "deep", "pages")
	done, err := site.Export(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	pages, records, figures := 0, 0, 0
	reached := map[string]bool{filepath.Join(dir, "index.html"): true}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".json":
			records++
			return nil
		case ".svg":
			figures++
			return nil
		case ".css", ".js":
			return nil
		}
		pages++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		body := string(text)
		if strings.Count(body, "<form") != strings.Count(body, `aria-label="filters" hidden>`) || !strings.Contains(body, "script-src &#39;self&#39;") {
			t.Errorf("%s has a form that nothing answers, or may run any script", path)
		}
		for _, l := range links(body) {
			u, err := url.Parse(l)
			if err != nil || u.Scheme != "" || u.Host != "" || u.RawQuery != "" || strings.HasPrefix(l, "/") {
				t.Errorf("%s: link %q", path, l)
				continue
			}
			to := path
			if u.Path != "" {
				to = filepath.Join(filepath.Dir(path), filepath.FromSlash(u.Path))
			}
			target, err := os.ReadFile(to)
			if err != nil {
				t.Errorf("%s: link %q: %v", path, l, err)
				continue
			}
			reached[to] = true
			if u.Fragment != "" && !regexp.MustCompile(` id="`+regexp.QuoteMeta(u.Fragment)+`"`).Match(target) {
				t.Errorf("%s: link %q: there is no such place", path, l)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages != done.Pages || records != done.Records || records != 6 || len(done.Troubled) != 0 || len(reached) != pages+records+figures+2+2 || figures != 4 { // style, script, and the data of two lists
		t.Errorf("%d pages, %d records and %d figures, %d reached; reported %+v", pages, records, figures, len(reached), done)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".tmp-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm()&0o055 != 0o055 {
		t.Errorf("the folder is %v, %v", st.Mode(), err)
	}
}

func TestExportRefuses(t *testing.T) {
	site, err := view.Open([]string{tinyRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	full := t.TempDir()
	file := filepath.Join(full, "mine")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a folder that is not empty": full, "a file": file} {
		if _, err := site.Export(t.Context(), to); err == nil || !strings.Contains(err.Error(), to) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	to := filepath.Join(t.TempDir(), "pages")
	if _, err := site.Export(stopped, to); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: error %v", err)
	}
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("a stopped export left %s", to)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := site.Export(t.Context(), to); err != nil {
		t.Errorf("into an empty folder: %v", err)
	}
}
