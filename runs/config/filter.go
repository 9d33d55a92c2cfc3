package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// filter is a set of --only conditions: a trial passes if, for every key that has any, one of the values is its own.
type filter map[string][]string

// filterKeys are the keys that a filter may have.
var filterKeys = []string{"agent", "domain", "system", "task", "trial"}

// FilterKeys are what conditions begin with.
func FilterKeys() []string {
	var out []string
	for _, k := range filterKeys {
		out = append(out, k+"=")
	}
	return out
}

// parseFilter reads conditions key=value or key=value,value. Repeating a key adds to its values.
func parseFilter(conditions []string) (filter, error) {
	f := filter{}
	for _, c := range conditions {
		key, values, ok := strings.Cut(c, "=")
		key = strings.TrimSpace(key)
		if !ok || values == "" {
			return nil, fmt.Errorf("filter %q is no condition\nhint: write it as key=value, with a key of %s", c, strings.Join(filterKeys, ", "))
		}
		if !slices.Contains(filterKeys, key) {
			return nil, fmt.Errorf("filter %q: unknown key %q\nhint: %s", c, key, yamlfile.Suggest(key, filterKeys))
		}
		f[key] = append(f[key], values)
	}
	return f, nil
}

// value is what a trial shows to a filter. agents maps a system to its agent.
func (p Planned) value(key string, agents map[string]string) string {
	return map[string]string{"domain": p.Domain, "system": p.System, "agent": agents[p.System], "task": p.Task, "trial": strconv.Itoa(p.Trial)}[key]
}

// apply keeps the trials that pass the conditions on these keys. A value that no trial has is an error: most likely it is a
// typing mistake, and a run of nothing helps nobody.
func (f filter) apply(plan []Planned, agents map[string]string, keys ...string) ([]Planned, error) {
	wanted := map[string]map[string]bool{}
	for _, key := range keys {
		if len(f[key]) == 0 {
			continue
		}
		known := map[string]bool{}
		for _, p := range plan {
			known[p.value(key, agents)] = true
		}
		wanted[key] = map[string]bool{}
		for _, c := range f[key] {
			parts := strings.Split(c, ",")
			if known[c] { // ids may hold commas
				parts = []string{c}
			}
			for _, v := range parts {
				if !known[v] {
					return nil, fmt.Errorf("filter %s=%s: no trial has the %s %q\nhint: %s", key, c, key, v, suggestOf(v, known))
				}
				wanted[key][v] = true
			}
		}
	}
	out := plan
	for key, values := range wanted {
		out = slices.DeleteFunc(slices.Clone(out), func(p Planned) bool { return !values[p.value(key, agents)] })
	}
	if len(out) == 0 && len(plan) > 0 {
		return nil, fmt.Errorf("the filters together leave no trial\nhint: loosen one of them")
	}
	return out, nil
}

// suggestOf is yamlfile.Suggest for a set that may be large.
func suggestOf(word string, known map[string]bool) string {
	names := slices.Sorted(maps.Keys(known))
	if len(names) > 12 && yamlfile.Nearest(word, names) == "" {
		names = append(names[:12:12], "…")
	}
	return yamlfile.Suggest(word, names)
}
