package probe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
	"github.com/tauguide/tauguide/sim/llm/probe"
)

// ask probes a server in the role of the agent.
func ask(t *testing.T, srv *faultserver.Server, edit ...func(*probe.Target, *llm.Endpoint)) probe.Result {
	t.Helper()
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	e := llm.Endpoint{Name: "mine", BaseURL: srv.URL, Model: "local-model", Retry: llm.RetryPolicy{Attempts: 1, RateLimited: 1}}
	target := probe.Target{Role: "agent", Name: "mine", Model: "local-model", NeedsTools: true}
	for _, f := range edit {
		f(&target, &e)
	}
	if target.Client, err = llm.Dial(e, table); err != nil {
		t.Fatal(err)
	}
	return probe.Ask(t.Context(), target)
}

func called(arguments string) string {
	return fmt.Sprintf(`"tool_calls":[{"id":"c1","type":"function","function":{"name":"lookup_parcel","arguments":%s}}]`, faultserver.Quote(arguments))
}

// reply is a reply of a model with usage, around the raw fields of its message.
func reply(message, model, usage string) faultserver.Reply {
	return faultserver.Raw(fmt.Sprintf(`{"model":%q,"choices":[{"message":{"role":"assistant",%s},"finish_reason":"stop"}]%s}`, model, message, usage))
}

const usage = `,"usage":{"prompt_tokens":90,"completion_tokens":12}`

// TestFindings has a server answer in the ways that servers do, and compares what
// is found and advised.
func TestFindings(t *testing.T) {
	t.Parallel()
	good := called(`{"id":"P-17"}`)
	tests := []struct {
		name  string
		reply faultserver.Reply
		want  string // code, severity; "" for nothing but the price
		fix   string
	}{
		{"good", reply(`"content":null,`+good, "local-model", usage), "", ""},
		{"good, dated", reply(`"content":null,`+good, "vendor/local-model-2026-01-01", usage), "", ""},
		{"markup in the text", reply(`"content":"<tool_call>\n{\"name\": \"lookup_parcel\", \"arguments\": {\"id\": \"P-17\"}}\n</tool_call>"`, "local-model", usage), "tool_call_in_text error", "--tool-call-parser"},
		{"Mistral's markup", reply(`"content":"[TOOL_CALLS][{\"name\":\"lookup_parcel\"}]"`, "local-model", usage), "tool_call_in_text error", "--jinja"},
		{"bare JSON in the text", reply(`"content":"{\"name\": \"lookup_parcel\", \"parameters\": {\"id\": \"P-17\"}}"`, "local-model", usage), "tool_call_in_text error", "--tool-call-parser"},
		{"in the thoughts", reply(`"content":"Looking.","reasoning_content":"<tool_call>{}</tool_call>"`, "local-model", usage), "tool_call_in_thoughts error", "--reasoning-parser"},
		{"words", reply(`"content":"It is on its way."`, "local-model", usage), "no_tool_call error", "choose a model"},
		{"thoughts in the text", reply(`"content":"<think>hm</think>",`+good, "local-model", usage), "thoughts_in_text note", "--reasoning-parser"},
		{"arguments cut", reply(`"content":null,`+called(`{"id":"P-`), "local-model", usage), "bad_arguments error", "parser"},
		{"arguments as an object", reply(`"content":null,"tool_calls":[{"id":1,"function":{"name":"lookup_parcel","arguments":{"id":"P-17"}}}]`, "local-model", usage), "quirks note", ""},
		{"other arguments", reply(`"content":null,`+called(`{"id":"P-3"}`), "local-model", usage), "odd_arguments warning", ""},
		{"other tool", reply(`"content":null,"tool_calls":[{"id":"x","function":{"name":"functions.lookup","arguments":"{}"}}]`, "local-model", usage), "wrong_tool error", "names"},
		{"no usage", reply(`"content":null,`+good, "local-model", ""), "no_usage warning", "max_cost"},
		{"other model", reply(`"content":null,`+good, "gpt-2", usage), "other_model warning", "models.mine.model"},
		{"wrong key", faultserver.Error(401, "", "invalid_api_key", "", "Incorrect API key"), "auth error", "models.mine.key"},
		{"no credit", faultserver.Error(429, "insufficient_quota", "insufficient_quota", "", "no credit"), "quota error", "credit"},
		{"no such model", faultserver.Status(404, `{"error":"model 'x' not found"}`), "no_model error", "models.mine.model"},
		{"vLLM without parser", faultserver.Status(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`), "no_tool_parser error", "--enable-auto-tool-choice"},
		{"llama.cpp without jinja", faultserver.Status(500, `{"error":{"code":500,"message":"tools param requires --jinja flag"}}`), "no_tool_parser error", "--jinja"},
		{"Ollama's model without tools", faultserver.Status(400, `{"error":{"message":"local-model does not support tools"}}`), "no_tools error", "choose a model"},
		{"refused parameter", faultserver.Error(400, "invalid_request_error", "", "stop", "unsupported"), "refused_parameter error", "remove stop"},
		{"HTML", faultserver.Raw("<html>hello</html>"), "malformed error", "/v1"},
		{"busy", faultserver.Status(429, "slow"), "rate_limit error", "models.mine.limits"},
		{"small context", faultserver.Error(400, "", "context_length_exceeded", "", "too long"), "context_window error", "16,000"},
		{"moderation", faultserver.Error(400, "", "content_filter", "", "filtered"), "content_filter error", "filter"},
		{"anything else", faultserver.Status(400, `{"error":{"message":"no"}}`), "bad_request error", "documentation"},
		{"never", faultserver.Hang(), "timeout error", "models.mine.timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, faultserver.New(t, tt.reply), func(_ *probe.Target, e *llm.Endpoint) {
				if tt.name == "never" {
					e.Timeout = 100 * time.Millisecond
				}
			})
			var got, fixes []string
			for _, f := range r.Findings {
				if f.Code == "no_price" {
					continue
				}
				got = append(got, f.Code+" "+string(f.Severity))
				fixes = append(fixes, f.Fix)
				if f.Text == "" {
					t.Error("a finding without words")
				}
			}
			if strings.Join(got, ", ") != tt.want || !strings.Contains(strings.Join(fixes, " "), tt.fix) {
				t.Errorf("found %q with fixes %q, want %q with %q", got, fixes, tt.want, tt.fix)
			}
			if r.OK() == strings.Contains(tt.want, "error") {
				t.Errorf("ok %t with %q", r.OK(), got)
			}
		})
	}
}

// TestRefusedParametersAreNamed: what a model does not take, by its row or by its
// own word, is told.
func TestRefusedParametersAreNamed(t *testing.T) {
	t.Parallel()
	zero, seed := 0.0, int64(7)
	srv := faultserver.New(t, faultserver.Error(400, "invalid_request_error", "unsupported_value", "seed", "no seed here"),
		reply(`"content":null,`+called(`{"id":"P-17"}`), "o3", usage))
	r := ask(t, srv, func(p *probe.Target, e *llm.Endpoint) {
		p.Model, e.Model = "o3", "o3"
		p.Request = llm.Request{Temperature: &zero, Seed: &seed}
	})
	var names []string
	for _, f := range r.Findings {
		if f.Code == "refused_parameter" {
			names = append(names, f.Text)
		}
	}
	if len(names) != 2 || !strings.Contains(names[0], "temperature") || !strings.Contains(names[1], "seed") || !r.OK() {
		t.Errorf("findings %+v", r.Findings)
	}
	if body := srv.Last(t).JSON(t); body["tool_choice"] != "auto" || body["temperature"] != nil || len(srv.Requests()) != 2 {
		t.Errorf("asked %v", body)
	}
}

// TestOtherRolesOnlyWarn: a judge needs no tools.
func TestOtherRolesOnlyWarn(t *testing.T) {
	t.Parallel()
	r := ask(t, faultserver.New(t, reply(`"content":"It is on its way."`, "local-model", usage)), func(p *probe.Target, _ *llm.Endpoint) { p.Role, p.NeedsTools = "judge", false })
	if !r.OK() || len(r.Findings) == 0 || r.Findings[0].Severity != probe.Warning {
		t.Errorf("%+v", r)
	}
}

// TestScriptedModelsAreNotAsked sends nothing.
func TestScriptedModelsAreNotAsked(t *testing.T) {
	t.Parallel()
	srv := faultserver.New(t)
	if r := ask(t, srv, func(p *probe.Target, _ *llm.Endpoint) { p.Scripted = true }); !r.OK() || r.Asked || len(srv.Requests()) != 0 {
		t.Errorf("%+v", r)
	}
}
