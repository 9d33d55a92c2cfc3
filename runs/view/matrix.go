package view

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/runs/trials"
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
	tasks, systems := v.byTask(domain)
	at := pageOf(v.query, len(tasks))
	var rows []matrixRow
	for _, t := range tasks[at.from:at.to] {
		rows = append(rows, v.matrixRow(t, systems))
	}
	here := func(d string, n int) string {
		q := url.Values{"domain": {v.domains.slug[d]}}
		if n > 1 {
			q.Set("page", strconv.Itoa(n))
		}
		if d == v.domains.list[0] {
			q.Del("domain")
		}
		return v.to("/"+v.given.slug+"/matrix/", q)
	}
	var tabs []anchor
	for _, d := range v.domains.list {
		tab := anchor{To: here(d, 1), Text: d}
		if d == domain {
			tab = anchor{Text: d, Class: "here"}
		}
		tabs = append(tabs, tab)
	}
	v.list = v.live
	return v.render("matrix.html", "Tasks × systems of "+v.manifest.Name, v.crumbs(anchor{Text: "tasks × systems"}),
		map[string]any{"Tabs": tabs, "Systems": systems, "Rows": rows, "Pages": v.pages(at, func(n int) string { return here(domain, n) }),
			"Trials": v.trialsAt(nil), "Domain": domain})
}

// byTask lists the tasks of a domain by their trials, and the systems that have any there.
func (d *runData) byTask(domain string) (tasks [][]trials.Line, systems []string) {
	has := map[string]bool{}
	for i := 0; i < len(d.rows); {
		task := d.task(d.rows[i].Key)
		i += len(task)
		if task[0].Domain != domain {
			continue
		}
		tasks = append(tasks, task)
		for k := range task {
			has[task[k].System] = true
		}
	}
	return tasks, slices.DeleteFunc(slices.Clone(d.systems.list), func(name string) bool { return !has[name] })
}

func (v *request) matrixRow(task []trials.Line, systems []string) matrixRow {
	out := matrixRow{Task: task[0].Task, Cells: make([]matrixCell, len(systems))}
	for k, system := range systems {
		c := &out.Cells[k]
		passes, judged := 0, 0
		for i := range task {
			r := &task[i]
			if r.System != system {
				continue
			}
			c.Ran = true
			if r.Outcome == passed {
				passes++
			}
			if r.Outcome == passed || r.Outcome == failed {
				judged++
			}
			if len(c.Marks) < mostMarks {
				c.Marks = append(c.Marks, anchor{To: v.trialAt(r, nil), Text: r.Outcome.Mark(), Class: string(r.Outcome),
					Hint: fmt.Sprintf("trial %d: %s", r.Trial, r.Outcome)})
			} else if c.More == nil {
				c.More = &anchor{To: v.trialsAt(url.Values{"domain": {r.Domain}, "system": {system}}), Text: "…", Hint: "all trials of " + system}
			}
		}
		c.Passes, c.Class = fmt.Sprintf("%d/%d", passes, judged), shade(passes, judged)
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
