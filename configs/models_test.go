package configs

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
)

// TestTablesNameThePlace: an error of a table names the file, and the place or the key.
func TestTablesNameThePlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		read       func(string, []byte) (llm.Models, error)
		text, want string
	}{
		{readModels, "", "m.yaml:"},
		{readModels, "rows:\n  - match: [\"*\"]\n    tokn_field: max_tokens\n", "m.yaml:3:5: rows[0]"},
		{readModels, "rows:\n  - match: [\"*\"]\n    token_field: tokens\n", `m.yaml: rows[0].token_field: "tokens" is not allowed`},
		{readPrices, "rows:\n  - {match: [a], inptu: 1}\n", "m.yaml:2:"},
		{readPrices, "rows:\n  - {match: [a], input: -1}\n", "m.yaml: rows[0].input: -1 is no price"},
	} {
		if _, err := tt.read("m.yaml", []byte(tt.text)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v\nwant %s…", err, tt.want)
		}
	}
}

// TestPricesCoverTheTable reads one price with all its parts.
func TestPricesCoverTheTable(t *testing.T) {
	t.Parallel()
	m, err := readPrices("m.yaml", []byte("rows:\n  - {match: [a], input: 2, cached: null, output: 8.5, up_to_prompt: 1000, as_of: \"2026-11-30\", source: s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := m.For("", "a").Price
	if *p.Input != 2 || p.Cached != nil || *p.Output != 8.5 || *p.UpToPrompt != 1000 || p.Source != "s" {
		t.Errorf("read %+v", p)
	}
}
