package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/store"
)

// TestAuthoredGuards has a workflow that was just written guard conversations of the quickstart, beside the built-in one:
// every trial has the same messages and reward. Those of one in which a node is called otherwise than the scripted
// verifier calls it do not.
func TestAuthoredGuards(t *testing.T) {
	dir := t.TempDir()
	authored, renamed := filepath.Join(dir, "authored"), filepath.Join(dir, "renamed")
	succeed(t, "author", "workflow", "retail", "--synthetic", "--out", authored)
	if err := os.CopyFS(renamed, os.DirFS(authored)); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(renamed, "subflows", "cancel_order.yaml"), "authorize_cancel", "allow_cancel")
	found := guarded(t, "retail", "model: careful", map[string]string{"shipped": "", "authored": authored, "renamed": renamed})
	if d := cmp.Diff(found["shipped"], found["authored"]); d != "" {
		t.Errorf("(-built in +authored):\n%s", d)
	}
	if cmp.Equal(found["shipped"], found["renamed"]) {
		t.Error("it makes no difference which workflow the guide has")
	}
}

// TestAuthoredChecksGuard does the same where code alone judges and closes the gate: by checks that were written too, it is
// as by the built-in ones, and without checks it is not.
func TestAuthoredChecksGuard(t *testing.T) {
	dir := t.TempDir()
	checked, plain := filepath.Join(dir, "checked"), filepath.Join(dir, "plain")
	for _, domain := range []string{"airline", "retail", "telecom"} {
		succeed(t, "author", "workflow", domain, "--synthetic", "--checks", "--out", filepath.Join(checked, domain))
		succeed(t, "author", "workflow", domain, "--synthetic", "--out", filepath.Join(plain, domain))
		for _, params := range []string{"verifier: deterministic, gate: strict", "model: careful, verifier: hybrid, gate: strict"} {
			found := guarded(t, domain, params, map[string]string{"shipped": "", "checked": filepath.Join(checked, domain), "plain": filepath.Join(plain, domain)})
			if d := cmp.Diff(found["shipped"], found["checked"]); d != "" {
				t.Errorf("%s, %s: (-built in +authored):\n%s", domain, params, d)
			}
			if cmp.Equal(found["shipped"], found["plain"]) {
				t.Errorf("%s, %s: it makes no difference whether there are checks", domain, params)
			}
		}
	}
}

// succeed runs a command that must not fail.
func succeed(t *testing.T, args ...string) {
	t.Helper()
	if code, stdout, stderr := command(t, noEnv, args...); code != exitOK {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
	}
}

// guarded runs a domain's tasks under PolicyGuide with each of the bundles, and returns messages and reward of each trial.
func guarded(t *testing.T, domain, params string, bundles map[string]string) map[string]map[string]string {
	t.Helper()
	dir := t.TempDir()
	var systems strings.Builder
	for name, bundle := range bundles {
		fmt.Fprintf(&systems, "  - {name: %s, agent: policyguide, model: clumsy, params: {%s, bundle: %q}}\n", name, params, bundle)
	}
	config, out := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "run")
	if err := os.WriteFile(config, []byte(`note: an authored workflow beside the built-in one
trials: 2
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.3, act_before_consent: 0.5, wrong_order: 0.3, grant_forbidden: 0.5}, follows_guidance: 0.95}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains: [{name: `+domain+`}]
systems:
`+systems.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	succeed(t, "run", config, "--out", out)
	run, err := store.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]string{}
	for _, e := range run.Index() {
		rec, err := run.Record(e.Key)
		if err != nil {
			t.Fatal(err)
		}
		if found[e.System] == nil {
			found[e.System] = map[string]string{}
		}
		text, err := json.MarshalIndent(map[string]any{"messages": rec.Timeless().Messages, "reward": e.Reward}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		found[e.System][fmt.Sprint(e.Task, "/", e.Trial)] = string(text)
	}
	if len(found["shipped"]) < 10 {
		t.Fatalf("only %d trials", len(found["shipped"]))
	}
	return found
}

// edit replaces a text in a file, which has to be there.
func edit(t *testing.T, file, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), old, new)), 0o644); err != nil {
		t.Fatal(err)
	}
}
