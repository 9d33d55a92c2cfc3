package domains_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
)

func TestCheckNesting(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"plain", "a: [1, {b: 2}]\nc: {d: [e]}\n", ""},
		{"many brackets one after the other", strings.Repeat("a: [b]\n", 5000), ""},
		{"a ruler of dashes", strings.Repeat("-", 5000) + "\n", ""},
		{"open lists", "x: 1\na: " + strings.Repeat("[", 200_000), "line 2: more than 500 brackets"},
		{"open mappings over lines", strings.Repeat("{a:\n", 600), "line 501: more than 500 brackets"},
		{"lists in one line", strings.Repeat("- ", 600) + "a", "line 1 opens more than 500"},
		{"keys in one line", strings.Repeat("? ", 600) + "a", "line 1 opens more than 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := domains.CheckNesting([]byte(tt.text))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

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
	}{{"a.yaml", 4, "keep it under 4"}, {"b.yaml", 100, "no regular file"}, {"c.yaml", 100, "no such file"}} {
		if _, err := domains.ReadText(files, tt.name, tt.limit); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}
