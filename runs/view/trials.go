package view

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
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

// task returns the trials of a task: the rows around one of them.
func (d *runData) task(k sim.Key) []trials.Line {
	from := d.at[k]
	to := from
	same := func(i int) bool { return d.rows[i].Domain == k.Domain && d.rows[i].Task == k.Task }
	for from > 0 && same(from-1) {
		from--
	}
	for to < len(d.rows) && same(to) {
		to++
	}
	return d.rows[from:to:to]
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

// progress says in words how far the run has come.
func (d *runData) progress() string {
	c := metrics.Cover(d.source.Outcomes)
	ran, extra := 0, 0
	for i := range d.rows {
		if r := &d.rows[i]; r.Foreign {
			extra++
		} else if r.Ran() {
			ran++
		}
	}
	out := fmt.Sprintf("%d of %d planned trials run, %d evaluable", ran, c.Planned, c.Evaluable)
	if n := c.Void - (c.Planned - ran); n > 0 {
		out += fmt.Sprintf(", %d void", n)
	}
	if c.Pending > 0 {
		out += fmt.Sprintf(", %d pending", c.Pending)
	}
	if extra > 0 {
		out += fmt.Sprintf("; %d more that the plan does not have", extra)
	}
	switch {
	case d.live:
		return out + "; a process is writing now"
	case c.Evaluable == c.Planned:
		return out + "; complete"
	case d.manifest.Imported():
		return out + "; not complete, and imported: it cannot be resumed"
	}
	return out + "; not complete: resume the run to go on"
}
