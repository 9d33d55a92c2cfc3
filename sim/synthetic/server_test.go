package synthetic_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// halfRates make all kinds of conversations likely.
var halfRates = synthetic.Config{FollowsGuidance: 0.5, Mistakes: synthetic.Mistakes{
	SkipIdentify: 0.3, ActBeforeConsent: 0.3, WrongOrder: 0.3, GrantForbidden: 0.3, GiveUp: 0.2, SkipDiagnosis: 0.3, NoRetest: 0.3,
}}

func dial(t testing.TB, models *synthetic.Models) llm.Client {
	t.Helper()
	srv := httptest.NewServer(synthetic.NewServer(models))
	t.Cleanup(srv.Close)
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := llm.Dial(llm.Endpoint{Name: "loopback", BaseURL: srv.URL + "/v1", Model: synthetic.Name, Synthetic: true}, table)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSameSeedSameRecord compares a conversation with its repetition, by models that have seen nothing of it before any
// request, and with one over HTTP, byte by byte.
func TestSameSeedSameRecord(t *testing.T) {
	for _, w := range embedded(t) {
		direct := newStage(w, halfRates)
		fresh := stage{w, llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
			return newStage(w, halfRates).client.Complete(ctx, req)
		})}
		remote := stage{w, dial(t, synthetic.New(map[string]*domains.World{w.Name: w}, halfRates))}
		for i := range w.Tasks {
			tr := trial{"react", &w.Tasks[i], i % 3}
			once := bytesOf(t, direct, tr)
			if again := bytesOf(t, fresh, tr); again != once {
				t.Errorf("%s %s: a repetition differs: %s", w.Name, tr.task.ID, cmp.Diff(once, again))
			}
			if far := bytesOf(t, remote, tr); far != once {
				t.Errorf("%s %s: over HTTP it differs: %s", w.Name, tr.task.ID, cmp.Diff(once, far))
			}
		}
	}
}

// TestTrialsDoNotTouchEachOther runs trials at once over HTTP and compares them with those run one by one.
func TestTrialsDoNotTouchEachOther(t *testing.T) {
	w := domaintest.Embedded(t, telecom.Domain(), domains.Options{})
	models := synthetic.New(map[string]*domains.World{w.Name: w}, halfRates)
	alone, together := stage{w, models}, stage{w, dial(t, models)}
	got := make([]string, 2*len(w.Tasks))
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = transcript(together.held(t, trial{"react", &w.Tasks[i/2], i % 2}, nil)) })
	}
	wg.Wait()
	for i := range got {
		if want := transcript(alone.held(t, trial{"react", &w.Tasks[i/2], i % 2}, nil)); got[i] != want {
			t.Errorf("%s/%d differs when others run: %s", w.Tasks[i/2].ID, i%2, cmp.Diff(want, got[i]))
		}
	}
}

// bytesOf holds a trial and returns its record and score as they are stored, without what may differ.
func bytesOf(t *testing.T, s stage, tr trial) string {
	t.Helper()
	rec := s.talk(t, tr)
	sc := s.score(t, tr, rec)
	for i := range sc.JudgeCalls {
		sc.JudgeCalls[i].Transport.Seconds, sc.JudgeCalls[i].Transport.Elapsed = 0, 0
	}
	text, err := json.Marshal([]any{rec.Timeless(), sc.Info, sc.Reward})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const goodTag = `{"domain":"mock","task":"add_task","trial":0,"attempt":0,"role":"user","ordinal":0,"run_seed":300}`

func mockServer(t testing.TB) http.Handler {
	t.Helper()
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	return synthetic.NewServer(synthetic.New(map[string]*domains.World{"mock": w}, synthetic.Config{}))
}

func post(h http.Handler, tag, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	if tag != "" {
		r.Header.Set(llm.TagHeader, tag)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestServerAnswer(t *testing.T) {
	w := post(mockServer(t), goodTag, `{"model":"gpt-4.1","temperature":0,"messages":[
		{"role":"system","content":"Play the customer."},
		{"role":"user","content":[{"type":"text","text":"Hi! How can I "},{"type":"text","text":"help you today?"}]}]}`)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("status %d, %s: %s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	id, _ := got["id"].(string)
	if !strings.HasPrefix(id, "synthetic-") || w.Header().Get("X-Request-Id") != id {
		t.Errorf("id %q, header %q", id, w.Header().Get("X-Request-Id"))
	}
	delete(got, "id")
	want := map[string]any{
		"object": "chat.completion", "created": 1735689600.0, "model": "gpt-4.1",
		"choices": []any{map[string]any{"index": 0.0, "finish_reason": "stop", "message": map[string]any{
			"role": "assistant", "content": "Hello. I want 'Buy bread' on my list.",
		}}},
		"usage": map[string]any{"prompt_tokens": 12.0, "completion_tokens": 10.0, "total_tokens": 22.0,
			"prompt_tokens_details": map[string]any{"cached_tokens": 0.0}, "completion_tokens_details": map[string]any{"reasoning_tokens": 0.0}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestServerRefuses(t *testing.T) {
	h := mockServer(t)
	hello := `{"model":"m","messages":[{"role":"user","content":"Hi!"}]}`
	for _, c := range []struct {
		name, tag, body string
		status          int
		code, says      string
	}{
		{"no tag, and nothing that tells the task", "", hello, 404, "unknown_task", "X-Tauguide-Trial"},
		{"no tag, and no word of the user", "", `{"messages":[{"role":"system","content":"Help."}],"tools":[{"type":"function","function":{"name":"create_task"}}]}`, 404, "unknown_task", "has said nothing"},
		{"no tag, and outcomes of no task", "", `{"messages":[{"role":"user","content":"conversation:\nuser: a\n\nexpectedOutcomes:\n['x']"}]}`, 404, "unknown_task", "no task expects"},
		{"a tag that is no JSON", "mock/add_task", hello, 400, "bad_tag", "one JSON object"},
		{"unknown domain", strings.Replace(goodTag, "mock", "bank", 1), hello, 404, "unknown_domain", `"bank"`},
		{"unknown task", strings.Replace(goodTag, "add_task", "x", 1), hello, 404, "unknown_task", `"x"`},
		{"unknown role", strings.Replace(goodTag, `"user"`, `"seer"`, 1), hello, 404, "unknown_role", "agent, judge, user"},
		{"bad JSON", goodTag, `{"messages":[`, 400, "bad_json", "not a chat completion"},
		{"no messages", goodTag, `{"model":"m"}`, 400, "no_messages", "at least one"},
		{"null for the whole", goodTag, `null`, 400, "no_messages", "at least one"},
		{"unknown speaker", goodTag, `{"messages":[{"role":"wizard","content":"x"}]}`, 400, "bad_message", "messages[0]: role"},
		{"a number as content", goodTag, `{"messages":[{"role":"user","content":7}]}`, 400, "bad_message", "messages[0]: content"},
		{"an image", goodTag, `{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, 400, "bad_message", "image_url"},
		{"streaming", goodTag, `{"stream":true,"messages":[{"role":"user","content":"Hi!"}]}`, 400, "no_streaming", "stream"},
		{"too large", goodTag, `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 16<<20) + `"}]}`, 413, "request_too_large", "16 MB"},
		{"a judge that is asked nothing", strings.Replace(goodTag, `"user"`, `"judge"`, 1), hello, 422, "script", "expectedOutcomes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := post(h, c.tag, c.body)
			var got struct {
				Error struct{ Message, Type, Code string } `json:"error"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatalf("%v: %s", err, w.Body)
			}
			if w.Code != c.status || got.Error.Code != c.code || got.Error.Type != "invalid_request_error" || !strings.Contains(got.Error.Message, c.says) {
				t.Errorf("status %d, %+v", w.Code, got.Error)
			}
		})
	}
}

func TestServerOtherPaths(t *testing.T) {
	h := mockServer(t)
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/v1/models", 200, `"id":"synthetic"`},
		{"GET", "/healthz", 200, `"ok"`},
		{"GET", "/v1/chat/completions", 405, "use POST"},
		{"POST", "/v1/models", 405, "use GET"},
		{"POST", "/v1/completions", 404, "post to /v1/chat/completions"},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
			body, _ := io.ReadAll(w.Body)
			if w.Code != c.status || !json.Valid(body) || !strings.Contains(string(body), c.says) {
				t.Errorf("status %d: %s", w.Code, body)
			}
		})
	}
}

// TestServerErrorsReachTheCaller holds that what the server refuses is not tried again and keeps its words.
func TestServerErrorsReachTheCaller(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	c := dial(t, synthetic.New(map[string]*domains.World{"mock": w}, synthetic.Config{}))
	text := "Hi!"
	_, err := c.Complete(context.Background(), llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: &text}}, Tag: llm.Tag{Domain: "mock", Task: "none", Role: "user"},
	})
	e := asLLM(t, err)
	if e.Kind != llm.KindBadRequest || e.Status != 404 || e.Attempts != 1 || !strings.Contains(e.Message, `no task "none"`) {
		t.Errorf("%+v", e)
	}
}

// TestLatency: a latency delays the answer and gives way to a cancellation.
func TestLatency(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	m := synthetic.New(map[string]*domains.World{"mock": w}, synthetic.Config{Latency: time.Hour})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := m.Complete(ctx, llm.Request{})
	if e := asLLM(t, err); e.Kind != llm.KindCancelled {
		t.Errorf("%+v", e)
	}
}

// FuzzServer holds that any request gets a JSON answer with a fitting status.
func FuzzServer(f *testing.F) {
	f.Add(goodTag, `{"model":"m","messages":[{"role":"user","content":"Hi!"}],"tools":[{"function":{"name":"check_notifications"}}]}`)
	f.Add(strings.Replace(goodTag, `"user"`, `"agent"`, 1), `{"messages":[{"role":"system","content":"<resolution_steps>"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"create_task","arguments":"{"}}]},{"role":"tool","tool_call_id":"a","content":"Error"}]}`)
	f.Add(strings.Replace(goodTag, `"user"`, `"judge"`, 1), `{"messages":[{"role":"user","content":"conversation:\nassistant: x\n\nexpectedOutcomes:\n['a\\'b', \"c\"]"}]}`)
	f.Add("{}", `[]`)
	f.Add("", `{"messages":{}}`)
	h := mockServer(f)
	f.Fuzz(func(t *testing.T, tag, body string) {
		w := post(h, tag, body)
		if !json.Valid(w.Body.Bytes()) {
			t.Fatalf("status %d with a body that is no JSON: %s", w.Code, w.Body)
		}
		var got struct {
			Choices []json.RawMessage
			Error   *json.RawMessage
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if ok := w.Code == http.StatusOK; ok != (len(got.Choices) == 1) || ok == (got.Error != nil) || w.Code >= 500 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	})
}
