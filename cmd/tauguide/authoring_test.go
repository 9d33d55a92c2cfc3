package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/domaintest"
)

var estimated = regexp.MustCompile(`about (\d+) calls, (\d+) tokens read, (\d+) written, about ([0-9.]+) dollars`)

// TestAuthoringCosts holds the table of docs/own-policy.md to what --dry-run says at the listed prices; -update writes it.
func TestAuthoringCosts(t *testing.T) {
	t.Chdir(domaintest.Root(t))
	models := []string{"gpt-5.4-nano", "gpt-5.4-mini", "gpt-5.4", "claude-opus-4-8"}
	table := "| policy | calls | tokens read, written | " + strings.Join(models, " | ") + " |\n|---|---:|---:|" + strings.Repeat("---:|", len(models)) + "\n"
	for _, row := range []struct{ policy, args string }{
		{"lending desk", "--policy configs/authoring/lending/policy/policy.md --tools configs/authoring/tools.json --user-tools configs/authoring/device.json --name lending"}, {"airline", "airline"}, {"retail", "retail"}, {"telecom", "telecom"},
	} {
		var head string
		var dollars []string
		for _, model := range models {
			args := append(strings.Fields("author workflow --examples --checks --dry-run --model "+model), strings.Fields(row.args)...)
			code, stdout, stderr := command(t, variables(map[string]string{"OPENAI_API_KEY": "none"}), args...)
			m := estimated.FindStringSubmatch(stdout)
			if code != exitOK || m == nil {
				t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
			}
			head = fmt.Sprintf("| %s | %s | %s, %s |", row.policy, m[1], m[2], m[3])
			dollars = append(dollars, m[4])
		}
		table += head + " " + strings.Join(dollars, " | ") + " |\n"
	}
	const page = "docs/own-policy.md"
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "| policy | calls |")
	end := strings.Index(rest, "\n\n")
	if !found || end < 0 {
		t.Fatalf("%s has no table of costs", page)
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash(page), []byte(before+strings.TrimSuffix(table, "\n")+rest[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(table, "| policy | calls |"+rest[:end+1]); d != "" {
		t.Errorf("%s is not what --dry-run says (-update writes it; -want +got):\n%s", page, d)
	}
}
