// Package probe asks a model, before anything is spent, the questions that a run will ask it, and says what is wrong with
// the answers and what to change: a key that is refused, a parameter that is not taken, a server that does not parse tool
// calls, a history that a chat template refuses, a context that is too small, a verdict without its form.
package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Failed  Severity = "error"   // trials with this model would be worth nothing
	Warning Severity = "warning" // they would be, but something is not as asked
	Note    Severity = "note"    // good to know
)

// Finding is one thing about a model, with what to change.
type Finding struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"` // what it is, for programs
	Shape    string   `json:"shape,omitempty"`
	Text     string   `json:"text"`
	Fix      string   `json:"fix,omitempty"`
}

// Target is a model in one role.
type Target struct {
	Role  string // agent, user, judge, verifier or guard
	Name  string // under which the config has the model
	Model string // as the endpoint is asked for it
	// NeedsTools: without tool calls, nothing can come of it in this role. It is asked for one, and told its result.
	NeedsTools bool
	Client     llm.Client
	Request    llm.Request // parameters; what is asked is filled in
	Shapes     []Shape
	// Scripted models know nothing but their script, and are not asked.
	Scripted bool
}

// Shape is a question that a run asks in this role.
type Shape struct {
	Name string
	// Play asks client once, as the run does, and returns what the run holds against the answer, "" for nothing.
	Play func(ctx context.Context, client llm.Client) (complaint string)
}

// The shapes of this package's own questions.
const (
	shapeCall   = "tool call"   // a greeting of the agent's, a question of the user's, a tool
	shapeResult = "tool result" // the same with the model's own call and its result
)

// Result is what a probe of one target found.
type Result struct {
	Role     string    `json:"role"`
	Name     string    `json:"name"`
	Model    string    `json:"model"`
	Served   string    `json:"served,omitempty"` // the model's name in the reply
	Calls    []Call    `json:"calls"`
	Findings []Finding `json:"findings"`
}

// Call is one question with what it took.
type Call struct {
	Shape   string    `json:"shape"`
	Seconds float64   `json:"seconds"`
	Usage   llm.Usage `json:"usage"`
	Cost    *float64  `json:"cost"`
}

// OK reports whether nothing failed.
func (r Result) OK() bool {
	for _, f := range r.Findings {
		if f.Severity == Failed {
			return false
		}
	}
	return true
}

// answer is what came of one question.
type answer struct {
	shape string
	asked bool
	req   llm.Request
	resp  llm.Response
	err   error
}

func (r *Result) add(a answer, s Severity, code, fix, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{Severity: s, Code: code, Shape: a.shape, Text: fmt.Sprintf(format, args...), Fix: fix})
}

// Ask probes one target: with two small questions if it needs tools, and one for each of its shapes. It stops at a failure
// that the other questions would meet too.
func Ask(ctx context.Context, t Target) Result {
	r := Result{Role: t.Role, Name: t.Name, Model: t.Model, Calls: []Call{}, Findings: []Finding{}}
	if t.Scripted {
		r.add(answer{}, Note, "scripted", "", "a scripted model: there is nothing to ask")
		return r
	}
	ok := true
	if t.NeedsTools {
		ok = r.tools(ctx, t)
	}
	for _, s := range t.Shapes {
		if !ok {
			break
		}
		a := answer{shape: s.Name}
		complaint := s.Play(ctx, r.listening(t, &a))
		if ok = r.usable(t, a); ok && a.asked && a.err == nil {
			r.read(t, a, complaint)
		}
	}
	if len(r.Calls) == 0 {
		r.add(answer{}, Note, "not_asked", "", "no planned trial asks this model anything in this role")
	}
	return r
}

// listening is the target's client, which notes what is asked and answered.
func (r *Result) listening(t Target, a *answer) llm.Client {
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		start := time.Now()
		a.asked, a.req = true, req
		a.resp, a.err = t.Client.Complete(ctx, req)
		r.Calls = append(r.Calls, Call{Shape: a.shape, Seconds: time.Since(start).Seconds(), Usage: a.resp.Usage, Cost: a.resp.Cost})
		return a.resp, a.err
	})
}

// tools asks for a tool call, and then tells its result. It reports whether further questions make sense.
func (r *Result) tools(ctx context.Context, t Target) bool {
	a := answer{shape: shapeCall}
	req := question(t)
	_, _ = r.listening(t, &a).Complete(ctx, req) // noted in a
	if ok := r.usable(t, a); !ok || a.err != nil {
		return ok
	}
	r.call(t, a)
	if len(a.resp.Message.ToolCalls) == 0 {
		return true
	}
	req.Messages = append(req.Messages, a.resp.Message)
	for _, c := range a.resp.Message.ToolCalls {
		found := `{"id": "P-17", "state": "on its way", "arrives": "tomorrow"}`
		req.Messages = append(req.Messages, llm.Message{Role: llm.ToolRole, ToolCallID: c.ID, Content: &found})
	}
	b := answer{shape: shapeResult}
	_, _ = r.listening(t, &b).Complete(ctx, req)
	if ok := r.usable(t, b); !ok || b.err != nil {
		return ok
	}
	r.read(t, b, "")
	return true
}

// toolName is the tool that models are asked to call.
const toolName = "lookup_parcel"

// question asks for a tool call, after the agent's greeting as in every conversation.
func question(t Target) llm.Request {
	policy, greeting, ask := "You help customers of a parcel service. Use the tools you are given to look things up; never guess.",
		"Hello! What can I do for you?", "Where is my parcel? Its number is P-17."
	req := t.Request
	req.Tag = llm.Tag{Domain: "probe", Role: t.Role}
	req.Messages = []llm.Message{{Role: llm.System, Content: &policy}, {Role: llm.Assistant, Content: &greeting}, {Role: llm.User, Content: &ask}}
	req.Tools = []llm.Tool{{Name: toolName, Description: "Finds a parcel by its number and tells where it is.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"number of the parcel, such as P-3"}},"required":["id"]}`)}}
	req.ToolChoice = "auto"
	return req
}
