package view

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// trialPages answers for what lies below a trial: its page, an attempt's, a record, two conversations side by side. key is
// the slugs of domain, system and task, and the number of the trial.
func (v *visit) trialPages(key, rest []string) (page, error) {
	at, err := v.snapshot.locate(key)
	if err != nil {
		return page{}, err
	}
	r := &v.rows[at]
	if len(rest) == 4 && rest[0] == "beside" {
		return v.beside(r, rest[1:])
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
func (s *snapshot) locate(key []string) (int, error) {
	domain, okDomain := s.domains.name[key[0]]
	system, okSystem := s.systems.name[key[1]]
	task, okTask := s.tasks.name[key[2]]
	trial, okTrial := number(key[3])
	at, found := s.find(sim.Key{Domain: domain, System: system, Task: task, Trial: trial})
	if !okDomain || !okSystem || !okTask || !okTrial || !found {
		return 0, notFound("the run has no such trial: go on from its list of trials")
	}
	return at, nil
}

// counting is the attempt at a trial that counts. A trial that has none is damaged, or was not held yet.
func (s *snapshot) counting(r *row) (store.Ref, error) {
	if e, ok := s.run.Counting(r.Key); ok {
		return e.Ref, nil
	}
	if err := s.run.Damaged(r.Key); err != nil {
		return store.Ref{}, failure{status: http.StatusInternalServerError, err: fmt.Errorf("the record cannot be read: %w", err)}
	}
	return store.Ref{}, notFound("%s was not held yet: it is in the plan, and this page shows it once it was", r.Key.String())
}

// raw hands out a record as it stands in the folder.
func (v *visit) raw(ref store.Ref) (page, error) {
	_, text, err := v.snapshot.run.RecordInside(ref)
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

// view reads what there is to know of an attempt. notice says what could not be found out.
func (s *snapshot) view(ref store.Ref, mut bool) (w show.View, notice []string, err error) {
	rec, _, err := s.run.RecordInside(ref)
	if err != nil {
		return w, nil, gone(err)
	}
	w = show.View{Record: rec, Attack: show.NewAttack(s.run.Attack(), s.run.Attacks(ref.Domain), ref.Task), Slice: metrics.PV}
	if mut {
		w.Slice = metrics.Mut
	}
	if w.Score, err = s.run.Score(ref); err != nil {
		notice = append(notice, fmt.Sprintf("without the score: %v", err))
	}
	world, err := s.source.World(ref.Domain)
	switch {
	case errors.Is(err, store.ErrData):
		notice = append(notice, fmt.Sprintf("without the task: %v", err))
	case err != nil:
		notice = append(notice, fmt.Sprintf("without the task: the data cannot be read: %v", err))
	default:
		if t, ok := world.Task(ref.Task); ok {
			w.Task = t
		} else {
			notice = append(notice, "without the task: it is no longer in the data")
		}
	}
	return w, notice, nil
}

// trialPage is what the page of an attempt shows.
type trialPage struct {
	Key        text
	Outcome    outcome
	Mark       string
	Facts      []fact
	Notices    []text
	Fault      *text
	Attack     *text
	Task       *taskPart
	Steps      []step
	Jumps      []anchor
	Reward     rewardPart
	Procedure  *procedurePart
	Usage      []usageLine
	Calls      []usageLine
	Attempts   []attemptLine
	Before     *anchor
	After      *anchor
	List       string
	Raw        string
	Others     []others
	Extra      *text
	Superseded bool
}

// attemptLine is one attempt at the trial.
type attemptLine struct {
	Link                        anchor
	Ending, Reward, Cost, Fault string
	Counts, Shown               bool
}

// trial is the page of an attempt.
func (v *visit) trial(at int, ref store.Ref) (page, error) {
	r := &v.rows[at]
	base := v.path(v.place, v.snapshot, r)
	record := base + "a" + strconv.Itoa(ref.Attempt) + "/record.json"
	w, notices, err := v.snapshot.view(ref, r.mut)
	if err != nil && statusOf(err) == http.StatusInternalServerError {
		err = failure{status: http.StatusInternalServerError, err: err, raw: record}
	}
	if err != nil {
		return page{}, err
	}
	f := filterOf(v.query)
	query := f.values()
	if v.still() {
		query = nil
	}
	c := trialPage{Key: textOf(r.Key.String()), Outcome: r.outcome, Mark: r.outcome.mark(), List: v.trialsAt(query),
		Raw: v.to(record, nil, "")}
	all, counting := v.attempts(r.Key), -1
	if e, ok := v.snapshot.run.Counting(r.Key); ok {
		counting = e.Attempt
	}
	c.Facts = factsOf(w, all)
	for _, n := range notices {
		c.Notices = append(c.Notices, textOf(n))
	}
	if b := w.Record.Fault; b != nil {
		told := textOf(fmt.Sprintf("%s (%s, message %d): %s", b.Kind, b.Side, b.Index, b.Text))
		c.Fault = &told
	}
	if said := w.Attack.Marks(w.Record).Outcome(); said != "" {
		told := textOf(said)
		c.Attack = &told
	}
	c.Task = taskOf(w)
	c.Steps = newTalker(w, "").steps()
	c.Jumps = jumps(w.Record)
	c.Reward = rewardOf(w)
	if c.Procedure, err = procedureOf(w); err != nil {
		return page{}, err
	}
	c.Usage, c.Calls = usageOf(w)
	for _, e := range all {
		counts := e.Attempt == counting
		if e.Attempt == ref.Attempt {
			c.Outcome, c.Mark = outcomeOf(e), outcomeOf(e).mark()
		}
		c.Attempts = append(c.Attempts, attemptLine{Link: anchor{To: v.to(fmt.Sprintf("%sa%d/", base, e.Attempt), query, ""), Text: textOf(fmt.Sprintf("attempt %d", e.Attempt))},
			Ending: show.Safe(string(e.Termination)), Reward: reward(e.Reward), Cost: cost(e.Cost), Fault: show.Safe(e.Fault), Counts: counts, Shown: e.Attempt == ref.Attempt})
		c.Superseded = c.Superseded || e.Attempt == ref.Attempt && !counts
	}
	before, after := v.around(f, at)
	c.Before, c.After = v.neighbour(before, query), v.neighbour(after, query)
	c.Others = v.others(r)
	if n := len(w.Record.Extra); n > 0 {
		told := textOf(fmt.Sprintf("%d field(s) of the file that it was imported from are in the record only", n))
		c.Extra = &told
	}
	title := fmt.Sprintf("%s / %d, %s, %s", r.Task, r.Trial, r.System, r.Domain)
	return v.render("trial.html", title, v.crumbs(anchor{To: c.List, Text: textOf("trials")}, anchor{Text: textOf(fmt.Sprintf("%s / %d", r.Task, r.Trial))}), c)
}

func (v *visit) neighbour(at int, q url.Values) *anchor {
	if at < 0 {
		return nil
	}
	r := &v.rows[at]
	return &anchor{To: v.trialAt(r, q), Text: textOf(fmt.Sprintf("%s / %d, %s", r.Task, r.Trial, r.System)), Class: string(r.outcome)}
}

// factsOf are the facts of a record in the order in which one asks for them.
func factsOf(w show.View, attempts []store.Entry) []fact {
	r := w.Record
	add := func(out []fact, name, format string, args ...any) []fact {
		return append(out, fact{Name: name, Value: textOf(fmt.Sprintf(format, args...))})
	}
	var out []fact
	out = add(out, "domain", "%s", r.Domain)
	out = add(out, "system", "%s", r.System)
	out = add(out, "ended", "%s after %d steps, %d failed calls", r.Termination, r.Steps, r.ToolErrors)
	if i := slices.IndexFunc(attempts, func(e store.Entry) bool { return e.Attempt == r.Attempt }); i >= 0 {
		e := &attempts[i]
		out = add(out, "spent", "%s, %s tokens, %s", cost(e.Cost), tokens(e.Tokens), seconds(e.Seconds))
	}
	out = add(out, "attempt", "%d, seed %d", r.Attempt, r.Seed)
	if r.Times.Started != "" {
		out = add(out, "held", "%s to %s", r.Times.Started, r.Times.Finished)
	}
	if r.Solo {
		out = add(out, "mode", "solo: without a user")
	}
	if r.Synthetic {
		out = add(out, "models", "%s", strings.ReplaceAll(report.SyntheticNote, "*", ""))
	}
	return out
}

// jumps lead to what a reader looks for first: failed calls, and what a guide held back.
func jumps(r sim.Record) []anchor {
	const most = 40
	var out []anchor
	for i, m := range r.Messages {
		if m.Error && len(out) < most {
			out = append(out, anchor{To: fmt.Sprintf("#m%d", i), Text: textOf(fmt.Sprintf("error at %d", i)), Class: "failed"})
		}
	}
	for k, e := range r.Events {
		if eventClass(e.Kind) == "refused" && len(out) < most {
			out = append(out, anchor{To: fmt.Sprintf("#e%d", k), Text: textOf(fmt.Sprintf("%s at %d", e.Kind, e.Index)), Class: "refused"})
		}
	}
	return out
}
