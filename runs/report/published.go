package report

import (
	"slices"
	"sync"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim/attack"
)

// The lookups below find what the paper has in the place of a row; nil for nothing, and for everything where the paper's
// figures are not asked for. Rows of other kinds and variants are kept out by row.paper.

// withPaper reads the paper's figures if they are wanted.
func (in Input) withPaper() (Input, error) {
	if !in.Published {
		return in, nil
	}
	var err error
	in.paper, err = readPaper()
	return in, err
}

// own lists the runs on the program's own tasks.
func (in Input) own() []string {
	var out []string
	for _, s := range in.Sources {
		if s.DataFolder == attack.Embedded {
			out = append(out, s.Name)
		}
	}
	return out
}

// readPaper reads the paper's figures at the first use. They are never changed.
var readPaper = sync.OnceValues(func() (*configs.Published, error) {
	p, err := configs.LoadPublished()
	return &p, err
})

// sliced is the value of a slice, if the paper has the row.
func sliced(v configs.SliceValues, ok bool, s metrics.Slice) *float64 {
	if !ok {
		return nil
	}
	switch s {
	case metrics.PV:
		return &v.PV
	case metrics.Mut:
		return &v.Mut
	}
	return &v.All
}

func (in Input) paper1(r row, k int, s metrics.Slice) *float64 {
	if in.paper == nil {
		return nil
	}
	by := in.paper.Table1.Pass1
	if k != 1 {
		by = in.paper.Table1.Pass4
	}
	v, ok := by[r.domain][string(r.kind)]
	return sliced(v, ok, s)
}

func (in Input) paper2(r row, _ int, s metrics.Slice) *float64 {
	if in.paper == nil {
		return nil
	}
	v, ok := in.paper.Table2[r.domain][string(r.kind)]
	return sliced(v, ok, s)
}

func (in Input) paper3(r row) *float64 {
	if in.paper == nil || r.domain != "telecom" {
		return nil
	}
	return found(in.paper.Table3, string(r.kind))
}

func (in Input) paper4(r row, _ int, s metrics.Slice) *float64 {
	if in.paper == nil {
		return nil
	}
	v, ok := in.paper.Table4[r.family][string(r.kind)]
	return sliced(v, ok && r.domain == "airline", s)
}

func (in Input) paper5(r row, column int) *float64 {
	if in.paper == nil || r.domain != "telecom" {
		return nil
	}
	v, ok := in.paper.Table5[string(r.kind)]
	return pick(ok, column, v.StepTCR, v.TraceTCR, v.ProcessValid)
}

func (in Input) paper6(policy string, column int) *float64 {
	if in.paper == nil {
		return nil
	}
	v, ok := in.paper.Table6[policy]
	return pick(ok, column, float64(v.Argument), float64(v.Process), float64(v.Workflow), float64(v.Total), v.Procedural, v.Ordered)
}

func (in Input) paper10(r row, column int) *float64 {
	if in.paper == nil {
		return nil
	}
	v, ok := in.paper.Table10[r.domain][string(r.kind)]
	return curve(ok && len(v.Pass) == paperTrials, column, v.Pass[:], v.Consistency)
}

func (in Input) paper11(r row, column int) *float64 {
	if in.paper == nil {
		return nil
	}
	v, ok := in.paper.Table11[r.domain][string(r.kind)]
	return curve(ok && len(v.Pass) == paperTrials, column, v.Pass[:], v.Deviation)
}

func (in Input) paper12(opponent System, column int) *float64 {
	if in.paper == nil || len(in.own()) > 0 || opponent.Variant != "" {
		return nil
	}
	v, ok := in.paper.Table12[string(opponent.Kind)]
	return pick(ok, column, float64(v.Strata), float64(v.First), float64(v.Second), float64(v.Discordant), v.Z)
}

func (in Input) paper13(domain string, opponent System, column int) *float64 {
	if in.paper == nil || len(in.own()) > 0 || opponent.Variant != "" {
		return nil
	}
	v, ok := in.paper.Table13[domain][string(opponent.Kind)]
	return pick(ok, column, float64(v.Tasks), v.Delta, v.Lo, v.Hi)
}

func (in Input) paper14(r row, column int) *float64 {
	if in.paper == nil || r.kind != PolicyGuide {
		return nil
	}
	v, ok := in.paper.Table14[r.domain]
	return pick(ok, column, v.CallsPerTask, v.PromptPerCall, v.Cached, v.OutputPerCall, v.Dollars, v.DollarsPerTask)
}

// paper15 has a time for each of two kinds, and the ratio for the second.
func (in Input) paper15(r row, ratio bool) *float64 {
	if in.paper == nil {
		return nil
	}
	v, ok := in.paper.Table15[r.domain]
	switch {
	case ratio:
		return pick(ok && r.kind == PolicyGuide, 0, v.Ratio)
	case r.kind == PolicyGuide:
		return pick(ok, 0, v.PolicyGuide)
	}
	return pick(ok && r.kind == ReAct, 0, v.ReAct)
}

func (in Input) paper16(domain string, column int) *float64 {
	if in.paper == nil {
		return nil
	}
	v, ok := in.paper.Table16[domain]
	return pick(ok, column, float64(v.Nodes), float64(v.Authorizations), float64(v.Flags))
}

func (in Input) paper17(r row) *float64 {
	if in.paper == nil {
		return nil
	}
	return found(in.paper.Table17[string(r.kind)], r.domain)
}

// found is a map's value, nil if it has none.
func found(m map[string]float64, key string) *float64 {
	if v, ok := m[key]; ok {
		return &v
	}
	return nil
}

// curve is a column of a row with a figure for each of the paper's trials and one more.
func curve(ok bool, column int, pass []float64, last float64) *float64 {
	return pick(ok, column, append(slices.Clone(pass), last)...)
}

// pick is a column of a row, nil if the paper does not have the row.
func pick(ok bool, column int, values ...float64) *float64 {
	if !ok || column >= len(values) {
		return nil
	}
	return &values[column]
}
