package synthetic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/sim/llm"
)

// maxBody bounds how much of a request is read, in bytes.
const maxBody = 16 << 20

// epoch is the creation time that answers carry. It is fixed, since equal requests get equal answers.
var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// fields is a JSON object on the wire.
type fields map[string]any

// NewServer offers the models in the OpenAI chat-completions format:
//
//	POST /v1/chat/completions   the header X-Tauguide-Trial is the llm.Tag of the call as JSON; without it, the task is
//	                            found by the texts of the request
//	GET  /v1/models
//	GET  /healthz
//
// The model that a request names is not looked at, only repeated. Errors have the OpenAI shape.
func NewServer(models *Models) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, answer func(http.ResponseWriter, *http.Request) (fields, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := answer(w, r)
			reply(w, body, err)
		})
	}
	handle("POST /v1/chat/completions", models.completion)
	handle("GET /v1/models", func(http.ResponseWriter, *http.Request) (fields, error) {
		return fields{"object": "list", "data": []fields{{"id": Name, "object": "model", "created": epoch, "owned_by": "tauguide"}}}, nil
	})
	handle("GET /healthz", func(http.ResponseWriter, *http.Request) (fields, error) { return fields{"status": "ok"}, nil })
	for path, method := range map[string]string{"/v1/chat/completions": http.MethodPost, "/v1/models": http.MethodGet} {
		handle(path, func(_ http.ResponseWriter, r *http.Request) (fields, error) {
			return nil, refused(http.StatusMethodNotAllowed, "method_not_allowed", "", "%s is not possible here\nhint: use %s", r.Method, method)
		})
	}
	handle("/", func(_ http.ResponseWriter, r *http.Request) (fields, error) {
		return nil, refused(http.StatusNotFound, "unknown_url", "", "there is nothing at %s\nhint: post to /v1/chat/completions", r.URL.Path)
	})
	return mux
}

func reply(w http.ResponseWriter, answer fields, err error) {
	status := http.StatusOK
	var text []byte
	if err == nil {
		text, err = json.Marshal(answer)
	}
	if err != nil {
		status, text = failure(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // if the client has gone, there is nobody left to tell
}

// failure is an error as a client sees it.
func failure(err error) (status int, body []byte) {
	e := &llm.Error{Message: err.Error()}
	errors.As(err, &e)
	status, code, kind := e.Status, e.Code, "invalid_request_error"
	if status == 0 {
		status, code = http.StatusInternalServerError, "internal"
	}
	if status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	var param *string
	if e.Param != "" {
		param = &e.Param
	}
	body, _ = json.Marshal(fields{"error": fields{"message": e.Message, "type": kind, "param": param, "code": code}}) // texts always have a JSON form
	return status, body
}

// completion answers a chat-completions request.
func (m *Models) completion(w http.ResponseWriter, r *http.Request) (fields, error) {
	tag, ok, err := llm.ReadTag(r.Header)
	if err != nil {
		return nil, refused(http.StatusBadRequest, "bad_tag", llm.TagHeader, "%v", err)
	}
	req, err := readRequest(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, err
	}
	if !ok {
		if tag, err = m.recognise(req); err != nil {
			return nil, err
		}
	}
	req.Tag = tag
	resp, err := m.Complete(r.Context(), req)
	if err != nil {
		return nil, err
	}
	w.Header().Set("X-Request-Id", resp.RequestID)
	return written(resp), nil
}

// readRequest decodes what the scripts look at of a request.
func readRequest(body io.Reader) (llm.Request, error) {
	var in struct {
		Model    string            `json:"model"`
		Messages []json.RawMessage `json:"messages"`
		Tools    []struct {
			Function llm.Tool `json:"function"`
		} `json:"tools"`
		Stream bool `json:"stream"`

		Temperature *float64 `json:"temperature"`
		Seed        *int64   `json:"seed"`
	}
	text, err := io.ReadAll(body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return llm.Request{}, refused(http.StatusRequestEntityTooLarge, "request_too_large", "", "the request is larger than %d MB\nhint: shorten the conversation", large.Limit>>20)
	case err != nil:
		return llm.Request{}, refused(http.StatusBadRequest, "unreadable", "", "the request broke off: %v", err)
	}
	if err := jsonv2.Unmarshal(text, &in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return llm.Request{}, refused(http.StatusBadRequest, "bad_json", "", "the request is not a chat completion in JSON: %v\nhint: send an object with model and messages", err)
	}
	if in.Stream {
		return llm.Request{}, refused(http.StatusBadRequest, "no_streaming", "stream", "stream: answers are not streamed here\nhint: leave it out")
	}
	out := llm.Request{Model: in.Model, Temperature: in.Temperature, Seed: in.Seed}
	for i, m := range in.Messages {
		msg, err := llm.ReadMessage(m)
		if err != nil {
			field := fmt.Sprintf("messages[%d]", i)
			return llm.Request{}, refused(http.StatusBadRequest, "bad_message", field, "%s: %v", field, err)
		}
		out.Messages = append(out.Messages, msg)
	}
	for _, t := range in.Tools {
		out.Tools = append(out.Tools, t.Function)
	}
	return out, nil
}

// written is an answer in the wire format.
func written(resp llm.Response) fields {
	message := fields{"role": llm.Assistant, "content": resp.Message.Content}
	var calls []fields
	for _, c := range resp.Message.ToolCalls {
		calls = append(calls, fields{"id": c.ID, "type": "function", "function": fields{"name": c.Name, "arguments": c.Arguments}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	u := resp.Usage
	return fields{
		"id": resp.RequestID, "object": "chat.completion", "created": epoch, "model": resp.Model,
		"choices": []fields{{"index": 0, "message": message, "finish_reason": resp.FinishReason}},
		"usage": fields{
			"prompt_tokens": u.PromptTokens, "completion_tokens": u.CompletionTokens, "total_tokens": u.PromptTokens.N + u.CompletionTokens.N,
			"prompt_tokens_details":     fields{"cached_tokens": u.CachedTokens},
			"completion_tokens_details": fields{"reasoning_tokens": u.ReasoningTokens},
		},
	}
}
