package view

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
)

// fact is a name and what is known under it.
type fact struct {
	Name  string
	Value string
	To    string
}

// crumbs lead back to a run.
func (v *request) crumbs(more ...anchor) []anchor {
	return append([]anchor{{To: v.to("/"+v.given.slug+"/", nil), Text: v.given.slug}}, more...)
}

func (v *request) trialsAt(q url.Values) string { return v.to("/"+v.given.slug+"/trials/", q) }

// line is a trial in a list.
type line struct {
	Link anchor
	*trials.Line
	Said []said
}

// said is where in a conversation something was found.
type said struct {
	Link  anchor
	Parts []trials.Part
}

// mostSaid is how many places of a conversation a list shows.
const mostSaid = 3

func (v *request) line(i int, q trials.Query) (line, error) {
	r := &v.rows[i]
	context := q.Values()
	if v.still {
		context = nil // a copy has one page for each trial, whatever list it was reached from
	}
	l := line{Link: anchor{To: v.trialAt(r, context), Text: fmt.Sprintf("%s / %d", r.Task, r.Trial)}, Line: r}
	found, err := v.given.index.Excerpts(r, q.Words(), mostSaid)
	for _, e := range found {
		l.Said = append(l.Said, said{anchor{To: l.Link.To + "#" + e.Passage.ID(), Text: e.Passage.String()}, e.Parts})
	}
	return l, err
}

// trials is the page that lists a run's trials.
func (v *request) trials() (page, error) {
	q := trials.NewQuery(v.query)
	found, err := v.find(q)
	if err != nil {
		return page{}, err
	}
	at := pageOf(v.query, len(found.Places))
	lines := make([]line, at.to-at.from)
	for k, i := range found.Places[at.from:at.to] {
		if lines[k], err = v.line(i, q); err != nil {
			return page{}, err
		}
	}
	data := ""
	if v.still {
		data = v.to("/"+v.given.slug+"/trials/search.js", nil)
	}
	content := map[string]any{"Data": data, "Lines": lines, "From": at.from + 1, "To": at.to, "Of": transcript.Grouped(int64(len(found.Places))), "All": v.trialsAt(nil), "Form": v.form(q),
		"Narrow": q.Narrow(), "Pages": v.pages(at, func(n int) string { return v.trialsAt(paged(q.Values(), n)) }), "Quick": v.quick(),
		"Matrix": v.to("/"+v.given.slug+"/matrix/", nil), "Outcomes": v.outcomes(q, found), "Columns": v.columns(q), "Unread": found.Unread, "Broken": found.Broken}
	v.list = v.live || found.Unread > 0
	return v.render("trials.html", "Trials of "+v.given.slug, v.crumbs(anchor{Text: "trials"}), content)
}

// outcomes count what is found, each a link to those alone.
func (v *request) outcomes(q trials.Query, found trials.Found) []anchor {
	var out []anchor
	for _, o := range trials.Outcomes() {
		if n := found.Counts[o]; n > 0 {
			a := anchor{Text: fmt.Sprintf("%s %s %s", transcript.Grouped(int64(n)), o.Mark(), o), Class: string(o)}
			if !v.still {
				a.To = v.trialsAt(q.With("outcome", string(o)).Values())
			}
			out = append(out, a)
		}
	}
	return out
}

// columns are the headings of the list.
func (v *request) columns(q trials.Query) []heading {
	var keys []sortKey
	for _, c := range trials.Columns() {
		keys = append(keys, sortKey{c.Key, c.Title, c.Numeric})
	}
	return v.headings("/"+v.given.slug+"/trials/", q.With(trials.Sort).Values(), q.Values().Get(trials.Sort), keys)
}

// choice is a value of a field of the form.
type choice struct {
	Value  string
	Count  int
	Chosen bool
}

// choices is a field of the form: values to tick, or else entries to type into, with suggestions.
type choices struct {
	Name, Title string
	Chosen      []string
	Choices     []choice
	Known       []string
}

// form has what a reader can filter by, as the query has it.
func (v *request) form(q trials.Query) map[string]any {
	var ticked, typed []choices
	tools, stopped := v.given.index.Names()
	suggested := map[string][]string{"tool": tools, "stopped": append(stopped, trials.Any)}
	for _, f := range trials.Fields() {
		c := choices{Name: f.Name, Title: f.Title, Chosen: q.Of(f.Name), Known: suggested[f.Name]}
		if !f.Listed() {
			c.Chosen = append(slices.Clone(c.Chosen), "")
			typed = append(typed, c)
			continue
		}
		names, count := trials.Choices(v.rows, f)
		for _, name := range names {
			c.Choices = append(c.Choices, choice{name, count[name], slices.Contains(c.Chosen, name) || slices.Contains(c.Chosen, trials.Any)})
		}
		if len(names) > 1 || len(c.Chosen) > 0 {
			ticked = append(ticked, c)
		}
	}
	return map[string]any{"Ticked": ticked, "Typed": typed, "Text": q.Values().Get(trials.Text), "Sort": q.Values().Get(trials.Sort)}
}

// quick are links that narrow a list without a form: what a copy has of filters without the script.
func (v *request) quick() []anchor {
	if !v.still {
		return nil
	}
	out := []anchor{{To: v.trialsAt(nil), Text: "all"}}
	for _, f := range trials.Fields()[:3] { // domain, system, outcome
		names, _ := trials.Choices(v.rows, f)
		for _, name := range names {
			out = append(out, anchor{To: v.trialsAt(url.Values{f.Name: {name}}), Text: name})
		}
	}
	return out
}

// mostCopied is how many bytes of what was said a copy has for its search.
const mostCopied = 32 << 20

// rowsAsData is the list of a copy as data: its script filters, sorts and searches with it.
func (v *request) rowsAsData() (page, error) {
	rows, left := trials.Rows(v.run, v.rows, mostCopied)
	for i := range rows {
		r := &v.rows[i]
		rows[i].Link = v.trialAt(r, nil)
		rows[i].Cells = []string{r.Outcome.Mark() + " " + string(r.Outcome), fmt.Sprintf("%s / %d", transcript.Safe(r.Task), r.Trial), transcript.Safe(r.System),
			transcript.Safe(r.Domain), string(r.Slice), reward(r.Reward), transcript.Safe(string(r.Ending) + " " + r.Why), strconv.Itoa(r.Steps), transcript.Cost(r.Cost), transcript.Tokens(r.Tokens),
			transcript.Seconds(r.Seconds), strconv.Itoa(r.Attempts)}
	}
	data, err := json.Marshal(map[string]any{"rows": rows, "left": left, "columns": trials.ColumnKeys()})
	return page{status: http.StatusOK, kind: scriptType, body: fmt.Appendf(nil, "window.listed = %s;\n", data)}, err
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
func (v *request) trialAt(r *trials.Line, q url.Values) string { return v.to(v.path(r), q) }

func (v *request) path(r *trials.Line) string {
	return fmt.Sprintf("/%s/trial/%s/%s/%s/%d/", v.given.slug, v.domains.slug[r.Domain], v.systems.slug[r.System], v.tasks.slug[r.Task], r.Trial)
}
