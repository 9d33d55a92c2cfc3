//go:build unix

package cassette_test

import (
	"syscall"
	"testing"
)

// put puts a pipe in place of a file.
func put(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip(err)
	}
}
