package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// usable notes a failed call, and what came beside the first answer. It reports whether further questions make sense.
func (r *Result) usable(t Target, a answer) bool {
	if !a.asked {
		return true
	}
	if a.err == nil {
		if r.Served == "" {
			r.Served = a.resp.Model
			r.figures(t, a)
		}
		return true
	}
	code := r.failure(t, a)
	return slices.Contains([]string{string(llm.KindTemplate), string(llm.KindContextWindow), string(llm.KindContentFilter), string(llm.KindBadRequest)}, code)
}

// failure explains a call that failed, and returns what kind of failure it is.
func (r *Result) failure(t Target, a answer) (code string) {
	var e *llm.Error
	if !errors.As(a.err, &e) {
		r.add(a, Failed, "other", "", "%v", a.err)
		return "other"
	}
	fix, at := "", "models."+t.Name
	text := strings.ToLower(e.Message)
	code = string(e.Kind)
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
		fix = largerContext(a.req)
		if e.Code == "length" {
			fix = "raise " + at + ".max_tokens, or lower its reasoning_effort"
		}
	case llm.KindContentFilter:
		fix = "relax the provider's filter: policies and role-play set off false alarms"
	case llm.KindTemplate:
		fix = "set " + at + ".roles: alternate, so that the user begins and both sides speak by turns"
		if echoes(a.req) {
			fix = "set " + at + ".echo: never, so that nothing the model said beside its text goes back; if that does not help, roles: alternate"
		}
	case llm.KindServer:
		fix = "look at the server's log"
		if strings.Contains(text, "jinja") { // llama.cpp refuses with a 500
			code, fix = refusal(e, text, at)
		}
	case llm.KindBadRequest:
		code, fix = refusal(e, text, at)
	}
	r.add(a, Failed, code, fix, "%s", cause(e))
	return code
}

// cause is an error's text without its hint: the finding has its own.
func cause(e *llm.Error) string {
	text, _, _ := strings.Cut(e.Error(), "\nhint: ")
	return text
}

// echoes tells whether something that the model said beside its text goes back to it.
func echoes(req llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return m.Role == llm.Assistant && len(m.Extra) > 0 })
}

// largerContext is the advice where a question does not fit.
func largerContext(req llm.Request) string {
	const growth = 16_000 // tokens; what a conversation adds to its prompt
	tokens := llm.TextSize(req) / bytesPerToken
	return fmt.Sprintf("give the server a context of %d tokens or more (vLLM --max-model-len, llama.cpp --ctx-size, Ollama num_ctx), or choose another model: "+
		"this question takes about %d, and conversations grow", tokens+growth, tokens)
}

// bytesPerToken is what a token is taken for: English and JSON have four or five.
const bytesPerToken = 4

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
		return "refused_parameter", fmt.Sprintf("%s, or give it a value that the model takes", without(e.Param, at))
	}
	return string(e.Kind), "compare " + at + " with what the endpoint's documentation allows"
}

// without says how a parameter is not sent.
func without(param, at string) string {
	if param == "temperature" { // which is sent by default
		return fmt.Sprintf("set %s.temperature: null", at)
	}
	return fmt.Sprintf("remove %s from %s", param, at)
}

// call looks at the answer to the question for a tool call.
func (r *Result) call(t Target, a answer) {
	m := a.resp.Message
	if strings.Contains(m.Text(), "<think>") || strings.Contains(m.Text(), "</think>") {
		r.add(a, Note, "thoughts_in_text", "start the server with --reasoning-parser for this model, so that thoughts come apart from the text",
			"the model's thoughts are in its visible text, from which they are cut")
	}
	if len(m.ToolCalls) == 0 {
		r.noCall(a)
		return
	}
	c := m.ToolCalls[0]
	r.calls(a)
	if id := arguments(c)["id"]; c.Name == toolName && id != nil && id != "P-17" {
		r.add(a, Warning, "odd_arguments", "", "the arguments are not those that were asked for: %s", clip(c.Arguments))
	}
	if a.resp.CutOff {
		r.cutOff(t, a, Warning)
	}
}

// calls checks the first call of an answer against the tools that were offered.
func (r *Result) calls(a answer) {
	for _, c := range a.resp.Message.ToolCalls[:min(1, len(a.resp.Message.ToolCalls))] {
		switch {
		case !slices.ContainsFunc(a.req.Tools, func(t llm.Tool) bool { return t.Name == c.Name }):
			r.add(a, Failed, "wrong_tool", "choose a model that calls tools by the names they have", "the model called %q, a tool that it was not given", c.Name)
		case arguments(c) == nil:
			r.add(a, Failed, "bad_arguments", "check the server's parser of tool calls, or choose another model", "the arguments of the call are no JSON object: %s", clip(c.Arguments))
		}
	}
}

// arguments are those of a call, nil if they are no object.
func arguments(c llm.ToolCall) (out map[string]any) {
	if json.Unmarshal([]byte(c.Arguments), &out) != nil {
		return nil
	}
	return out
}

func (r *Result) cutOff(t Target, a answer, s Severity) {
	r.add(a, s, "cut_off", "raise models."+t.Name+".max_tokens", "the answer was cut off at its length limit: %s", clip(a.resp.Message.Text()))
}

// read looks at the answer to a question of the run's. complaint is what the run says of it.
func (r *Result) read(t Target, a answer, complaint string) {
	m := a.resp.Message
	switch {
	case a.resp.CutOff:
		r.cutOff(t, a, Failed)
	case complaint != "":
		r.add(a, Failed, "contract", "choose a model that keeps to the form that it is told, or look at what the server makes of its answers",
			"the run cannot use the answer %s: %s", clip(m.Text()), complaint)
	case a.resp.Refusal != "":
		r.add(a, Failed, "refusal", "choose a model that plays this role", "the model refuses: %s", clip(a.resp.Refusal))
	case len(m.ToolCalls) == 0 && strings.TrimSpace(m.Text()) == "":
		r.add(a, Failed, "empty_answer", "choose another model, or look at what the server makes of its answers", "the answer has neither text nor calls")
	case a.resp.CallInText != "":
		r.noCall(a)
	}
	r.calls(a)
	r.whole(a)
}

// whole looks for a prompt that the server has cut to its context in silence. Tools are left out, since some templates
// leave them out.
func (r *Result) whole(a answer) {
	const smallest = 1024 // tokens; no server has less
	words := a.req
	words.Tools = nil
	if used := a.resp.Usage.PromptTokens; used.Known && llm.TextSize(words) > 2*bytesPerToken*int(max(used.N, smallest)) {
		r.add(a, Failed, "context_cut", largerContext(a.req), "the reply tells of %d tokens of prompt for a text of about %d: the server has cut it", used.N, llm.TextSize(words)/bytesPerToken)
	}
}

// noCall explains an answer that should have a call and has none.
func (r *Result) noCall(a answer) {
	m := a.resp.Message
	switch mark := markup(m.Text()); {
	case mark != "":
		r.add(a, Failed, "tool_call_in_text", "start the server with a parser of tool calls: vLLM --enable-auto-tool-choice --tool-call-parser NAME, llama.cpp --jinja, SGLang --tool-call-parser NAME",
			"the call came as text (%s), which is not carried out: %s", mark, clip(m.Text()))
	case markup(m.Reasoning()) != "":
		r.add(a, Failed, "tool_call_in_thoughts", "check the server's --reasoning-parser and --tool-call-parser against the model",
			"the call is in the model's thoughts, where it is not carried out")
	default:
		r.add(a, Failed, "no_tool_call", "choose a model that can call tools, or check that the server passes tools on", "asked for a tool call, the model answered in words: %s", clip(m.Text()))
	}
}

// figures looks at what came beside the answer.
func (r *Result) figures(t Target, a answer) {
	resp, at := a.resp, "models."+t.Name
	for _, name := range resp.Dropped {
		r.add(answer{}, Warning, "refused_parameter", fmt.Sprintf("%s, or accept that it has no effect", without(name, at)), "the model does not take %s: it was not sent", name)
	}
	if !resp.Usage.PromptTokens.Known || !resp.Usage.CompletionTokens.Known {
		r.add(answer{}, Warning, "no_usage", "switch token counts on at the server; without them, costs are unknown and max_cost and max_tokens do not bind", "the reply does not say how many tokens it took")
	} else if resp.Cost == nil {
		r.add(answer{}, Note, "no_price", "name the model that it is as "+at+".like, if it is one whose price is known", "the price of the model is not known: its cost will show as ?")
	}
	if served := resp.Model; served != "" && !sameModel(t.Model, served) {
		r.add(answer{}, Warning, "other_model", "check "+at+".model and where the endpoint sends it", "the reply says that it is from %s, asked was %s", served, t.Model)
	}
	if len(resp.Quirks) > 0 {
		r.add(answer{}, Note, "quirks", "", "accepted deviations from the format: %s", strings.Join(resp.Quirks, ", "))
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
