// Package synthetic offers language models that need no network: a scripted agent, a scripted user and a scripted
// judge behind llm.Client, and an HTTP server that speaks for them in the OpenAI format.
//
// Every answer is a pure function of the request, its tag, the task and the config. Of a conversation nothing is kept
// between calls: what has happened so far is read off the messages of the request, so answers are the same directly,
// over HTTP, after a retry and in a replay. The scripts know the task's gold plan. They show that the machinery works; what they
// score says nothing of any real model.
package synthetic

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/llm"
)

// Name is what the models call themselves where a request names no model.
const Name = "synthetic"

// guideRole is the role of verifiers, whose prompts begin with a long static part.
const guideRole = "guide"

// Models answers for all roles. It is safe for concurrent use.
type Models struct {
	worlds  map[string]*domains.World
	config  Config
	scripts map[string]Script
	plans   plans
	texts   func() texts
}

// New makes the models for tasks of the given worlds, keyed by domain name. Check the config first; the worlds must
// hold the very tasks that trials will name.
func New(worlds map[string]*domains.World, cfg Config) *Models {
	scripts := map[string]Script{"agent": Agent, "user": userScript, "judge": judgeScript}
	maps.Copy(scripts, cfg.Scripts)
	worlds = maps.Clone(worlds)
	return &Models{worlds: worlds, config: cfg, scripts: scripts, texts: sync.OnceValue(func() texts { return textsOf(worlds) })}
}

// Complete answers one request with the script of its role. The tag must name role, domain and task.
func (m *Models) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := m.wait(ctx); err != nil {
		return llm.Response{}, err
	}
	input, script, err := m.stage(req)
	if err != nil {
		return llm.Response{}, err
	}
	msg, err := script(ctx, input)
	if err != nil {
		return llm.Response{}, failed(req, err)
	}
	msg.Role = llm.Assistant
	finish := "stop"
	if len(msg.ToolCalls) > 0 {
		finish = "tool_calls"
	}
	return llm.Response{
		Message: msg, FinishReason: finish, Usage: usage(req, msg), Model: cmp.Or(req.Model, Name), RequestID: requestID(req), Attempts: 1,
	}, nil
}

func (m *Models) wait(ctx context.Context) error {
	if m.config.Latency > 0 {
		t := time.NewTimer(m.config.Latency)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return &llm.Error{Kind: llm.KindCancelled, Message: context.Cause(ctx).Error(), Endpoint: Name, Err: err}
	}
	return nil
}

// stage finds what the tag names.
func (m *Models) stage(req llm.Request) (Input, Script, error) {
	t := req.Tag
	script, ok := m.scripts[t.Role]
	if !ok {
		return Input{}, nil, unknown("role", t.Role, slices.Sorted(maps.Keys(m.scripts)))
	}
	w, ok := m.worlds[t.Domain]
	if !ok {
		return Input{}, nil, unknown("domain", t.Domain, slices.Sorted(maps.Keys(m.worlds)))
	}
	task, ok := w.Task(t.Task)
	if !ok {
		return Input{}, nil, refused(http.StatusNotFound, "unknown_task", "task", "domain %s has no task %q\nhint: give the models the same data as the run", t.Domain, t.Task)
	}
	if len(req.Messages) == 0 {
		return Input{}, nil, refused(http.StatusBadRequest, "no_messages", "messages", "messages: the list is empty\nhint: give at least one")
	}
	return Input{World: w, Task: task, Request: req, Config: m.config, plans: &m.plans}, script, nil
}

// refused is an error about a request. The same request would fail again, so it must not look retryable.
func refused(status int, code, param, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindBadRequest, Status: status, Code: code, Param: param, Endpoint: Name, Message: fmt.Sprintf(format, args...)}
}

func unknown(what, name string, have []string) *llm.Error {
	return refused(http.StatusNotFound, "unknown_"+what, what, "there is no %s %q\nhint: the tag must name one of %s", what, name, strings.Join(have, ", "))
}

// failed wraps what went wrong in a script.
func failed(req llm.Request, err error) error {
	var e *llm.Error
	if errors.As(err, &e) {
		return err
	}
	e = refused(http.StatusUnprocessableEntity, "script", "", "the script of role %s cannot answer task %s of %s: %v", req.Tag.Role, req.Tag.Task, req.Tag.Domain, err)
	e.Err = err
	return e
}

// usage counts a token for every four bytes of what was read and written, begun ones included.
func usage(req llm.Request, out llm.Message) llm.Usage {
	prompt := 0
	for _, m := range req.Messages {
		prompt += size(m)
	}
	for _, t := range req.Tools {
		prompt += len(t.Name) + len(t.Description)
	}
	cached := llm.Known(0)
	if req.Tag.Role == guideRole && req.Tag.Ordinal > 0 {
		cached = tokens(size(req.Messages[0])) // its static part was sent before, and stays the same
	}
	return llm.Usage{PromptTokens: tokens(prompt), CachedTokens: cached, CompletionTokens: tokens(size(out)), ReasoningTokens: llm.Known(0)}
}

func size(m llm.Message) int {
	n := len(m.Text())
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

func tokens(bytes int) llm.Count { return llm.Known(int64(max(1, (bytes+3)/4))) }

// requestID names the answer after the call that it is for.
func requestID(req llm.Request) string {
	tag, _ := json.Marshal(req.Tag) // numbers and texts always have a JSON form
	sum := sha256.Sum256(fmt.Appendf(tag, " %d", len(req.Messages)))
	return Name + "-" + hex.EncodeToString(sum[:8])
}
