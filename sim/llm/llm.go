// Package llm asks a language model for one chat completion.
//
// Everything is built around one interface of one method, [Client]. A provider
// speaks the OpenAI-compatible wire format; the decorators around it retry,
// limit, meter and time out. [Dial] stacks them in the right order for one
// [Endpoint]. The package knows nothing of conversations, tools or scores: a
// [Request] goes in, a [Response] or a classified [*Error] comes out.
//
// Invariants that callers may rely on:
//
//   - what the model said is never repaired: argument text, tool names and
//     call ids arrive as sent (an object or an integer in place of a string is
//     re-serialised and noted in [Response.Quirks]);
//   - an unknown number stays unknown, it never becomes zero;
//   - a parameter that was asked for but not sent is named in [Response.Dropped];
//   - a refusal ([Response.Refusal]), an answer that the output limit cut off ([Response.CutOff]) and a tool call left in
//     the text ([Response.CallInText]) are answers, marked as what they are;
//   - a key never appears in an error, a log line or a stored reply.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Client answers one chat-completion request. Implementations are safe for
// concurrent use and return soon after ctx is done. Every error is, or wraps,
// an [*Error].
type Client interface {
	Complete(ctx context.Context, req Request) (Response, error)
}

// Func makes a function a [Client].
type Func func(ctx context.Context, req Request) (Response, error)

// Complete calls f.
func (f Func) Complete(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

// FuncOf is a client as a function, for those who call it from within another one: each call passes a dozen of them, and
// a method of Func in between would take a kilobyte of the stack of every conversation.
func FuncOf(c Client) Func {
	if f, ok := c.(Func); ok {
		return f
	}
	return c.Complete
}

// Middleware wraps a client in another one.
type Middleware func(Client) Client

// Chain wraps c in m. The first middleware is the outermost: it sees a request
// first and the answer last.
func Chain(c Client, m ...Middleware) Client {
	for i := len(m) - 1; i >= 0; i-- {
		c = m[i](c)
	}
	return c
}

// Role says who speaks in a message.
type Role string

// The roles of the chat-completions format.
const (
	System    Role = "system"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role Role `json:"role"`
	// Content is the visible text. Nil means that the model sent null or
	// nothing, which is not the same as an empty text.
	Content   *string    `json:"content"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID names the call that a tool message answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
	Name       string `json:"name,omitempty"`
	// Extra holds the provider's own fields verbatim (reasoning_content,
	// reasoning, reasoning_details, extra_content and the like). They go back
	// to the provider only where its capability row says so.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
	// Origin is the endpoint that Extra came from, see [Endpoint.Origin].
	// Extra fields are never sent to another endpoint; an empty Origin means
	// that the caller vouches for them.
	Origin string `json:"origin,omitempty"`
}

// Text returns the content, or "" where there is none.
func (m Message) Text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// Reasoning returns the reasoning text that the provider disclosed under any of
// its usual names, or "".
func (m Message) Reasoning() string {
	for _, key := range []string{"reasoning_content", "reasoning"} {
		var s string
		if json.Unmarshal(m.Extra[key], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// ToolCall is a call that the model proposes.
type ToolCall struct {
	// ID is as the model sent it: possibly empty, possibly used twice. An
	// integer id arrives as its decimal text.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is the raw text, which may be empty or not JSON at all.
	Arguments string `json:"arguments"`
	// Extra holds unknown fields of the call verbatim (for example a thought
	// signature in extra_content). The key "function" holds unknown fields
	// from within the function object.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Tool declares one function to the model.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is a JSON Schema; nil means a tool without parameters.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// Request is one chat-completion request. Nil pointers and empty strings are
// not sent: the provider's default applies.
type Request struct {
	// Model overrides the endpoint's model where it is set.
	Model    string    `json:"model,omitempty"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// ToolChoice is auto, none, required or the name of a tool.
	ToolChoice  string   `json:"tool_choice,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	// TemperatureByDefault marks a temperature that nobody asked for: an endpoint that refuses it need not say so in its
	// error's param field.
	TemperatureByDefault bool     `json:"-"`
	TopP                 *float64 `json:"top_p,omitempty"`
	// MaxTokens bounds the answer, reasoning included.
	MaxTokens       *int   `json:"max_tokens,omitempty"`
	Seed            *int64 `json:"seed,omitempty"`
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
	// Extra holds further top-level fields (stop, response_format, provider
	// settings), sent verbatim.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
	Tag   Tag                        `json:"tag,omitzero"`
}

// Tag is the identity of a call. It keys meters, recordings and scripted
// models; a real endpoint never sees it.
type Tag struct {
	Domain  string `json:"domain,omitempty"`
	System  string `json:"system,omitempty"`
	Task    string `json:"task,omitempty"`
	Trial   int    `json:"trial"`
	Attempt int    `json:"attempt"`
	// Role is the part that the model plays: agent, user, judge, verifier …
	Role string `json:"role,omitempty"`
	// Ordinal counts the calls of this role within the trial, from 0.
	Ordinal int    `json:"ordinal"`
	Salt    string `json:"salt,omitempty"`
	// Sample tells several answers to one request apart, from 0.
	Sample  int   `json:"sample,omitempty"`
	RunSeed int64 `json:"run_seed"`
}

// QuirkBilled marks an answer whose cost is what the provider billed, since its price is not known.
const QuirkBilled = "billed_cost"

// Response is a usable answer.
type Response struct {
	Message Message `json:"message"`
	// Refusal is what the model gave as its refusal, apart from its text, which is often absent then.
	Refusal string `json:"refusal,omitempty"`
	// CutOff: the output limit ended the answer, whose text or arguments go on no further.
	CutOff bool `json:"cut_off,omitempty"`
	// CallInText is the notation of a tool call that was left in the text, such as <tool_call>, where tools were offered.
	// Nobody carries it out.
	CallInText string `json:"call_in_text,omitempty"`
	// FinishReason is the provider's word. Whether the model wants tools is
	// is in Message.ToolCalls, not here.
	FinishReason string `json:"finish_reason,omitempty"`
	Usage        Usage  `json:"usage"`
	// Cost in dollars by the price row of the model, where that does not tell it what the provider billed ([QuirkBilled]);
	// nil means unknown.
	Cost *float64 `json:"cost"`
	// BilledCost is what the provider itself reported, in its own unit
	// (dollars where known); nil if it reported nothing.
	BilledCost *float64 `json:"billed_cost,omitempty"`
	// Failed is what earlier attempts at this answer cost, which ended in errors; nil for nothing. It is in no other figure.
	Failed *Spent `json:"failed,omitempty"`
	// Model and RequestID are as the provider reported them.
	Model     string `json:"model,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	// Replayed: the answer comes from a recording. Nobody was asked now, and
	// what Usage and Cost say was spent when it was recorded.
	Replayed bool `json:"replayed,omitempty"`
	// Attempts counts the HTTP requests spent on this answer.
	Attempts int `json:"attempts"`
	// Latency is the time of the attempt that answered; Elapsed also counts
	// queueing, earlier attempts and the waits between them.
	Latency time.Duration `json:"latency"`
	Elapsed time.Duration `json:"elapsed"`
	// Dropped names the parameters that were asked for and not sent.
	Dropped []string `json:"dropped,omitempty"`
	// Quirks names the deviations from the format that were accepted, for
	// example object_arguments, int_id, float_usage.
	Quirks []string `json:"quirks,omitempty"`
	// Raw is the reply body; invalid UTF-8 has become U+FFFD.
	Raw json.RawMessage `json:"raw,omitempty"`
}
