package report

import (
	"fmt"

	"github.com/tauguide/tauguide/sim"
)

// Overseen is a system on a domain whose verifiers were asked.
type Overseen struct{ Domain, System string }

// unreliable says of which systems of a run, or of the one that is named, so many questions to verifiers failed that their
// figures are those of the agent alone.
func (s *Source) unreliable(system string) (notes []string) {
	for _, x := range s.Systems {
		var sum sim.Oversight
		for at, o := range s.Oversight {
			if at.System == x.Name {
				sum = sum.Plus(o)
			}
		}
		if sum.Unreliable() && (system == "" || system == x.Name) {
			notes = append(notes, fmt.Sprintf("warning: the verifier of %s in run %s failed open in %d of %d firings (%.1f %%): its figures are not those of an agent with its verifier",
				x.Name, s.Name, sum.Failed, sum.Firings, 100*float64(sum.Failed)/float64(sum.Firings)))
		}
	}
	return notes
}

// overseenRow is a system on a domain, with what became of the questions to its verifiers.
type overseenRow struct {
	row
	sim.Oversight
}

// verifiers is the table of what became of the questions to verifiers.
func verifiers(in Input, t *Table) error {
	var rows []overseenRow
	for i := range in.Sources {
		s := &in.Sources[i]
		for _, r := range s.rows() {
			if o, ok := s.Oversight[Overseen{r.domain, r.system.Name}]; ok {
				rows = append(rows, overseenRow{r, o})
			}
		}
	}
	count := func(key, title string, n func(sim.Oversight) int) column[overseenRow] {
		return column[overseenRow]{key, title, 0, "", func(r overseenRow) Cell { return Whole(n(r.Oversight)) }}
	}
	fill(t, append(lift(whose(true, false), func(r overseenRow) row { return r.row }),
		count("firings", "Firings", func(o sim.Oversight) int { return o.Firings }),
		count("fail_open", "failed open", func(o sim.Oversight) int { return o.Failed }),
		column[overseenRow]{"fail_open_percent", "%", 1, "", func(r overseenRow) Cell { return Number(100*float64(r.Failed)/float64(r.Firings), 1) }},
		count("reasked", "asked again", func(o sim.Oversight) int { return o.Reasked }),
		count("coerced", "read by meaning", func(o sim.Oversight) int { return o.Coerced }),
		count("rejected", "not taken over whole", func(o sim.Oversight) int { return o.Rejected }),
	), rows, nil)
	if len(rows) == 0 {
		t.Notes = append(t.Notes, "no verifier was asked")
	}
	return nil
}
