//go:build unix

package store_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
)

// TestNothingButFiles puts something else in place of each file and folder of a run: neither a reader nor a resume may
// follow it, wait for it, or take what it stands for as missing and run that again.
func TestNothingButFiles(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	runtest.Write(t, filepath.Join(calm, "tau2.json"), []byte("{}\n"))
	kinds := map[string]func(moved, path string) error{
		"a link":   os.Symlink,
		"a pipe":   func(_, path string) error { return syscall.Mkfifo(path, 0o644) },
		"a socket": func(_, path string) error { return socket(path) },
	}
	for _, name := range []string{"manifest.json", "plan.jsonl", "index.jsonl", "scores.jsonl", "log.jsonl", "lock", "tau2.json",
		"trials", "trials/retail", "trials/retail/Noop", victimFile} {
		for kind, put := range kinds {
			t.Run(name+" is "+kind, func(t *testing.T) {
				dir, moved := runtest.Clone(t, calm), filepath.Join(t.TempDir(), "moved")
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.Rename(path, moved); err != nil {
					t.Fatal(err)
				}
				if err := put(moved, path); err != nil {
					t.Skip(err)
				}
				_, openErr := store.Open(dir)
				s, runErr := runtest.Run(t.Context(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true})
				for _, err := range []error{openErr, runErr} {
					if err == nil || !strings.Contains(err.Error(), path+" is "+kind) || !strings.Contains(err.Error(), "\nhint: ") {
						t.Errorf("error %v, want that %s is %s", err, path, kind)
					}
				}
				if s != nil {
					t.Errorf("the resume began: %+v", s)
				}
			})
		}
	}
}

// socket puts a socket into a folder, by way of the folder itself since the names of sockets are short.
func socket(path string) error {
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(short)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s"), Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	if err := os.Rename(filepath.Join(short, "s"), path); err != nil {
		return err
	}
	return l.Close()
}

// TestARunBehindALink is read and resumed like any other: only what is in its folder must be there itself.
func TestARunBehindALink(t *testing.T) {
	dir, link := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "link")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Trials: 1})
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: link, Resume: true}); s.Executed != 6 || !s.Complete() {
		t.Errorf("%+v", s)
	}
	runtest.Consistent(t, dir)
}

// TestSizesAreCheckedBeforeReading makes files with holes, which take no room on the disk and would take it in memory.
func TestSizesAreCheckedBeforeReading(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	huge := func(t *testing.T, dir, name string) {
		t.Helper()
		if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(name)), 1<<40); err != nil {
			t.Skip(err)
		}
	}
	t.Run("manifest", func(t *testing.T) {
		dir := runtest.Clone(t, calm)
		huge(t, dir, "manifest.json")
		if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), "manifest.json has 1099511627776 bytes, at most") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("record", func(t *testing.T) {
		dir := runtest.Clone(t, calm)
		huge(t, dir, victimFile)
		r := runtest.Open(t, dir)
		if b := r.Broken(); len(b) != 1 || !strings.Contains(b[0].Error(), victimFile+" has 1099511627776 bytes, at most") || len(r.Index()) != 11 {
			t.Errorf("broken %v, %d in the index", b, len(r.Index()))
		}
	})
	t.Run("last line of the index", func(t *testing.T) {
		dir := runtest.Clone(t, calm)
		huge(t, dir, "index.jsonl")
		s, err := runtest.Run(t.Context(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true})
		if err == nil || !strings.Contains(err.Error(), "index.jsonl: the last line has more than") || s != nil {
			t.Errorf("error %v, %+v", err, s)
		}
	})
	t.Run("a line of the index", func(t *testing.T) {
		dir := runtest.Clone(t, calm)
		path := filepath.Join(dir, "index.jsonl")
		text := runtest.Text(t, path)
		line := []byte(`{"file":"` + strings.Repeat("x", 2<<20) + "\"}\n")
		runtest.Write(t, path, append(line, text...))
		if r := runtest.Open(t, dir); len(r.Index()) != 12 || len(r.Broken()) != 0 {
			t.Errorf("%d in the index, broken %v", len(r.Index()), r.Broken())
		}
		runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true})
		if n := len(runtest.Text(t, path)); n > len(text) {
			t.Errorf("the index has %d bytes after the resume, %d before", n, len(text))
		}
	})
}
