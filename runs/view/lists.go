package view

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/show"
)

// runCard is a run on the start page.
type runCard struct {
	Link      anchor
	Note      text
	Dir       text
	State     string
	Spend     string
	Synthetic bool
	Live      bool
	Faults    []fact
	Error     *text // why the run cannot be shown; all else is empty then
	Pass      table
}

// fact is a name and what is known under it.
type fact struct {
	Name  string
	Value text
	To    string
}

// table is a table of the report.
type table struct {
	Title   string
	Columns []report.Column
	Rows    [][]cell
	Notes   []text
}

type cell struct {
	Text    text
	Numeric bool
	Why     string
}

func tableOf(t report.Table) table {
	out := table{Title: strings.ReplaceAll(t.Heading(), "*", ""), Columns: t.Columns}
	for _, r := range t.Rows {
		row := make([]cell, len(r))
		for i, c := range r {
			row[i] = cell{textOf(c.Text), t.Columns[i].Numeric, show.Safe(c.Why)}
		}
		out.Rows = append(out.Rows, row)
	}
	for _, n := range t.Notes {
		out.Notes = append(out.Notes, textOf(n))
	}
	return out
}

// whole keeps the rows of Pass^k that are of all tasks; the run's own page has those of PV and Mut tasks too.
func whole(t report.Table) report.Table {
	at := slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Key == "slice" })
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r []report.Cell) bool { return at >= 0 && r[at].Text != string(metrics.All) })
	return t
}

// start is the page that lists the runs.
func (v *visit) start() (page, error) {
	var cards []runCard
	var live bool
	for _, r := range v.site.shelf {
		s, err := r.snapshot()
		if err != nil {
			told := textOf(err.Error())
			if errors.Is(err, fs.ErrNotExist) {
				told = textOf(fmt.Sprintf("the run is not there any more: %v", err))
			}
			cards = append(cards, runCard{Link: anchor{Text: textOf(r.slug)}, Dir: textOf(r.dir), Error: &told})
			continue
		}
		live = live || s.live
		c := runCard{Link: anchor{To: v.to("/"+r.slug+"/", nil, ""), Text: textOf(s.manifest.Name)}, Note: textOf(s.manifest.Note), Dir: textOf(r.dir),
			State: s.state(), Spend: s.spend, Synthetic: s.manifest.Synthetic, Live: s.live,
			Pass: tableOf(whole(report.PassHat([]report.Source{s.source})))}
		for _, f := range s.faults() {
			c.Faults = append(c.Faults, fact{Name: show.Safe(f.name), Value: textOf(strconv.Itoa(f.n))})
		}
		cards = append(cards, c)
	}
	p, err := v.render("start.html", "Runs", nil, map[string]any{"Runs": cards})
	p.list = live
	return p, err
}

// overview is the page of one run.
func (v *visit) overview() (page, error) {
	m := v.manifest
	facts := []fact{{Name: "note", Value: textOf(m.Note)}, {Name: "state", Value: textOf(v.state())}, {Name: "spent", Value: textOf(v.spend)},
		{Name: "made", Value: textOf(m.Created + " by tauguide " + m.Versions.Program)}, {Name: "setup", Value: textOf(v.source.Provenance.String())},
		{Name: "folder", Value: textOf(v.place.dir)}}
	if style := v.snapshot.run.Attack(); style != "" {
		facts = append(facts, fact{Name: "attack", Value: textOf(style)})
	}
	var broken []text
	for _, err := range v.snapshot.run.Broken() {
		broken = append(broken, textOf(err.Error()))
	}
	var endings, faults []fact
	for _, e := range v.endings() {
		endings = append(endings, fact{Name: show.Safe(e.name), Value: textOf(strconv.Itoa(e.n)), To: v.trialsAt(url.Values{"ending": {e.name}})})
	}
	for _, f := range v.faults() {
		faults = append(faults, fact{Name: show.Safe(f.name), Value: textOf(strconv.Itoa(f.n))})
	}
	one := []report.Source{v.source}
	tables := []table{tableOf(report.PassHat(one)), tableOf(report.Usage(one))}
	p, err := v.render("overview.html", m.Name, v.crumbs(), map[string]any{"Name": textOf(m.Name), "Facts": facts, "Broken": broken, "Endings": endings, "Faults": faults,
		"Tables": tables, "Trials": v.trialsAt(nil), "Matrix": v.to("/"+v.place.slug+"/matrix/", nil, ""), "Count": grouped(int64(len(v.rows)))})
	p.list = v.live
	return p, err
}

// crumbs lead back to a run.
func (v *visit) crumbs(more ...anchor) []anchor {
	return append([]anchor{{To: v.to("/"+v.place.slug+"/", nil, ""), Text: textOf(v.manifest.Name)}}, more...)
}

func (v *visit) trialsAt(q url.Values) string { return v.to("/"+v.place.slug+"/trials/", q, "") }

// line is a trial in a list.
type line struct {
	Link                           anchor
	Domain, System, Slice, Outcome string
	Mark, Reward, Ending, Why      string
	Steps, Cost, Tokens, Seconds   string
	Attempts                       int
	Held                           bool
}

func (v *visit) line(i int, q url.Values) line {
	r := &v.rows[i]
	l := line{Link: anchor{To: v.trialAt(r, q), Text: textOf(fmt.Sprintf("%s / %d", r.Task, r.Trial))}, Domain: show.Safe(r.Domain), System: show.Safe(r.System),
		Slice: string(r.slice()), Outcome: string(r.outcome), Mark: r.outcome.mark()}
	if !r.planned {
		l.Slice, l.Why = "", "not planned"
	}
	e, ok := v.snapshot.run.Counting(r.Key)
	if !ok {
		return l
	}
	l.Held, l.Reward, l.Ending, l.Steps, l.Cost, l.Tokens, l.Seconds, l.Attempts = true, reward(e.Reward), show.Safe(string(e.Termination)),
		strconv.Itoa(e.Steps), cost(e.Cost), tokens(e.Tokens), seconds(e.Seconds), r.attempts
	if e.Fault != "" {
		l.Why = show.Safe(e.Fault)
	} else if e.Pending != "" {
		l.Why = show.Safe(e.Pending)
	}
	return l
}

// choice is an entry of a select of the form.
type choice struct {
	Value, Label string
	Chosen       bool
}

// trials is the page that lists a run's trials.
func (v *visit) trials() (page, error) {
	f := filterOf(v.query)
	chosen := v.chosen(f)
	at := pageOf(v.query, len(chosen))
	context := f.values()
	if v.still() {
		context = nil // a copy has one page for each trial, whatever list it was reached from
	}
	lines := make([]line, 0, perPage)
	for _, i := range chosen[at.from:at.to] {
		lines = append(lines, v.line(i, context))
	}
	content := map[string]any{"Lines": lines, "From": at.from + 1, "To": at.to, "Of": grouped(int64(len(chosen))), "Action": v.trialsAt(nil), "All": v.trialsAt(nil),
		"Task": f.task, "Selects": v.selects(f), "Filtered": len(f.values()) > 0, "Pages": v.pages(at, func(n int) string { return v.trialsAt(f.page(n)) }), "Quick": v.quick(f),
		"Matrix": v.to("/"+v.place.slug+"/matrix/", nil, "")}
	p, err := v.render("trials.html", "Trials of "+v.manifest.Name, v.crumbs(anchor{Text: textOf("trials")}), content)
	p.list = v.live
	return p, err
}

type choices struct {
	Name, Title string
	Choices     []choice
}

// selects are the fields of the form that choose from a list.
func (v *visit) selects(f filter) []choices {
	named := func(name, title, value string, n *names) choices {
		c := choices{Name: name, Title: title, Choices: []choice{{Label: "all"}}}
		for _, s := range n.list {
			c.Choices = append(c.Choices, choice{n.slug[s], show.Safe(s), n.slug[s] == value})
		}
		return c
	}
	out := []choices{named("domain", "Domain", f.domain, v.domains), named("system", "System", f.system, v.systems)}
	state := choices{Name: "outcome", Title: "Outcome", Choices: []choice{{Label: "all"}}}
	for _, o := range outcomes() {
		state.Choices = append(state.Choices, choice{string(o), string(o), o == f.outcome})
	}
	part := choices{Name: "slice", Title: "PV / Mut", Choices: []choice{{Label: "all"}}}
	for _, s := range []metrics.Slice{metrics.PV, metrics.Mut} {
		part.Choices = append(part.Choices, choice{string(s), string(s), s == f.slice})
	}
	ends := choices{Name: "ending", Title: "Ending", Choices: []choice{{Label: "all"}}}
	for _, e := range v.endings() {
		ends.Choices = append(ends.Choices, choice{e.name, show.Safe(e.name), e.name == string(f.ending)})
	}
	return append(out, state, part, ends)
}

// quick are links that narrow a list without a form: what a copy has of filters.
func (v *visit) quick(f filter) []anchor {
	if !v.still() {
		return nil
	}
	out := []anchor{{To: v.trialsAt(nil), Text: textOf("all")}}
	add := func(label string, g filter) {
		out = append(out, anchor{To: v.trialsAt(g.values()), Text: textOf(label)})
	}
	for _, d := range v.domains.list {
		add(d, filter{domain: v.domains.slug[d]})
	}
	for _, y := range v.systems.list {
		add(y, filter{system: v.systems.slug[y]})
	}
	for _, o := range outcomes() {
		if len(v.chosen(filter{outcome: o})) > 0 {
			add(string(o), filter{outcome: o})
		}
	}
	return out
}

// pages are the links to the pages of a list: the first, the last, and those around the one shown.
func (v *visit) pages(at paging, to func(int) string) []anchor {
	if at.pages == 1 {
		return nil
	}
	var out []anchor
	for n := 1; n <= at.pages; n++ {
		near := n >= at.page-3 && n <= at.page+3
		switch {
		case n == at.page:
			out = append(out, anchor{Text: textOf(strconv.Itoa(n)), Class: "here"})
		case n == 1, n == at.pages, near, v.still():
			out = append(out, anchor{To: to(n), Text: textOf(strconv.Itoa(n))})
		case n == at.page-4, n == at.page+4:
			out = append(out, anchor{Text: textOf("…")})
		}
	}
	return out
}

// trialAt is the address of a trial's page; q is the filter that its neighbours are chosen by.
func (v *visit) trialAt(r *row, q url.Values) string {
	return v.to(v.path(v.place, v.snapshot, r), q, "")
}

func (v *visit) path(place *shelved, s *snapshot, r *row) string {
	return fmt.Sprintf("/%s/trial/%s/%s/%s/%d/", place.slug, s.domains.slug[r.Domain], s.systems.slug[r.System], s.tasks.slug[r.Task], r.Trial)
}
