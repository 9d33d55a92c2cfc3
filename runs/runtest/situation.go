package runtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Reply is one answer of a situation's endpoint: a JSON body, or a raw text. Status 200 and application/json if silent.
type Reply struct {
	Status int             `json:"status"`
	Type   string          `json:"type"`
	Body   json.RawMessage `json:"body"`
	Text   *string         `json:"text"`
}

// Situation is one conversation in domain mock over HTTP, in which an endpoint answers oddly. Its models are a, the agent,
// u, the user, and j, the judge.
type Situation struct {
	Data, Task, Title string // the data, a task of it, and the title that it asks for
	// Replies holds what each model answers, in order; its last reply is repeated. A nil reply, and a model without
	// any, stand for what is due: the user asks for the task and stops, the agent creates it and says so.
	Replies map[string][]*Reply
}

// Own is a situation on the embedded data.
func Own(replies map[string][]*Reply) Situation {
	return Situation{Data: "embedded", Task: "add_task", Title: "Buy bread", Replies: replies}
}

// Field is the situation that a folder of field in the shared data has replies for, on the reference's data.
func Field(t testing.TB, shared, folder string) Situation {
	t.Helper()
	s := Situation{Data: filepath.Join(shared, "tau2"), Task: "create_task_1", Title: "Important Meeting"}
	text, err := os.ReadFile(filepath.Join(shared, "field", folder, "replies.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("shared reference data not found: %v", err)
	}
	if err == nil {
		err = json.Unmarshal(text, &s.Replies)
	}
	if err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	return s
}

// Config serves the situation until the test ends, and returns the config that runs it. Lines in more are appended.
func (s Situation) Config(t testing.TB, trials int, more ...string) string {
	t.Helper()
	var mu sync.Mutex
	asked := map[string]int{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Errorf("request: %v", err)
		}
		mu.Lock()
		n := asked[q.Model]
		asked[q.Model]++
		mu.Unlock()
		var reply *Reply
		if all := s.Replies[q.Model]; len(all) > 0 {
			reply = all[min(n, len(all)-1)]
		}
		if reply == nil {
			reply = &Reply{Body: s.due(q)}
		}
		reply.send(w)
	}))
	t.Cleanup(srv.Close)
	text := fmt.Sprintf("note: a situation\ntrials: %d\nlimits: {concurrency: 1, timeout: 60s}\ndata: %s\nmodels:\n", trials, s.Data)
	for _, m := range []string{"a", "u", "j"} {
		text += fmt.Sprintf("  %s: {base_url: %q, key: k-test-123456}\n", m, srv.URL+"/v1")
	}
	return text + fmt.Sprintf("user: {model: u}\njudge: {model: j}\ndomains: [{name: mock, tasks: [%s]}]\nsystems: [{name: R, agent: react, model: a}]\n%s\n",
		s.Task, strings.Join(more, "\n"))
}

func (r *Reply) send(w http.ResponseWriter) {
	body := []byte(r.Body)
	if r.Text != nil {
		body = []byte(*r.Text)
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Type != "" {
		w.Header().Set("Content-Type", r.Type)
	}
	w.WriteHeader(max(r.Status, http.StatusOK))
	_, _ = w.Write(body) // the client may be gone
}

// question is what a reply depends on.
type question struct {
	Model    string
	Messages []struct{ Role string }
}

// due is the reply that moves the conversation on.
func (s Situation) due(q question) json.RawMessage {
	told, seen := 0, false
	for _, m := range q.Messages {
		seen = seen || m.Role == "tool"
		if !slices.Contains([]string{"system", "developer"}, m.Role) {
			told++
		}
	}
	switch {
	case q.Model == "u" && told <= 1:
		return Says(fmt.Sprintf("Please create a task %s for user_1", s.Title))
	case q.Model == "u":
		return Says("###STOP###")
	case seen:
		return Says("Done, created as task_2.")
	}
	return Calls("create_task", map[string]string{"user_id": "user_1", "title": s.Title})
}

// Says is the body of an answer in words. Like all of a situation's it tells of 100 tokens of prompt and 10 of answer.
func Says(text string) json.RawMessage {
	return Answer("stop", map[string]any{"role": "assistant", "content": text})
}

// Calls is the body of an answer that calls one tool.
func Calls(tool string, arguments any) json.RawMessage {
	args, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return Answer("tool_calls", map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{
		map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": tool, "arguments": string(args)}}}})
}

// Answer is the body of an answer around a message.
func Answer(finish string, message map[string]any) json.RawMessage {
	body, err := json.Marshal(map[string]any{"id": "c", "model": "x", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage": map[string]int{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
	if err != nil {
		panic(err)
	}
	return body
}
