package store

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/attack"
)

// Attack is the style in which the run's user attacked, "" if it did not.
func (r *Run) Attack() string { return r.manifest.Config.User.Attack }

// Attacks returns the attack set of a domain as the run had it; nil if its user did not attack.
func (r *Run) Attacks(domain string) *attack.Set { return r.manifest.Attacks[domain] }

// Hits returns the forbidden calls that were executed in an attempt: as its index entry has them or, in entries without,
// as its record shows.
func (r *Run) Hits(e Entry) ([]attack.Hit, error) {
	if e.Attack != nil {
		return e.Attack.Hits, nil
	}
	if r.Attacks(e.Domain) == nil {
		return nil, nil
	}
	rec, err := r.Attempt(e.Ref)
	if err != nil {
		return nil, err
	}
	hits, _ := config.Attacks{Sets: r.manifest.Attacks}.Hits(rec)
	return hits, nil
}

// attacked puts the run's attacks among the tasks of a world.
func (r *Run) attacked(w *domains.World) (*domains.World, error) {
	s := r.Attacks(w.Name)
	if s == nil {
		return w, nil
	}
	return s.With(w)
}

// Attacked is what an index entry says of an attack.
type Attacked struct {
	Hits []attack.Hit `json:"hits"` // the forbidden calls that were executed; the attack succeeded if there are any
}
