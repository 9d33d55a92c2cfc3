// Package metrics computes the figures of an experiment from outcomes: Pass^k and coverage, intervals, and the
// statistics of comparisons. It is pure: outcomes in, numbers out; it knows no files and prints nothing.
//
// Each estimator is a function of outcomes, or of parts by task, and gives an Estimate with its standard error and interval;
// its documentation says what it assumes, by which formula it is computed and where that is from, and an example shows its
// use. No table is needed: PassHat, PassAt, Consistency, StrictPass, Bounds and PerTrial are of
// successes, ASR and ASRAt of attacks,
// CostOf and MeanSeconds of what conversations took, MeanPassHat over domains; PairUp with Difference, PassDifference,
// McNemarTest and Holm compare systems; SplitOf, VariationOf and AssociationOf say what varies; ContestOf, Power and Detectable
// plan comparisons; AgreementOf is of judges. Share, MeanShare and Amount are the intervals below all of them, for figures of
// one's own.
//
// A figure that the data does not determine is undefined, with the reason, and never silently an average over fewer
// tasks (docs/reference/metrics.md#outcomes).
package metrics

import (
	"cmp"
	"slices"
)

// State is what one trial amounts to.
type State uint8

// The states. Void trials never ran (transport, budget, interruption) and pending ones wait for a judge; neither is
// usable, both are counted beside every figure.
const (
	Failure State = iota
	Success
	Void
	Pending
)

// Slice is a part of a domain's tasks.
type Slice string

// The slices. A task is Mut if its gold plan has a mutating call of the agent's, else PV. Unclassified is what came without
// a gold plan: it counts among all tasks only.
const (
	All          Slice = "all"
	PV           Slice = "PV"
	Mut          Slice = "Mut"
	Unclassified Slice = "unclassified"
)

// Outcome is one planned trial with what came of it.
type Outcome struct {
	Domain string
	System string
	Task   string
	Trial  int
	Mut    bool
	State  State

	Unclassified bool // then Mut says nothing
}

// Slice is the part of the tasks that the outcome's task belongs to.
func (o Outcome) Slice() Slice {
	switch {
	case o.Unclassified:
		return Unclassified
	case o.Mut:
		return Mut
	}
	return PV
}

// In reports whether the outcome belongs to a slice.
func (o Outcome) In(s Slice) bool { return s == All || s == o.Slice() }

// Group names a system on a domain.
type Group struct{ Domain, System string }

// ByGroup sorts outcomes into groups, in order of first appearance of domain and system.
func ByGroup(all []Outcome) ([]Group, map[Group][]Outcome) {
	var order []Group
	by := map[Group][]Outcome{}
	rank := map[string]int{}
	for _, o := range all {
		g := Group{o.Domain, o.System}
		if _, ok := by[g]; !ok {
			order = append(order, g)
		}
		for _, name := range []string{"d:" + o.Domain, "s:" + o.System} {
			if _, ok := rank[name]; !ok {
				rank[name] = len(rank)
			}
		}
		by[g] = append(by[g], o)
	}
	slices.SortStableFunc(order, func(a, b Group) int {
		return cmp.Or(cmp.Compare(rank["d:"+a.Domain], rank["d:"+b.Domain]), cmp.Compare(rank["s:"+a.System], rank["s:"+b.System]))
	})
	return order, by
}

// Select returns the outcomes of a slice.
func Select(all []Outcome, s Slice) []Outcome {
	var out []Outcome
	for _, o := range all {
		if o.In(s) {
			out = append(out, o)
		}
	}
	return out
}

// Coverage counts what became of the planned trials.
type Coverage struct {
	Planned   int `json:"planned"`
	Evaluable int `json:"evaluable"` // ran and scored
	Void      int `json:"void"`      // never really ran
	Pending   int `json:"pending"`   // wait for a judge
}

// Cover counts outcomes. Planned trials without a record must be among them, as Void.
func Cover(all []Outcome) Coverage {
	c := Coverage{Planned: len(all)}
	for _, o := range all {
		switch o.State {
		case Void:
			c.Void++
		case Pending:
			c.Pending++
		default:
			c.Evaluable++
		}
	}
	return c
}
