package trace

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	api "go.opentelemetry.io/otel/trace"

	"github.com/tauguide/tauguide/sim/llm"
)

func text(key, value string) attribute.KeyValue { return attribute.String(key, value) }

// attributes collects those that have a value.
type attributes []attribute.KeyValue

func (a *attributes) text(key, value string) {
	if value != "" {
		*a = append(*a, attribute.String(key, value))
	}
}

func (a *attributes) count(key string, n llm.Count) {
	if n.Known {
		*a = append(*a, attribute.Int64(key, n.N))
	}
}

func (a *attributes) float(key string, v *float64) {
	if v != nil {
		*a = append(*a, attribute.Float64(key, *v))
	}
}

func (a *attributes) spent(s llm.Spent) {
	a.count("gen_ai.usage.input_tokens", s.Usage.PromptTokens)
	a.count("gen_ai.usage.output_tokens", s.Usage.CompletionTokens)
	a.count("gen_ai.usage.cache_read.input_tokens", s.Usage.CachedTokens)
	a.count("gen_ai.usage.reasoning.output_tokens", s.Usage.ReasoningTokens)
	a.float("tauguide.cost", s.Cost)
}

// Trial begins the span of a trial, under which its calls are put. end ends it,
// with the reason for which the trial ended and what went wrong, if anything.
func (t *Tracer) Trial(ctx context.Context, tag llm.Tag) (_ context.Context, end func(reason, fault string)) {
	if t == nil {
		return ctx, func(string, string) {}
	}
	ctx, span := t.tracer.Start(ctx, "trial "+tag.Domain+"/"+tag.System, api.WithAttributes(ofTag(tag)...))
	return ctx, func(reason, fault string) {
		span.SetAttributes(text("tauguide.termination", reason))
		if fault != "" {
			span.SetStatus(codes.Error, t.masked(fault))
		}
		span.End()
	}
}

func ofTag(tag llm.Tag) []attribute.KeyValue {
	var a attributes
	a.text("tauguide.domain", tag.Domain)
	a.text("tauguide.system", tag.System)
	a.text("tauguide.task", tag.Task)
	return append(a, attribute.Int("tauguide.trial", tag.Trial), attribute.Int("tauguide.attempt", tag.Attempt))
}

// Wrap makes a span of each call to a model; it belongs outside of everything
// else, so that a span covers queueing and retries.
func (t *Tracer) Wrap(e llm.Endpoint) llm.Middleware {
	return func(next llm.Client) llm.Client {
		if t == nil {
			return next
		}
		c := call{tracer: t, provider: providerOf(e), model: e.Model}
		if u, err := url.Parse(e.BaseURL); err == nil {
			c.server, c.port = u.Hostname(), u.Port()
		}
		return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) { return c.complete(ctx, req, next) })
	}
}

// call makes the spans of one model.
type call struct {
	tracer                        *Tracer
	provider, model, server, port string
}

func (c call) complete(ctx context.Context, req llm.Request, next llm.Client) (llm.Response, error) {
	model := req.Model
	if model == "" {
		model = c.model
	}
	ctx, span := c.tracer.tracer.Start(ctx, "chat "+model, api.WithSpanKind(api.SpanKindClient), api.WithAttributes(c.ofRequest(model, req)...))
	defer span.End()
	resp, err := next.Complete(ctx, req)
	if !span.IsRecording() {
		return resp, err
	}
	if err != nil {
		c.failed(span, err)
		return resp, err
	}
	span.SetAttributes(c.ofResponse(resp)...)
	return resp, err
}

func (c call) ofRequest(model string, req llm.Request) []attribute.KeyValue {
	a := attributes(ofTag(req.Tag))
	a.text("gen_ai.operation.name", "chat")
	a.text("gen_ai.provider.name", c.provider)
	a.text("gen_ai.request.model", model)
	a.text("server.address", c.server)
	if port, err := strconv.Atoi(c.port); err == nil {
		a = append(a, attribute.Int("server.port", port))
	}
	a.float("gen_ai.request.temperature", req.Temperature)
	a.float("gen_ai.request.top_p", req.TopP)
	if req.MaxTokens != nil {
		a = append(a, attribute.Int("gen_ai.request.max_tokens", *req.MaxTokens))
	}
	if req.Seed != nil {
		a = append(a, attribute.Int64("gen_ai.request.seed", *req.Seed))
	}
	a.text("tauguide.role", req.Tag.Role)
	a = append(a, attribute.Int("tauguide.ordinal", req.Tag.Ordinal))
	if c.tracer.contents {
		c.tracer.said(&a, "gen_ai.input.messages", req.Messages, "")
	}
	return a
}

func (c call) ofResponse(r llm.Response) []attribute.KeyValue {
	var a attributes
	a.text("gen_ai.response.model", r.Model)
	a.text("gen_ai.response.id", r.RequestID)
	if r.FinishReason != "" {
		a = append(a, attribute.StringSlice("gen_ai.response.finish_reasons", []string{r.FinishReason}))
	}
	a.spent(llm.Spent{Usage: r.Usage, Cost: r.Cost})
	a = append(a, attribute.Int("tauguide.attempts", r.Attempts), attribute.Int("tauguide.tool_calls", len(r.Message.ToolCalls)))
	if r.Replayed {
		a = append(a, attribute.Bool("tauguide.replayed", true))
	}
	if len(r.Dropped) > 0 {
		a = append(a, attribute.StringSlice("tauguide.dropped", r.Dropped))
	}
	if c.tracer.contents {
		c.tracer.said(&a, "gen_ai.output.messages", []llm.Message{r.Message}, r.FinishReason)
	}
	return a
}

func (c call) failed(span api.Span, err error) {
	kind := "other"
	var e *llm.Error
	if errors.As(err, &e) {
		kind = string(e.Kind)
		var a attributes
		a.text("gen_ai.response.id", e.RequestID)
		a.spent(e.Spent)
		if e.Status != 0 {
			a = append(a, attribute.Int("http.response.status_code", e.Status))
		}
		span.SetAttributes(append(a, attribute.Int("tauguide.attempts", e.Attempts))...)
	}
	span.SetAttributes(text("error.type", kind))
	span.SetStatus(codes.Error, c.tracer.masked(err.Error()))
}

// part is a piece of a message in the form of the conventions.
type part struct {
	Type      string  `json:"type"`
	Content   *string `json:"content,omitempty"`
	ID        string  `json:"id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments string  `json:"arguments,omitempty"`
	Response  *string `json:"response,omitempty"`
}

// said adds what was said, for those who asked for it.
func (t *Tracer) said(a *attributes, key string, messages []llm.Message, finish string) {
	type message struct {
		Role   llm.Role `json:"role"`
		Parts  []part   `json:"parts"`
		Finish string   `json:"finish_reason,omitempty"`
	}
	out := make([]message, len(messages))
	for i, m := range messages {
		out[i] = message{Role: m.Role, Parts: partsOf(m), Finish: finish}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return // texts can always be marshalled
	}
	a.text(key, t.masked(string(text)))
}

func partsOf(m llm.Message) []part {
	if m.Role == llm.ToolRole {
		text := m.Text()
		return []part{{Type: "tool_call_response", ID: m.ToolCallID, Response: &text}}
	}
	out := []part{}
	if m.Content != nil {
		out = append(out, part{Type: "text", Content: m.Content})
	}
	for _, c := range m.ToolCalls {
		out = append(out, part{Type: "tool_call", ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return out
}

// providerOf names the provider as the conventions do, as far as the address
// tells it.
func providerOf(e llm.Endpoint) string {
	if e.Synthetic {
		return "tauguide.synthetic"
	}
	if e.Server != "" {
		return e.Server
	}
	base := e.BaseURL
	if base == "" {
		base = llm.DefaultBaseURL
	}
	for _, p := range []struct{ part, name string }{
		{"openai.azure.com", "azure.ai.openai"}, {"api.openai.com", "openai"}, {"anthropic.com", "anthropic"},
		{"generativelanguage.googleapis.com", "gcp.gemini"}, {"aiplatform.googleapis.com", "gcp.vertex_ai"}, {"openrouter.ai", "openrouter"},
		{"deepseek.com", "deepseek"}, {"api.mistral.ai", "mistral_ai"}, {"api.groq.com", "groq"}, {"api.x.ai", "x_ai"},
	} {
		if strings.Contains(base, p.part) {
			return p.name
		}
	}
	return "openai_compatible"
}
