package view_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view"
)

// TestExportPlaces: where a copy may go, and what is left where it may not.
func TestExportPlaces(t *testing.T) {
	run := tinyRun(t)
	site, err := view.Open([]string{run}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	for _, err := range []error{os.Mkdir(filepath.Join(place, "empty"), 0o755), os.Symlink("empty", filepath.Join(place, "link")), os.Symlink("nowhere", filepath.Join(place, "dangling")),
		os.Symlink(run, filepath.Join(place, "run"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, to, want string }{
		{"within the run", filepath.Join(run, "copy"), "within the run"},
		{"within its records", filepath.Join(run, "trials", "deep", "copy"), "within the run"},
		{"within the run, by a link", filepath.Join(place, "run", "copy"), "within the run"},
		{"a link", filepath.Join(place, "link"), "it is a link"},
		{"a link to nothing", filepath.Join(place, "dangling"), "it is a link"},
		{"an empty folder", filepath.Join(place, "empty"), ""},
		{"the same once more", filepath.Join(place, "empty"), "not empty"},
		{"a new folder", filepath.Join(place, "a", "b"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := site.Export(t.Context(), c.to)
			if c.want == "" {
				if _, missing := os.Stat(filepath.Join(c.to, "index.html")); err != nil || missing != nil {
					t.Errorf("error %v, start page %v", err, missing)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := os.Lstat(filepath.Join(run, "copy")); err == nil {
		t.Error("something was left within the run")
	}
	left, err := filepath.Glob(filepath.Join(place, ".tmp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestExportHere writes into the working directory.
func TestExportHere(t *testing.T) {
	site, err := view.Open([]string{tinyRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if _, err := site.Export(t.Context(), "."); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("index.html"); err != nil {
		t.Error(err)
	}
}
