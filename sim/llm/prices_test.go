package llm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim/llm"
)

func TestLoadPrices(t *testing.T) {
	t.Parallel()
	prices, err := llm.LoadPrices("p.yaml", []byte(`
rows:
  - match: ["big-*"]
    input: 2
    cached: null
    output: 8.5
    up_to_prompt: 1000
    as_of: "2026-11-30"
    source: the vendor
  - match: ["big-*"]
    base_url: ["*example.com*"]
    input: 0
    cached: 0
    output: 0
    as_of: "2026-11-30"
    source: our own machine
`))
	if err != nil {
		t.Fatal(err)
	}
	table, err := llm.LoadModels("m.yaml", []byte("rows:\n  - match: [\"big-*\"]\n    token_field: both\n    price: {input: 1, output: 1, date: d, source: s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := func(v float64) *float64 { return &v }
	limit := int64(1000)
	want := llm.Price{Input: p(2), Output: p(8.5), UpToPrompt: &limit, Date: "2026-11-30", Source: "the vendor"}
	m := table.With(prices)
	if diff := cmp.Diff(want, m.For("https://other.org", "vendor/Big-1").Price); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if c := m.For("https://example.com/v1", "big-1"); *c.Price.Input != 0 || c.Price.UpToPrompt != nil || c.TokenField != "both" {
		t.Errorf("at example.com: %+v", c)
	}
	if c := m.For("https://example.com/v1", "small"); c.Price != (llm.Price{}) {
		t.Errorf("a model without a row costs %+v", c.Price)
	}
}

// TestPriceErrorsNameTheLine refuses a bad table with file, line and key.
func TestPriceErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	const dated = ", as_of: \"2026-11-30\", source: s}\n"
	tests := []struct{ name, yaml, want string }{
		{"empty", "", "p.yaml: "},
		{"no rows", "rows: []\n", "p.yaml: no rows: give a list of prices under the key rows"},
		{"two documents", "rows:\n  - {match: [a]" + dated + "---\nrows: []\n", "p.yaml: holds 2 documents"},
		{"not YAML", "rows: [\n", "p.yaml:1:"},
		{"unknown key", "rows:\n  - match: [a]\n    inptu: 1\n", `p.yaml:3:5: unknown field "inptu"`},
		{"no pattern", "rows:\n  - {input: 1" + dated, "p.yaml:2: rows[0].match: no pattern"},
		{"negative", "rows:\n  - {match: [a]" + dated + "  - match: [a]\n    output: -1\n", "p.yaml:4: rows[1].output: -1 is no price"},
		{"per token, not per million", "rows:\n  - {match: [a], input: 2500000" + dated, "p.yaml:2: rows[0].input: 2.5e+06 is no price"},
		{"not a number", "rows:\n  - {match: [a], cached: .nan" + dated, "p.yaml:2: rows[0].cached: NaN is no price"},
		{"no prompt", "rows:\n  - {match: [a], up_to_prompt: 0" + dated, "p.yaml:2: rows[0].up_to_prompt: 0 is no number of tokens"},
		{"undated", "rows:\n  - {match: [a], input: 1, source: s}\n", `p.yaml:2: rows[0].as_of: "" is no date`},
		{"half a date", "rows:\n  - {match: [a], as_of: \"2026-11\", source: s}\n", `p.yaml:2: rows[0].as_of: "2026-11" is no date`},
		{"no source", "rows:\n  - {match: [a], as_of: \"2026-11-30\"}\n", "p.yaml:2: rows[0].source: none is given"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := llm.LoadPrices("p.yaml", []byte(tt.yaml))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s…", err, tt.want)
			}
		})
	}
}

// FuzzPrices: any text gives prices that can be used, or an error, and never a panic.
func FuzzPrices(f *testing.F) {
	f.Add("rows:\n  - {match: [a], input: 1, output: 2, as_of: \"2026-11-30\", source: s}\n")
	f.Add("rows:\n  - match: a\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := llm.LoadPrices("p.yaml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.yaml") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		u := llm.Usage{PromptTokens: llm.Count{N: 10, Known: true}, CompletionTokens: llm.Count{N: 10, Known: true}}
		if cost := m.For("", "a").Price.Cost(u); cost != nil && !(*cost >= 0) {
			t.Errorf("a call costs %v", *cost)
		}
	})
}
