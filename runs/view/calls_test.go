package view_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// callsRun is a run whose models say what would harm a page that believed it.
func callsRun(t *testing.T) string {
	t.Helper()
	reply := func(content string) *runtest.Reply {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		return &runtest.Reply{Body: json.RawMessage(`{"id":"c","model":"x","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + string(text) +
			`}}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`)}
	}
	dir := filepath.Join(t.TempDir(), "odd")
	situation := runtest.Own(map[string][]*runtest.Reply{
		"a": {reply("</pre><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>"), reply("<a href=\"javascript:alert(3)\">go</a>")},
		"u": {reply("<iframe src=//elsewhere.example></iframe> Please create a task."), reply("<b>well</b>"), reply("###STOP###")},
	})
	runtest.Execute(t, situation.Config(t, 1), config.Options{Out: dir})
	return dir
}

const callsTrial = "/odd/trial/mock/R/add_task/0/"

// TestModelCallsFollowTheTurn selects a turn in a browser, opens a call of it beside the conversation, and has what it was
// sent and answered in front of it. What the models said does no harm there.
func TestModelCallsFollowTheTurn(t *testing.T) {
	s := serve(t, callsRun(t))
	for _, look := range browsertest.Looks() {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			b.Open(s.url + callsTrial + "#m4")
			if !look.NoScript {
				b.Click(`.tabs a[href="#tab-calls"]`)
				if got := b.Text("#tab-calls .state:not([hidden])"); !strings.Contains(got, "for message 4") || !strings.Contains(got, "agent/1") {
					t.Errorf("at message 4: %s", got)
				}
				b.Click("#tab-calls .state:not([hidden]) .asked a")
				b.Until(`document.querySelector("iframe.detail").contentDocument.querySelector("h2")?.textContent === "agent/1"`)
			}
			b.Open(s.url + callsTrial + "a0/calls/agent/1/")
			if got := b.Text("main"); !strings.Contains(got, "compared with agent/0") || !strings.Contains(got, "assistant added") || !strings.Contains(got, `<a href="javascript:alert(3)">go</a>`) {
				t.Errorf("the call: %s", got)
			}
			b.Fits()
			b.Accessible()
		})
	}
}

func TestModelCallsThatAreNotThere(t *testing.T) {
	s := serve(t, callsRun(t))
	for _, path := range []string{"a0/calls/agent/9/", "a0/calls/nobody/", "a0/calls/agent/01/", "a0/calls/agent/0/request-1.json", "a0/calls/agent/0/answer-0.json", "a0/calls/agent/0/x/y/", "a1/calls/agent/"} {
		if status, body, _ := s.get(callsTrial + path); status != 404 {
			t.Errorf("%s: status %d\n%s", path, status, body)
		}
	}
}
