package view

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// fact is a name and what is known under it.
type fact struct {
	Name  string
	Value string
	To    string
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
	endings := v.endings()
	for i, e := range endings {
		endings[i].To = v.trialsAt(url.Values{"ending": {e.Name}})
	}
	var tables []report.Table
	for _, name := range []string{"pass", "calls", "answers"} {
		t, err := report.Build(name, report.Input{Sources: []report.Source{v.source}})
		if err != nil {
			return page{}, err
		}
		tables = append(tables, t)
	}
	v.list = v.live
	return v.render("overview.html", m.Name, v.crumbs(), map[string]any{"Name": m.Name, "Facts": facts, "Broken": v.run.Broken(), "Endings": endings, "Faults": v.faults(),
		"Tables": tables, "Trials": v.trialsAt(nil), "Matrix": v.to("/"+v.given.slug+"/matrix/", nil), "Count": grouped(int64(len(v.rows)))})
}

// crumbs lead back to a run.
func (v *request) crumbs(more ...anchor) []anchor {
	return append([]anchor{{To: v.to("/"+v.given.slug+"/", nil), Text: v.manifest.Name}}, more...)
}

func (v *request) trialsAt(q url.Values) string { return v.to("/"+v.given.slug+"/trials/", q) }

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
	l := line{Link: anchor{To: v.trialAt(r, q), Text: fmt.Sprintf("%s / %d", r.Task, r.Trial)}, Key: r.Key, Slice: string(r.slice), Outcome: r.outcome, Attempts: r.attempts}
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
	if v.still {
		context = nil // a copy has one page for each trial, whatever list it was reached from
	}
	lines := make([]line, 0, perPage)
	for _, i := range chosen[at.from:at.to] {
		lines = append(lines, v.line(i, context))
	}
	content := map[string]any{"Lines": lines, "From": at.from + 1, "To": at.to, "Of": grouped(int64(len(chosen))), "Action": v.trialsAt(nil), "All": v.trialsAt(nil),
		"Task": f.task, "Selects": v.selects(f), "Filtered": len(f.values()) > 0, "Pages": v.pages(at, func(n int) string { return v.trialsAt(f.page(n)) }), "Quick": v.quick(f),
		"Matrix": v.to("/"+v.given.slug+"/matrix/", nil)}
	v.list = v.live
	return v.render("trials.html", "Trials of "+v.manifest.Name, v.crumbs(anchor{Text: "trials"}), content)
}

type choices struct {
	Name, Title string
	Choices     []choice
}

// selects are the fields of the form that choose from a list.
func (v *request) selects(f filter) []choices {
	var out []choices
	add := func(name, title, chosen string, labels []string, slug map[string]string) {
		c := choices{Name: name, Title: title, Choices: []choice{{Label: "all"}}}
		for _, label := range labels {
			value := cmp.Or(slug[label], label)
			c.Choices = append(c.Choices, choice{value, label, value == chosen})
		}
		out = append(out, c)
	}
	var states, endings []string
	for _, o := range outcomes() {
		states = append(states, string(o))
	}
	for _, e := range v.endings() {
		endings = append(endings, e.Name)
	}
	add("domain", "Domain", f.domain, v.domains.list, v.domains.slug)
	add("system", "System", f.system, v.systems.list, v.systems.slug)
	add("outcome", "Outcome", string(f.outcome), states, nil)
	parts := []string{string(metrics.PV), string(metrics.Mut)}
	if slices.ContainsFunc(v.rows, func(r row) bool { return r.slice == metrics.Unclassified }) {
		parts = append(parts, string(metrics.Unclassified))
	}
	add("slice", "PV / Mut", string(f.slice), parts, nil)
	add("ending", "Ending", string(f.ending), endings, nil)
	return out
}

// quick are links that narrow a list without a form: what a copy has of filters.
func (v *request) quick(f filter) []anchor {
	if !v.still {
		return nil
	}
	var out []anchor
	add := func(label string, g filter) {
		out = append(out, anchor{To: v.trialsAt(g.values()), Text: label})
	}
	add("all", filter{})
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
		case n == 1, n == at.pages, near, v.still:
			out = append(out, anchor{To: to(n), Text: strconv.Itoa(n)})
		case n == at.page-4, n == at.page+4:
			out = append(out, anchor{Text: "…"})
		}
	}
	return out
}

// trialAt is the address of a trial's page; q is the filter that its neighbours are chosen by.
func (v *request) trialAt(r *row, q url.Values) string { return v.to(v.path(r), q) }

func (v *request) path(r *row) string {
	return fmt.Sprintf("/%s/trial/%s/%s/%s/%d/", v.given.slug, v.domains.slug[r.Domain], v.systems.slug[r.System], v.tasks.slug[r.Task], r.Trial)
}
