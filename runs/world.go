package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// ErrConfig marks errors about what the user asked for: the config, the options, or their conflict with a run that is
// there already.
var ErrConfig = errors.New("bad config")

// asked marks an error with ErrConfig, without a word.
type asked struct{ error }

func (a asked) Unwrap() error        { return a.error }
func (a asked) Is(target error) bool { return target == ErrConfig }

func configFault(err error) error {
	if err == nil {
		return nil
	}
	return asked{err}
}

// ErrData marks that the data of a run is not at hand, or is not what it was when the run was made.
var ErrData = errors.New("data of the run not at hand")

// World opens the data that a domain of the run was made with, to look at tasks or to score again. env resolves the
// variables in the config's data. Errors are ErrData where the data is gone or changed.
func (r *Run) World(domain string, env func(string) string) (*domains.World, error) {
	c := *r.manifest.Config
	i := slices.IndexFunc(c.Domains, func(d Domain) bool { return d.Name == domain })
	if i < 0 {
		return nil, fmt.Errorf("run %s has no domain %q", r.dir, domain)
	}
	c.Domains = c.Domains[i : i+1]
	c.source = &source{file: manifestName, at: map[string]position{}, unset: map[string]string{}, raw: map[string]string{}}
	data := map[string]any{"data": c.Data}
	expand(data, "data", "data", c.source, env)
	c.Data = fmt.Sprint(data["data"])
	if err := c.source.needed("data", ""); err != nil { // unlike for a run, no flag helps here
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	worlds, err := bareWorlds(&c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	w := worlds[domain]
	if changed := changedSources(r.manifest.Data[domain], w.Sources); changed != "" {
		return nil, fmt.Errorf("%w: %s of domain %s is not what it was when %s was run: bring the old data back, or run anew",
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

// Script returns the behaviour of the config's scripted agents, for a server that plays them: that of the one scripted
// model that systems use, or else of any. Where several differ there is no one answer, which is an error.
func (c *Config) Script() (synthetic.Config, error) {
	var names []string
	for _, s := range c.Systems {
		if c.Models[s.Model].Synthetic && !slices.Contains(names, s.Model) {
			names = append(names, s.Model)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		if len(names) == 0 && c.Models[name].Synthetic {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return synthetic.Config{}, configFault(c.source.errorf("models", "models: none is scripted: mark one with synthetic: true"))
	}
	first := c.Models[names[0]].Scripted()
	for _, name := range names[1:] {
		other := c.Models[name].Scripted()
		if other.Mistakes != first.Mistakes || other.FollowsGuidance != first.FollowsGuidance {
			return synthetic.Config{}, configFault(c.source.errorf(join("models", name),
				"scripted models %s and %s of the systems behave differently, but one server has one script: make them alike", names[0], name))
		}
	}
	if err := first.Check(); err != nil {
		return synthetic.Config{}, configFault(c.source.errorf(join("models", names[0]), "%w", err))
	}
	return first, nil
}
