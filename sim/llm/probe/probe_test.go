package probe_test

import (
	"context"
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
		{"a template that wants the user first", faultserver.Status(400, `{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant"}}`), "template error", "models.mine.roles: alternate"},
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
		{"small context", faultserver.Error(400, "", "context_length_exceeded", "", "too long"), "context_window error", "--max-model-len"},
		{"moderation", faultserver.Error(400, "", "content_filter", "", "filtered"), "content_filter error", "filter"},
		{"anything else", faultserver.Status(400, `{"error":{"message":"no"}}`), "bad_request error", "documentation"},
		{"never", faultserver.Hang(), "timeout error", "models.mine.timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, then(t, tt.reply, reply(`"content":"It is on its way."`, "", usage)), func(_ *probe.Target, e *llm.Endpoint) {
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

// then is a server that gives the first reply once, and the other one from then on.
func then(t *testing.T, first, other faultserver.Reply) *faultserver.Server {
	return faultserver.NewFunc(t, func(n int, _ faultserver.Request) faultserver.Reply {
		if n == 0 {
			return first
		}
		return other
	})
}

// TestToolResult has a server take or refuse the history with the model's own call.
func TestToolResult(t *testing.T) {
	t.Parallel()
	first := reply(`"content":"Looking.","reasoning_content":"a parcel",`+called(`{"id":"P-17"}`), "local-model", usage)
	for _, tt := range []struct {
		name  string
		other faultserver.Reply
		want  string // code and severity; "" for nothing
		fix   string
	}{
		{"taken", reply(`"content":"Tomorrow."`, "local-model", usage), "", ""},
		{"thoughts may not come back", faultserver.Status(500, `{"error":{"code":500,"message":"Cannot pass both content and thinking in an assistant message with tool calls! at row 290, column 178"}}`),
			"template error", "models.mine.echo: never"},
		{"nothing is said", reply(`"content":""`, "local-model", usage), "empty_answer error", ""},
		{"the next call is text", reply(`"content":"<tool_call>{}</tool_call>"`, "local-model", usage), "tool_call_in_text error", "--tool-call-parser"},
		{"another tool", reply(`"content":null,"tool_calls":[{"id":"x","function":{"name":"fetch","arguments":"{}"}}]`, "local-model", usage), "wrong_tool error", ""},
		{"cut off", faultserver.Message(`{"role":"assistant","content":"Tomor"}`, "length"), "cut_off error", "models.mine.max_tokens"},
		{"refused", reply(`"content":null,"refusal":"I can't."`, "local-model", usage), "refusal error", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := then(t, first, tt.other)
			r := ask(t, srv)
			var got, fixes []string
			for _, f := range r.Findings {
				if f.Shape == "tool result" {
					got, fixes = append(got, f.Code+" "+string(f.Severity)), append(fixes, f.Fix)
				}
			}
			if strings.Join(got, ", ") != tt.want || !strings.Contains(strings.Join(fixes, " "), tt.fix) || len(r.Calls) != 2 {
				t.Errorf("%d calls, found %q with fixes %q, want %q with %q", len(r.Calls), got, fixes, tt.want, tt.fix)
			}
			var roles []string
			for _, m := range srv.Last(t).JSON(t)["messages"].([]any) {
				roles = append(roles, fmt.Sprint(m.(map[string]any)["role"]))
			}
			if strings.Join(roles, " ") != "system assistant user assistant tool" {
				t.Errorf("asked as %q", roles)
			}
		})
	}
}

// TestShapes asks the run's own questions, whose answers the run judges.
func TestShapes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The policy says so. ", 2000)
	shape := func(complaint string) probe.Shape {
		return probe.Shape{Name: "verdict", Play: func(ctx context.Context, c llm.Client) string {
			_, _ = c.Complete(ctx, llm.Request{Messages: []llm.Message{{Role: llm.System, Content: &long}, {Role: llm.User, Content: &long}}})
			return complaint
		}}
	}
	overflow := faultserver.Error(400, "", "context_length_exceeded", "", "too long")
	for _, tt := range []struct {
		name   string
		reply  faultserver.Reply
		shapes []probe.Shape
		want   string
	}{
		{"kept", reply(`"content":"{}"`, "local-model", `,"usage":{"prompt_tokens":18000,"completion_tokens":2}`), []probe.Shape{shape("")}, ""},
		{"not kept", reply(`"content":"Fine."`, "local-model", `,"usage":{"prompt_tokens":18000,"completion_tokens":2}`), []probe.Shape{shape("no JSON object")}, "contract"},
		{"a prompt that was cut in silence", reply(`"content":"{}"`, "local-model", `,"usage":{"prompt_tokens":4096,"completion_tokens":2}`), []probe.Shape{shape("")}, "context_cut"},
		{"tools that a template leaves out", reply(`"content":"{}"`, "local-model", `,"usage":{"prompt_tokens":9000,"completion_tokens":2}`), []probe.Shape{{Name: "opening",
			Play: func(ctx context.Context, c llm.Client) string {
				tool := llm.Tool{Name: "look_up", Description: strings.Repeat(long, 3)}
				_, _ = c.Complete(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Content: &long}}, Tools: []llm.Tool{tool}})
				return ""
			}}}, ""},
		{"too long, and so is the next", overflow, []probe.Shape{shape(""), shape("")}, "context_window context_window"},
		{"no key, which the next has neither", faultserver.Status(401, `{"error":{"message":"no key"}}`), []probe.Shape{shape(""), shape("")}, "auth"},
		{"nothing to ask", overflow, nil, "not_asked"},
		{"nothing was asked", overflow, []probe.Shape{{Name: "verdict", Play: func(context.Context, llm.Client) string { return "" }}}, "not_asked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply { return tt.reply })
			r := ask(t, srv, func(p *probe.Target, _ *llm.Endpoint) { p.Role, p.NeedsTools, p.Shapes = "judge", false, tt.shapes })
			var got []string
			for _, f := range r.Findings {
				if f.Code != "no_price" {
					got = append(got, f.Code)
				}
				if f.Code == "context_window" && !strings.Contains(f.Fix, "takes about 20000") {
					t.Errorf("advice %q", f.Fix)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
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
		reply(`"content":null,`+called(`{"id":"P-17"}`), "o3", usage), reply(`"content":"Tomorrow."`, "o3", usage))
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
	if body := srv.Last(t).JSON(t); body["tool_choice"] != "auto" || body["temperature"] != nil || len(srv.Requests()) != 3 {
		t.Errorf("asked %v", body)
	}
}

// TestScriptedModelsAreNotAsked sends nothing.
func TestScriptedModelsAreNotAsked(t *testing.T) {
	t.Parallel()
	srv := faultserver.New(t)
	if r := ask(t, srv, func(p *probe.Target, _ *llm.Endpoint) { p.Scripted = true }); !r.OK() || len(r.Calls) > 0 || len(srv.Requests()) != 0 {
		t.Errorf("%+v", r)
	}
}
