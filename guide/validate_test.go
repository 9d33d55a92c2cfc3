package guide_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// findings loads and validates one example: a bundle with its catalog.yaml, against the mock domain's tools and policy.
func findings(t *testing.T, dir string) guide.Findings {
	t.Helper()
	policy, err := os.ReadFile(filepath.Join(domaintest.Root(t), "domains/mock/data/policy.md"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := guide.Context{
		Inventory: guide.InventoryOf(mockWorld(t)),
		Documents: guide.Documents{"embedded": {"policy.md": string(policy)}},
	}
	text, err := os.ReadFile(filepath.Join(dir, "catalog.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var found guide.Findings
	catalog, err := guide.ParseCatalog("catalog.yaml", text)
	if err != nil && !errors.As(err, &found) {
		t.Fatal(err)
	}
	if err == nil {
		ctx.Catalog = catalog
	}
	b, err := guide.Load(os.DirFS(dir), "case")
	var malformed guide.Findings
	if errors.As(err, &malformed) {
		return append(found, malformed...)
	} else if err != nil {
		t.Fatal(err)
	}
	return append(found, guide.Validate(b, ctx)...)
}

// TestValidateGolden runs every example under testdata/validate, each named after the code that it shows.
func TestValidateGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/validate/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			found := findings(t, dir)
			var b strings.Builder
			for _, f := range found {
				b.WriteString(f.String() + "\n")
				if f.Mend == "" || f.Text == "" || f.File == "" {
					t.Errorf("finding without text, file or mend: %+v", f)
				}
			}
			if name != "ok" && !slices.ContainsFunc(found, func(f guide.Finding) bool { return strings.HasPrefix(name, f.Code) }) {
				t.Errorf("no finding of the kind that the example is for:\n%s", b.String())
			}
			path := filepath.Join(dir, "findings.txt")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Errorf("findings differ (run with -update if that is meant):\n%s", d)
			}
		})
	}
}

// Validating twice gives the same findings in the same order.
func TestValidateIsStable(t *testing.T) {
	for _, name := range []string{"bad-event", "intent-target", "policy-lines"} {
		first := findings(t, filepath.Join("testdata/validate", name))
		for range 10 {
			if d := cmp.Diff(first, findings(t, filepath.Join("testdata/validate", name))); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		}
	}
}
