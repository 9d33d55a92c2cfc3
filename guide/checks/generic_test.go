package checks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

// garden is a desk of which only the tools are known: it lends garden plots.
func garden() *domains.World {
	tool := func(kind domains.Kind, name, properties, required string) domains.Tool {
		return domains.Tool{Kind: kind, Spec: domains.ToolSpec{Name: name,
			Parameters: json.RawMessage(`{"type": "object", "properties": {` + properties + `}, "required": [` + required + `]}`)}}
	}
	return &domains.World{Name: "garden", Agent: domains.NewKit("Garden", []domains.Tool{
		tool(domains.Read, "get_plot", `"plot_id": {"type": "integer"}`, `"plot_id"`),
		tool(domains.Read, "list_plots", `"member_id": {"type": "string"}`, `"member_id"`),
		tool(domains.Read, "get_water", `"member_id": {"type": "string"}, "plot_id": {"type": "integer"}`, `"member_id", "plot_id"`),
		tool(domains.Write, "let_plot", `"member_id": {"type": "string"}, "plot_id": {"type": "integer"}, "fee": {"type": "number"}, "shed": {"type": "boolean"},
			"tools": {"type": "array"}, "note": {"type": ["string", "null"]}`, `"plot_id", "member_id", "fee"`),
		tool(domains.Write, "refund", `"memberId": {"type": "string"}, "invoiceNumber": {"type": "string"}`, `"memberId", "invoiceNumber"`),
		tool(domains.Write, "close_tap", `"member_id": {"type": "string"}, "plot_id": {"type": "integer"}, "reason_id": {"type": "string"}`, `"member_id", "plot_id", "reason_id"`),
		tool(domains.Write, "ring_bell", `"tone": {"type": "string"}`, `"tone"`),
	}, nil)}
}

// gardenTalk is a conversation in which plot 17 was read two times, then not found, and a text came in place of JSON.
func gardenTalk(t testing.TB) *guide.Trace {
	t.Helper()
	var msgs []domains.Message
	say := func(role domains.Role, text string) { msgs = append(msgs, domains.Message{Role: role, Content: &text}) }
	call := func(name, args, result string, failed bool) {
		v, err := value.ParseString(args)
		if err != nil {
			t.Fatal(err)
		}
		c := domains.ToolCall{ID: fmt.Sprint("c", len(msgs)), Name: name, Arguments: v, Requestor: domains.AgentSide}
		msgs = append(msgs, domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}},
			domains.ResultMessage(c, domains.ToolResult{Content: result, Error: failed}))
	}
	say(domains.RoleUser, "I am M-204 and would like plot 17.")
	call("get_plot", `{"plot_id": 17}`, `{"plot_id": 17, "state": "taken", "fee": "1,250.50", "area": 40}`, false)
	call("get_plot", `{"plot_id": 17}`, `{"plot_id": 17, "state": "free", "fee": "1,250.50", "area": 40}`, false)
	call("get_plot", `{"plot_id": 17}`, `{"state": "gone"}`, true)
	call("get_plot", `{"plot_id": 18}`, "Plot 18 is flooded.", false)
	call("list_plots", `{"member_id": "M-204"}`, `[{"plot_id": 3, "state": "let"}]`, false)
	say(domains.RoleAssistant, "Plot 17 costs $1,250.50 for M-204, with rake and long_hoe. Shall I let it?")
	say(domains.RoleUser, "Yes please.")
	say(domains.RoleAssistant, "And plot 170, fee 99?")
	say(domains.RoleUser, "No.")
	return guide.NewTrace(msgs...)
}

func oneCheck(check string, typ guide.Type) *guide.Graph {
	n := &guide.Node{ID: "n", Local: "n", File: "main.yaml", Type: typ, Check: check, Edges: []guide.Edge{{To: "end", When: guide.Satisfied}}}
	if typ == guide.Authorization {
		n.Tools = []string{"let_plot"}
	}
	return guide.NewGraph("garden", "start", nil, []*guide.Node{
		{ID: "start", Type: guide.Entry, Edges: []guide.Edge{{To: "n", When: guide.Satisfied}}}, n, {ID: "end", Type: guide.Exit}})
}

// TestGeneric asks about a conversation of a domain without a vocabulary of its own. What is missing, failed or of another
// form makes a check unmet, also where it is negated.
func TestGeneric(t *testing.T) {
	trace := gardenTalk(t)
	for check, want := range map[string]bool{
		`result("get_plot").startsWith("Plot 18")`:                                                true,
		`result("get_plot", 17).state == "free"`:                                                  true,
		`result("get_plot", "17").area == 40.0`:                                                   true,
		`result("get_plot", request.target).state == "free"`:                                      true,
		`result("get_plot", {"plot_id": 17}).state == "free"`:                                     true,
		`result(["get_water", "get_plot"], 17).state == "free"`:                                   true,
		`result("get_plot", 17).state != "free"`:                                                  false,
		`result("list_plots", "M-204").exists(p, p.plot_id == 3 && p.state == "let")`:             true,
		`call_ok("get_plot", 17) && !has_call("get_plot", 19) && count_ok("get_plot", "17") == 2`: true,

		`result("get_plot", 19).state != "taken"`:                       false,
		`!(result("get_plot", 19).state == "taken")`:                    false,
		`!has(result("get_plot", 19).lock)`:                             false,
		`!has(result("get_plot", 17).lock)`:                             true,
		`result("get_plot", 18).state != "taken"`:                       false,
		`!(result("get_plot", 18).state == "taken")`:                    false,
		`result("get_water").size() == 0`:                               false,
		`result("get_plot", 17).lock != true`:                           false,
		`result("get_plot", 17).fee < 2000`:                             false,
		`result("list_plots").all(p, p.state == "a")`:                   false,
		`number(result("get_plot", 17).fee) <= 1250.5`:                  true,
		`number(result("get_plot", 17).area) == 40.0`:                   true,
		`number(result("get_plot", 17).state) < 2.0`:                    false,
		`number("12,50") == 12.5 && number("€ 1,250,000") == 1250000.0`: true,
		`number("1,25,0") > 0.0`:                                        false,
		`number("1.250,00") > 0.0`:                                      false,
		`number("$5") == 5.0 && number("20 %") == 20.0`:                 true,

		`stated("m 204") && stated(17)`:                           true,
		`stated("M-20")`:                                          false,
		`stated("")`:                                              false,
		`summarised([17, 1250.5, "M-204", true])`:                 true,
		`summarised(request.grounded_values)`:                     true,
		`summarised({"plot": 17, "tools": ["rake", "long hoe"]})`: true,
		`summarised([17, 99])`:                                    false,
		`summarised(true)`:                                        false,
		`summarised([])`:                                          false,
		`agreed(request.grounded_values)`:                         true,
		`agreed([17])`:                                            true,
		`agreed(170)`:                                             false,
		`agreed(99)`:                                              false,
		`agreed([request.target, ""])`:                            false,
	} {
		c, err := guide.NewChecker(oneCheck(check, guide.AgentAction), guide.InventoryOf(garden()), checks.For(garden()))
		if err != nil {
			t.Errorf("%s: %v", check, err)
			continue
		}
		args := value.MapOf(value.Pair{Key: "plot_id", Value: value.OfInt(17)}, value.Pair{Key: "fee", Value: value.OfFloat(1250.5)},
			value.Pair{Key: "shed", Value: value.OfBool(false)}, value.Pair{Key: "tools", Value: value.OfList([]value.Value{value.OfString("rake")})})
		p := c.Walk(trace, guide.Request{Target: "17", Grounded: args})
		if p.Done != want {
			t.Errorf("%s: holds: %v (%v)", check, p.Done, p.Unmet())
		}
	}
}

// TestGenericMistakes are refused before a conversation begins.
func TestGenericMistakes(t *testing.T) {
	for _, c := range []struct{ check, text string }{
		{`facts.plots == 3`, "facts has no member plots; remove it"},
		{`result("get_plots", 17).state == "free"`, `the agent has no tool "get_plots"; did you mean "get_plot"?`},
		{`now > date("2026-01-01")`, "undeclared reference to 'now'"},
		{`call.args.feee == 3`, `call.args has no member feee; did you mean "fee"?`},
		{`has(call.args.feee)`, `did you mean "fee"?`},
		{`call.args.plot_id == "17"`, "no matching overload for '_==_' applied to '(int, string)'"},
		{`call.args.shed > 1`, "no matching overload"},
		{`request.grounded_values.tone2 == "a"`, "request.grounded_values has no member tone2"},
	} {
		_, err := guide.NewChecker(oneCheck(c.check, guide.Authorization), guide.InventoryOf(garden()), checks.For(garden()))
		if found := (guide.Findings)(nil); !errors.As(err, &found) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.check, err, c.text)
		}
	}
}

// TestGenericArguments has an authorization look at its call.
func TestGenericArguments(t *testing.T) {
	check := `call.args.plot_id == 17 && call.args.fee <= number(result("get_plot", call.args.plot_id).fee) && (!has(call.args.note) || call.args.note != "free")`
	c, err := guide.NewChecker(oneCheck(check, guide.Authorization), guide.InventoryOf(garden()), checks.For(garden()))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]bool{
		`{"plot_id": 17, "fee": 1250.5}`:                 true,
		`{"plot_id": 17, "fee": 1250, "note": "spring"}`: true,
		`{"plot_id": 17, "fee": 1250, "note": "free"}`:   false,
		`{"plot_id": 17, "fee": 1251}`:                   false,
		`{"plot_id": "17", "fee": 1250}`:                 false,
		`{"fee": 1}`:                                     false,
	} {
		v, err := value.ParseString(args)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Walk(gardenTalk(t), guide.Request{Call: &domains.ToolCall{Name: "let_plot", Arguments: v}})
		if (p.Authorizes == "let_plot") != want {
			t.Errorf("%s: authorizes %q: %v", args, p.Authorizes, p.Unmet())
		}
	}
}

// TestGenericTargets finds the argument that names the record that a tool changes. For the domains of the program it finds
// what their own vocabularies say, but for what is no id.
func TestGenericTargets(t *testing.T) {
	want := map[string]string{"let_plot": "plot_id", "refund": "invoiceNumber", "close_tap": "plot_id"}
	if diff := cmp.Diff(want, checks.For(garden()).Targets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range []string{"airline", "retail", "telecom"} {
		w := open(t, "embedded", name)
		want := checks.For(w).Targets
		renamed := *w
		renamed.Name = "unknown"
		got := checks.For(&renamed).Targets
		delete(want, "send_payment_request") // customer_id: no tool reads a bill_id, and the name speaks of none
		for tool := range want {
			if got[tool] != want[tool] {
				t.Errorf("%s: %s: target %q, the domain's vocabulary has %q", name, tool, got[tool], want[tool])
			}
		}
	}
}
