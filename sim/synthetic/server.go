package synthetic

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

// maxBody bounds how much of a request is read, in bytes.
const maxBody = 16 << 20

// epoch is the creation time that answers carry. It is fixed, since equal requests get equal answers.
var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// server offers models over HTTP.
type server struct{ models *Models }

// NewServer offers the models in the OpenAI chat-completions format:
//
//	POST /v1/chat/completions   needs the header X-Tauguide-Trial, the llm.Tag of the call as JSON
//	GET  /v1/models
//	GET  /healthz
//
// The model that a request names is not looked at, only repeated. Errors have the OpenAI shape.
func NewServer(models *Models) http.Handler {
	s := server{models}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("GET /v1/models", s.list)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("/v1/chat/completions", wrongMethod(http.MethodPost))
	mux.HandleFunc("/v1/models", wrongMethod(http.MethodGet))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuseRequest(w, &problem{http.StatusNotFound, "unknown_url", "", fmt.Sprintf(
			"there is nothing at %s: post to /v1/chat/completions", r.URL.Path)})
	})
	return mux
}

// problem is an error as a client sees it.
type problem struct {
	status      int
	code, param string
	text        string
}

// Error returns the text.
func (p *problem) Error() string { return p.text }

func wrongMethod(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		refuseRequest(w, &problem{http.StatusMethodNotAllowed, "method_not_allowed", "", fmt.Sprintf("%s is not possible here: use %s", r.Method, allowed)})
	}
}

func (s server) list(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
		map[string]any{"id": Name, "object": "model", "created": epoch, "owned_by": "tauguide"},
	}})
}

func (s server) complete(w http.ResponseWriter, r *http.Request) {
	tag, ok, err := llm.ReadTag(r.Header)
	if err != nil {
		refuseRequest(w, &problem{http.StatusBadRequest, "bad_tag", llm.TagHeader, err.Error()})
		return
	}
	if !ok {
		refuseRequest(w, &problem{http.StatusBadRequest, "missing_tag", llm.TagHeader, fmt.Sprintf("the header %s is missing: "+
			`send the identity of the call, such as {"domain":"retail","task":"0","trial":0,"role":"agent","run_seed":300}, `+
			"or mark the endpoint as synthetic in the config", llm.TagHeader)})
		return
	}
	req, err := readRequest(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuseRequest(w, err)
		return
	}
	req.Tag = tag
	resp, err := s.models.Complete(r.Context(), req)
	if err != nil {
		refuseRequest(w, err)
		return
	}
	w.Header().Set("X-Request-Id", resp.RequestID)
	reply(w, http.StatusOK, written(resp))
}

// written is an answer in the wire format.
func written(resp llm.Response) any {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	type message struct {
		Role      llm.Role `json:"role"`
		Content   *string  `json:"content"`
		ToolCalls []call   `json:"tool_calls,omitempty"`
	}
	type choice struct {
		Index        int     `json:"index"`
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	}
	type counts map[string]any
	m := message{Role: llm.Assistant, Content: resp.Message.Content}
	for _, c := range resp.Message.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, call{c.ID, "function", function{c.Name, c.Arguments}})
	}
	u := resp.Usage
	return struct {
		ID      string   `json:"id"`
		Object  string   `json:"object"`
		Created int64    `json:"created"`
		Model   string   `json:"model"`
		Choices []choice `json:"choices"`
		Usage   counts   `json:"usage"`
	}{
		resp.RequestID, "chat.completion", epoch, resp.Model, []choice{{0, m, resp.FinishReason}},
		counts{
			"prompt_tokens": u.PromptTokens, "completion_tokens": u.CompletionTokens, "total_tokens": u.PromptTokens.N + u.CompletionTokens.N,
			"prompt_tokens_details":     counts{"cached_tokens": u.CachedTokens},
			"completion_tokens_details": counts{"reasoning_tokens": u.ReasoningTokens},
		},
	}
}

func reply(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be written as JSON","type":"server_error","param":null,"code":"encoding"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client has gone; there is nobody left to tell
}

// refuseRequest answers with an error. Where the client gave up, nobody reads it.
func refuseRequest(w http.ResponseWriter, err error) {
	var p *problem
	if !errors.As(err, &p) {
		p = &problem{http.StatusInternalServerError, "internal", "", err.Error()}
		var e *llm.Error
		if errors.As(err, &e) {
			p.text = e.Message
			if e.Status != 0 {
				p.status, p.code, p.param = e.Status, e.Code, e.Param
			}
		}
	}
	kind := "invalid_request_error"
	if p.status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	var param *string
	if p.param != "" {
		param = &p.param
	}
	reply(w, p.status, map[string]any{"error": map[string]any{"message": p.text, "type": kind, "param": param, "code": p.code}})
}
