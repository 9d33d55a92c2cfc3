// Package citations checks that what comments and pages cite exists, and that pages are fit to read.
package citations

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	cited   = regexp.MustCompile(`docs/([\w/.-]+\.md)(?:#([\w-]+))?`)
	unslug  = regexp.MustCompile(`docs/reference/\w+\.md, "?[A-Z]`)
	outside = regexp.MustCompile(`\b(spec/|hash_notes|DESIGN\.md|pains\.md|anchors\.md|libraries\.md)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unsaid  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestCitations follows every docs/PAGE.md#heading in the repository, and finds names of documents that are not in it.
func TestCitations(t *testing.T) {
	root := os.DirFS("../..")
	headings := map[string]map[string]bool{} // by page
	n := 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "results" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" && path.Ext(name) != ".md" && path.Ext(name) != ".yaml" || strings.HasPrefix(name, "scripts/citations/"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if m := outside.Find(text); m != nil {
			t.Errorf("%s cites %s, which is not in the repository", name, m)
		}
		if m := unslug.Find(text); m != nil {
			t.Errorf("%s: %s…: cite a heading as page.md#heading", name, m)
		}
		for _, m := range cited.FindAllStringSubmatch(string(text), -1) {
			n++
			if headings[m[1]] == nil {
				headings[m[1]] = slugs(t, root, "docs/"+m[1])
			}
			if m[2] != "" && !headings[m[1]][m[2]] {
				t.Errorf("%s cites %s, which has no such heading", name, m[0])
			}
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Errorf("%d citations found, error %v", n, err)
	}
}

// slugs returns the anchors of a page's headings, as GitHub makes them.
func slugs(t *testing.T, root fs.FS, page string) map[string]bool {
	t.Helper()
	text, err := fs.ReadFile(root, page)
	if err != nil {
		t.Error(err)
	}
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		out[strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}
