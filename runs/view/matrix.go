package view

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/trials"
)

// mostMarks is how many trials a cell of the matrix links one by one.
const mostMarks = 8

// matrixRow is a task with what each system made of it.
type matrixRow struct {
	trials.MatrixRow
	Link  anchor // to the trials of the task
	Cells []matrixCell
}

// matrixCell is the trials of one system at one task.
type matrixCell struct {
	trials.Tally
	Link  anchor // to these trials
	Marks []anchor
}

// matrix is the page of tasks against systems.
func (v *request) matrix() (page, error) {
	domain, ok := v.domains.name[v.query.Get("domain")]
	if !ok {
		domain = v.domains.list[0]
	}
	whole := trials.NewMatrix(v.rows, domain, func(name string) bool {
		return slices.ContainsFunc(v.manifest.Config.Systems, func(s config.System) bool { return s.Name == name && s.Bound() })
	})
	only, sorted := v.query["only"], v.query.Get("sort")
	differ, flaky := slices.Contains(only, "differ"), slices.Contains(only, "flaky")
	m := whole.Only(differ, flaky)
	m.Sort(sorted)
	address := func(domain, sort string, n int, only ...string) string {
		q := url.Values{"domain": {v.domains.slug[domain]}, "only": only, "sort": {sort}}
		if domain == v.domains.list[0] {
			q.Del("domain")
		}
		if sort == "" {
			q.Del("sort")
		}
		if len(only) == 0 {
			q.Del("only")
		}
		return v.to("/"+v.given.slug+"/matrix/", paged(q, n))
	}
	var tabs, kinds []anchor
	for _, d := range v.domains.list {
		tabs = append(tabs, anchor{To: address(d, "", 1), Text: d, Class: current(d == domain)})
	}
	for _, only := range [][]string{nil, {"differ"}, {"flaky"}, {"differ", "flaky"}} {
		if v.still {
			break // a copy has all tasks alone
		}
		d, f := slices.Contains(only, "differ"), slices.Contains(only, "flaky")
		text := map[[2]bool]string{{}: "all tasks", {true, false}: "only where systems differ", {false, true}: "flaky only", {true, true}: "both"}[[2]bool{d, f}]
		kinds = append(kinds, anchor{To: address(domain, sorted, 1, only...), Text: fmt.Sprintf("%s (%d)", text, len(whole.Only(d, f).Rows)), Class: current(d == differ && f == flaky)})
	}
	columns := []sortKey{{"task", "Task", false}, {"slice", "PV/Mut", false}}
	for _, s := range m.Systems {
		columns = append(columns, sortKey{trials.SystemKey + s, s, true})
	}
	q := url.Values{"domain": {v.domains.slug[domain]}}
	if len(only) > 0 {
		q["only"] = only
	}
	totals := make([]anchor, 0, len(m.Systems)+1)
	for k, t := range append(slices.Clone(m.Totals), m.Total) {
		of := url.Values{"domain": {domain}}
		if k < len(m.Systems) {
			of.Set("system", m.Systems[k])
		}
		if len(only) > 0 {
			for _, r := range m.Rows {
				of.Add("task", r.Task)
			}
		}
		a := anchor{Text: tally(t)}
		if !v.still {
			a.To = v.trialsAt(of)
		}
		totals = append(totals, a)
	}
	at := pageOf(v.query, len(m.Rows))
	var rows []matrixRow
	for _, r := range m.Rows[at.from:at.to] {
		rows = append(rows, v.matrixRow(domain, r, m.Systems))
	}
	v.list = v.live
	return v.render("matrix.html", "Tasks × systems of "+v.given.slug, v.crumbs(anchor{Text: "tasks × systems"}),
		map[string]any{"Tabs": tabs, "Kinds": kinds, "Heads": v.headings("/"+v.given.slug+"/matrix/", q, sorted, append(columns, sortKey{"total", "All", true})), "Totals": totals, "Rows": rows,
			"Pages": v.pages(at, func(n int) string { return address(domain, sorted, n, only...) }), "Trials": v.trialsAt(nil), "Domain": domain, "Count": len(m.Rows), "Of": len(whole.Rows)})
}

// current is the class of a link to what is shown.
func current(here bool) string {
	if here {
		return "here"
	}
	return ""
}

func (v *request) matrixRow(domain string, r trials.MatrixRow, systems []string) matrixRow {
	q := url.Values{"domain": {domain}, "task": {r.Task}}
	out := matrixRow{MatrixRow: r, Link: anchor{Text: r.Task}, Cells: make([]matrixCell, len(r.Cells))}
	if !v.still { // a copy has no list for each
		out.Link.To = v.trialsAt(q)
	}
	for k, c := range r.Cells {
		cell := &out.Cells[k]
		cell.Tally, cell.Link.Text = c.Tally, tally(c.Tally)
		if !v.still {
			q := url.Values{"domain": {domain}, "task": {r.Task}, "system": {systems[k]}}
			cell.Link.To, cell.Link.Hint = v.trialsAt(q), fmt.Sprintf("%s, %s: %d of %d passed", r.Task, systems[k], c.Passed, c.Judged)
		}
		for i, l := range c.Lines {
			if i == mostMarks {
				cell.Marks = append(cell.Marks, anchor{Text: "…"})
				break
			}
			cell.Marks = append(cell.Marks, anchor{To: v.trialAt(l, nil), Text: l.Outcome.Mark(), Class: string(l.Outcome), Hint: "trial " + strconv.Itoa(l.Trial) + ": " + string(l.Outcome)})
		}
	}
	return out
}

// tally is how many of the judged trials passed.
func tally(t trials.Tally) string { return fmt.Sprintf("%d/%d", t.Passed, t.Judged) }

// shade is the class of a cell by its share of passes.
func shade(t trials.Tally) string {
	switch {
	case t.Judged == 0:
		return "none"
	case t.Passed == t.Judged:
		return "all"
	case t.Passed == 0:
		return "no"
	}
	return "some"
}
