package view

import (
	"fmt"
	"net/url"
	"strconv"
)

// mostMarks is how many trials a cell of the matrix links one by one.
const mostMarks = 8

// matrixRow is a task with what each system made of it.
type matrixRow struct {
	Task  string
	Cells []matrixCell
}

// matrixCell is the trials of one system at one task.
type matrixCell struct {
	Ran    bool
	Passes string // of how many that can be judged
	Class  string
	Marks  []anchor
	More   *anchor // to the rest
}

// matrix is the page of tasks against systems.
func (v *request) matrix() (page, error) {
	domain, ok := v.domains.name[v.query.Get("domain")]
	if !ok {
		domain = v.domains.list[0]
	}
	groups, systems := v.byTask(domain)
	at := pageOf(v.query, len(groups))
	var rows []matrixRow
	for _, g := range groups[at.from:at.to] {
		rows = append(rows, v.matrixRow(domain, g, systems))
	}
	here := func(d string, n int) string {
		q := url.Values{"domain": {v.domains.slug[d]}}
		if n > 1 {
			q.Set("page", strconv.Itoa(n))
		}
		if d == v.domains.list[0] {
			q.Del("domain")
		}
		return v.to("/"+v.given.slug+"/matrix/", q, "")
	}
	var tabs []anchor
	for _, d := range v.domains.list {
		tab := anchor{To: here(d, 1), Text: d}
		if d == domain {
			tab = anchor{Text: d, Class: "here"}
		}
		tabs = append(tabs, tab)
	}
	p, err := v.render("matrix.html", "Tasks × systems of "+v.manifest.Name, v.crumbs(anchor{Text: "tasks × systems"}),
		map[string]any{"Tabs": tabs, "Systems": systems, "Rows": rows, "Pages": v.pages(at, func(n int) string { return here(domain, n) }),
			"Trials": v.trialsAt(nil), "Domain": domain})
	p.list = v.live
	return p, err
}

// span is the part of rows that is of one task.
type span struct{ from, to int }

// byTask groups the trials of a domain, and lists the systems that have any there.
func (v *request) byTask(domain string) (groups []span, systems []string) {
	has := map[string]bool{}
	for i := range v.rows {
		r := &v.rows[i]
		if r.Domain != domain {
			continue
		}
		has[r.System] = true
		if n := len(groups); n > 0 && v.rows[groups[n-1].from].Task == r.Task {
			groups[n-1].to = i + 1
		} else {
			groups = append(groups, span{i, i + 1})
		}
	}
	for _, y := range v.systems.list {
		if has[y] {
			systems = append(systems, y)
		}
	}
	return groups, systems
}

func (v *request) matrixRow(domain string, g span, systems []string) matrixRow {
	out := matrixRow{Task: v.rows[g.from].Task, Cells: make([]matrixCell, len(systems))}
	i := g.from
	for k, y := range systems {
		var c matrixCell
		passes, judged := 0, 0
		for ; i < g.to && v.rows[i].System == y; i++ {
			r := &v.rows[i]
			c.Ran = true
			switch r.outcome {
			case passed:
				passes++
				judged++
			case failed:
				judged++
			}
			if len(c.Marks) < mostMarks {
				c.Marks = append(c.Marks, anchor{To: v.trialAt(r, nil), Text: r.outcome.Mark(), Class: string(r.outcome),
					Hint: fmt.Sprintf("trial %d: %s", r.Trial, r.outcome)})
			} else if c.More == nil {
				f := filter{domain: v.domains.slug[domain], system: v.systems.slug[y]}
				c.More = &anchor{To: v.trialsAt(f.values()), Text: "…", Hint: "all trials of " + y}
			}
		}
		c.Passes, c.Class = fmt.Sprintf("%d/%d", passes, judged), shade(passes, judged)
		out.Cells[k] = c
	}
	return out
}

// shade is the class of a cell by its share of passes.
func shade(passes, judged int) string {
	switch {
	case judged == 0:
		return "none"
	case passes == judged:
		return "all"
	case passes == 0:
		return "no"
	}
	return "some"
}
