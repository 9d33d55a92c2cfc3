package verify_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide/verify"
)

// TestVocabularies looks at what verifiers are told of closed fields: all that tools and records declare, what the
// database shows beyond that, and nothing by which a person, a day or a record is known.
func TestVocabularies(t *testing.T) {
	for domain, want := range map[string]string{
		"airline": `- flight_type: one_way | round_trip
- origin: ATL | BOS`,
		"retail": `- cancel_reason: no longer needed | ordered by mistake
- status: cancelled | delivered | exchange requested | pending | pending (item modified) | processed | return requested
- lid: glass | sealed`,
		"telecom": `- account_status: Active | Closed | Pending Verification | Suspended
- device_type: other | phone | router | tablet | watch
- status: Active | Awaiting Payment | Closed | Disputed | Draft | Issued | Overdue | Paid | Pending Activation | Suspended
- model: Corvid X`,
		"mock": `- status: completed | pending`,
	} {
		d, err := all.Domain(domain)
		if err != nil {
			t.Fatal(err)
		}
		s, err := verify.Load(domaintest.Embedded(t, d, domains.Options{}), "")
		if err != nil {
			t.Fatal(err)
		}
		_, values, _ := strings.Cut(s.Prefix(false), "## Values that fields take\n")
		values, _, _ = strings.Cut(values, "</tools>")
		for _, line := range strings.Split(want, "\n") {
			if !strings.Contains(values, "\n"+line) {
				t.Errorf("%s: %q is missing in\n%s", domain, line, values)
			}
		}
		for _, field := range []string{"street", "line_ids", "bill_ids", "city", "first_name", "title", "flight_number", "reason"} {
			if strings.Contains(values, "- "+field+": ") {
				t.Errorf("%s: %s is no vocabulary:\n%s", domain, field, values)
			}
		}
	}
}

// TestDeclaredValues: whatever the schemas of tools declare, of arguments or results, is a vocabulary, in each of the ways to declare it, and however
// the field is called.
func TestDeclaredValues(t *testing.T) {
	schema := `{"type": "object", "definitions": {"Colour": {"enum": ["red", "blue"]}}, "properties": {
		"state": {"enum": ["open", "closed"]},
		"speed": {"oneOf": [{"const": "slow"}, {"const": "fast"}]},
		"size": {"allOf": [{"type": "string"}, {"enum": ["small", "large"]}]},
		"colour": {"$ref": "#/definitions/Colour"},
		"only": {"const": "one"}}}`
	const results = `{"$defs":{"Finish":{"enum":["matt","gloss"]}},"properties":{"finish":{"$ref":"#/$defs/Finish"}}}`
	w, err := described.Tools{Name: "shop", Agent: []described.Tool{{Kind: domains.Write,
		ToolSpec: domains.ToolSpec{Name: "paint", Parameters: []byte(schema), Returns: []byte(results)}}}}.World([]domains.Document{{Name: "policy.md", Text: "Paint."}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "## Values that fields take\n\n- colour: blue | red\n- finish: gloss | matt\n- size: large | small\n- speed: fast | slow\n- state: closed | open\n"
	if got := verify.ToolsDocument(w); !strings.HasSuffix(got, want) || !strings.Contains(got, "\n\nReturns: "+results+"\n") {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
}
