package svg

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestCompiledIsKept compiles the binary into a folder, and then with what that has: as it was left, and damaged.
func TestCompiledIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache", "tauguide")
	files := func() (out []string) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				out = append(out, path)
			}
			return err
		})
		if err != nil || len(out) != 1 {
			t.Fatalf("kept are %v, error %v", out, err)
		}
		return out
	}
	try := func(what string) {
		t.Helper()
		if _, err := compile(dir); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	try("an empty folder")
	kept := files()[0]
	was, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, bytes.Replace(was, was[len(was)/2:len(was)/2+9], []byte("damaged!!"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	try("a damaged file")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	try("a file in place of the folder")
}
