package configs

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

//go:embed paper/published.yaml
var published []byte

// Published is what the paper reports (configs/paper/published.yaml). Systems are react, toolguard, policyguard,
// flowagent, policyguide, policyguide-self and policyguide-raw; domains airline, retail and telecom. Numbers have the
// digits that the paper prints, shares lie between 0 and 1 unless a field says percent.
type Published struct {
	Source string `yaml:"source"`
	Trials int    `yaml:"trials"` // of each task

	Splits map[string]struct { // by domain
		Base SliceCounts `yaml:"base"`
		Test SliceCounts `yaml:"test"` // zero for airline, which has none
	} `yaml:"splits"`
	Table1 struct { // by domain and system
		Pass1 map[string]map[string]SliceValues `yaml:"pass1"`
		Pass4 map[string]map[string]SliceValues `yaml:"pass4"`
	} `yaml:"table1"`
	Table2  map[string]map[string]SliceValues       `yaml:"table2"`  // by domain and system
	Table3  map[string]float64                      `yaml:"table3"`  // by system
	Table4  map[string]map[string]SliceValues       `yaml:"table4"`  // by model (gpt-5.4, claude-sonnet-4.6, gemini-2.5-pro) and system
	Table5  map[string]PublishedCompliance          `yaml:"table5"`  // by system
	Table6  map[string]PublishedPartition           `yaml:"table6"`  // airline, retail, telecom_main, telecom_manual, telecom_both
	Table10 map[string]map[string]PublishedCurve    `yaml:"table10"` // by domain and system
	Table11 map[string]map[string]PublishedSpread   `yaml:"table11"` // by domain and system
	Table12 map[string]PublishedTest                `yaml:"table12"` // by opponent
	Table13 map[string]map[string]PublishedInterval `yaml:"table13"` // by domain and opponent
	Table14 map[string]PublishedUse                 `yaml:"table14"` // by domain
	Table15 map[string]PublishedTime                `yaml:"table15"` // by domain
	Table16 map[string]PublishedGraph               `yaml:"table16"` // by domain
	Table17 map[string]map[string]float64           `yaml:"table17"` // percent, by system and domain
	Figure6 map[string]float64                      `yaml:"figure6"` // by system
}

// SliceCounts are numbers of tasks.
type SliceCounts struct {
	All int `yaml:"all"`
	PV  int `yaml:"pv"`
	Mut int `yaml:"mut"`
}

// SliceValues are a figure for all tasks and for the two slices.
type SliceValues struct {
	All float64 `yaml:"all"`
	PV  float64 `yaml:"pv"`
	Mut float64 `yaml:"mut"`
}

// PublishedCompliance is a row of Table 5, percent.
type PublishedCompliance struct {
	StepTCR      float64 `yaml:"step_tcr"`
	TraceTCR     float64 `yaml:"trace_tcr"`
	ProcessValid float64 `yaml:"process_valid"`
}

// PublishedPartition is a row of Table 6: requirements on arguments, processes and workflows.
type PublishedPartition struct {
	Argument int `yaml:"argument"`
	Process  int `yaml:"process"`
	Workflow int `yaml:"workflow"`
	Total    int `yaml:"total"`

	Procedural float64 `yaml:"procedural"` // process and workflow, percent
	Ordered    float64 `yaml:"ordered"`    // workflow, percent
}

// PublishedCurve is a row of Table 10: Pass^1 to Pass^4 and Pass^4/Pass^1.
type PublishedCurve struct {
	Pass        []float64 `yaml:"pass"` // one for each k
	Consistency float64   `yaml:"consistency"`
}

// PublishedSpread is a row of Table 11: Pass^1 in each trial and the population standard deviation.
type PublishedSpread struct {
	Pass      []float64 `yaml:"pass"` // one for each trial
	Deviation float64   `yaml:"deviation"`
}

// PublishedTest is a row of Table 12: tasks that only PolicyGuide (first) and only the opponent (second) passed.
type PublishedTest struct {
	Strata     int     `yaml:"strata"`
	First      int     `yaml:"first"`
	Second     int     `yaml:"second"`
	Discordant int     `yaml:"discordant"`
	Z          float64 `yaml:"z"`
	PBelow     float64 `yaml:"p_below"` // p is below this
}

// PublishedInterval is a row of Table 13: a difference in Pass^4 with its interval.
type PublishedInterval struct {
	Tasks int     `yaml:"tasks"`
	Delta float64 `yaml:"delta"`
	Lo    float64 `yaml:"lo"`
	Hi    float64 `yaml:"hi"`
}

// PublishedUse is a row of Table 14.
type PublishedUse struct {
	Tasks          int     `yaml:"tasks"`
	CallsPerTask   float64 `yaml:"calls_per_task"`
	PromptPerCall  float64 `yaml:"prompt_per_call"` // tokens
	Cached         float64 `yaml:"cached"`          // percent of the prompt tokens
	OutputPerCall  float64 `yaml:"output_per_call"` // tokens
	Dollars        float64 `yaml:"dollars"`
	DollarsPerTask float64 `yaml:"dollars_per_task"`
}

// PublishedTime is a row of Table 15: seconds and their ratio.
type PublishedTime struct {
	ReAct       float64 `yaml:"react"`
	PolicyGuide float64 `yaml:"policyguide"`
	Ratio       float64 `yaml:"ratio"`
}

// PublishedGraph is a row of Table 16.
type PublishedGraph struct {
	Nodes          int `yaml:"nodes"`
	Authorizations int `yaml:"authorizations"`
	Flags          int `yaml:"flags"`
}

// LoadPublished reads the paper's figures that the program carries.
func LoadPublished() (Published, error) {
	return ParsePublished("configs/paper/published.yaml", published)
}

// ParsePublished reads figures in the format of configs/paper/published.yaml. file only serves the errors.
func ParsePublished(file string, text []byte) (Published, error) {
	var p Published
	if err := yamlfile.Decode(file, text, &p); err != nil {
		return p, err
	}
	if p.Trials == 0 || len(p.Table1.Pass1) == 0 {
		return p, fmt.Errorf("%s: no figures\nhint: give trials and the tables", file)
	}
	if err := p.whole(); err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// whole checks that the lists have a figure for each k or trial.
func (p Published) whole() error {
	var bad []string
	for domain, systems := range p.Table10 {
		for system, row := range systems {
			if n := len(row.Pass); n != p.Trials {
				bad = append(bad, fmt.Sprintf("table10.%s.%s.pass has %d figures: give one for each k up to %d", domain, system, n, p.Trials))
			}
		}
	}
	for domain, systems := range p.Table11 {
		for system, row := range systems {
			if n := len(row.Pass); n != p.Trials {
				bad = append(bad, fmt.Sprintf("table11.%s.%s.pass has %d figures: give one for each of the %d trials", domain, system, n, p.Trials))
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return errors.New(slices.Min(bad)) // maps have no order
}
