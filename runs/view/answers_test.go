package view_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
)

// TestPagesTellOfAnswers: pages count the answers of a run that are not what was asked for, tell each where it came, and
// say of dollars that they are as billed.
func TestPagesTellOfAnswers(t *testing.T) {
	t.Parallel()
	reply := func(finish, content string) *runtest.Reply {
		return &runtest.Reply{Body: json.RawMessage(`{"id":"c","model":"x","choices":[{"index":0,"finish_reason":"` + finish + `","message":{"role":"assistant","content":"` + content +
			`"}}],"usage":{"prompt_tokens":100,"completion_tokens":10,"cost":0.25}}`)}
	}
	dir := filepath.Join(t.TempDir(), "odd")
	situation := runtest.Own(map[string][]*runtest.Reply{
		"a": {reply("length", "Your task has been crea"), reply("length", "")},
		"u": {reply("stop", "Please create a task Buy bread for user_1.")},
	})
	runtest.Execute(t, situation.Config(t, 1), config.Options{Out: dir})
	s := serve(t, dir)
	for path, want := range map[string][]string{
		"/odd/":                         {"Answers by role", "mock R agent 1 0 2 0 1 110 0.2500", "$1.00 as billed by the provider", "the dollars of agent of R on mock, user of R on mock are what the provider billed"},
		"/odd/trial/mock/R/add_task/0/": {"the output limit cut the answer off", "failed: context_window", "$0.2500 (billed)", "1 failed; 110 tokens of what failed; 2 cut off by the output limit; cost as billed"},
	} {
		page := words(s.page(path))
		for _, w := range want {
			if !strings.Contains(page, w) {
				t.Errorf("%s lacks %q:\n%s", path, w, page)
			}
		}
	}
}
