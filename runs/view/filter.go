package view

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// perPage is how many lines a page of a list has.
const perPage = 100

// The outcomes of trials, as everywhere.
type outcome = trials.Outcome

const (
	passed  = trials.Passed
	failed  = trials.Failed
	void    = trials.Void
	pending = trials.Pending
	waiting = trials.Waiting
)

func outcomes() []outcome { return []outcome{passed, failed, void, pending, waiting} }

// filter chooses trials of a run. Fields that are empty choose all. Domain and system are slugs.
type filter struct {
	domain, system, task string // task: a part of its id, in whatever case
	outcome              outcome
	slice                metrics.Slice
	ending               sim.Reason
}

func filterOf(q url.Values) filter {
	return filter{domain: q.Get("domain"), system: q.Get("system"), task: q.Get("task"), outcome: outcome(q.Get("outcome")),
		slice: metrics.Slice(q.Get("slice")), ending: sim.Reason(q.Get("ending"))}
}

// values are the query of the filter, without fields that choose all.
func (f filter) values() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"domain": f.domain, "system": f.system, "task": f.task, "outcome": string(f.outcome),
		"slice": string(f.slice), "ending": string(f.ending)} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

func (f filter) page(n int) url.Values {
	q := f.values()
	if n > 1 {
		q.Set("page", strconv.Itoa(n))
	}
	return q
}

// matches reports whether a trial of the snapshot is among those chosen.
func (f filter) matches(d *runData, r *row) bool {
	return (f.domain == "" || d.domains.slug[r.Domain] == f.domain) && (f.system == "" || d.systems.slug[r.System] == f.system) &&
		(f.task == "" || strings.Contains(strings.ToLower(r.Task), strings.ToLower(f.task))) &&
		(f.outcome == "" || r.outcome == f.outcome) && (f.slice == "" || f.slice == metrics.All || f.slice == r.slice) &&
		(f.ending == "" || r.ending == f.ending)
}

// chosen lists the trials that a filter chooses, by their places in the snapshot.
func (d *runData) chosen(f filter) []int {
	var out []int
	for i := range d.rows {
		if f.matches(d, &d.rows[i]) {
			out = append(out, i)
		}
	}
	return out
}

// around finds the trials before and after one among those that a filter chooses, by their places; -1 for none.
func (d *runData) around(f filter, at int) (before, after int) {
	before, after = at-1, at+1
	for before >= 0 && !f.matches(d, &d.rows[before]) {
		before--
	}
	for after < len(d.rows) && !f.matches(d, &d.rows[after]) {
		after++
	}
	if after == len(d.rows) {
		after = -1
	}
	return before, after
}

// paging says which part of a list a page shows.
type paging struct{ page, pages, from, to int }

func pageOf(q url.Values, n int) paging {
	p := paging{pages: max(1, (n+perPage-1)/perPage)}
	asked, _ := strconv.Atoi(q.Get("page")) // what is no number is page 1, what is too large the last one
	p.page = min(max(asked, 1), p.pages)
	p.from = (p.page - 1) * perPage
	p.to = min(p.from+perPage, n)
	return p
}
