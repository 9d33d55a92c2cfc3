// Package configs carries the files that the program needs without a checkout at hand: the table of models, the configs
// of the paper, its published figures and the attack sets.
package configs

import (
	_ "embed"
	"fmt"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim/llm"
)

//go:embed models.yaml
var models []byte

//go:embed prices.yaml
var prices []byte

//go:embed failures.yaml
var failures []byte

// ModelTable is the program's table of models: their capabilities from models.yaml, their prices from prices.yaml and what
// their endpoints' failures mean from failures.yaml.
func ModelTable() (llm.Models, error) {
	capabilities, err := readModels("configs/models.yaml", models)
	if err != nil {
		return llm.Models{}, err
	}
	costs, err := readPrices("configs/prices.yaml", prices)
	if err != nil {
		return llm.Models{}, err
	}
	errors, err := readFailures("configs/failures.yaml", failures)
	return capabilities.With(costs).With(errors), err
}

func readFailures(file string, text []byte) (llm.Models, error) {
	var doc struct {
		Rows []llm.FailureRow `yaml:"rows"`
	}
	if err := yamlfile.Decode(file, text, &doc); err != nil {
		return llm.Models{}, err
	}
	m, err := llm.Models{}.WithFailures(doc.Rows...)
	if err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

func readModels(file string, text []byte) (llm.Models, error) {
	var doc struct {
		Rows []llm.Row `yaml:"rows"`
	}
	if err := yamlfile.Decode(file, text, &doc); err != nil {
		return llm.Models{}, err
	}
	return table(file, doc.Rows)
}

// priceRow is one entry of prices.yaml.
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

func readPrices(file string, text []byte) (llm.Models, error) {
	var doc struct {
		Rows []priceRow `yaml:"rows"`
	}
	if err := yamlfile.Decode(file, text, &doc); err != nil {
		return llm.Models{}, err
	}
	var rows []llm.Row
	for _, r := range doc.Rows {
		rows = append(rows, llm.Row{Match: r.Match, BaseURL: r.BaseURL, Server: r.Server, Price: &llm.Price{Input: r.Input, Cached: r.Cached,
			CacheWrite: r.CacheWrite, Output: r.Output, UpToPrompt: r.UpToPrompt, Date: r.AsOf, Source: r.Source}})
	}
	return table(file, rows)
}

func table(file string, rows []llm.Row) (llm.Models, error) {
	m, err := llm.NewModels(rows...)
	if err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}
