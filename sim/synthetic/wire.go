package synthetic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// wireRequest is the part of a chat-completions request that the scripts look at.
type wireRequest struct {
	Model    string        `json:"model"`
	Messages []wireMessage `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

type wireMessage struct {
	Role      llm.Role        `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// roles are the speakers that a request may hold.
var roles = []llm.Role{llm.System, llm.Developer, llm.User, llm.Assistant, llm.ToolRole}

// readRequest decodes a request body. The error is a *problem that names the field.
func readRequest(body io.Reader) (llm.Request, error) {
	text, err := io.ReadAll(body)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return llm.Request{}, &problem{http.StatusRequestEntityTooLarge, "request_too_large", "", fmt.Sprintf("the request is larger than %d MB: shorten the conversation", large.Limit>>20)}
	}
	if err != nil {
		return llm.Request{}, &problem{http.StatusBadRequest, "unreadable", "", "the request broke off: " + err.Error()}
	}
	var in wireRequest
	if err := json.Unmarshal(text, &in); err != nil {
		return llm.Request{}, &problem{http.StatusBadRequest, "bad_json", "", fmt.Sprintf("the request is not a chat completion in JSON (%v): send an object with model and messages", err)}
	}
	if in.Stream {
		return llm.Request{}, &problem{http.StatusBadRequest, "no_streaming", "stream", "stream: answers are not streamed here, leave it out"}
	}
	if len(in.Messages) == 0 {
		return llm.Request{}, &problem{http.StatusBadRequest, "no_messages", "messages", "messages: the list is empty, give at least one"}
	}
	out := llm.Request{Model: in.Model}
	for i, m := range in.Messages {
		msg, err := m.read()
		if err != nil {
			field := fmt.Sprintf("messages[%d]", i)
			return llm.Request{}, &problem{http.StatusBadRequest, "bad_message", field, field + "." + err.Error()}
		}
		out.Messages = append(out.Messages, msg)
	}
	for _, t := range in.Tools {
		out.Tools = append(out.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	return out, nil
}

func (m wireMessage) read() (llm.Message, error) {
	if !slices.Contains(roles, m.Role) {
		return llm.Message{}, fmt.Errorf("role: there is no role %q, use system, developer, user, assistant or tool", m.Role)
	}
	out := llm.Message{Role: m.Role, ToolCallID: m.ToolCallID}
	content, err := readContent(m.Content)
	if err != nil {
		return llm.Message{}, err
	}
	out.Content = content
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return out, nil
}

// readContent accepts a text, null, nothing, or a list of parts, whose texts are joined.
func readContent(raw json.RawMessage) (*string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, errors.New("content: want a text, null or a list of text parts")
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type != "text" {
			return nil, fmt.Errorf("content: a part of type %q cannot be read here, send text", p.Type)
		}
		b.WriteString(p.Text)
	}
	text = b.String()
	return &text, nil
}
