package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/attack"
)

// ErrData marks that the data of a run is not at hand, or is not what it was when the run was made.
var ErrData = errors.New("data of the run not at hand")

// World opens the data that a domain of the run was made with, to look at tasks or to score again. env resolves the
// variables in the config's data. Errors are ErrData where the data is gone or changed.
func (r *Run) World(domain string, env func(string) string) (*domains.World, error) {
	c := r.manifest.Config
	if c.Domain(domain) == nil {
		return nil, fmt.Errorf("run %s has no domain %q", r.dir, domain)
	}
	w, err := c.BareWorld(domain, env)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	if changed := changedSources(r.manifest.Data[domain], w.Sources); changed != "" {
		return nil, fmt.Errorf("%w: %s of domain %s is not what it was when %s was run\nhint: bring the old data back, or start a new run",
			ErrData, changed, domain, r.dir)
	}
	if s := r.Attacks(domain); s != nil {
		return s.With(w)
	}
	return w, nil
}

// changedSources is the first file that is not what it was; "" if all are.
func changedSources(then, now []domains.Source) string {
	for _, s := range slices.Concat(now, then) {
		if !slices.Contains(then, s) || !slices.Contains(now, s) {
			return s.Path
		}
	}
	return ""
}

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

// Attacked is what an index entry says of an attack.
type Attacked struct {
	Hits []attack.Hit `json:"hits"` // the forbidden calls that were executed; the attack succeeded if there are any
}
