package llm_test

import (
	"math"
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

// TestBadRows are refused by row and key.
func TestBadRows(t *testing.T) {
	t.Parallel()
	any := []string{"*"}
	priced := func(p llm.Price) llm.Row { return llm.Row{Match: any, Price: &p} }
	tests := []struct {
		row  llm.Row
		want string
	}{
		{llm.Row{TokenField: ptr("both")}, "rows[1].match: no pattern"},
		{llm.Row{Match: any, TokenField: ptr("tokens")}, `rows[1].token_field: "tokens" is not allowed`},
		{llm.Row{Match: any, SystemRole: ptr("user")}, "rows[1].system_role"},
		{llm.Row{Match: any, EmptyContent: ptr("none")}, "rows[1].empty_content"},
		{llm.Row{Match: any, Echo: &llm.Echo{When: "often"}}, "rows[1].echo.when"},
		{priced(llm.Price{Output: ptr(-1.0)}), "rows[1].output: -1 is no price"},
		{priced(llm.Price{Input: ptr(2.5e6)}), "rows[1].input: 2.5e+06 is no price"},
		{priced(llm.Price{Cached: ptr(math.NaN())}), "rows[1].cached: NaN is no price"},
		{priced(llm.Price{UpToPrompt: ptr(int64(0))}), "rows[1].up_to_prompt: 0 is no number of tokens"},
		{priced(llm.Price{Date: "2026-11"}), `rows[1].as_of: "2026-11" is no date`},
		{priced(llm.Price{Date: "2026-11-30"}), "rows[1].source: there is none"},
	}
	for _, tt := range tests {
		if _, err := llm.NewModels(llm.Row{Match: any}, tt.row); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v\nwant %s…", err, tt.want)
		}
	}
}

// TestRowsOverride: later rows win key by key, unset keys stay.
func TestRowsOverride(t *testing.T) {
	t.Parallel()
	table := func(rows ...llm.Row) llm.Models {
		m, err := llm.NewModels(rows...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	limit := int64(1000)
	price := llm.Price{Input: ptr(1.0), Output: ptr(2.0), UpToPrompt: &limit, Date: "2026-11-30", Source: "the vendor"}
	base := table(llm.Row{Match: []string{"*"}, Drop: &[]string{"seed"}, EmptyContent: ptr("")},
		llm.Row{Match: []string{"big-*"}, TokenField: ptr("both"), Price: &price})
	own := table(llm.Row{Match: []string{"big-*"}, BaseURL: []string{"*example.com*"}, Drop: &[]string{}, ParallelToolCalls: ptr(true),
		Price: &llm.Price{Date: "2026-11-30", Source: "our own machine"}})
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
