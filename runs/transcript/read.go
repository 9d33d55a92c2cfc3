package transcript

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
)

// Reader reads trials of a run with all that is known about them. Safe for concurrent use.
type Reader struct {
	Run *store.Run
	// World is the data of a domain, with the tasks that an imported run brought in place of its own.
	World func(domain string) (*domains.World, error)
	// Brought is a task as an imported run brought it; nil if it did not.
	Brought func(id string) *domains.Task

	guides sync.Map // func() *Guides by system and domain
}

// Read reads an attempt at a planned trial. An error means that there is no record of it; what else cannot be read the trial
// says itself.
func (r *Reader) Read(p config.Planned, attempt int) (Trial, error) {
	ref, m := store.Ref{Key: p.Key, Attempt: attempt}, r.Run.Manifest()
	rec, _, err := r.Run.RecordInside(ref)
	if err != nil {
		return Trial{}, err
	}
	t := Trial{Record: rec, Scripted: r.Run.Scripted(), Attack: NewAttack(r.Run.Attack(), r.Run.Attacks(p.Domain), p.Task), Note: p.Note,
		Slice: metrics.Outcome{Mut: p.Mut, Unclassified: p.Unclassified}.Slice(), Workflows: m.Authored(p.System, p.Domain)}
	if t.Score, err = r.Run.Score(ref); err != nil {
		t.Unscored = err.Error()
	}
	switch t.World, err = r.World(p.Domain); {
	case errors.Is(err, store.ErrData):
		t.Task, t.Missing = r.Brought(p.Task), err.Error()
	case err != nil:
		t.Task, t.Missing = r.Brought(p.Task), fmt.Sprintf("the data cannot be read: %v", err)
	default:
		if t.Task, _ = t.World.Task(p.Task); t.Task == nil {
			t.Missing = "it is no longer in the data"
		}
	}
	t.Guides = r.guidesOf(m, p, t.World)
	return t, nil
}

// guidesOf finds what guided a system, once for all of its trials in a domain.
func (r *Reader) guidesOf(m store.Manifest, p config.Planned, w *domains.World) *Guides {
	key := [2]string{p.System, p.Domain}
	g, _ := r.guides.LoadOrStore(key, sync.OnceValue(func() *Guides { return GuidesOf(m, p.System, w, p.Domain) }))
	return g.(func() *Guides)()
}

// Prepare reads what trials of the run share before one of them is read: the data of the domains, and the workflows of the
// systems with their checks. What cannot be read the trials say themselves.
func (r *Reader) Prepare() {
	m, seen := r.Run.Manifest(), map[[2]string]bool{}
	for _, p := range r.Run.Plan() {
		key := [2]string{p.System, p.Domain}
		if seen[key] {
			continue
		}
		seen[key] = true
		w, _ := r.World(p.Domain)
		if g := r.guidesOf(m, p, w); g.checker != nil {
			_, _ = g.checker()
		}
	}
}

// Notices say what of the trial could not be read.
func (t Trial) Notices() (out []string) {
	if t.Unscored != "" {
		out = append(out, "without the score: "+t.Unscored)
	}
	if t.Missing != "" && (t.Task == nil || t.Task.Criteria == nil) {
		out = append(out, "without the task: "+t.Missing)
	}
	return out
}
