package view

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
)

// What a page of two conversations has.
const (
	mostOthers = 24   // trials that a page offers to set beside its own, of each kind
	mostBeside = 1000 // messages, of both sides together
)

// others are trials that a page offers to set beside its own.
type others struct {
	Title string
	Links []anchor
}

// others lists the trials that may be shown beside one: the other systems at it, the other trials of the system, other runs. In a
// copy these are the first system beside each other one, and the runs after the first; all pairs would be too many pages.
func (v *request) others(r *trials.Line) []others {
	if !r.Ran() {
		return nil
	}
	systems, again := others{Title: "other systems"}, others{Title: "other trials"}
	first := v.systems.list[0]
	same := trials.OfTask(v.rows, v.at[r.Key])
	for i := range same {
		o := &same[i]
		if o.Key == r.Key || !o.Ran() {
			continue
		}
		paired := !v.still || r.System == first || o.System == first
		if o.Trial == r.Trial && paired && len(systems.Links) < mostOthers {
			systems.Links = append(systems.Links, v.pair(r, v.given, v.runData, o, o.System))
		}
		if o.System == r.System && !v.still && len(again.Links) < mostOthers {
			again.Links = append(again.Links, v.pair(r, v.given, v.runData, o, strconv.Itoa(o.Trial)))
		}
	}
	elsewhere := others{Title: "other runs"}
	runs := v.site.opened()
	for _, place := range runs {
		if place == v.given || v.still && v.given != runs[0] {
			continue
		}
		d, err := place.read()
		if err != nil {
			continue // its own page tells
		}
		if at, ok := d.at[r.Key]; ok && d.rows[at].Ran() {
			elsewhere.Links = append(elsewhere.Links, v.pair(r, place, d, &d.rows[at], place.slug))
		}
	}
	return slices.DeleteFunc([]others{systems, again, elsewhere}, func(o others) bool { return len(o.Links) == 0 })
}

// pair is the link to two trials side by side. In a copy the first system is always on the left, so that there is one page
// for both ways.
func (v *request) pair(r *trials.Line, given *givenRun, d *runData, o *trials.Line, name string) anchor {
	left, right := r, o
	if v.still && given == v.given && o.System == v.systems.list[0] {
		left, right = o, r
	}
	to := fmt.Sprintf("%sbeside/%s/%s/%d/", v.path(left), given.slug, d.systems.slug[right.System], right.Trial)
	return anchor{To: v.to(to, nil), Text: name, Class: string(o.Outcome), Hint: string(o.Outcome)}
}

// side is what the page of two conversations says of one of them, above both.
type side struct {
	transcript.Conversation
	Name    string
	Link    string
	Outcome trials.Outcome
	Ended   string
	Notices []string
}

// sideBySide is the page of two conversations. other is the slugs of a run and a system, and the number of a trial.
func (v *request) sideBySide(r *trials.Line, other []string) (page, error) {
	w := &request{site: v.site, linker: v.linker}
	if err := w.enter(other[0]); err != nil {
		return page{}, err
	}
	at, err := w.locate([]string{w.domains.slug[r.Domain], other[1], w.tasks.slug[r.Task], other[2]})
	if err != nil {
		return page{}, err
	}
	left, err := v.side(r)
	if err != nil {
		return page{}, err
	}
	right, err := w.side(&w.rows[at])
	if err != nil {
		return page{}, err
	}
	pair := transcript.Beside(left.Conversation, right.Conversation)
	rows, cut := pair.Begin(mostBeside)
	content := map[string]any{"Left": left, "Right": right, "Pair": pair, "Rows": rows, "Cut": cut}
	here := fmt.Sprintf("%s / %d", r.Task, r.Trial)
	return v.render("pair.html", "Side by side: "+here, v.crumbs(anchor{To: v.trialAt(r, nil), Text: here}, anchor{Text: "side by side"}), content)
}

// side reads one side. Its run is named, since the two may be of different ones.
func (v *request) side(r *trials.Line) (s side, err error) {
	ref, err := v.counting(r)
	if err != nil {
		return s, err
	}
	t, err := v.trialOf(ref, r)
	if err != nil {
		return s, fmt.Errorf("%s: %w", r.Key.String(), err)
	}
	s = side{Name: fmt.Sprintf("%s, trial %d, run %s", r.System, r.Trial, v.given.slug), Link: v.trialAt(r, nil), Outcome: r.Outcome,
		Ended: fmt.Sprintf("%s after %d steps", t.Record.Termination, t.Record.Steps), Notices: t.Notices()}
	s.Conversation, err = transcript.NewConversation(t)
	return s, err
}
