//go:build unix

package domains_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tauguide/tauguide/domains"
)

// TestDataIsNoPipe: a pipe in a data folder is refused; opened, it would be waited for without end.
func TestDataIsNoPipe(t *testing.T) {
	dir := t.TempDir()
	mock := filepath.Join(dir, "tau2", "domains", "mock")
	if err := os.MkdirAll(mock, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(mock, "db.json"), 0o644); err != nil {
		t.Skip(err)
	}
	data, err := domains.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := data.Domain("mock", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Read("db.json"); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("error %v, want that it is no regular file", err)
	}
}
