package view

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/sim"
)

// mostOthers is how many trials a page offers to set beside, of each kind.
const mostOthers = 24

// others are trials that a page offers to set beside its own.
type others struct {
	Title string
	Links []anchor
}

// others lists what may stand beside a trial: the other systems at it, the other trials of the system, other runs. In a
// copy these are the first system beside each other one, and the runs after the first; all pairs would be too many pages.
func (v *visit) others(r *row) []others {
	systems, trials := others{Title: "other systems"}, others{Title: "other trials"}
	same := v.task(r)
	for i := range same {
		o := &same[i]
		if o.Key == r.Key || !o.held || !r.held {
			continue
		}
		if o.Trial == r.Trial && v.paired(r, o) && len(systems.Links) < mostOthers {
			systems.Links = append(systems.Links, v.pair(r, v.place, v.snapshot, o, show.Safe(o.System)))
		}
		if o.System == r.System && !v.still() && len(trials.Links) < mostOthers {
			trials.Links = append(trials.Links, v.pair(r, v.place, v.snapshot, o, strconv.Itoa(o.Trial)))
		}
	}
	elsewhere := others{Title: "other runs"}
	for _, place := range v.site.shelf {
		if place == v.place || v.still() && v.place != v.site.shelf[0] {
			continue
		}
		s, err := place.snapshot()
		if err != nil {
			continue // its own page tells
		}
		if at, ok := s.find(r.Key); ok && s.rows[at].held && r.held {
			elsewhere.Links = append(elsewhere.Links, v.pair(r, place, s, &s.rows[at], place.slug))
		}
	}
	return slices.DeleteFunc([]others{systems, trials, elsewhere}, func(o others) bool { return len(o.Links) == 0 })
}

// paired reports whether a copy has a page for a pair of systems.
func (v *visit) paired(r, o *row) bool {
	first := v.systems.list[0]
	return !v.still() || r.System == first || o.System == first
}

// pair is the link to two trials side by side. In a copy the first system is always on the left, so that there is one page
// for both ways.
func (v *visit) pair(r *row, place *shelved, s *snapshot, o *row, name string) anchor {
	left, right, from, at := r, o, v.place, place
	if v.still() && place == v.place && o.System == v.systems.list[0] {
		left, right = o, r
	}
	to := fmt.Sprintf("%sbeside/%s/%s/%d/", v.path(from, v.snapshot, left), at.slug, s.systems.slug[right.System], right.Trial)
	return anchor{To: v.to(to, nil, ""), Text: textOf(name), Class: string(o.outcome), Hint: string(o.outcome)}
}

// half is one of two conversations side by side.
type half struct {
	Name    text
	Link    string
	Outcome outcome
	Mark    string
	Ended   text
	Reward  string
	Notices []text

	Synthetic bool
}

// sideStep is what happened at one message in both.
type sideStep struct {
	Same, First bool // the messages are alike; the first that are not
	Halves      [2]*step
}

// beside is the page of two conversations. other is the slugs of a run and a system, and the number of a trial.
func (v *visit) beside(r *row, other []string) (page, error) {
	w := &visit{site: v.site, linker: v.linker}
	if err := w.enter(other[0]); err != nil {
		return page{}, err
	}
	at, err := w.snapshot.locate([]string{w.domains.slug[r.Domain], other[1], w.tasks.slug[r.Task], other[2]})
	if err != nil {
		return page{}, err
	}
	left, a, err := v.half(r, "a")
	if err != nil {
		return page{}, err
	}
	right, b, err := w.half(&w.rows[at], "b")
	if err != nil {
		return page{}, err
	}
	steps, first := aligned(left, right)
	content := map[string]any{"Left": a, "Right": b, "Steps": steps, "First": first, "Same": first < 0}
	here := fmt.Sprintf("%s / %d", r.Task, r.Trial)
	return v.render("beside.html", "Side by side: "+here, v.crumbs(anchor{To: v.trialAt(r, nil), Text: textOf(here)}, anchor{Text: textOf("side by side")}), content)
}

// conversation is a record laid out.
type conversation struct {
	record sim.Record
	steps  []step
}

// half reads one side. Its run is named, since the two may be of different ones.
func (v *visit) half(r *row, prefix string) (conversation, half, error) {
	ref, err := v.counting(r)
	if err != nil {
		return conversation{}, half{}, err
	}
	w, notices, err := v.snapshot.view(ref, r.mut)
	if err != nil {
		return conversation{}, half{}, fmt.Errorf("%s: %w", r.Key.String(), err)
	}
	h := half{Name: textOf(fmt.Sprintf("%s, trial %d, run %s", r.System, r.Trial, v.place.slug)), Link: v.trialAt(r, nil), Outcome: r.outcome, Mark: r.outcome.mark(),
		Ended: textOf(fmt.Sprintf("%s after %d steps", w.Record.Termination, w.Record.Steps)), Reward: rewardOf(w).Value, Synthetic: w.Record.Synthetic}
	for _, n := range notices {
		h.Notices = append(h.Notices, textOf(n))
	}
	return conversation{w.Record, newTalker(w, prefix).steps()}, h, nil
}

// aligned sets two conversations side by side, message by message. Up to the first difference they go the same way, so
// that this is where both stand at the same point of the task; first is -1 if there is none.
func aligned(a, b conversation) (out []sideStep, first int) {
	first = divergence(a.record.Messages, b.record.Messages)
	for i := range max(len(a.steps), len(b.steps)) {
		s := sideStep{Same: first < 0 || i < first, First: i == first}
		if i < len(a.steps) {
			s.Halves[0] = &a.steps[i]
		}
		if i < len(b.steps) {
			s.Halves[1] = &b.steps[i]
		}
		out = append(out, s)
	}
	return out, first
}

// divergence is the place of the first message that two conversations do not share; -1 if they share all.
func divergence(a, b []sim.Message) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !alike(a[i], b[i]) {
			return i
		}
	}
	return -1
}

// alike compares what two messages say and do. The names of calls, which models make up, and times are left out.
func alike(a, b domains.Message) bool {
	if a.Role != b.Role || a.TextOf() != b.TextOf() || a.Error != b.Error || a.Side() != b.Side() || len(a.ToolCalls) != len(b.ToolCalls) {
		return false
	}
	for i := range a.ToolCalls {
		if show.CallText(a.ToolCalls[i]) != show.CallText(b.ToolCalls[i]) {
			return false
		}
	}
	return true
}
