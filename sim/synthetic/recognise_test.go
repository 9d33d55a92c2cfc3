package synthetic_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// stranger dials the models as a client that sends no header.
func stranger(t testing.TB, models *synthetic.Models) llm.Client {
	t.Helper()
	srv := httptest.NewServer(synthetic.NewServer(models))
	t.Cleanup(srv.Close)
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := llm.Dial(llm.Endpoint{Name: "loopback", BaseURL: srv.URL + "/v1", Model: "gpt-4.1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAnyClient: conversations of clients that send no header are those of clients that do, solo ones too, and are graded
// alike.
func TestAnyClient(t *testing.T) {
	t.Parallel()
	worlds := map[string]*domains.World{}
	for _, w := range embedded(t) {
		worlds[w.Name] = w
	}
	models := synthetic.New(worlds, synthetic.Config{FollowsGuidance: 1})
	far := stranger(t, models)
	solo := domaintest.Embedded(t, telecom.Domain(), domains.Options{Solo: true})
	for _, w := range append(embedded(t), solo) {
		near, remote := stage{w, models}, stage{w, far}
		for i := range w.Tasks {
			tr := trial{"react", &w.Tasks[i], 0}
			if w.Options.Solo && tr.task.Ticket == nil {
				continue
			}
			want, got := near.talk(t, tr), remote.talk(t, tr)
			if diff := cmp.Diff(transcript(want), transcript(got)); diff != "" {
				t.Errorf("%s %s: without the header it is another conversation: %s", w.Name, tr.task.ID, diff)
				continue
			}
			if a, b := near.score(t, tr, want), remote.score(t, tr, got); *a.Reward != *b.Reward {
				t.Errorf("%s %s: reward %v, without the header %v", w.Name, tr.task.ID, *a.Reward, *b.Reward)
			}
		}
	}
}

// TestStrangersDoNotMix: two trials of one task at once, told apart by their seeds, are as they are alone.
func TestStrangersDoNotMix(t *testing.T) {
	t.Parallel()
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	remote := stage{w, stranger(t, synthetic.New(map[string]*domains.World{w.Name: w}, halfRates))}
	seeded := func(seed int64) stage {
		out := remote
		out.client = llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
			req.Seed = &seed
			return remote.client.Complete(ctx, req)
		})
		return out
	}
	got := make([]string, 2*len(w.Tasks))
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = transcript(seeded(int64(i%2)).talk(t, trial{"react", &w.Tasks[i/2], i % 2})) })
	}
	wg.Wait()
	differ := 0
	for i := range got {
		if want := transcript(seeded(int64(i%2)).talk(t, trial{"react", &w.Tasks[i/2], i % 2})); got[i] != want {
			t.Errorf("%s/%d differs when others run: %s", w.Tasks[i/2].ID, i%2, cmp.Diff(want, got[i]))
		}
		if i%2 == 1 && got[i] != got[i-1] {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the seed makes no difference")
	}
}

// TestRequestsOfTheReference: requests in its form, sent by its client library, are answered.
func TestRequestsOfTheReference(t *testing.T) {
	t.Parallel()
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	h := synthetic.NewServer(synthetic.New(map[string]*domains.World{w.Name: w}, synthetic.Config{}))
	task, ok := w.Task("order-of-spouse")
	if !ok {
		t.Fatal("no such task")
	}
	outcome := task.Criteria.NLAssertions[0]
	tools := []map[string]any{{"type": "function", "function": map[string]any{"name": "get_order_details", "description": "d", "parameters": map[string]any{"type": "object"}}}}
	words := strings.Fields(task.UserScenario.Instructions.ReasonForCall)
	paraphrase := "Hi there, um: " + strings.Join(words[len(words)/2:], " ")
	hi := map[string]any{"role": "assistant", "content": "Hi! How can I help you today?", "tool_calls": nil}
	for _, c := range []struct {
		name     string
		messages []map[string]any
		tools    any
		tag      string
		says     string
	}{
		{"user", []map[string]any{{"role": "system", "content": "Guidelines\n\n<scenario>\n" + task.UserScenario.Text() + "\n</scenario>"},
			{"role": "user", "content": "Hi! How can I help you today?"}}, nil, "user", "Hello. "},
		{"agent", []map[string]any{{"role": "system", "content": "<instructions>\nHelp.\n</instructions>\n<policy>\n" + w.Policy + "\n</policy>"}, hi,
			{"role": "user", "content": paraphrase}}, tools, "agent", ""},
		{"agent under another policy", []map[string]any{{"role": "system", "content": "Help."}, hi, {"role": "user", "content": paraphrase}}, tools, "agent", ""},
		{"judge", []map[string]any{{"role": "system", "content": "\n        TASK\n        - Grade.\n        "},
			{"role": "user", "content": "\n        conversation:\n        assistant: Hi!\nuser: Hello.\nassistant: " + outcome + "\n        \n        expectedOutcomes:\n        " +
				value.OfStrings(task.Criteria.NLAssertions).Repr() + "\n        "}}, nil, "judge", `"metExpectation":true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := map[string]any{"model": "gpt-4.1", "messages": c.messages, "temperature": 0.0, "seed": 626729}
			if c.tools != nil {
				body["tools"], body["tool_choice"] = c.tools, "auto"
			}
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			got := post(h, "", string(text))
			want := post(h, `{"domain":"retail","task":"order-of-spouse","trial":0,"attempt":0,"role":"`+c.tag+`","ordinal":0,"run_seed":626729}`, string(text))
			if got.Code != http.StatusOK || got.Body.String() != want.Body.String() || !strings.Contains(strings.ReplaceAll(got.Body.String(), `\"`, `"`), c.says) {
				t.Errorf("status %d: %s\nwant %s", got.Code, got.Body, want.Body)
			}
		})
	}
}
