//go:build !unix

package cassette_test

import (
	"os"
	"testing"
)

// put puts a folder in place of a file.
func put(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
