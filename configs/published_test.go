package configs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains/domaintest"
)

// reference is the list of published figures that the project was given: positional, by table.
type reference struct {
	Splits map[string]map[string]int `yaml:"splits"`
	Table1 struct {
		Pass1 map[string]map[string][]float64 `yaml:"pass1"`
		Pass4 map[string]map[string][]float64 `yaml:"pass4"`
	} `yaml:"table1"`
	Table2  map[string]map[string][]float64 `yaml:"table2"`
	Table3  map[string]float64              `yaml:"table3"`
	Table4  map[string]map[string][]float64 `yaml:"table4"`
	Table5  map[string][]float64            `yaml:"table5"`
	Table6  map[string][]int                `yaml:"table6"`
	Table10 map[string]map[string][]float64 `yaml:"table10"`
	Table11 map[string]map[string][]float64 `yaml:"table11"`
	Table12 map[string][]float64            `yaml:"table12"`
	Table13 map[string]map[string][]float64 `yaml:"table13"`
	Table14 map[string][]float64            `yaml:"table14"`
	Table15 map[string][]float64            `yaml:"table15"`
	Table16 map[string][]int                `yaml:"table16"`
	Table17 map[string]map[string]float64   `yaml:"table17"`
	Figure6 map[string]float64              `yaml:"figure6_per_trial_asr"`
}

// rows turns the values of a map into lists of figures.
func rows[V any, N int | float64](m map[string]V, row func(V) []N) map[string][]N {
	out := map[string][]N{}
	for k, v := range m {
		out[k] = row(v)
	}
	return out
}

// grid is rows two levels deep.
func grid[V any](m map[string]map[string]V, row func(V) []float64) map[string]map[string][]float64 {
	out := map[string]map[string][]float64{}
	for k, v := range m {
		out[k] = rows(v, row)
	}
	return out
}

func slices3(v configs.SliceValues) []float64 { return []float64{v.All, v.PV, v.Mut} }

// TestPublishedIsTheReference holds every figure of the shipped file against the reference.
func TestPublishedIsTheReference(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(domaintest.Shared(t), "spec", "published.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var want reference
	if err := yaml.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	p, err := configs.LoadPublished()
	if err != nil {
		t.Fatal(err)
	}
	got := reference{Splits: map[string]map[string]int{}, Table3: p.Table3, Table17: p.Table17, Figure6: p.Figure6}
	for domain, n := range p.Splits {
		got.Splits[domain] = map[string]int{"base": n.Base.All, "pv": n.Base.PV, "mut": n.Base.Mut}
		if n.Test.All > 0 {
			got.Splits[domain]["test"], got.Splits[domain]["test_pv"], got.Splits[domain]["test_mut"] = n.Test.All, n.Test.PV, n.Test.Mut
		}
	}
	got.Table1.Pass1, got.Table1.Pass4 = grid(p.Table1.Pass1, slices3), grid(p.Table1.Pass4, slices3)
	got.Table2, got.Table4 = grid(p.Table2, slices3), grid(p.Table4, slices3)
	got.Table5 = rows(p.Table5, func(v configs.PublishedCompliance) []float64 {
		return []float64{v.StepTCR, v.TraceTCR, v.ProcessValid}
	})
	got.Table6 = rows(p.Table6, func(v configs.PublishedPartition) []int {
		return []int{v.Argument, v.Process, v.Workflow, v.Total}
	})
	got.Table10 = grid(p.Table10, func(v configs.PublishedCurve) []float64 { return append(slices.Clone(v.Pass), v.Consistency) })
	got.Table11 = grid(p.Table11, func(v configs.PublishedSpread) []float64 { return append(slices.Clone(v.Pass), v.Deviation) })
	got.Table12 = rows(p.Table12, func(v configs.PublishedTest) []float64 {
		return []float64{float64(v.Strata), float64(v.First), float64(v.Second), float64(v.Discordant), v.Z}
	})
	got.Table13 = grid(p.Table13, func(v configs.PublishedInterval) []float64 {
		return []float64{float64(v.Tasks), v.Delta, v.Lo, v.Hi}
	})
	got.Table14 = rows(p.Table14, func(v configs.PublishedUse) []float64 {
		return []float64{v.CallsPerTask, v.PromptPerCall, v.Cached, v.OutputPerCall, v.Dollars, v.DollarsPerTask}
	})
	got.Table15 = rows(p.Table15, func(v configs.PublishedTime) []float64 { return []float64{v.ReAct, v.PolicyGuide, v.Ratio} })
	got.Table16 = rows(p.Table16, func(v configs.PublishedGraph) []int { return []int{v.Nodes, v.Authorizations, v.Flags} })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-reference +shipped)\n%s", diff)
	}
	if p.Table12["react"].PBelow != 1e-8 || p.Table12["policyguard"].PBelow != 1e-12 || p.Trials != 4 {
		t.Errorf("the bounds of p or the number of trials are not the paper's: %+v, %d", p.Table12, p.Trials)
	}
}

func TestPublishedErrors(t *testing.T) {
	const figures = "trials: 2\ntable1: {pass1: {airline: {}}}\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "p.yaml:1:1: the file is empty"},
		{"unknown key", "trials: 4\ntable7: {}\n", `p.yaml:2:1: unknown key "table7"`},
		{"unknown key", "table15:\n  airline: {react: 1, reactt: 2}\n", `p.yaml:2:23: table15.airline: unknown key "reactt"`},
		{"text for a number", "trials: many\n", "p.yaml:1:9: "},
		{"too many k", figures + "table10: {airline: {react: {pass: [1, 1, 1]}}}\n", "p.yaml: table10.airline.react.pass has 3 figures: give one for each k up to 2"},
		{"too few trials", figures + "table11: {airline: {react: {pass: [1]}}}\n", "p.yaml: table11.airline.react.pass has 1 figures: give one for each of the 2 trials"},
		{"nothing in it", "source: somebody\n", "p.yaml: no figures"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := configs.ParsePublished("p.yaml", []byte(tt.text))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s…", err, tt.want)
			}
		})
	}
}
