package citations

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// A reader's patience: the longest line and the longest page.
const (
	longestLine = 120
	longestPage = 250
)

var link = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([\w-]+))?\)`)

// TestPages holds README and docs/ to what a reader may expect: short pages and lines, links that lead somewhere, and a
// way from the README to every page.
func TestPages(t *testing.T) {
	root := os.DirFS("../..")
	reached := map[string]bool{"README.md": true}
	for todo := []string{"README.md"}; len(todo) > 0; todo = todo[1:] {
		text, err := fs.ReadFile(root, todo[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := todo[0]
			if m[1] != "" {
				target = path.Join(path.Dir(todo[0]), m[1])
			}
			if _, err := fs.Stat(root, target); err != nil {
				t.Errorf("%s links to %s, which is not there", todo[0], m[1])
				continue
			}
			if m[2] != "" && !slugs(t, root, target)[m[2]] {
				t.Errorf("%s links to %s#%s, which has no such heading", todo[0], m[1], m[2])
			}
			if path.Ext(target) == ".md" && !reached[target] {
				reached[target] = true
				todo = append(todo, target)
			}
		}
	}
	err := fs.WalkDir(root, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" && !reached[name] {
			t.Errorf("no link leads from the README to %s", name)
			reached[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(reached, "guide/checks/README.md") // is a prompt
	for name := range reached {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		if forUsers(name) && !strings.Contains(string(text), "glossary.md)") {
			t.Errorf("%s does not link to the glossary", name)
		}
		if len(lines) > longestPage && name != "CHANGELOG.md" {
			t.Errorf("%s has %d lines, %d are a reader's patience: split it by what readers ask", name, len(lines), longestPage)
		}
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > longestLine {
				t.Errorf("%s:%d has %d characters, %d at most", name, i+1, n, longestLine)
			}
		}
	}
}

// forUsers are the pages of those who use the program.
func forUsers(name string) bool {
	switch name {
	case "docs/STATUS.md", "docs/architecture.md", "docs/glossary.md":
		return false
	}
	return path.Dir(name) == "docs" || path.Dir(name) == "docs/faithfulness"
}
