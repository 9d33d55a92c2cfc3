package runs_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// instructed writes a config with instruction texts beside it, and returns its path.
func instructed(t *testing.T, url, prompts, system string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		runtest.Write(t, filepath.Join(dir, name), []byte(text))
	}
	text := strings.Replace(brief(url, ""), "user: {model: m}", "prompts: "+prompts+"\nuser: {model: m}\njudge: {model: m}", 1)
	text = strings.Replace(text, "agent: react, ", "agent: react, "+system, 1)
	text = strings.Replace(text, "cancel-gift-card-order, cancel-one-return-one", "order-of-spouse", 1)
	file := filepath.Join(dir, "c.yaml")
	runtest.Write(t, file, []byte(text))
	return file
}

// runFile executes the config in a file.
func runFile(t *testing.T, file string, o config.Options) (*runs.Summary, error) {
	t.Helper()
	c, err := config.Load(file, runtest.NoEnv)
	if err != nil {
		return nil, err
	}
	return runtest.Run(context.Background(), c, o)
}

// systemPrompts are those of all requests, in order.
func systemPrompts(t *testing.T, srv *faultserver.Server) (out []string) {
	t.Helper()
	for _, r := range srv.Requests() {
		var in struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal(r.Body, &in); err != nil {
			t.Fatal(err)
		}
		out = append(out, in.Messages[0].Content)
	}
	return out
}

// TestOtherInstructions: instructions alone get policy and scenario behind them; a whole prompt has them where it says; a
// system's own go before the run's.
func TestOtherInstructions(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.md": "Be brief.\n", "whole.md": "P<{domain_policy}>", "u.md": "Play it.", "uw.md": "S<{instructions}> G<{global_user_sim_guidelines}>", "j.md": "Grade."}
	for _, tt := range []struct {
		name, prompts, system string
		user, agent           func(string) bool
	}{
		{"instructions", "{agent: a.md, user: u.md, judge: j.md}", "",
			func(s string) bool { return strings.HasPrefix(s, "Play it.\n\n<scenario>\nPersona:") },
			func(s string) bool {
				return strings.HasPrefix(s, "<instructions>\nBe brief.\n</instructions>\n<policy>\n#")
			}},
		{"whole", "{agent: whole.md, user: uw.md, judge: j.md}", "",
			func(s string) bool {
				return strings.HasPrefix(s, "S<Persona:") && strings.Contains(s, "> G<# Playing the customer\n")
			},
			func(s string) bool { return strings.HasPrefix(s, "P<#") && !strings.Contains(s, "<policy>") }},
		{"a system's own", "{agent: a.md, judge: j.md}", "prompt: whole.md, ",
			func(s string) bool { return strings.HasPrefix(s, "# Playing the customer\n") },
			func(s string) bool { return strings.HasPrefix(s, "P<#") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv, dir := talks(t), filepath.Join(t.TempDir(), "run")
			file := instructed(t, srv.URL, tt.prompts, tt.system, files)
			if _, err := runFile(t, file, config.Options{Out: dir}); err != nil {
				t.Fatal(err)
			}
			got := systemPrompts(t, srv)
			if len(got) < 4 || !tt.user(got[0]) || !tt.agent(got[1]) || got[3] != "Grade." {
				t.Fatalf("%d prompts: %.2000q", len(got), got)
			}
			kept := runtest.Open(t, dir).Manifest().Config
			if kept.Prompts.Judge != (config.Text{File: "j.md", Text: "Grade."}) {
				t.Errorf("the run has kept %+v", kept.Prompts)
			}
		})
	}
}

// TestResumeWithInstructions: a run that is resumed where the files are not has kept them; other ones are another setup.
func TestResumeWithInstructions(t *testing.T) {
	t.Parallel()
	srv, dir := talks(t), filepath.Join(t.TempDir(), "run")
	file := instructed(t, srv.URL, "{agent: a.md, user: u.md}", "prompt: s.md, ", map[string]string{"a.md": "Be brief.", "u.md": "Play it.", "s.md": "Be quick."})
	if _, err := runFile(t, file, config.Options{Out: dir}); err != nil {
		t.Fatal(err)
	}
	begun := runtest.Open(t, dir).Manifest().Config
	for _, name := range []string{"a.md", "u.md", "s.md"} {
		runtest.Remove(t, filepath.Join(filepath.Dir(file), name))
	}
	_, err := runFile(t, file, config.Options{Out: dir, Resume: true, Trials: 2})
	if err == nil || !strings.Contains(err.Error(), "prompts.agent: ") || !strings.Contains(err.Error(), "\nhint: ") {
		t.Errorf("without the files: %v", err)
	}
	if _, err := runFile(t, file, config.Options{Out: dir, Resume: true, Trials: 2, Begun: begun}); err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(systemPrompts(t, srv), func(s string) bool { return strings.HasPrefix(s, "You grade ") })
	if len(got) != 6 || !slices.Equal(got[:3], got[3:]) {
		t.Errorf("%d prompts: %.100q", len(got), got)
	}
	runtest.Write(t, filepath.Join(filepath.Dir(file), "u.md"), []byte("Play it otherwise."))
	_, err = runFile(t, file, config.Options{Out: dir, Resume: true, Trials: 2, Begun: begun})
	if err == nil || !strings.Contains(err.Error(), "prompts.user was ") {
		t.Errorf("with another text: %v", err)
	}
}

// TestWrongInstructions: what is wrong with a text is told when the config is read, with the place and the cure.
func TestWrongInstructions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ prompts, system, text, want string }{
		{"{agent: no.md}", "", "x", "no.md: no such file or directory\nhint: name a file relative to the config's folder"},
		{"{agent: t.md}", "", "a\n{policy}", "t.md:2: there is no placeholder {policy}\nhint: "},
		{"{agent: t.md}", "", "{ticket}", "t.md: the placeholder {domain_policy} is missing, though it has {ticket}\nhint: "},
		{"{user: t.md}", "", "{global_user_sim_guidelines}", "the placeholder {instructions} is missing"},
		{"{user: t.md}", "", " \n", "t.md is empty\nhint: "},
		{"{judge: t.md}", "", "{conversation}", "{conversation}: a judge's text has no placeholders\nhint: "},
		{"{}", "prompt: no.md, ", "x", "systems[0].prompt: "},
		{"{user: $NOWHERE/t.md}", "", "x", "environment variable NOWHERE is not set"},
	} {
		t.Run(tt.prompts+tt.text, func(t *testing.T) {
			t.Parallel()
			file := instructed(t, "http://127.0.0.1:1", tt.prompts, tt.system, map[string]string{"t.md": tt.text})
			_, err := runFile(t, file, config.Options{Out: filepath.Join(t.TempDir(), "run")})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), file+":") {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	file := instructed(t, "http://127.0.0.1:1", "{}", "", nil)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	runtest.Write(t, filepath.Join(filepath.Dir(file), "t.md"), []byte("x"))
	runtest.Write(t, file, []byte(strings.Replace(string(text), "agent: react, ", "agent: oracle, prompt: t.md, ", 1)))
	if _, err := runFile(t, file, config.Options{}); err == nil || !strings.Contains(err.Error(), "agent oracle has instructions of its own alone\nhint: ") {
		t.Errorf("error %v", err)
	}
}
