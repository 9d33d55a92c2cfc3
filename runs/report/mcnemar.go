package report

import (
	"github.com/tauguide/tauguide/metrics"
)

// match is the test of a pair, pooled over domains.
type match struct {
	pair
	metrics.McNemar
	tasks int
	holm  float64 // p, corrected for the number of pairs
}

// mcnemar is Table 12. A domain is a stratum; one that cannot be paired is left out, and a note says so.
func mcnemar(in Input, t *Table) error {
	if err := in.checkReference(); err != nil {
		return err
	}
	all := in.pairs()
	t.Notes = append(t.Notes, in.pairNotes(all, ReAct, PolicyGuard)...)
	undefined := remarks{in: in}
	rows, ps := make([]match, len(all)), make([]float64, len(all))
	for i, p := range all {
		rows[i].pair = p
		var strata []metrics.Pairing
		for _, domain := range p.domains {
			x := p.on(domain, t, &undefined)
			rows[i].tasks += len(x.Pairs)
			strata = append(strata, x)
		}
		rows[i].McNemar = metrics.McNemarOf(strata...)
		ps[i] = rows[i].Exact
	}
	for i, p := range metrics.Holm(ps) {
		rows[i].holm = p
	}
	fill(t, withRuns(in, mcnemarColumns(in.Holm), all, match.who), rows, func(m match, path string) *float64 {
		if m.Strata != len(paperDomains()) {
			return nil
		}
		return in.paperPair(m.pair, "", path, &undefined)
	})
	t.Notes = append(t.Notes, undefined.lines()...)
	t.Notes = append(t.Notes, "Z and p after the stratified McNemar test, two-sided; p exact is binomial and the one to read: around 5 % p is too small")
	if in.Holm {
		t.Notes = append(t.Notes, "p Holm is the exact p, corrected for all comparisons of this table")
	}
	return nil
}

func (m match) who() pair { return m.pair }

func mcnemarColumns(holm bool) []column[match] {
	defined := func(value func(match) Cell) func(match) Cell {
		return func(m match) Cell {
			if m.Strata == 0 {
				return Dash("no domain could be compared")
			}
			return value(m)
		}
	}
	cols := append(versus(match.who), []column[match]{
		{"domains", "Domains", 0, "", func(m match) Cell { return Whole(m.Strata) }},
		{"tasks", "#", 0, "", func(m match) Cell { return Whole(m.tasks) }},
		{"reference_only", "Only|ref.|Reference only", 0, "table12.$opponent.first", defined(func(m match) Cell { return Whole(m.First) })},
		{"opponent_only", "Only|opp.|Opponent only", 0, "table12.$opponent.second", defined(func(m match) Cell { return Whole(m.Second) })},
		{"discordant", "Discordant", 0, "table12.$opponent.discordant", defined(func(m match) Cell { return Whole(m.Discordant()) })},
		{"z", "Z", 2, "table12.$opponent.z", defined(func(m match) Cell { return Signed(m.Z, 2) })},
		{"p", "p", 4, "", defined(func(m match) Cell { return probability(m.Normal) })},
		{"p_exact", "p exact", 4, "", defined(func(m match) Cell { return probability(m.Exact) })},
	}...)
	if holm {
		cols = append(cols, column[match]{"p_holm", "p Holm", 4, "", defined(func(m match) Cell { return probability(m.holm) })})
	}
	return cols
}
