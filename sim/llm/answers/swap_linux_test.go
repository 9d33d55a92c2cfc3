package answers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tauguide/tauguide/sim/llm/answers"
)

// TestPlaceLeavesNoGap: whoever opens the folder finds the old files or the new ones, and nothing is left beside it.
func TestPlaceLeavesNoGap(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	killed := filepath.Join(parent, ".out.new", "a") // of an earlier process
	if err := os.MkdirAll(killed, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := answers.Place(dir, map[string]string{"a/b": "0"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(killed)); err == nil {
		t.Error("what a process that was killed left is still there")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 {
			if err := answers.Place(dir, map[string]string{"a/b": "1"}); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
			if _, err := os.Stat(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	left, err := os.ReadDir(parent)
	if text, _ := os.ReadFile(filepath.Join(dir, "a", "b")); err != nil || len(left) != 1 || string(text) != "1" {
		t.Errorf("%v, %v, %q", left, err, text)
	}
}
