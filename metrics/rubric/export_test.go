package rubric

import (
	"slices"

	"github.com/tauguide/tauguide/domains"
)

// Unknown lists what a rubric names that a domain does not have: tools, sorted. It is empty for the rubrics that are
// built in.
func (r *Rubric) Unknown(w *domains.World) []string {
	var named []string
	for _, s := range r.events {
		named = append(named, s.Call...)
	}
	for _, c := range r.Checks {
		named = slices.Concat(named, c.When.Gold, c.When.GoldAll, c.When.GoldNone)
	}
	slices.Sort(named)
	return slices.DeleteFunc(slices.Compact(named), func(name string) bool {
		_, known := w.Agent.Tool(name)
		if !known && w.User != nil {
			_, known = w.User.Tool(name)
		}
		return known
	})
}
