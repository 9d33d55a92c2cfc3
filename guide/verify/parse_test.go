package verify_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/guide/verify"
)

const good = `{"reconcile":{"reasoning":"r","intents":[{"id":"a","request":"it's due","intent":"x"}]},"traverse":[{"id":"a","plan":"p","walk":[{"node":"n","reasoning":"","satisfied":true}],"node":"n","status":"open","authorize_tool":"t","selection":{"target":"T","ruled_out":["U"]},"grounded_values":{"k":{"value":1.50,"source":"s"}},"remediation":"do it"}],"transfer":false,"summary":"s"}`

func fenced(body string) string { return "```json\n" + body + "\n```" }

func TestParse(t *testing.T) {
	second := strings.ReplaceAll(good, `"summary":"s"`, `"summary":"later"`)
	for _, c := range []struct {
		name, text string
		summary    string
		authorizes string // "" for none
		err        string
	}{
		{"plain", "Reasoning.\n" + fenced(good), "s", "t", ""},
		{"prose after", fenced(good) + "\nThat is all {really}.", "s", "t", ""},
		{"several blocks", fenced(good) + "\nNo, rather:\n" + fenced(second), "later", "t", ""},
		{"the last block is something else", fenced(good) + "\nexample:\n```\nx = 1\n```", "s", "t", ""},
		{"no fence", "I think {so}. " + good, "s", "t", ""},
		{"no fence and prose after", good + "\nDone.", "s", "t", ""},
		{"fence without a language", "```\n" + good + "\n```", "s", "t", ""},
		{"fence that never closes", "```json\n" + good, "s", "t", ""},
		{"trailing commas", fenced(strings.ReplaceAll(good, `"s"}`, `"s",}`)), "s", "t", ""},
		{"single quotes", fenced(strings.ReplaceAll(strings.ReplaceAll(good, "it's", "it is"), `"`, `'`)), "s", "t", ""},
		{"braces in texts, to be repaired, prose after", "So: " + strings.NewReplacer("do it", `say \"{x}}\" or it's {`, `"s"}`, `"s",}`).Replace(good) + " And {more}.", "s", "t", ""},
		{"single quotes, braces in texts, prose after", "So: " + strings.ReplaceAll(strings.NewReplacer("it's", "it is", "do it", "do {it").Replace(good), `"`, `'`) + " And {more}.", "s", "t", ""},
		{"cut off in the remediation", "```json\n" + good[:strings.Index(good, "do it")+3], "", "", ""},
		{"cut off in the tool", "```json\n" + good[:strings.Index(good, `"t","sel`)+2], "", "", ""},
		{"a record before a megabyte of prose", fenced(good) + strings.Repeat("and so on ", 1<<17), "", "", "no JSON object"},
		{"a record behind a megabyte of prose", strings.Repeat("and so on ", 1<<17) + fenced(good), "s", "t", ""},
		{"no JSON", "I do not know.", "", "", "no JSON object"},
		{"empty", "", "", "", "no JSON object"},
		{"another object", fenced(`{"a":1}`), "", "", "missing propert"},
		{"wrong type", fenced(strings.Replace(good, `"satisfied":true`, `"satisfied":"partly"`, 1)), "", "", "/traverse/0/walk/0/satisfied"},
		{"a list", fenced(`[1]`), "", "", "no JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := verify.Parse(c.text)
			if c.err != "" {
				var p *verify.ParseError
				if !errors.As(err, &p) || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want a ParseError with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if a := r.Traverse[0].Authorize; a != nil {
				got = *a
			}
			if r.Summary != c.summary || got != c.authorizes || r.Traverse[0].ID != "a" {
				t.Errorf("summary %q, authorizes %q: %+v", r.Summary, got, r)
			}
		})
	}
}

func TestRecordRoundTrip(t *testing.T) {
	r, err := verify.Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, `"value":1.5`) {
		t.Errorf("the value was not kept: %s", text)
	}
	again, err := verify.Parse(text)
	if err != nil || len(again.Traverse) != 1 || again.Traverse[0].Grounded[0].Source != "s" {
		t.Errorf("%+v, error %v", again, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(fenced(good))
	f.Add("```json\n{'reconcile': {'intents': []}, 'traverse': [")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := verify.Parse(text)
		if err != nil {
			return
		}
		if _, err := r.Text(); err != nil {
			t.Fatalf("a record that was read cannot be written: %v", err)
		}
	})
}
