// Package probe asks a model once for a tool call, before anything is spent, and
// says what is wrong with the answer and what to change: a key that is refused, a
// parameter that is not taken, a server that does not parse tool calls, figures
// that are missing.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	Text     string   `json:"text"`
	Fix      string   `json:"fix,omitempty"`
}

// Target is a model in one role.
type Target struct {
	Role  string // agent, user, judge, verifier or guard
	Name  string // under which the config has the model
	Model string // as the endpoint is asked for it
	// NeedsTools: without tool calls, nothing can come of it in this role.
	NeedsTools bool
	Client     llm.Client
	Request    llm.Request // parameters; what is asked is filled in
	// Scripted models know nothing but their script, and are not asked.
	Scripted bool
}

// Result is what a probe of one target found.
type Result struct {
	Role     string    `json:"role"`
	Name     string    `json:"name"`
	Model    string    `json:"model"`
	Served   string    `json:"served,omitempty"` // the model's name in the reply
	Asked    bool      `json:"asked"`
	Seconds  float64   `json:"seconds"`
	Usage    llm.Usage `json:"usage"`
	Cost     *float64  `json:"cost"`
	Findings []Finding `json:"findings"`
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

func (r *Result) add(s Severity, code, fix, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{Severity: s, Code: code, Text: fmt.Sprintf(format, args...), Fix: fix})
}

// toolName is the tool that models are asked to call.
const toolName = "lookup_parcel"

// question is the request that every model gets.
func question(base llm.Request, tag llm.Tag) llm.Request {
	policy, ask := "You help customers of a parcel service. Use the tools you are given to look things up; never guess.",
		"Where is my parcel? Its number is P-17."
	req := base
	req.Tag = tag
	req.Messages = []llm.Message{{Role: llm.System, Content: &policy}, {Role: llm.User, Content: &ask}}
	req.Tools = []llm.Tool{{Name: toolName, Description: "Finds a parcel by its number and tells where it is.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"number of the parcel, such as P-3"}},"required":["id"]}`)}}
	req.ToolChoice = "auto"
	return req
}

// Ask probes one target with a single call.
func Ask(ctx context.Context, t Target) Result {
	r := Result{Role: t.Role, Name: t.Name, Model: t.Model, Findings: []Finding{}}
	if t.Scripted {
		r.add(Note, "scripted", "", "a scripted model: there is nothing to ask")
		return r
	}
	r.Asked = true
	start := time.Now()
	resp, err := t.Client.Complete(ctx, question(t.Request, llm.Tag{Domain: "probe", Role: t.Role}))
	r.Seconds = time.Since(start).Seconds()
	if err != nil {
		r.failure(t, err)
		return r
	}
	r.Served, r.Usage, r.Cost = resp.Model, resp.Usage, resp.Cost
	r.call(t, resp)
	r.figures(t, resp)
	return r
}

// failure explains a call that failed.
func (r *Result) failure(t Target, err error) {
	var e *llm.Error
	if !errors.As(err, &e) {
		r.add(Failed, "other", "", "%v", err)
		return
	}
	fix, at := "", "models."+t.Name
	text := strings.ToLower(e.Message)
	code := string(e.Kind)
	switch e.Kind {
	case llm.KindAuth:
		fix = "set " + at + ".key to a key that may use this model, or export the variable it names"
	case llm.KindQuota:
		fix = "add credit or raise the plan's limit"
	case llm.KindNetwork:
		fix = "check that the server is up and " + at + ".base_url is its address"
	case llm.KindTimeout:
		fix = "check the server, or raise " + at + ".timeout"
	case llm.KindMalformed:
		fix = "check that " + at + ".base_url is that of a chat-completions endpoint; it ends in /v1 at most servers"
	case llm.KindRateLimit:
		fix = "wait, or set " + at + ".limits to what the account may use"
	case llm.KindContextWindow:
		fix = "give the server a larger context: conversations need 16,000 tokens and more"
		if e.Code == "length" {
			fix = "raise " + at + ".max_tokens, or lower its reasoning_effort"
		}
	case llm.KindContentFilter:
		fix = "relax the provider's filter: policies and role-play set off false alarms"
	case llm.KindServer:
		fix = "look at the server's log"
		if strings.Contains(text, "jinja") { // llama.cpp refuses with a 500
			code, fix = refusal(e, text, at)
		}
	case llm.KindBadRequest:
		code, fix = refusal(e, text, at)
	}
	r.add(Failed, code, fix, "%s", e.Error())
}

// refusal explains a request that was refused.
func refusal(e *llm.Error, text, at string) (code, fix string) {
	tools := strings.Contains(text, "tool") || e.Param == "tools" || e.Param == "tool_choice"
	switch {
	case strings.Contains(text, "tool-call-parser") || strings.Contains(text, "enable-auto-tool-choice"):
		return "no_tool_parser", "start the server with --enable-auto-tool-choice and --tool-call-parser for this model"
	case strings.Contains(text, "jinja"):
		return "no_tool_parser", "start the server with --jinja"
	case tools && (strings.Contains(text, "support") || strings.Contains(text, "template")):
		return "no_tools", "choose a model that can call tools"
	case e.Status == 404 || e.Code == "model_not_found" || e.Code == "DeploymentNotFound" || e.Param == "model":
		return "no_model", "set " + at + ".model to a name that the endpoint knows, and check " + at + ".base_url"
	case e.Param != "":
		return "refused_parameter", fmt.Sprintf("remove %s from %s, or give it a value that the model takes", e.Param, at)
	}
	return string(e.Kind), "compare " + at + " with what the endpoint's documentation allows"
}

// call looks at what the model said.
func (r *Result) call(t Target, resp llm.Response) {
	missing := Warning
	if t.NeedsTools {
		missing = Failed
	}
	m := resp.Message
	if strings.Contains(m.Text(), "<think>") || strings.Contains(m.Text(), "</think>") {
		r.add(Note, "thoughts_in_text", "start the server with --reasoning-parser for this model, so that thoughts come apart from the text",
			"the model's thoughts are in its visible text, from which they are cut")
	}
	if len(m.ToolCalls) == 0 {
		r.noCall(missing, resp)
		return
	}
	c := m.ToolCalls[0]
	var args map[string]any
	switch {
	case c.Name != toolName:
		r.add(missing, "wrong_tool", "choose a model that calls tools by the names they have", "the model called %q, a tool that it was not given", c.Name)
	case json.Unmarshal([]byte(c.Arguments), &args) != nil:
		r.add(missing, "bad_arguments", "check the server's parser of tool calls, or choose another model", "the arguments of the call are no JSON object: %s", clip(c.Arguments))
	case args["id"] != "P-17":
		r.add(Warning, "odd_arguments", "", "the arguments are not those that were asked for: %s", clip(c.Arguments))
	}
	if resp.CutOff {
		r.add(Warning, "cut_off", "raise models."+t.Name+".max_tokens", "the answer was cut off at its length limit")
	}
}

// noCall explains an answer without a call.
func (r *Result) noCall(s Severity, resp llm.Response) {
	m := resp.Message
	switch mark := markup(m.Text()); {
	case mark != "":
		r.add(s, "tool_call_in_text", "start the server with a parser of tool calls: vLLM --enable-auto-tool-choice --tool-call-parser NAME, llama.cpp --jinja, SGLang --tool-call-parser NAME",
			"the call came as text (%s), which is not carried out: %s", mark, clip(m.Text()))
	case markup(m.Reasoning()) != "":
		r.add(s, "tool_call_in_thoughts", "check the server's --reasoning-parser and --tool-call-parser against the model",
			"the call is in the model's thoughts, where it is not carried out")
	default:
		r.add(s, "no_tool_call", "choose a model that can call tools, or check that the server passes tools on", "asked for a tool call, the model answered in words: %s", clip(m.Text()))
	}
}

// figures looks at what came beside the answer.
func (r *Result) figures(t Target, resp llm.Response) {
	at := "models." + t.Name
	for _, name := range resp.Dropped {
		r.add(Warning, "refused_parameter", fmt.Sprintf("remove %s from %s, or accept that it has no effect", name, at), "the model does not take %s: it was not sent", name)
	}
	if !resp.Usage.PromptTokens.Known || !resp.Usage.CompletionTokens.Known {
		r.add(Warning, "no_usage", "switch token counts on at the server; without them, costs are unknown and max_cost and max_tokens do not bind", "the reply does not say how many tokens it took")
	} else if resp.Cost == nil {
		r.add(Note, "no_price", "name the model that it is as "+at+".like, if it is one whose price is known", "the price of the model is not known: its cost will show as ?")
	}
	if served := resp.Model; served != "" && !sameModel(t.Model, served) {
		r.add(Warning, "other_model", "check "+at+".model and where the endpoint sends it", "the reply says that it is from %s, asked was %s", served, t.Model)
	}
	if len(resp.Quirks) > 0 {
		r.add(Note, "quirks", "", "accepted deviations from the format: %s", strings.Join(resp.Quirks, ", "))
	}
}

// sameModel tells whether a served name can be that of the model asked for:
// vendors add dates, routers drop or add the vendor, servers show paths.
func sameModel(asked, served string) bool {
	a, s := strings.ToLower(asked), strings.ToLower(served)
	short := func(name string) string { return name[strings.LastIndexAny(name, "/:")+1:] }
	return strings.Contains(s, a) || strings.Contains(a, s) || strings.Contains(s, short(a)) || strings.Contains(a, short(s))
}

// markup names the notation in which a text holds a tool call, "" for none.
func markup(text string) string {
	if m := llm.CallMarkup(text); m != "" {
		return m
	}
	if strings.Contains(text, toolName) && strings.Contains(text, "{") && strings.Contains(text, "P-17") {
		return "JSON"
	}
	return ""
}

// clip shortens a text for one line.
func clip(s string) string {
	const most = 160
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
