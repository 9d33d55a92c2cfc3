package tau2

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/store"
)

// World opens the domain of a result, in the variant that the result was made with, on a data folder or the embedded
// data (domains.OpenData), with the tasks of a split.
func (s *Source) World(data, split string) (*domains.World, error) {
	_, policy := s.Header.Facts.Domain()
	return openWorld(s.Domain(), data, domains.Options{Policy: policy, Solo: s.Header.Facts.Solo(), Split: split})
}

// RunWorld opens a domain of a run on other data than its own.
func RunWorld(r *store.Run, domain, data string) (*domains.World, error) {
	o := domains.Options{}
	for _, c := range r.Manifest().Config.Domains {
		if c.Name == domain {
			o = domains.Options{Policy: c.PolicyType, Solo: c.Solo, Split: c.Split}
		}
	}
	return openWorld(domain, data, o)
}

func openWorld(name, data string, o domains.Options) (*domains.World, error) {
	d, err := domains.OpenData(data)
	if err != nil {
		return nil, err
	}
	domain, err := all.Domain(name)
	if err != nil {
		return nil, err
	}
	w, err := domain.Open(d, o)
	if err != nil {
		return nil, fmt.Errorf("open domain %s: %w", name, err)
	}
	return w, nil
}
