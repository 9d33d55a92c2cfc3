package llm

import (
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// priceRow is one entry of a table of prices; see configs/prices.yaml for what the keys mean.
type priceRow struct {
	Match      []string `yaml:"match"`
	BaseURL    []string `yaml:"base_url"`
	Server     []string `yaml:"server"`
	Input      *float64 `yaml:"input"`
	Cached     *float64 `yaml:"cached"`
	CacheWrite *float64 `yaml:"cache_write"`
	Output     *float64 `yaml:"output"`
	UpToPrompt *int64   `yaml:"up_to_prompt"`
	AsOf       string   `yaml:"as_of"`
	Source     string   `yaml:"source"`
	Note       string   `yaml:"note"`
}

// LoadPrices reads a table in the format of configs/prices.yaml, as rows that set nothing but the price: put them over a
// table of capabilities with Models.With. Errors name file, line and key. file only serves the errors.
func LoadPrices(file string, data []byte) (Models, error) {
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return Models{}, yamlError(file, err)
	}
	if len(tree.Docs) > 1 {
		return Models{}, fmt.Errorf("%s: holds %d documents: keep one, the others would be ignored", file, len(tree.Docs))
	}
	var doc struct {
		Rows []priceRow `yaml:"rows"`
	}
	if err := yaml.UnmarshalWithOptions(data, &doc, yaml.Strict()); err != nil {
		return Models{}, yamlError(file, err)
	}
	if len(doc.Rows) == 0 {
		return Models{}, fmt.Errorf("%s: no rows: give a list of prices under the key rows", file)
	}
	var m Models
	for i, r := range doc.Rows {
		if key, why := r.check(); why != "" {
			line := lineOf(tree, fmt.Sprintf("$.rows[%d].%s", i, key), fmt.Sprintf("$.rows[%d]", i))
			return Models{}, fmt.Errorf("%s:%d: rows[%d].%s: %s", file, line, i, key, why)
		}
		m.rows = append(m.rows, row{Match: r.Match, BaseURL: r.BaseURL, Server: r.Server, Price: &priceEntry{Input: r.Input, Cached: r.Cached,
			CacheWrite: r.CacheWrite, Output: r.Output, UpToPrompt: r.UpToPrompt, Date: r.AsOf, Source: r.Source}})
	}
	return m, nil
}

// check returns the first key with a bad value and what to do about it.
func (r priceRow) check() (key, why string) {
	if len(r.Match) == 0 {
		return "match", "no pattern: list model names, * stands for any text"
	}
	for _, f := range []struct {
		key   string
		value *float64
	}{{"input", r.Input}, {"cached", r.Cached}, {"cache_write", r.CacheWrite}, {"output", r.Output}} {
		if f.value != nil && !(*f.value >= 0 && *f.value <= 1e6) {
			return f.key, fmt.Sprintf("%v is no price: give dollars per million tokens, or null if unknown", *f.value)
		}
	}
	if r.UpToPrompt != nil && *r.UpToPrompt < 1 {
		return "up_to_prompt", fmt.Sprintf("%d is no number of tokens: leave it out if the price holds for any prompt", *r.UpToPrompt)
	}
	if _, err := time.Parse(time.DateOnly, r.AsOf); err != nil {
		return "as_of", fmt.Sprintf("%q is no date: say when the price was read, as 2026-11-30", r.AsOf)
	}
	if r.Source == "" {
		return "source", "none is given: say where the price was read"
	}
	return "", ""
}
