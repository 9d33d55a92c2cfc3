package synthetic_test

import (
	"context"
	"strings"
	"testing"

	scripts "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// TestAnswer has the scripted verifier answer a prompt, and reads the answer as one of a model.
func TestAnswer(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	models := synthetic.New(map[string]*domains.World{w.Name: w}, synthetic.Config{Scripts: scripts.Scripts()})
	ask := func(ordinal int, texts ...string) (llm.Response, error) {
		req := llm.Request{Tag: llm.Tag{Domain: w.Name, Task: w.Tasks[0].ID, Role: verify.Role, Ordinal: ordinal}}
		for i, text := range texts {
			req.Messages = append(req.Messages, llm.Message{Role: []llm.Role{llm.System, llm.User}[i], Content: &text})
		}
		return models.Complete(context.Background(), req)
	}
	const task = "<conversation>\n{\"i\":0,\"role\":\"user\",\"text\":\"Hello\"}\n</conversation>\n<state>\n{\"requests\":[],\"transfer\":false,\"firings\":0}\n</state>\n"
	first, err := ask(0, strings.Repeat("prefix ", 100), task)
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Parse(first.Message.Text())
	if err != nil || len(r.Traverse) == 0 || r.Traverse[0].Remediation == "" || !strings.HasPrefix(r.Traverse[0].Node, "identify") {
		t.Errorf("%+v, error %v", r, err)
	}
	again, err := ask(1, strings.Repeat("prefix ", 100), task)
	if err != nil || again.Message.Text() != first.Message.Text() {
		t.Errorf("the same prompt has another answer, error %v", err)
	}
	if first.Usage.CachedTokens.N != 0 || again.Usage.CachedTokens.N == 0 || again.Usage.CachedTokens.N >= again.Usage.PromptTokens.N {
		t.Errorf("cached %v of %v, then %v", first.Usage.CachedTokens, first.Usage.PromptTokens, again.Usage.CachedTokens)
	}
	for _, bad := range [][]string{{"alone"}, {"prefix", "no marks"}} {
		if _, err := ask(0, bad...); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
