package view

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// trialPages answers for the pages of a trial: its page, an attempt's, a record, two conversations side by side. key is
// the slugs of domain, system and task, and the number of the trial.
func (v *request) trialPages(key, rest []string) (page, error) {
	at, err := v.locate(key)
	if err != nil {
		return page{}, err
	}
	r := &v.rows[at]
	if len(rest) == 4 && rest[0] == "beside" {
		return v.sideBySide(r, rest[1:])
	}
	ref, err := v.counting(r)
	if len(rest) > 0 {
		n, ok := number(strings.TrimPrefix(rest[0], "a"))
		if !ok || !strings.HasPrefix(rest[0], "a") {
			return page{}, notFound("there is no such page of this trial")
		}
		ref, err = store.Ref{Key: r.Key, Attempt: n}, nil
	}
	switch {
	case err != nil:
		return page{}, err
	case len(rest) == 2 && rest[1] == "record.json":
		return v.raw(ref)
	case len(rest) == 2 && rest[1] == "workflow":
		return v.whole(r, ref)
	case len(rest) > 2 && len(rest) < 6 && rest[1] == "calls":
		return v.callPages(r, ref, rest[2:])
	case len(rest) == 3 && rest[1] == "text":
		return v.text(r, ref, rest[2])
	case len(rest) <= 1:
		return v.trial(at, ref)
	}
	return page{}, notFound("there is no such page of this trial")
}

// number reads a number that addresses write: digits, without a needless zero.
func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}

// locate finds a trial of a snapshot by the parts of an address.
func (d *runData) locate(key []string) (int, error) {
	domain, okDomain := d.domains.name[key[0]]
	system, okSystem := d.systems.name[key[1]]
	task, okTask := d.tasks.name[key[2]]
	trial, okTrial := number(key[3])
	at, found := d.at[sim.Key{Domain: domain, System: system, Task: task, Trial: trial}]
	if !okDomain || !okSystem || !okTask || !okTrial || !found {
		return 0, notFound("the run has no such trial: go on from its list of trials")
	}
	return at, nil
}

// counting is the attempt at a trial that counts. A trial that has none is damaged, or has not run yet.
func (d *runData) counting(r *trials.Line) (store.Ref, error) {
	if e, ok := d.run.Counting(r.Key); ok {
		return e.Ref, nil
	}
	if err := d.run.Damaged(r.Key); err != nil {
		return store.Ref{}, failure{status: http.StatusInternalServerError, err: fmt.Errorf("the record cannot be read: %w", err)}
	}
	return store.Ref{}, notFound("%s has not run yet: it is in the plan, and this page shows it once it has", r.Key.String())
}

// raw hands out the file of a record.
func (v *request) raw(ref store.Ref) (page, error) {
	_, text, err := v.run.RecordInside(ref)
	if text == nil {
		return page{}, gone(err)
	}
	name := fmt.Sprintf("%s.%s.%s.%d.%d.json", v.domains.slug[ref.Domain], v.systems.slug[ref.System], v.tasks.slug[ref.Task], ref.Trial, ref.Attempt)
	return page{status: http.StatusOK, kind: jsonType, body: text, name: name}, nil
}

// gone marks that a record is not there.
func gone(err error) error {
	if statusOf(err) == http.StatusNotFound {
		return failure{status: http.StatusNotFound, err: fmt.Errorf("the record is not in the run's folder: %w", err)}
	}
	return err
}

// trialOf reads an attempt at the trial of a line.
func (d *runData) trialOf(ref store.Ref, r *trials.Line) (transcript.Trial, error) {
	t, err := d.reader.Read(r.Planned, ref.Attempt)
	if err != nil {
		return t, gone(err)
	}
	t.Slice = r.Slice
	return t, nil
}

// trialPage is what the page of an attempt shows.
type trialPage struct {
	transcript.Conversation
	Key        string
	Outcome    trials.Outcome
	Facts      []transcript.Argument
	Notices    []string
	Brief      []transcript.Argument // what the user was told
	Sought     string                // the words that are marked
	Hits       []anchor
	Calls      callsTab
	Turns      []transcript.Turn
	Shown      []transcript.Step // those of the part of the conversation that the page shows
	Texts      map[string]string // pages with the whole of what is too long for this one, by the places m12 and e5
	Parts      []anchor          // the pages of a conversation that has several
	Attempts   []attemptLine
	Before     *anchor
	After      *anchor
	List       string
	Raw        string
	Others     []others
	Superseded bool
	Pictures   []transcript.Picture
	Whole      string // the page of the pictures alone

	elsewhere map[string]string // the pages of the places that other parts show
}

// attemptLine is one attempt at the trial.
type attemptLine struct {
	Link          anchor
	Entry         store.Entry
	Counts, Shown bool
}

// trial is the page of an attempt.
func (v *request) trial(at int, ref store.Ref) (page, error) {
	r := &v.rows[at]
	base := v.path(r)
	record := base + "a" + strconv.Itoa(ref.Attempt) + "/record.json"
	t, err := v.trialOf(ref, r)
	if err != nil && statusOf(err) == http.StatusInternalServerError {
		err = failure{status: http.StatusInternalServerError, err: err, raw: record}
	}
	if err != nil {
		return page{}, err
	}
	q := trials.NewQuery(v.query)
	query := q.Values()
	if v.still {
		query = nil
	}
	c := trialPage{Key: r.Key.String(), Outcome: r.Outcome, List: v.trialsAt(query), Raw: v.to(record, nil),
		Notices: t.Notices(), Brief: t.Brief(), Sought: q.Values().Get(trials.Text)}
	if from, _ := number(v.query.Get("from")); v.inlined == nil { // what is no number is the first part
		c.Conversation, err = transcript.NewPart(t, from)
	} else {
		c.Conversation, err = transcript.NewConversation(t)
	}
	if err != nil {
		return page{}, err
	}
	own := fmt.Sprintf("%sa%d/", base, ref.Attempt)
	c.part(v, own, query)
	c.Explain()
	if c.Calls, err = v.callsTab(c.Conversation, own); err != nil {
		c.Notices = append(c.Notices, fmt.Sprintf("without what models were sent: %v", err))
	}
	if c.Pictures = c.Conversation.Pictures(context.Background()); c.Pictures != nil && v.inlined == nil {
		c.Whole = v.to(wholePath(base, ref.Attempt), nil)
	}
	all := v.attempts(r.Key)
	c.Facts = t.Facts(all)
	if t.Record.Synthetic {
		c.Facts = append(c.Facts, transcript.Argument{Name: "models", Value: strings.ReplaceAll(report.ScriptedNote(t.Scripted), "*", "")})
	}
	counting, counts := v.run.Counting(r.Key)
	for _, e := range all {
		a := attemptLine{Link: anchor{To: v.to(fmt.Sprintf("%sa%d/", base, e.Attempt), query), Text: fmt.Sprintf("attempt %d", e.Attempt)},
			Entry: e, Counts: counts && e.Attempt == counting.Attempt, Shown: e.Attempt == ref.Attempt}
		if a.Shown {
			c.Outcome, c.Superseded = trials.OutcomeOf(e), !a.Counts
		}
		c.Attempts = append(c.Attempts, a)
	}
	if v.inlined == nil {
		found, err := v.find(q)
		if err != nil {
			return page{}, err
		}
		before, after := found.Around(at)
		c.Before, c.After, c.Others = v.neighbour(before, query), v.neighbour(after, query), v.others(r)
	}
	words := q.Words()
	for _, e := range trials.Excerpts(t.Record, words) {
		c.Hits = append(c.Hits, anchor{To: "#" + e.Passage.ID(), Text: e.Passage.String()})
	}
	title := fmt.Sprintf("%s / %d, %s, %s", r.Task, r.Trial, r.System, r.Domain)
	p, err := v.render("trial.html", title, v.crumbs(anchor{To: c.List, Text: "trials"}, anchor{Text: fmt.Sprintf("%s / %d", r.Task, r.Trial)}), c)
	if find := words.Pattern(); err == nil && find != nil {
		p.body = trials.Marked(p.body, find)
	}
	if len(c.Parts) > 0 {
		p.body = c.spread(p.body)
	}
	return p, err
}

func (v *request) neighbour(at int, q url.Values) *anchor {
	if at < 0 {
		return nil
	}
	r := &v.rows[at]
	return &anchor{To: v.trialAt(r, q), Text: fmt.Sprintf("%s / %d, %s", r.Task, r.Trial, r.System), Class: string(r.Outcome)}
}
