package domains_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
)

func TestReadText(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "b.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := os.DirFS(dir)
	if text, err := domains.ReadText(files, "a.yaml", 5); err != nil || string(text) != "a: 1\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, tt := range []struct {
		name  string
		limit int64
		want  string
	}{{"a.yaml", 4, "hint: keep it under 4"}, {"b.yaml", 100, "no regular file"}, {"c.yaml", 100, "no such file"}} {
		if _, err := domains.ReadText(files, tt.name, tt.limit); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := domains.ReadFile(os.DevNull, 100); err == nil || !strings.Contains(err.Error(), os.DevNull+" is no regular file") {
		t.Errorf("a device: %v", err)
	}
}
