package view

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// runCard is a run on the start page.
type runCard struct {
	Link      anchor
	Note      string
	Dir       string
	State     string
	Spend     string
	Synthetic bool
	Live      bool
	Faults    []fact
	Error     string // why the run cannot be shown; the rest is empty then
	Pass      report.Table
}

// fact is a name and what is known under it.
type fact struct {
	Name  string
	Value string
	To    string
}

// facts are the counts, each with the address that to gives its name.
func (c counts) facts(to func(name string) string) []fact {
	var out []fact
	for _, n := range c {
		out = append(out, fact{Name: n.name, Value: strconv.Itoa(n.n), To: to(n.name)})
	}
	return out
}

func nowhere(string) string { return "" }

// ofAllTasks keeps the rows of Pass^k that are of all tasks; the run's own page has those of PV and Mut tasks too.
func ofAllTasks(t report.Table) report.Table {
	at := slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Key == "slice" })
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r []report.Cell) bool { return at >= 0 && r[at].Text != string(metrics.All) })
	return t
}

// start is the page that lists the runs.
func (v *request) start() (page, error) {
	var cards []runCard
	var live bool
	for _, r := range v.site.runs {
		d, err := r.read()
		if err != nil {
			told := err.Error()
			if errors.Is(err, fs.ErrNotExist) {
				told = fmt.Sprintf("the run is not there any more: %v", err)
			}
			cards = append(cards, runCard{Link: anchor{Text: r.slug}, Dir: r.dir, Error: told})
			continue
		}
		live = live || d.live
		pass, err := report.Build("pass", report.Input{Sources: []report.Source{d.source}})
		if err != nil {
			return page{}, err
		}
		c := runCard{Link: anchor{To: v.to("/"+r.slug+"/", nil, ""), Text: d.manifest.Name}, Note: d.manifest.Note, Dir: r.dir,
			State: d.progress(), Spend: d.spend, Synthetic: d.manifest.Synthetic, Live: d.live,
			Faults: d.faults().facts(nowhere), Pass: ofAllTasks(pass)}
		cards = append(cards, c)
	}
	p, err := v.render("start.html", "Runs", nil, map[string]any{"Runs": cards})
	p.list = live
	return p, err
}

// overview is the page of one run.
func (v *request) overview() (page, error) {
	m := v.manifest
	facts := []fact{{Name: "note", Value: m.Note}, {Name: "state", Value: v.progress()}, {Name: "spent", Value: v.spend},
		{Name: "made", Value: m.Created + " by tauguide " + m.Versions.Program}, {Name: "setup", Value: v.source.Provenance.String()},
		{Name: "folder", Value: v.given.dir}}
	if style := v.run.Attack(); style != "" {
		facts = append(facts, fact{Name: "attack", Value: style})
	}
	var broken []string
	for _, err := range v.run.Broken() {
		broken = append(broken, err.Error())
	}
	endings := v.endings().facts(func(name string) string { return v.trialsAt(url.Values{"ending": {name}}) })
	var tables []report.Table
	for _, name := range []string{"pass", "calls"} {
		t, err := report.Build(name, report.Input{Sources: []report.Source{v.source}})
		if err != nil {
			return page{}, err
		}
		tables = append(tables, t)
	}
	p, err := v.render("overview.html", m.Name, v.crumbs(), map[string]any{"Name": m.Name, "Facts": facts, "Broken": broken, "Endings": endings, "Faults": v.faults().facts(nowhere),
		"Tables": tables, "Trials": v.trialsAt(nil), "Matrix": v.to("/"+v.given.slug+"/matrix/", nil, ""), "Count": grouped(int64(len(v.rows)))})
	p.list = v.live
	return p, err
}

// crumbs lead back to a run.
func (v *request) crumbs(more ...anchor) []anchor {
	return append([]anchor{{To: v.to("/"+v.given.slug+"/", nil, ""), Text: v.manifest.Name}}, more...)
}

func (v *request) trialsAt(q url.Values) string { return v.to("/"+v.given.slug+"/trials/", q, "") }

// line is a trial in a list.
type line struct {
	Link     anchor
	Key      sim.Key
	Slice    string
	Outcome  outcome
	Ran      bool
	Entry    store.Entry // of the attempt that counts, if the trial has run
	Why      string
	Attempts int
}

func (v *request) line(i int, q url.Values) line {
	r := &v.rows[i]
	l := line{Link: anchor{To: v.trialAt(r, q), Text: fmt.Sprintf("%s / %d", r.Task, r.Trial)}, Key: r.Key, Slice: string(r.slice()), Outcome: r.outcome, Attempts: r.attempts}
	if !r.planned {
		l.Slice, l.Why = "", "not planned"
	}
	l.Entry, l.Ran = v.run.Counting(r.Key)
	l.Why = cmp.Or(l.Entry.Fault, l.Entry.Pending, l.Why)
	return l
}

// choice is an entry of a select of the form.
type choice struct {
	Value, Label string
	Chosen       bool
}

// trials is the page that lists a run's trials.
func (v *request) trials() (page, error) {
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
		"Matrix": v.to("/"+v.given.slug+"/matrix/", nil, "")}
	p, err := v.render("trials.html", "Trials of "+v.manifest.Name, v.crumbs(anchor{Text: "trials"}), content)
	p.list = v.live
	return p, err
}

type choices struct {
	Name, Title string
	Choices     []choice
}

// selects are the fields of the form that choose from a list.
func (v *request) selects(f filter) []choices {
	named := func(name, title, value string, n *slugs) choices {
		c := choices{Name: name, Title: title, Choices: []choice{{Label: "all"}}}
		for _, s := range n.list {
			c.Choices = append(c.Choices, choice{n.slug[s], s, n.slug[s] == value})
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
		ends.Choices = append(ends.Choices, choice{e.name, e.name, e.name == string(f.ending)})
	}
	return append(out, state, part, ends)
}

// quick are links that narrow a list without a form: what a copy has of filters.
func (v *request) quick(f filter) []anchor {
	if !v.still() {
		return nil
	}
	out := []anchor{{To: v.trialsAt(nil), Text: "all"}}
	add := func(label string, g filter) {
		out = append(out, anchor{To: v.trialsAt(g.values()), Text: label})
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
func (v *request) pages(at paging, to func(int) string) []anchor {
	if at.pages == 1 {
		return nil
	}
	var out []anchor
	for n := 1; n <= at.pages; n++ {
		near := n >= at.page-3 && n <= at.page+3
		switch {
		case n == at.page:
			out = append(out, anchor{Text: strconv.Itoa(n), Class: "here"})
		case n == 1, n == at.pages, near, v.still():
			out = append(out, anchor{To: to(n), Text: strconv.Itoa(n)})
		case n == at.page-4, n == at.page+4:
			out = append(out, anchor{Text: "…"})
		}
	}
	return out
}

// trialAt is the address of a trial's page; q is the filter that its neighbours are chosen by.
func (v *request) trialAt(r *row, q url.Values) string {
	return v.to(v.path(v.given, v.runData, r), q, "")
}

func (v *request) path(place *givenRun, s *runData, r *row) string {
	return fmt.Sprintf("/%s/trial/%s/%s/%s/%d/", place.slug, s.domains.slug[r.Domain], s.systems.slug[r.System], s.tasks.slug[r.Task], r.Trial)
}
