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
	must := func(args ...string) {
		t.Helper()
		if code, stdout, stderr := command(t, noEnv, args...); code != exitOK {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	must("author", "workflow", "retail", "--synthetic", "--out", authored)
	if err := os.CopyFS(renamed, os.DirFS(authored)); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(renamed, "subflows", "cancel_order.yaml"), "authorize_cancel", "allow_cancel")
	var systems strings.Builder
	for name, bundle := range map[string]string{"shipped": "", "authored": authored, "renamed": renamed} {
		fmt.Fprintf(&systems, "  - {name: %s, agent: policyguide, model: clumsy, params: {model: careful, bundle: %q}}\n", name, bundle)
	}
	config, out := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "run")
	if err := os.WriteFile(config, []byte(`note: an authored workflow beside the built-in one
trials: 2
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.3, act_before_consent: 0.5, wrong_order: 0.3, grant_forbidden: 0.5}, follows_guidance: 0.95}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains: [{name: retail}]
systems:
`+systems.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	must("run", config, "--out", out)
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
	if d := cmp.Diff(found["shipped"], found["authored"]); d != "" {
		t.Errorf("(-built in +authored):\n%s", d)
	}
	if cmp.Equal(found["shipped"], found["renamed"]) {
		t.Error("it makes no difference which workflow the guide has")
	}
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
