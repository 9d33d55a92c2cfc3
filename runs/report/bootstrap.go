package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
)

// delta is the difference of a pair on a domain.
type delta struct {
	pair
	domain  string
	pairing metrics.Pairing
	metrics.Estimate
}

// bootstrap is Table 13.
func bootstrap(in Input, t *Table) error {
	if err := in.checkReference(); err != nil {
		return err
	}
	all := in.pairs()
	t.Notes = append(t.Notes, in.pairNotes(all, opponents()...)...)
	domains := paperDomains()
	for _, p := range all {
		for _, d := range p.domains {
			if !slices.Contains(domains, d) {
				domains = append(domains, d)
			}
		}
	}
	undefined := remarks{in: in}
	var rows []delta
	for _, domain := range domains {
		for _, p := range all {
			if slices.Contains(p.domains, domain) {
				x := p.on(domain, t, &undefined)
				rows = append(rows, delta{p, domain, x, in.bootstrap().Delta(x)})
			}
		}
	}
	who := func(d delta) pair { return d.pair }
	cols := slices.Concat([]column[delta]{{"domain", "Domain", words, "", func(d delta) Cell { return Label(d.domain) }}}, versus(who), []column[delta]{
		{"tasks", "#", 0, "table13.$domain.$opponent.tasks", func(d delta) Cell {
			if d.pairing.Reason != "" {
				return Dash(d.pairing.Reason)
			}
			return Whole(len(d.pairing.Pairs))
		}},
		{"delta", "ΔPass^4", 3, "table13.$domain.$opponent.delta", func(d delta) Cell { return difference(d.Estimate) }},
		{"low", "95 %|low|low", 3, "table13.$domain.$opponent.lo", func(d delta) Cell { return difference(d.Low()) }},
		{"high", "95 %|high|high", 3, "table13.$domain.$opponent.hi", func(d delta) Cell { return difference(d.High()) }},
	})
	fill(t, withRuns(in, cols, all, who), rows, func(d delta, path string) *float64 { return in.paperPair(d.pair, d.domain, path, &undefined) })
	t.Notes = append(t.Notes, undefined.lines()...)
	t.Notes = append(t.Notes, fmt.Sprintf("percentile bootstrap over tasks, both systems on the same tasks in each of %d resamples, seed %d; an interval over 0 is no evidence of a difference",
		in.bootstrap().Size(), in.Seed))
	return nil
}
