package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tauguide/tauguide/domains"
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
		return nil, fmt.Errorf("%w: %s of domain %s is not what it was when %s was run\nhint: bring the old data back, or run anew",
			ErrData, changed, domain, r.dir)
	}
	return r.attacked(w)
}

func changedSources(then, now []domains.Source) string {
	was := map[string]string{}
	for _, s := range then {
		was[s.Path] = s.SHA256
	}
	for _, s := range now {
		if was[s.Path] != s.SHA256 {
			return s.Path
		}
		delete(was, s.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(was)) {
		return path
	}
	return ""
}
