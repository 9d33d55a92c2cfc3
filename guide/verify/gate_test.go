package verify_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/verify"
)

// enabling is a state whose requests have these tools enabled, each with the title that is known.
func enabling(tools ...string) (s verify.State) {
	for i, tool := range tools {
		name, title, _ := strings.Cut(tool, ":")
		q := verify.Request{ID: string(rune('a' + i)), Status: verify.Open, Authorize: name}
		if title != "" {
			q.Grounded = verify.Grounded{{Arg: "title", Value: value.OfString(title)}}
		}
		s.Requests = append(s.Requests, q)
	}
	return s
}

// TestGate lets a gate look at messages one after the other. A step is "turn" (the user speaks), "fired" or "failed" (a
// firing ended), or a message: its calls, each as tool:title, then → and the calls that are held back, or "watched" ones in
// brackets.
func TestGate(t *testing.T) {
	const transfer = verify.TransferTool
	for _, c := range []struct {
		name  string
		mode  verify.Mode
		state verify.State
		judge func(domains.ToolCall) (bool, bool, string)
		steps []string
		why   string // of the last refusal
	}{
		{"advisory: the first is held, a retry passes, the next turn holds again", verify.Advisory, enabling(), nil,
			[]string{"turn", "fired", "pay:A → pay:A", "fired", "pay:A → [pay:A]", "turn", "fired", "pay:A → pay:A"}, "no open request authorizes pay"},
		{"advisory: enabled passes with any argument", verify.Advisory, enabling("pay:A"), nil, []string{"turn", "fired", "pay:B →", "pay:B →"}, ""},
		{"advisory: nothing is held before the user has spoken", verify.Advisory, enabling(), nil, []string{"pay:A → [pay:A]"}, "no open request"},
		{"advisory: a failed firing opens it until the next turn", verify.Advisory, enabling(), nil,
			[]string{"turn", "failed", "pay:A → [pay:A]", "turn", "fired", "pay:A → pay:A"}, "no open request"},
		{"advisory: two calls of one message", verify.Advisory, enabling("pay:A"), nil, []string{"turn", "fired", "pay:A close:A → close:A"}, "authorizes close"},
		{"advisory: the same call twice in a message", verify.Advisory, enabling("pay:A"), nil, []string{"turn", "fired", "pay:A pay:A →"}, ""},
		{"strict: holds each time, also after a failed firing", verify.Strict, enabling(), nil,
			[]string{"turn", "fired", "pay:A → pay:A", "fired", "pay:A → pay:A", "failed", "pay:A → pay:A"}, "no open request"},
		{"strict: other arguments", verify.Strict, enabling("pay:A"), nil, []string{"turn", "fired", "pay:B → pay:B"}, "authorized for request a, but with other arguments"},
		{"strict: the grant that covers the call", verify.Strict, enabling("pay:A", "pay:B"), nil, []string{"turn", "fired", "pay:B →", "pay:B pay:A →"}, ""},
		{"strict: one grant, two calls", verify.Strict, enabling("pay"), nil, []string{"turn", "fired", "pay:A pay:B → pay:B"}, "no open request"},
		{"strict: the same call twice in a message", verify.Strict, enabling("pay:A", "pay:A"), nil, []string{"turn", "fired", "pay:A pay:A → pay:A"}, "makes this call already"},
		{"monitor: watches only", verify.Monitor, enabling(), nil, []string{"turn", "fired", "pay:A → [pay:A]", transfer + ": → [" + transfer + ":]"}, "a transfer is only due"},
		{"reads pass", verify.Strict, enabling(), nil, []string{"turn", "fired", "look:A →"}, ""},

		{"a transfer is held also where the gate is open", verify.Advisory, enabling(), nil,
			[]string{"turn", "fired", "pay:A → pay:A", transfer + ": → " + transfer + ":", transfer + ": → " + transfer + ":"}, "a transfer is only due"},
		{"a transfer passes after a failed firing, and is held again after the next that succeeds", verify.Strict, enabling(), nil,
			[]string{"turn", "failed", transfer + ": →", "turn", "fired", transfer + ": → " + transfer + ":"}, "a transfer is only due"},
		{"a transfer that is signalled", verify.Strict, verify.State{Transfer: true}, nil, []string{"turn", "fired", transfer + ": →"}, ""},
		{"the third transfer is held", verify.Strict, verify.State{Held: 2}, nil, []string{"turn", "fired", transfer + ": → " + transfer + ":"}, "a transfer is only due"},
		{"the fourth transfer passes", verify.Strict, verify.State{Held: 3}, nil, []string{"turn", "fired", transfer + ": →"}, ""},

		{"a judge that refuses without a reason", verify.Strict, enabling("pay:A"), judging(false, true, ""), []string{"turn", "fired", "pay:A → pay:A"}, "the workflow does not authorize it"},
		{"a judge that refuses for a reason", verify.Strict, enabling("pay:A"), judging(false, true, "no consent"), []string{"turn", "fired", "pay:A → pay:A"}, "no consent"},
		{"a judge that agrees, whatever else it says", verify.Strict, enabling(), judging(true, true, "fine"), []string{"turn", "fired", "pay:A →"}, ""},
		{"a judge that does not know leaves it to the record", verify.Strict, enabling("pay:A"), judging(false, false, "?"), []string{"turn", "fired", "pay:A → ", "pay:B → pay:B"}, "other arguments"},
		{"a judge's transfer", verify.Strict, enabling(), judging(true, true, ""), []string{"turn", "fired", transfer + ": →"}, ""},
		{"a judge that refuses a transfer for a reason", verify.Strict, enabling(), judging(false, true, "not yet"), []string{"turn", "fired", transfer + ": → " + transfer + ":"}, "not yet"},
		{"a judge that agrees to a transfer without knowing", verify.Strict, enabling(), judging(true, false, ""), []string{"turn", "fired", transfer + ": → " + transfer + ":"}, "a transfer is only due"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &verify.Gate{Mode: c.mode, Mutates: mutates, Judge: c.judge}
			why := ""
			for i, step := range c.steps {
				switch step {
				case "turn":
					g.Turn()
				case "fired", "failed":
					g.Fired(step == "fired")
				default:
					made, want, _ := strings.Cut(step, "→")
					d := g.Look(c.state, callsOf(made))
					var got []string
					for _, r := range d.Refusals {
						text := spelt(r.Call)
						if !r.Held {
							text = "[" + text + "]"
						}
						got, why = append(got, text), r.Reason
					}
					if strings.Join(got, " ") != strings.TrimSpace(want) {
						t.Errorf("step %d, %s: refused %v", i, step, got)
					}
					held := strings.TrimSpace(want) != "" && !strings.Contains(want, "[")
					if d.Intercepts() != held || d.Transfer != (held && strings.Contains(want, transfer)) {
						t.Errorf("step %d, %s: intercepts %v, a transfer %v", i, step, d.Intercepts(), d.Transfer)
					}
				}
			}
			if !strings.Contains(why, c.why) || c.why == "" && why != "" {
				t.Errorf("because %q, want %q", why, c.why)
			}
		})
	}
}

func judging(ok, known bool, why string) func(domains.ToolCall) (bool, bool, string) {
	return func(domains.ToolCall) (bool, bool, string) { return ok, known, why }
}

func callsOf(text string) (out []domains.ToolCall) {
	for _, w := range strings.Fields(text) {
		tool, title, _ := strings.Cut(w, ":")
		out = append(out, domains.ToolCall{Name: tool, Arguments: value.OfMap(value.MapOf(value.Pair{Key: "title", Value: value.OfString(title)}))})
	}
	return out
}

func spelt(c domains.ToolCall) string {
	title, _ := c.ArgumentsMap().Get("title")
	text, _ := title.Text()
	return c.Name + ":" + text
}

// TestSpend takes the authorization of one request back and leaves the state before alone.
func TestSpend(t *testing.T) {
	before := enabling("pay:A", "pay:B")
	after := before.Spend("a")
	if got := after.Enabled(); len(got) != 1 || got[0].Request != "b" || len(before.Enabled()) != 2 {
		t.Errorf("enabled after %v, before %v", got, before.Enabled())
	}
}
