package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// steering holds what moves a cursor, sets a title, or turns the direction of reading, in one byte and in two.
const steering = "\x1b]0;title\a \x1b[2J \u009b31m \x7f \r \u202egpj.exe\u2066"

// TestServersDoNotSteerTheTerminal: whatever a server says, and whichever command repeats it, no control character and no
// mark of direction reaches the terminal, and JSON stays JSON.
func TestServersDoNotSteerTheTerminal(t *testing.T) {
	srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		if r.JSON(t)["model"] == "talks" {
			return faultserver.Text("hello " + steering)
		}
		return faultserver.Error(418, "", "", "", "no tea "+steering)
	})
	dir := t.TempDir()
	file := filepath.Join(dir, "steered.yaml")
	text := fmt.Sprintf("note: steered\ntrials: 1\nlimits: {max_steps: 6}\nmodels:\n  talks: {base_url: %q, key: k, retry: {attempts: 1}}\n  fails: {base_url: %[1]q, key: k, retry: {attempts: 1}}\n"+
		"user: {model: talks}\ndomains: [{name: mock, tasks: [add_task]}]\nsystems: [{name: Talks, agent: react, model: talks}, {name: Fails, agent: react, model: fails}]\n", srv.URL)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run1 := filepath.Join(dir, "run")
	for _, c := range []struct {
		args []string
		says string // that the foreign text was there to be repeated
	}{
		{[]string{"run", file, "--out", run1}, "no tea"},
		{[]string{"show", run1, "mock/Talks/add_task/0"}, "hello"},
		{[]string{"show", run1, "mock/Talks/add_task/0", "--json"}, "hello"},
		{[]string{"show", run1, "mock/Fails/add_task/0"}, "no tea"},
		{[]string{"show", run1, "mock/Fails/add_task/0", "--json"}, "no tea"},
		{[]string{"tables", run1, "--format", "json"}, "Fails"},
		{[]string{"score", run1, "--all"}, "Talks"},
		{[]string{"probe", file}, "no tea"},
		{[]string{"probe", file, "--json"}, "no tea"},
		{[]string{"run", file + steering}, "no such file"},
		{[]string{"show", run1, steering}, "title"},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			var out, said bytes.Buffer
			progress, err := os.Create(filepath.Join(t.TempDir(), "progress"))
			if err != nil {
				t.Fatal(err)
			}
			defer progress.Close()
			run(t.Context(), process{args: c.args, env: noEnv, stdout: &out, stderr: &said, progress: progress})
			shown, err := os.ReadFile(progress.Name())
			if err != nil {
				t.Fatal(err)
			}
			all := out.String() + said.String() + string(shown)
			if !strings.Contains(all, c.says) {
				t.Errorf("%q is not repeated: %s", c.says, all)
			}
			for at, r := range all {
				if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
					t.Fatalf("%U reaches the terminal: %.80q", r, all[max(0, at-40):])
				}
			}
			if last := c.args[len(c.args)-1]; (last == "--json" || last == "json") && !json.Valid(out.Bytes()) {
				t.Errorf("not JSON any more: %s", out.String())
			}
		})
	}
}

// TestUnknownRefusals: a refusal that no row of the table of failures fits is told once with its body, on one line and
// without the key, and such calls are counted.
func TestUnknownRefusals(t *testing.T) {
	srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		return faultserver.Status(418, "{\"detail\": \"no tea\x1b[2J\ntauguide: all is well "+r.Header.Get("Authorization")+"\"}")
	})
	dir := t.TempDir()
	file := filepath.Join(dir, "tea.yaml")
	text := fmt.Sprintf("note: tea\ntrials: 3\nmodels: {m: {base_url: %q, key: sk-planted-0123456789}}\nuser: {model: m}\ndomains: [{name: mock, tasks: [add_task]}]\n"+
		"systems: [{name: A, agent: react, model: m}]\n", srv.URL)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, said bytes.Buffer
	progress, err := os.Create(filepath.Join(dir, "progress"))
	if err != nil {
		t.Fatal(err)
	}
	defer progress.Close()
	run(t.Context(), process{args: []string{"run", file, "--out", filepath.Join(dir, "run")}, env: noEnv, stdout: &stdout, stderr: &said, progress: progress})
	shown, err := os.ReadFile(progress.Name())
	if err != nil {
		t.Fatal(err)
	}
	warning := `warning: endpoint "m": status 418 is taken for bad_request, since no row of configs/failures.yaml fits it: ` +
		`{"detail": "no tea\u001b[2J tauguide: all is well Bearer [redacted]"}` + "\n"
	if strings.Count(string(shown), warning) != 1 || strings.Count(string(shown), "is taken for bad_request") != 1 {
		t.Errorf("the warning is not there once: %s", shown)
	}
	if !strings.Contains(said.String(), "3 calls were refused in words that no row of configs/failures.yaml fits") {
		t.Errorf("no count: %s", said.String())
	}
}
