package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/verify"
)

// TestResultsInPrompts: what a tool said is shown as JSON where it is an object or a list, and as a text otherwise, also where it
// only looks like JSON; reading gives it back.
func TestResultsInPrompts(t *testing.T) {
	for result, shown := range map[string]string{
		`{"a": 1, "b": "<&>"}`: `{"a":1,"b":"<&>"}`, " [1, 2] ": `[1,2]`, "available": `"available"`, "": `""`, "  ": `"  "`,
		"{not JSON": `"{not JSON"`, "[": `"["`, "7": `"7"`, `"quoted"`: `"\"quoted\""`, "a\nb": `"a\nb"`,
	} {
		msgs := []domains.Message{{Role: domains.RoleTool, ID: "c", Content: &result}}
		text, err := verify.WriteConversation(msgs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"i":0,"role":"tool","id":"c","ok":true,"result":` + shown + "}\n"; text != want {
			t.Errorf("%q is shown as %s, want %s", result, text, want)
		}
		again, _, err := verify.ReadConversation(text)
		want := result
		if shown[0] != '"' {
			want = shown
		}
		if err != nil || len(again) != 1 || again[0].TextOf() != want {
			t.Errorf("%q is read as %+v, %v", result, again, err)
		}
	}
	said := "<b>3 & 4</b>"
	long := strings.Repeat("x", 1<<20)
	for _, words := range []string{said, long} {
		text, err := verify.WriteConversation([]domains.Message{{Role: domains.RoleUser, Content: &words}}, nil)
		if err != nil || !strings.Contains(text, words) {
			t.Errorf("%.20q is shown as %.60s, %v", words, text, err)
		}
		if again, _, err := verify.ReadConversation(text); err != nil || again[0].TextOf() != words {
			t.Errorf("%.20q is not read again: %v", words, err)
		}
	}
	for _, bad := range []string{`{"role":"user","text":"a"`, `{"role":"nobody"}`, `{"role":"tool","result":"\x"}`} {
		if _, _, err := verify.ReadConversation(`{"role":"user","text":"a"}` + "\n" + bad); err == nil || !strings.HasPrefix(err.Error(), "conversation, line 2: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestParseFindsTheRecord among blocks, quotes and cuts.
func TestParseFindsTheRecord(t *testing.T) {
	named := func(summary string) string {
		return strings.Replace(good, `"summary":"s"`, `"summary":"`+summary+`"`, 1)
	}
	broken := strings.Replace(good, `"s"}`, `"s",}`, 1)
	for _, c := range []struct{ name, text, summary string }{
		{"two blocks and a fence that opens at the end", fenced(named("one")) + "\n" + fenced(named("two")) + "\n```json\n", "two"},
		{"three blocks, the last without a record", fenced(named("one")) + "\n" + fenced(named("two")) + "\n" + fenced(`{"a": 1}`), "two"},
		{"a second record that is cut off", fenced(named("one")) + "\n```json\n" + strings.TrimSuffix(named("two"), `"}`), "two"},
		{"records in the text, the last counts", named("one") + "\n" + named("two"), "two"},
		{"a record behind another object", `{"draft": true} ` + named("one"), "one"},
		{"the record's first key is the second", `Said: ` + strings.Replace(named("one"), `{"reconcile"`, `{ "reconcile"`, 1), "one"},
		{"behind a very long text", strings.Repeat("thinking {x} ", 100_000) + fenced(named("one")), "one"},
		{"escaped quotes and backslashes, to be repaired", strings.Replace(broken, "do it", `say \"yes\\\" }} {`, 1) + " And {more}.", "s"},
		{"a quote at the end of a text, to be repaired", strings.Replace(broken, `"it's due"`, `"it's \"due\""`, 1) + " And {more}.", "s"},
	} {
		r, err := verify.Parse(c.text)
		if err != nil || r.Summary != c.summary {
			t.Errorf("%s: summary %q, want %q (%v)", c.name, r.Summary, c.summary, err)
		}
	}
	for _, c := range []struct{ name, text, err string }{
		{"only a word in braces", "{perhaps}", "the JSON is broken beyond repair: "},
		{"many faults", strings.NewReplacer(`"id":"a"`, `"id":{"x":1}`, `"plan":"p"`, `"plan":{"x":{}}`, `"node":"n"`, `"node":{"x":{}}`, `"status":"open"`, `"status":"ajar"`, `"transfer":false`, `"transfer":"perhaps"`, `"satisfied":true`, `"satisfied":"perhaps"`).Replace(good), "the JSON does not follow the output contract: "},
	} {
		_, err := verify.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Count(err.Error(), "; ") > 4 {
			t.Errorf("%s: %v, want %q and five complaints at most", c.name, err, c.err)
		}
	}
}

// TestWalksOfNodesThatExist: where any node may follow any other, what was found satisfied is remembered and what no longer is,
// forgotten; the node at which a request rests is not passed, nor is an authorization before its call.
func TestWalksOfNodesThatExist(t *testing.T) {
	r := rules()
	r.Walk = verify.Exists
	var s verify.State
	step := func(succeeded func(string, int) bool, node string, walk ...string) verify.Request {
		record := rec("a", "", walk...)
		record.Traverse[0].Node = node
		s, _ = r.Apply(s, record, verify.Facts{Succeeded: succeeded})
		return s.Requests[0]
	}
	for _, c := range []struct {
		name      string
		succeeded func(string, int) bool
		node      string
		walk      []string
		at        string
		passed    []string
	}{
		{"jumps over a node", never, "gate", []string{"start+", "classify+"}, "gate", []string{"start", "classify"}},
		{"rests at the last of its walk", never, "", []string{"identify+", "gate-"}, "gate", []string{"start", "classify", "identify"}},
		{"forgets", never, "gate", []string{"identify-"}, "gate", []string{"start", "classify"}},
		{"and remembers again, once", never, "gate", []string{"identify+", "identify+"}, "gate", []string{"start", "classify", "identify"}},
		{"an authorization before its call", never, "check", []string{"gate+", "allow+"}, "check", []string{"start", "classify", "identify", "gate"}},
		{"and after it", always, "check", []string{"allow+"}, "check", []string{"start", "classify", "identify", "gate", "allow"}},
		{"back to a node that was passed", always, "gate", nil, "gate", []string{"start", "classify", "identify", "allow"}},
		{"forgets the first", always, "gate", []string{"start-"}, "gate", []string{"classify", "identify", "allow"}},
		{"a node that does not exist", always, "gate", []string{"check+", "elsewhere+"}, "gate", []string{"classify", "identify", "allow"}},
	} {
		q := step(c.succeeded, c.node, c.walk...)
		passed := slices.Clone(q.Passed)
		slices.Sort(passed)
		want := slices.Sorted(slices.Values(c.passed))
		if diff := cmp.Diff(want, passed); diff != "" || q.Node != c.at {
			t.Errorf("%s: at %s, want %s; passed (-want +got):\n%s", c.name, q.Node, c.at, diff)
		}
	}
}

// TestGroundedValues are an object by argument or nothing.
func TestGroundedValues(t *testing.T) {
	for text, want := range map[string]string{`{"a":{"value":1,"source":"s"}}`: "[{a 1 s}]", `{}`: "[]", `null`: "[]"} {
		g := verify.Grounded{{Arg: "old", Value: value.OfInt(0)}}
		if err := g.UnmarshalJSON([]byte(text)); err != nil || len(g) != strings.Count(want, "{") {
			t.Errorf("%s: %s, %v", text, fmt.Sprint(g), err)
		}
	}
	for _, bad := range []string{`[1]`, `"a"`, `{`} {
		var g verify.Grounded
		if err := g.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s is read as %v", bad, g)
		}
	}
}

// TestWhatARecordMayAuthorize: a mutating tool, where a strict gate stands also at a node that authorizes it, and not a second
// time; a failed firing takes all of it back and nothing else.
func TestWhatARecordMayAuthorize(t *testing.T) {
	spent := func(verify.Grant, int) bool { return true }
	for _, c := range []struct {
		name, tool, node string
		strict           bool
		spent            func(verify.Grant, int) bool
		why              string // "" where it may
	}{
		{"a tool that only reads", "look", "allow", false, nil, `"look" is no mutating tool`},
		{"at any node", "close", "gate", false, spent, ""},
		{"strictly at its node", "pay", "allow", true, nil, ""},
		{"strictly elsewhere", "pay", "gate", true, nil, "node gate does not authorize pay"},
		{"strictly once more", "pay", "allow", true, spent, "pay has been called for it already"},
	} {
		r := rules()
		r.Walk, r.Strict = verify.Exists, c.strict
		record := rec("a", c.tool, "start+", c.node+"-")
		s, rejected := r.Apply(verify.State{}, record, verify.Facts{Succeeded: never, Spent: c.spent})
		got := fmt.Sprint(rejected)
		if (len(s.Enabled()) == 1) != (c.why == "") || c.why != "" && !strings.Contains(got, c.why) {
			t.Errorf("%s: enabled %v, rejected %s", c.name, s.Enabled(), got)
		}
		after := s.Disarmed()
		if len(after.Enabled()) != 0 || after.Firings != s.Firings+1 || len(after.Requests) != 1 || after.Requests[0].Node != s.Requests[0].Node || (len(s.Enabled()) == 1) != (c.why == "") {
			t.Errorf("%s: after a failed firing %+v, before it %+v", c.name, after, s)
		}
	}
}

// TestTasksThatAreNone are told apart by what they lack.
func TestTasksThatAreNone(t *testing.T) {
	const talk, state = "<conversation>\n</conversation>\n", "<state>\n{}\n</state>"
	for text, want := range map[string]string{
		state: "no conversation", "<conversation>\n" + state: "no conversation", talk: "no state", talk + "<state>\n{}": "no state", talk + "<state>\n[1]\n</state>": "state: ",
		"<conversation>\n{\n</conversation>\n" + state: "conversation, line 1: ",
	} {
		if _, err := verify.ReadTask(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestRawRulesKnowNoWorkflow, so that any node that a verifier names will do.
func TestRawRulesKnowNoWorkflow(t *testing.T) {
	s, err := verify.Load(domaintest.Embedded(t, retail.Domain(), domains.Options{}), "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Rules(false).Graph == nil || s.Rules(true).Graph != nil {
		t.Error("the workflow's rules have no graph, or those without it one")
	}
}
