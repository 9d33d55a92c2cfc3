package importrules_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/scripts/importrules"
)

// listed asks the go command for the module's packages. Imports of tests do not count: a test may use anything.
func listed(t *testing.T) []importrules.Package {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", importrules.Module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	inside := func(path string) (string, bool) { return strings.CutPrefix(path, importrules.Module+"/") }
	var pkgs []importrules.Package
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		path, ok := inside(p.ImportPath)
		if !ok {
			continue
		}
		own := importrules.Package{Path: path}
		for _, imp := range p.Imports {
			if rel, ok := inside(imp); ok {
				own.Imports = append(own.Imports, rel)
			}
		}
		pkgs = append(pkgs, own)
	}
	return pkgs
}

func TestDependenciesPointOneWay(t *testing.T) {
	pkgs := listed(t)
	if len(pkgs) < 10 {
		t.Fatalf("only %d packages found", len(pkgs))
	}
	bad, err := importrules.Check(importrules.Rules, pkgs)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bad {
		t.Error(line)
	}
}

// TestPlantedViolations makes sure that the check can fail.
func TestPlantedViolations(t *testing.T) {
	for _, c := range []struct {
		name string
		pkg  importrules.Package
		want string
	}{
		{"llm knows domains", importrules.Package{Path: "sim/llm", Imports: []string{"domains"}}, "package sim/llm must not import domains"},
		{"domains knows sim", importrules.Package{Path: "domains", Imports: []string{"sim"}}, "package domains must not import sim"},
		{"a domain knows another", importrules.Package{Path: "domains/retail", Imports: []string{"domains/mock"}}, "package domains/retail must not import domains/mock"},
		{"sim knows agents", importrules.Package{Path: "sim", Imports: []string{"agents"}}, "package sim must not import agents"},
		{"metrics knows files", importrules.Package{Path: "metrics", Imports: []string{"runs"}}, "package metrics must not import runs"},
		{"a new top-level package", importrules.Package{Path: "utils"}, "package utils: no rule covers it"},
	} {
		bad, err := importrules.Check(importrules.Rules, append(listed(t), c.pkg))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, line := range bad {
			found = found || line == c.want
		}
		if !found {
			t.Errorf("%s: got %v, want %q among them", c.name, bad, c.want)
		}
	}
}

func TestMalformedRules(t *testing.T) {
	for _, rules := range []string{"llm", "a: @unknown"} {
		if _, err := importrules.Check(rules, nil); err == nil {
			t.Errorf("%q is accepted", rules)
		}
	}
}
