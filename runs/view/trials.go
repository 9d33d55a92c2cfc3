package view

import (
	"slices"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// listTrials lists the trials, and gives what they are called its slugs.
func (d *runData) listTrials() {
	d.rows = trials.All(d.run)
	ds, ys, ts := make([]string, len(d.rows)), make([]string, len(d.rows)), make([]string, len(d.rows))
	d.at = make(map[sim.Key]int, len(d.rows))
	for i := range d.rows {
		r := &d.rows[i]
		ds[i], ys[i], ts[i] = r.Domain, r.System, r.Task
		d.at[r.Key] = i
	}
	d.domains, d.systems, d.tasks = newSlugs(ds), newSlugs(ys), newSlugs(ts)
}

// attempts returns the entries of all attempts at a trial, in their order.
func (d *runData) attempts(k sim.Key) []store.Entry {
	out := slices.Clone(d.others[k])
	if e, ok := d.run.Counting(k); ok {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b store.Entry) int { return a.Attempt - b.Attempt })
	return out
}
