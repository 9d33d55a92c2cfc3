package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/synthetic"
)

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
		return synthetic.Config{}, domains.Usage(c.source.errorf("models", "models: none is scripted\nhint: mark one with synthetic: true"))
	}
	first := c.Models[names[0]].Scripted()
	for _, name := range names[1:] {
		other := c.Models[name].Scripted()
		if other.Mistakes != first.Mistakes || other.FollowsGuidance != first.FollowsGuidance {
			return synthetic.Config{}, domains.Usage(c.source.errorf(modelPath(name),
				"scripted models %s and %s of the systems behave differently, but one server has one script: make them alike", names[0], name))
		}
	}
	if err := first.Check(); err != nil {
		return synthetic.Config{}, domains.Usage(c.source.errorf(modelPath(names[0]), "%w", err))
	}
	return first, nil
}

// What a run is called whose models are scripted: all of them, or some of the systems' own.
const (
	AllScripted    = "synthetic"
	PartlyScripted = "partly scripted"
)

// Scripted says what of these systems' trials is scripted: nothing if it is "", or AllScripted; where the systems ask real
// models alone, the part that is not, such as "scripted user"; otherwise PartlyScripted.
func (c *Config) Scripted(systems []System) string {
	var parts []string
	scripted, real := 0, 0 // models of systems, and real ones in all parts
	for _, s := range systems {
		for _, name := range c.ModelsOf(s) {
			if c.Models[name].Synthetic {
				scripted++
			} else {
				real++
			}
		}
	}
	for _, r := range []struct{ role, model string }{{RoleUser, c.User.Model}, {RoleJudge, c.Judge.Model}} {
		switch {
		case r.model == "":
		case c.Models[r.model].Synthetic:
			parts = append(parts, r.role)
		default:
			real++
		}
	}
	switch {
	case scripted == 0 && len(parts) == 0:
		return ""
	case real == 0:
		return AllScripted
	case scripted == 0:
		return "scripted " + strings.Join(parts, " and ")
	}
	return PartlyScripted
}
