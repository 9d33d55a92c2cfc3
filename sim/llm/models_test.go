package llm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim/llm"
)

// TestShippedTable spot-checks the rows by which requests are written.
func TestShippedTable(t *testing.T) {
	t.Parallel()
	m := models(t)
	tests := []struct {
		model      string
		tokenField string
		system     llm.Role
		drops      string // one parameter that must be dropped, or ""
		priced     bool
	}{
		{"gpt-4.1-2025-04-14", "max_tokens", llm.System, "", true},
		{"gpt-4.1-mini", "max_tokens", llm.System, "", true},
		{"openai/gpt-4.1", "max_tokens", llm.System, "", true},
		{"GPT-4.1", "max_tokens", llm.System, "", true},
		{"gpt-4o-2024-08-06", "max_tokens", llm.System, "", true},
		{"gpt-4o-2024-05-13", "max_tokens", llm.System, "", false},
		{"gpt-5", "max_completion_tokens", llm.Developer, "temperature", true},
		{"gpt-5-mini-2025-08-07", "max_completion_tokens", llm.Developer, "top_p", true},
		{"gpt-5.4", "max_completion_tokens", llm.Developer, "", true},
		{"gpt-5-chat-latest", "max_completion_tokens", llm.System, "", false},
		{"gpt-oss-120b", "max_tokens", llm.System, "", false},
		{"o3", "max_completion_tokens", llm.Developer, "temperature", false},
		{"o4-mini-2025-04-16", "max_completion_tokens", llm.Developer, "parallel_tool_calls", false},
		{"claude-opus-4-5-20251101", "max_tokens", llm.System, "seed", true},
		{"claude-opus-4-1", "max_tokens", llm.System, "seed", false},
		{"gemini-3-pro-preview", "max_tokens", llm.System, "seed", false},
		{"qwen3-32b", "max_tokens", llm.System, "", false},
	}
	for _, tt := range tests {
		c := m.For("https://example.com/v1", tt.model)
		if c.TokenField != tt.tokenField || c.SystemRole != tt.system {
			t.Errorf("%s: token field %s, system role %s", tt.model, c.TokenField, c.SystemRole)
		}
		drops := strings.Join(c.Drop, " ")
		if (tt.drops == "" && drops != "") || !strings.Contains(drops, tt.drops) {
			t.Errorf("%s: drops %q, want %q", tt.model, drops, tt.drops)
		}
		if (c.Price.Input != nil) != tt.priced {
			t.Errorf("%s: priced %t, want %t", tt.model, c.Price.Input != nil, tt.priced)
		}
		if tt.priced && (c.Price.Date == "" || c.Price.Source == "") {
			t.Errorf("%s: price without date or source", tt.model)
		}
	}
}

// TestTableErrorsNameTheLine refuses a bad table with file, line and key.
func TestTableErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, yaml, want string }{
		{"empty", "", "m.yaml: "},
		{"no rows", "rows: []\n", "m.yaml: no rows"},
		{"unknown key", "rows:\n  - match: [\"*\"]\n    tokn_field: max_tokens\n", `m.yaml:3:5: unknown field "tokn_field"`},
		{"unknown top key", "row:\n  - match: [\"*\"]\n", `m.yaml:1:1: unknown field "row"`},
		{"duplicate key", "rows:\n  - match: [\"*\"]\n    match: [\"a\"]\n", "m.yaml:3:5: "},
		{"not YAML", "rows: [\n", "m.yaml:1:"},
		{"two documents", "rows:\n  - match: [a]\n---\nrows: []\n", "m.yaml: holds 2 documents"},
		{"no pattern", "rows:\n  - match: [\"*\"]\n  - token_field: max_tokens\n", "m.yaml:3: rows[1].match: no pattern"},
		{"bad token field", "rows:\n  - match: [\"*\"]\n    token_field: tokens\n", `m.yaml:3: rows[0].token_field: "tokens" is not allowed`},
		{"bad role", "rows:\n  - match: [\"*\"]\n    system_role: user\n", "m.yaml:3: rows[0].system_role"},
		{"bad empty content", "rows:\n  - match: [\"*\"]\n    empty_content: none\n", "m.yaml:3: rows[0].empty_content"},
		{"bad echo", "rows:\n  - match: [\"*\"]\n    echo:\n      when: often\n", "m.yaml:4: rows[0].echo.when"},
		{"negative price", "rows:\n  - match: [\"*\"]\n    price: {input: 1, output: -2, date: d, source: s}\n", "m.yaml:3: rows[0].price.output: -2"},
		{"undated price", "rows:\n  - match: [\"*\"]\n    price: {input: 1}\n", "m.yaml:3: rows[0].price: a price needs date and source"},
		{"wrong type", "rows:\n  - match: [\"*\"]\n    one_system: often\n", "m.yaml:3:"},
		{"rows are no list", "rows: 5\n", "m.yaml:1:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := llm.LoadModels("m.yaml", []byte(tt.yaml))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s…", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %v", err)
			}
		})
	}
}

// TestRowsOverride: later rows win key by key, unset keys stay.
func TestRowsOverride(t *testing.T) {
	t.Parallel()
	load := func(s string) llm.Models {
		m, err := llm.LoadModels("m.yaml", []byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	base := load(`
rows:
  - match: ["*"]
    drop: [seed]
    empty_content: ""
  - match: ["big-*"]
    token_field: both
    price: {input: 1, output: 2, date: d, source: s}
`)
	own := load(`
rows:
  - match: ["big-*"]
    base_url: ["*example.com*"]
    drop: []
    parallel_tool_calls: true
    price: {input: null, output: null}
`)
	m := base.With(own)
	plain, here := m.For("https://other.org", "big-1"), m.For("https://EXAMPLE.com/v1", "vendor/big-1")
	if plain.TokenField != "both" || len(plain.Drop) != 1 || plain.Price.Input == nil || plain.ParallelToolCalls != nil || plain.EmptyContent != "" {
		t.Errorf("elsewhere: %+v", plain)
	}
	if here.TokenField != "both" || len(here.Drop) != 0 || here.Price.Input != nil || here.ParallelToolCalls == nil || here.EmptyContent != "" {
		t.Errorf("at example.com: %+v", here)
	}
	want := llm.Capability{TokenField: "max_tokens", SystemRole: llm.System, EmptyContent: llm.EmptyNull, Echo: llm.Echo{When: llm.EchoNever}}
	if diff := cmp.Diff(want, llm.Models{}.For("", "any")); diff != "" {
		t.Errorf("zero table (-want +got):\n%s", diff)
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"*", "a/b", true},
		{"a*", "a", true}, {"a*", "ba", false}, {"*a", "ba", true}, {"*a", "ab", false}, {"a*b", "ab", true}, {"a*b", "a", false},
		{"a*b*c", "axbxc", true}, {"a*b*c", "axcxb", false}, {"*a*a*", "a", false}, {"*a*a*", "aa", true}, {"a*a", "a", false},
		{"**", "x", true}, {"gpt-5.*", "gpt-5", false}, {"*ab", "aab", true},
	}
	for _, tt := range tests {
		if got := llm.Glob(tt.pattern, tt.s); got != tt.want {
			t.Errorf("Glob(%q, %q) = %t", tt.pattern, tt.s, got)
		}
	}
}
