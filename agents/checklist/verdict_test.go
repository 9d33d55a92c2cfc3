package checklist_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents/checklist"
)

const (
	byNothing = checklist.ByNothing
	byPass    = checklist.ByPass
	byBlock   = checklist.ByBlock
	byLead    = checklist.ByLead
	byRest    = checklist.ByRest
)

// TestReadVerdict reads verdicts as models write them, and worse.
func TestReadVerdict(t *testing.T) {
	for _, c := range []struct {
		name, text string
		by         checklist.Reading
		message    string // of a block
	}{
		// as asked for
		{"pass", "- a: MET; yes\nSYNTHESIS: Fine.\n\nVERDICT: PASS", byPass, ""},
		{"block", "- a: NOT MET; no\nSYNTHESIS: No.\n\nVERDICT: BLOCK\nMESSAGE: Ask for the id.", byBlock, "Ask for the id."},
		{"block of three sentences", "VERDICT: BLOCK\nMESSAGE: One. Two.\nThree.", byBlock, "One. Two.\nThree."},

		// nothing
		{"empty", "", byNothing, ""},
		{"white space", " \n\t\r\n", byNothing, ""},
		{"byte order mark", "\ufeff", byNothing, ""},
		{"zero width space", "\u200b\u200b", byNothing, ""},

		// markers in other clothes
		{"lower case", "verdict: pass", byPass, ""},
		{"bold", "**VERDICT: PASS**", byPass, ""},
		{"bold label", "**Verdict:** PASS", byPass, ""},
		{"bold word", "Verdict: **PASS**", byPass, ""},
		{"heading", "## Verdict\n\nPASS", byPass, ""},
		{"code", "`VERDICT: PASS`", byPass, ""},
		{"full-width colon", "VERDICT：PASS", byPass, ""},
		{"dash", "VERDICT — PASS", byPass, ""},
		{"equals", "verdict=PASS", byPass, ""},
		{"JSON", `{"items": [], "verdict": "PASS"}`, byPass, ""},
		{"JSON block", `{"verdict": "BLOCK", "message": "Ask for the id."}`, byBlock, "Ask for the id."},
		{"sentence", "So the verdict is PASS.", byPass, ""},
		{"passed", "Verdict: Passed", byPass, ""},
		{"blocked", "Verdict: Blocked - ask for the id", byBlock, "ask for the id"},
		{"tag", "<verdict>PASS</verdict>", byPass, ""},
		{"tag block", "<verdict>BLOCK</verdict>\n<message>Ask.</message>", byBlock, "Ask."},
		{"bracket", "[VERDICT]: [BLOCK] Ask.", byBlock, "Ask."},
		{"fenced", "```\nVERDICT: BLOCK\nMESSAGE: Ask.\n```", byBlock, "Ask."},
		{"carriage returns", "VERDICT: BLOCK\r\nMESSAGE: Ask.\r\n", byBlock, "Ask."},

		// several, or in the wrong place
		{"pass anywhere wins over a later block", "VERDICT: PASS\nVERDICT: BLOCK\nMESSAGE: No.", byPass, ""},
		{"pass anywhere wins over an earlier block", "VERDICT: BLOCK\nMESSAGE: No.\nOn reflection:\nVERDICT: PASS", byPass, ""},
		{"prose after the pass", "VERDICT: PASS\nLet me know if you need more.", byPass, ""},
		{"the choice repeated, then block", "I answer VERDICT: PASS or VERDICT: BLOCK.\nVERDICT: BLOCK\nMESSAGE: Ask.", byBlock, "Ask."},
		{"the choice with a stroke, then block", "VERDICT: PASS | BLOCK\n\nVERDICT: BLOCK\nMESSAGE: Ask.", byBlock, "Ask."},
		{"only the choice", "VERDICT: PASS/BLOCK", byRest, "VERDICT: PASS/BLOCK"},
		{"the choice, then pass", "VERDICT: PASS or BLOCK?\nVERDICT: PASS", byPass, ""},
		{"block twice", "VERDICT: BLOCK\nMESSAGE: Ask.\nVERDICT: BLOCK", byBlock, "Ask."},
		{"block twice, message at the second", "VERDICT: BLOCK\nVERDICT: BLOCK\nMESSAGE: Ask.", byBlock, "Ask."},
		{"message before the verdict", "MESSAGE: Ask for the id.\nVERDICT: BLOCK", byBlock, "Ask for the id."},
		{"message without label", "VERDICT: BLOCK\nAsk for the id.", byBlock, "Ask for the id."},
		{"message on the same line", "VERDICT: BLOCK. Ask for the id.", byBlock, "Ask for the id."},
		{"bold message label", "**VERDICT: BLOCK**\n**MESSAGE:** Ask.", byBlock, "Ask."},
		{"no message", "VERDICT: BLOCK", byBlock, "The call does not meet"},
		{"label without message", "VERDICT: BLOCK\nMESSAGE:", byBlock, "The call does not meet"},
		{"message that speaks of passing", "VERDICT: BLOCK\nMESSAGE: Once done the verdict will be pass.", byBlock, "Once done the verdict will be pass."},

		// no marker
		{"leading pass", "PASS", byLead, ""},
		{"leading pass with a reason", "PASS - everything is there", byLead, ""},
		{"leading pass in lower case", "pass.", byLead, ""},
		{"leading pass in bold", "**PASS**", byLead, ""},
		{"leading pass behind a list", "- PASS", byLead, ""},
		{"leading pass in quotes", "“PASS”", byLead, ""},
		{"passenger is not pass", "PASSENGER count differs.", byRest, "PASSENGER count differs."},
		{"passport is not pass", "Passport data are missing.", byRest, "Passport data are missing."},
		{"pass in the middle", "I cannot PASS this.", byRest, "I cannot PASS this."},
		{"not pass", "VERDICT: NOT PASS", byRest, "VERDICT: NOT PASS"},
		{"bare block", "BLOCK: ask for the id", byRest, "BLOCK: ask for the id"},
		{"prose", "The agent has not asked for consent.", byRest, "The agent has not asked for consent."},
		{"another language", "Der Aufruf ist nicht erlaubt.", byRest, "Der Aufruf ist nicht erlaubt."},
		{"cut off", "- a: MET; yes\n- b: NOT M", byRest, "a: MET; yes\n- b: NOT M"},
		{"other JSON", `{"decision": "allow"}`, byRest, `{"decision": "allow`},
		{"verdict without a word", "VERDICT:", byRest, "VERDICT"},
		{"invalid UTF-8", "no \xff\xfe way", byRest, "no \ufffd way"},
		{"only marks", "***", byRest, "The call does not meet"},
		{"refusal", "I'm sorry, I can't help with that.", byRest, "I'm sorry, I can't help with that."},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := checklist.ReadVerdict(c.text)
			if v.By != c.by {
				t.Errorf("read by %s, want %s", v.By, c.by)
			}
			if pass := c.by != byBlock && c.by != byRest; v.Pass != pass {
				t.Errorf("pass %v", v.Pass)
			}
			if v.Message != c.message && (c.message == "" || !strings.HasPrefix(v.Message, c.message)) || strings.HasSuffix(c.message, ".") && v.Message != c.message {
				t.Errorf("message %q, want %q", v.Message, c.message)
			}
		})
	}
}

func TestReadItems(t *testing.T) {
	const text = `
- user_known: MET; the id is in message 1
2. consent: NOT MET - the user has said nothing
* **bags**: N/A
| payment_in_profile | UNMET | not read |
[flights] - Not applicable, but MET would do
3) **one_cabin** — MET: business for all
- reason: NOT_MET: none
SYNTHESIS: one is NOT MET.
what is met in lower case is no line
VERDICT: BLOCK`
	want := []checklist.Item{
		{Name: "user_known", Status: "MET", Why: "the id is in message 1"},
		{Name: "consent", Status: "NOT MET", Why: "the user has said nothing"},
		{Name: "bags", Status: "N/A"},
		{Name: "payment_in_profile", Status: "NOT MET", Why: "not read"},
		{Name: "flights] - Not applicable, but", Status: "MET", Why: "would do"},
		{Name: "one_cabin", Status: "MET", Why: "business for all"},
		{Name: "reason", Status: "NOT MET", Why: "none"},
	}
	if diff := cmp.Diff(want, checklist.ReadVerdict(text).Items); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzReadVerdict wants a verdict on every text, that a block always says something, and that a PASS put under any text
// wins.
func FuzzReadVerdict(f *testing.F) {
	for _, s := range []string{"", "PASS", "VERDICT: BLOCK\nMESSAGE: Ask.", "VERDICT: PASS | BLOCK", "- a: NOT MET; \xff", "verdict verdict: block block", "MESSAGE:\nVERDICT: BLOCK"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := checklist.ReadVerdict(text)
		if v.Pass != (v.Message == "") {
			t.Errorf("pass %v with message %q", v.Pass, v.Message)
		}
		if !utf8.ValidString(v.Message) {
			t.Errorf("message %q is not UTF-8", v.Message)
		}
		if v.Pass != (v.By == byNothing || v.By == byPass || v.By == byLead) {
			t.Errorf("pass %v by %s", v.Pass, v.By)
		}
		if under := checklist.ReadVerdict(text + "\nVERDICT: PASS\n"); !under.Pass || under.By != byPass {
			t.Errorf("a PASS under it does not win: %+v", under)
		}
	})
}
