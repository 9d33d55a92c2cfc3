package verify_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// answerWith is an answer about one request with some members of its traversal, and of the record after it.
func answerWith(members, more string) string {
	return `{"reconcile":{"intents":[{"id":"r1"}]},"traverse":[{"id":"r1"` + members + `}]` + more + `}`
}

// slips are answers whose form is a little off, and what they mean.
var slips = []struct{ name, said, means string }{
	{"verdict in quotes", answerWith(`,"walk":[{"node":"n","satisfied":"true"}]`, ""), answerWith(`,"walk":[{"node":"n","satisfied":true}]`, "")},
	{"verdict as a word", answerWith(`,"walk":[{"node":"n","satisfied":"NOT_SATISFIED"},{"node":"m","satisfied":"met"}]`, ""), answerWith(`,"walk":[{"node":"n","satisfied":false},{"node":"m","satisfied":true}]`, "")},
	{"verdict as a number", answerWith(`,"walk":[{"node":"n","satisfied":1}]`, ""), answerWith(`,"walk":[{"node":"n","satisfied":true}]`, "")},
	{"verdict under another name", answerWith(`,"walk":[{"id":"n","verdict":"satisfied","evidence":"e"}]`, ""), answerWith(`,"walk":[{"node":"n","reasoning":"e","satisfied":true}]`, "")},
	{"walk of one node", answerWith(`,"walk":{"node":"n","satisfied":true}`, ""), answerWith(`,"walk":[{"node":"n","satisfied":true}]`, "")},
	{"walk by node", answerWith(`,"walk":{"b":true,"a":"no"}`, ""), answerWith(`,"walk":[{"node":"b","satisfied":true},{"node":"a","satisfied":false}]`, "")},
	{"reasoning in lines", answerWith(`,"walk":[{"node":"n","satisfied":true,"reasoning":["a","b"]}]`, ""), answerWith(`,"walk":[{"node":"n","satisfied":true,"reasoning":"a\nb"}]`, "")},
	{"status in capitals", answerWith(`,"status":"Open"`, ""), answerWith(`,"status":"open"`, "")},
	{"status blocked", answerWith(`,"status":"blocked"`, ""), answerWith(`,"status":"open"`, "")},
	{"status in progress", answerWith(`,"status":"in_progress"`, ""), answerWith(`,"status":"open"`, "")},
	{"status awaiting something", answerWith(`,"status":"awaiting user's consent"`, ""), answerWith(`,"status":"open"`, "")},
	{"status completed", answerWith(`,"status":"COMPLETED"`, ""), answerWith(`,"status":"done"`, "")},
	{"status in a list", answerWith(`,"status":["Done"]`, ""), answerWith(`,"status":"done"`, "")},
	{"verdicts in lists", answerWith(`,"walk":[{"node":"n","satisfied":[true]},{"node":"m","satisfied":["no"]}]`, ""), answerWith(`,"walk":[{"node":"n","satisfied":true},{"node":"m","satisfied":false}]`, "")},
	{"numbers as ids", `{"reconcile":{"intents":[{"id":1}]},"traverse":[{"id":1}]}`, `{"reconcile":{"intents":[{"id":"1"}]},"traverse":[{"id":"1"}]}`},
	{"node in a list", answerWith(`,"node":["n"]`, ""), answerWith(`,"node":"n"`, "")},
	{"node in backticks", answerWith(",\"node\":\" `n` \"", ""), answerWith(`,"node":"n"`, "")},
	{"several targets", answerWith(`,"selection":{"target":["#W1","#W2"],"ruled_out":[]}`, ""), answerWith(`,"selection":{"target":"#W1, #W2","ruled_out":[]}`, "")},
	{"target as a number", answerWith(`,"selection":{"target":17}`, ""), answerWith(`,"selection":{"target":"17"}`, "")},
	{"target in an object", answerWith(`,"selection":{"target":{"order_id":"#W1"}}`, ""), answerWith(`,"selection":{"target":"#W1"}`, "")},
	{"selection is the target", answerWith(`,"selection":"#W1"`, ""), answerWith(`,"selection":{"target":"#W1"}`, "")},
	{"nothing ruled out", answerWith(`,"selection":{"ruled_out":"None"}`, ""), answerWith(`,"selection":{"ruled_out":[]}`, "")},
	{"ruled out one", answerWith(`,"selection":{"ruled_out":"#W2: delivered"}`, ""), answerWith(`,"selection":{"ruled_out":["#W2: delivered"]}`, "")},
	{"ruled out by name", answerWith(`,"selection":{"ruled_out":{"#W2":"delivered"}}`, ""), answerWith(`,"selection":{"ruled_out":["#W2: delivered"]}`, "")},
	{"ruled out with reasons", answerWith(`,"selection":{"ruled_out":[{"id":"#W2","reason":"delivered"}]}`, ""), answerWith(`,"selection":{"ruled_out":["id: #W2, reason: delivered"]}`, "")},
	{"no tool in words", answerWith(`,"authorize_tool":"None"`, ""), answerWith(`,"authorize_tool":null`, "")},
	{"no tool as false", answerWith(`,"authorize_tool":false`, ""), answerWith(`,"authorize_tool":null`, "")},
	{"no tool in a list", answerWith(`,"authorize_tool":[]`, ""), answerWith(`,"authorize_tool":null`, "")},
	{"tool in a list", answerWith(`,"authorize_tool":["pay"]`, ""), answerWith(`,"authorize_tool":"pay"`, "")},
	{"tool as a call", answerWith(`,"authorize_tool":"pay(bill=\"B1\")"`, ""), answerWith(`,"authorize_tool":"pay"`, "")},
	{"tool with arguments", answerWith(`,"authorize_tool":{"name":"pay","arguments":{"bill":"B1"}}`, ""), answerWith(`,"authorize_tool":"pay"`, "")},
	{"values in a list", answerWith(`,"grounded_values":[{"argument":"bill","value":1.50,"source":"s"},{"name":"x","value":null}]`, ""), answerWith(`,"grounded_values":{"bill":{"value":1.50,"source":"s"},"x":{"value":null}}`, "")},
	{"values within the selection", answerWith(`,"selection":{"target":"T","grounded_values":{"bill":"B1"}}`, ""), answerWith(`,"selection":{"target":"T"},"grounded_values":{"bill":"B1"}`, "")},
	{"remediation in a list", answerWith(`,"remediation":["a","b"]`, ""), answerWith(`,"remediation":"a\nb"`, "")},
	{"remediation in an object", answerWith(`,"remediation":{"action":"Ask.","reason":"R"}`, ""), answerWith(`,"remediation":"action: Ask.\nreason: R"`, "")},
	{"remediation as the release calls it", answerWith(`,"directive":"Ask."`, ""), answerWith(`,"remediation":"Ask."`, "")},
	{"plan in a list", answerWith(`,"plan":["a","b"]`, ""), answerWith(`,"plan":"a\nb"`, "")},
	{"transfer in quotes", answerWith("", `,"transfer":"false"`), answerWith("", `,"transfer":false`)},
	{"transfer yes", answerWith("", `,"transfer":"Yes"`), answerWith("", `,"transfer":true`)},
	{"summary in a list", answerWith("", `,"summary":["a","b"]`), answerWith("", `,"summary":"a\nb"`)},
	{"no roster", `{"traverse":[{"id":"r1","node":"n"}]}`, `{"reconcile":{"intents":[]},"traverse":[{"id":"r1","node":"n"}]}`},
	{"roster at the top", `{"intents":[{"id":"r1"}],"traverse":[{"id":"r1"}]}`, answerWith("", "")},
	{"roster is a list", `{"reconcile":[{"id":"r1"}],"traverse":[{"id":"r1"}]}`, answerWith("", "")},
	{"roster of ids", `{"reconcile":{"intents":["r1"]},"traverse":[{"id":"r1"}]}`, answerWith("", "")},
	{"roster by id", `{"reconcile":{"intents":{"r1":"a wish"}},"traverse":[{"id":"r1"}]}`, `{"reconcile":{"intents":[{"id":"r1","request":"a wish"}]},"traverse":[{"id":"r1"}]}`},
	{"one traversal, not in a list", `{"reconcile":{"intents":[{"id":"r1"}]},"traverse":{"id":"r1","node":"n"}}`, answerWith(`,"node":"n"`, "")},
	{"traversals by id", `{"reconcile":{"intents":[{"id":"r1"}]},"traverse":{"r1":{"node":"n"}}}`, answerWith(`,"node":"n"`, "")},
	{"the only request is not named again", `{"reconcile":{"intents":[{"id":"r1"}]},"traverse":[{"node":"n"}]}`, answerWith(`,"node":"n"`, "")},
	{"nothing is open", `{"reconcile":{"intents":null},"traverse":null}`, `{"reconcile":{"intents":[]},"traverse":[]}`},
	{"keys in capitals and camel case", `{"Reconcile":{"Intents":[{"ID":"r1"}]},"Traverse":[{"id":"r1","authorizeTool":"pay","groundedValues":{}}]}`, answerWith(`,"authorize_tool":"pay","grounded_values":{}`, "")},
	{"record in a wrapper", `{"record":` + answerWith(`,"node":"n"`, "") + `}`, answerWith(`,"node":"n"`, "")},
	{"record in a list", `[` + answerWith(`,"node":["n"]`, "") + `]`, answerWith(`,"node":"n"`, "")},
}

// TestReadByMeaning wants answers whose meaning is plain to be read as what they mean, and what was changed for that noted.
func TestReadByMeaning(t *testing.T) {
	for _, c := range slips {
		t.Run(c.name, func(t *testing.T) {
			want, err := verify.Parse(c.means)
			if err != nil || len(want.Coerced) > 0 {
				t.Fatalf("the answer that is meant is off itself: error %v, %q", err, want.Coerced)
			}
			var got verify.Record
			for _, text := range []string{c.said, "Reasoning.\n" + fenced(c.said)} {
				if got, err = verify.Parse(text); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, cmp.Comparer(value.Equal), cmpopts.IgnoreFields(verify.Record{}, "Coerced"), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("(-meant +read):\n%s", diff)
				}
			}
			if len(got.Coerced) == 0 {
				t.Error("what was changed is not noted")
			}
		})
	}
}

// TestAmbiguousAnswers wants what can mean two things to be asked for again.
func TestAmbiguousAnswers(t *testing.T) {
	for name, said := range map[string]string{
		"verdict perhaps":           answerWith(`,"walk":[{"node":"n","satisfied":"partly"}]`, ""),
		"verdict unknown":           answerWith(`,"walk":[{"node":"n","satisfied":null}]`, ""),
		"verdict as a count":        answerWith(`,"walk":[{"node":"n","satisfied":2}]`, ""),
		"no verdict":                answerWith(`,"walk":["n"]`, ""),
		"status given up":           answerWith(`,"status":"abandoned"`, ""),
		"status as a verdict":       answerWith(`,"status":true`, ""),
		"two nodes":                 answerWith(`,"node":["n","m"]`, ""),
		"two tools":                 answerWith(`,"authorize_tool":["pay","close"]`, ""),
		"any tool":                  answerWith(`,"authorize_tool":true`, ""),
		"transfer on a condition":   answerWith("", `,"transfer":"if the user insists"`),
		"remediation as a verdict":  answerWith(`,"remediation":true`, ""),
		"values without names":      answerWith(`,"grounded_values":["B1"]`, ""),
		"requests not traversed":    `{"reconcile":{"intents":[{"id":"r1"}]}}`,
		"two traversals, no ids":    `{"reconcile":{"intents":[{"id":"r1"},{"id":"r2"}]},"traverse":[{"node":"n"},{"node":"m"}]}`,
		"roster without requests":   `{"reconcile":{"reasoning":"r"}}`,
		"nothing traversed, nobody": `{"traverse":[]}`,
		"cut off in the reasoning":  `{"reconcile":{"reasoning":"The user`,
		"cut off in the roster":     `{"reconcile":{"intents":[{"id":"r1"},{"id":"r2"`,
		"cut off in the first walk": `{"reconcile":{"intents":[{"id":"r1"}]},"traverse":[{"id":"r1","walk":[{"node":"n","satisf`,
		"nothing of a record":       `{"a":1}`,
		"a roster of other objects": `{"reconcile":{"intents":[{"wish":"w"}]},"traverse":[]}`,
	} {
		if r, err := verify.Parse(fenced(said)); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

// TestRecordedSlips reads the recorded answers of verifiers whose form is a little off.
func TestRecordedSlips(t *testing.T) {
	shared := domaintest.Shared(t)
	text, err := os.ReadFile(filepath.Join(shared, "field", "17-verifier-slips", "answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(text, &answers); err != nil || len(answers) == 0 {
		t.Fatalf("%d answers, error %v", len(answers), err)
	}
	for name, said := range answers {
		r, err := verify.Parse(fenced(string(said)))
		if err != nil || len(r.Coerced) == 0 || len(r.Traverse) != 1 || r.Traverse[0].Node != "start" || r.Transfer {
			t.Errorf("%s: %+v, error %v", name, r, err)
			continue
		}
		if got := r.Traverse[0].Status; got != verify.Open {
			t.Errorf("%s: status %s", name, got)
		}
	}
}

// TestOtherSpellings wants ids, labels, nodes and tools that differ in punctuation from those of the state, the roster and
// the workflow to be those, unless two of them fit.
func TestOtherSpellings(t *testing.T) {
	const said = `{"reconcile":{"intents":[{"id":"Wish-A","intent":"Add Task"},{"id":"b"}]},"traverse":[
		{"id":"wish a","walk":[{"node":"Identify.ask-id","satisfied":true}],"node":"add.Authorize-Create","status":"open","authorize_tool":"create-task"},
		{"id":"B.","node":"nowhere","status":"open"}]}`
	text := fenced(said)
	v := &verify.LLM{Workflow: deskWorkflow(t), Model: &sim.Model{Client: llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &text}}, nil
	})}}
	known := func(ids ...string) (s verify.State) {
		for _, id := range ids {
			s.Requests = append(s.Requests, verify.Request{ID: id, Status: verify.Open, Node: "intake"})
		}
		return s
	}
	a, err := v.Verify(context.Background(), input(known("wish_a"), consented()...))
	if err != nil {
		t.Fatal(err)
	}
	first, second := a.Record.Traverse[0], a.Record.Traverse[1]
	if a.Record.Reconcile.Intents[0].ID != "wish_a" || a.Record.Reconcile.Intents[0].Intent != "add_task" || first.ID != "wish_a" ||
		first.Walk[0].Node != "identify.ask_id" || first.Node != "add.authorize_create" || *first.Authorize != "create_task" {
		t.Errorf("%+v", a.Record)
	}
	if second.ID != "b" || second.Node != "nowhere" {
		t.Errorf("%+v", second)
	}
	if got := strings.Join(a.Record.Coerced, "\n"); len(a.Record.Coerced) != 7 || !strings.Contains(got, "/traverse/0/node: add.Authorize-Create is read as add.authorize_create") {
		t.Errorf("noted:\n%s", got)
	}
	a, err = v.Verify(context.Background(), input(known("wish_a", "wish-a"), consented()...))
	if err != nil || a.Record.Reconcile.Intents[0].ID != "Wish-A" || a.Record.Traverse[0].ID != "Wish-A" {
		t.Errorf("where two requests fit, one is taken: %+v, error %v", a.Record, err)
	}
}
