package config

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Print lists how many trials of each system on each domain the plan has, and what the user attacks with.
func (p *Plan) Print(out io.Writer) {
	type part struct{ domain, system string }
	counts := map[part]int{}
	var order []part
	for _, t := range p.Trials {
		k := part{t.Domain, t.System}
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k]++
	}
	fmt.Fprintf(out, "%d trials into %s\n", len(p.Trials), p.Dir)
	for _, k := range order {
		fmt.Fprintf(out, "  %s on %s: %d\n", k.system, k.domain, counts[k])
	}
	for _, domain := range slices.Sorted(maps.Keys(p.Attacks.Sets)) {
		s := p.Attacks.Sets[domain]
		fmt.Fprintf(out, "the user attacks on %s: %s, %d attacks on %s data", domain, p.Config.User.Attack, len(s.Tasks), s.Data)
		if s.Note != "" {
			fmt.Fprintf(out, " (%s)", s.Note)
		}
		fmt.Fprintln(out)
	}
}
