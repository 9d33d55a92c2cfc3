package sim

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// Model is a language model in one role of one conversation: the client, the parameters of the config, and the
// identity that every call carries. It is used from one goroutine.
type Model struct {
	Client llm.Client
	Name   string      // in the config
	Base   llm.Request // parameters; messages, tools and tag are filled in
	Tag    llm.Tag     // of the trial and role; the ordinal is counted here

	declared []domains.ToolSpec // the tools that were offered last
	offered  []llm.Tool         // the same as requests have them
}

// With returns the model in another role, counting its calls from 0.
func (m Model) With(role string) *Model {
	m.Tag.Role, m.Tag.Ordinal = role, 0
	return &m
}

// Verifier returns the model in a role that judges conversations, at temperature 0.
func (m Model) Verifier(role string) *Model {
	out := m.With(role)
	zero := 0.0
	out.Base.Temperature = &zero
	return out
}

// writerTemperature is PolicyGuide's and PolicyGuard's released authors'.
const writerTemperature = 0.2

// Writer returns the model in a role that writes material ahead of all conversations: without a trial's seed, and at the
// releases' temperature where it has none of its own.
func (m Model) Writer(role string) *Model {
	out := m.With(role)
	out.Base.Seed = nil
	if out.Base.Temperature == nil || out.Base.TemperatureByDefault {
		t := writerTemperature
		out.Base.Temperature = &t
	}
	return out
}

// Sampling is how one of several answers to the same request is drawn.
type Sampling struct {
	Sample      int      // from 0, which is the answer that Ask gets; each other has a seed of its own, if the model is sent one
	Temperature *float64 // nil is that of the config
}

// sampleSeeds keeps the seeds of samples apart, and from those of trials, which are below.
const sampleSeeds = 1_000_003

// Ask is AskWith for the one answer that most need.
func (m *Model) Ask(ctx context.Context, index int, msgs []llm.Message, tools []domains.ToolSpec, choice string) (Message, ModelCall, error) {
	return m.AskWith(ctx, Sampling{}, index, msgs, tools, choice)
}

// AskWith requests one answer. index is the trajectory index of the message that it is for. choice is the tool choice
// where tools are offered; empty leaves the provider's default. The call is to be kept, also one that ended in an error.
func (m *Model) AskWith(ctx context.Context, s Sampling, index int, msgs []llm.Message, tools []domains.ToolSpec, choice string) (Message, ModelCall, error) {
	req := m.Base
	req.Messages, req.Tag = msgs, m.Tag
	req.Tag.Sample = s.Sample
	if s.Temperature != nil {
		req.Temperature, req.TemperatureByDefault = s.Temperature, false
	}
	if req.Seed != nil && s.Sample > 0 {
		seed := *req.Seed + int64(s.Sample)*sampleSeeds
		req.Seed = &seed
	}
	if len(tools) > 0 {
		req.Tools, req.ToolChoice = m.offer(tools), choice
	}
	call := ModelCall{Role: m.Tag.Role, Ordinal: m.Tag.Ordinal, Index: index, Model: m.Name}
	m.Tag.Ordinal++
	start := time.Now()
	resp, err := llm.FuncOf(m.Client)(ctx, req)
	if err != nil {
		call.fail(err, time.Since(start))
		return Message{}, call, callError{m.Name, err}
	}
	call.Usage, call.Cost, call.Finish = resp.Usage, resp.Cost, resp.FinishReason
	call.CutOff, call.Dropped, call.Quirks = resp.CutOff, resp.Dropped, resp.Quirks
	call.Refusal, call.CallInText = shorten(resp.Refusal, longestText), resp.CallInText
	call.Transport = Transport{Served: resp.Model, RequestID: resp.RequestID, Attempts: resp.Attempts,
		Seconds: resp.Latency.Seconds(), Elapsed: resp.Elapsed.Seconds(), Failed: resp.Failed, Replayed: resp.Replayed}
	return received(resp, &call), call, nil
}

// offer returns tools as requests have them, made anew only where they are other ones than before.
func (m *Model) offer(tools []domains.ToolSpec) []llm.Tool {
	if len(m.declared) == len(tools) && &m.declared[0] == &tools[0] {
		return m.offered
	}
	m.declared, m.offered = tools, make([]llm.Tool, len(tools))
	for i, t := range tools {
		m.offered[i] = llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
	}
	return m.offered
}

// fail makes the call one that ended in an error after some time.
func (c *ModelCall) fail(err error, took time.Duration) {
	c.Error = "other"
	var e *llm.Error
	switch {
	case overBudget(err):
		c.Error = string(Budget)
	case errors.As(err, &e):
		c.Error, c.Usage, c.Cost, c.Quirks, c.CutOff = string(e.Kind), e.Usage, e.Cost, e.Quirks, e.CutOff()
		c.Transport = Transport{RequestID: e.RequestID, Attempts: e.Attempts, Elapsed: took.Seconds(), Replayed: e.Replayed}
	}
}

// sent leaves out the calls that a budget refused: nobody was asked.
func sent(calls []ModelCall) []ModelCall {
	return slices.DeleteFunc(calls, func(c ModelCall) bool { return c.Error == string(Budget) })
}

// overBudget tells whether an error is that of a budget.
func overBudget(err error) bool {
	var b interface{ Budget() bool }
	return errors.As(err, &b) && b.Budget()
}

// callError is a failed call with the name of its model.
type callError struct {
	model string
	error
}

// Unwrap returns the client's error.
func (e callError) Unwrap() error { return e.error }

// received turns a model's answer into a message.
func received(resp llm.Response, call *ModelCall) Message {
	m, thought := fromWire(resp.Message, call.WasCutOff())
	if thought {
		call.Quirks = append(slices.Clip(call.Quirks), "think_in_content")
	}
	return m
}

// fromWire turns a model's words into a message: what the model thinks is kept apart from what it says, argument texts are
// parsed but never repaired. thought reports whether it thought in what it said.
func fromWire(in llm.Message, truncated bool) (m Message, thought bool) {
	m = Message{Role: domains.RoleAssistant, Content: in.Content, Provider: in.Extra}
	if in.Content != nil {
		said, aside, ok := splitThinking(*in.Content)
		if ok {
			m.Content, thought = &said, true
			m.Provider = with(m.Provider, thinkField, aside)
		}
	}
	for _, c := range in.ToolCalls {
		out := ToolCall{ID: c.ID, Name: c.Name, Provider: c.Extra}
		var args value.Value
		args, out.Malformed, out.Reason = parseArguments(c.Arguments, truncated)
		out.Give(args)
		m.ToolCalls = append(m.ToolCalls, out)
	}
	return m, thought
}

// parseArguments reads the argument text of a call. Nothing and null mean no arguments; anything else that is no
// object is malformed, with the reason in words for the model.
func parseArguments(text string, truncated bool) (args value.Value, malformed, reason string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed == "null" {
		return value.OfMap(nil), "", ""
	}
	v, err := value.ParseString(trimmed)
	switch {
	case err != nil && truncated:
		return value.Value{}, text, "the arguments are truncated because the answer reached its length limit"
	case err != nil:
		return value.Value{}, text, strings.TrimPrefix(err.Error(), "invalid JSON: ")
	case v.Kind() != value.Object:
		return value.Value{}, text, "arguments must be an object, not " + article(v.TypeName())
	}
	return v, "", ""
}

func article(typeName string) string {
	switch typeName {
	case "list":
		return "an array"
	case "str":
		return "a string"
	case "bool":
		return "a boolean"
	}
	return "a number"
}

// thinkField is where a message's provider fields keep what its model thought aloud in the content. No server knows a
// field of that name, so it is sent to none.
const thinkField = "think"

// with returns provider fields with one more text; the fields of an answer may be shared and are not written to.
func with(fields map[string]json.RawMessage, name, text string) map[string]json.RawMessage {
	out := maps.Clone(fields)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	out[name] = json.RawMessage(value.OfString(text).JSON())
	return out
}

// splitThinking separates blocks between <think> tags, which some servers leave in the content, from the visible
// text. A block that never closes is all thought; one that never opens was opened by the server's chat template.
func splitThinking(text string) (said, thought string, ok bool) {
	const open, closing = "<think>", "</think>"
	var visible, hidden []string
	if before, after, ok := strings.Cut(text, closing); ok && !strings.Contains(before, open) {
		hidden, text = append(hidden, before), after
	}
	for {
		before, after, ok := strings.Cut(text, open)
		if !ok {
			break
		}
		inside, rest, _ := strings.Cut(after, closing)
		visible, hidden, text = append(visible, before), append(hidden, inside), rest
	}
	if hidden == nil {
		return text, "", false
	}
	return strings.TrimSpace(strings.Join(append(visible, text), "")), strings.Join(hidden, "\n"), true
}

// Wire turns a view into the messages of a request, after a system prompt. The side's own messages become the
// assistant's; for the user's model the parts are therefore flipped (docs/reference/tau2.md#participants).
func Wire(system string, view []Message, side Side) []llm.Message {
	out := make([]llm.Message, 0, len(view)+1)
	out = append(out, llm.Message{Role: llm.System, Content: &system})
	for _, m := range view {
		if w, ok := wire(m, side); ok {
			out = append(out, w)
		}
	}
	return out
}

func wire(m Message, side Side) (llm.Message, bool) {
	switch {
	case m.Role == domains.RoleTool:
		text := m.TextOf()
		return llm.Message{Role: llm.ToolRole, ToolCallID: m.ID, Content: &text}, true
	case m.Role == domains.RoleSystem, m.Role == domains.RoleDeveloper:
		return llm.Message{Role: llm.Role(m.Role), Content: m.Content}, true
	case m.Side() != side:
		if !m.HasText() {
			return llm.Message{}, false
		}
		return llm.Message{Role: llm.User, Content: m.Content}, true
	}
	out := llm.Message{Role: llm.Assistant, Content: m.Content, Extra: m.Provider}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: wireArguments(c), Extra: c.Provider})
	}
	return out, out.Content != nil || out.ToolCalls != nil
}

// wireArguments is the argument text that goes back to the model. Servers refuse history whose arguments are not
// JSON, so a malformed text is shown inside an object that says what it is.
func wireArguments(c ToolCall) string {
	args := c.Arguments
	if c.Reason != "" {
		args = value.OfMap(value.MapOf(value.Pair{Key: "malformed_arguments", Value: value.OfString(c.Malformed)}))
	}
	return args.JSON()
}
