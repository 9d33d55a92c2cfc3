package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// complain notes what is wrong with the value at a path.
type complain func(path, format string, args ...any)

// check looks at what the schema cannot: names that must exist and names that must differ.
func (c *Config) check() error {
	var found []error
	add := func(path, format string, args ...any) {
		found = append(found, c.source.errorf(path, format, args...))
	}
	if strings.TrimSpace(c.Note) == "" {
		add("note", "note is blank%s", purpose("note"))
	}
	c.checkModel(add, "user.model", c.User.Model)
	if c.Judge.Model != "" {
		c.checkModel(add, "judge.model", c.Judge.Model)
	}
	c.checkModels(add)
	c.checkDomains(add)
	c.checkAttack(add)
	c.checkSystems(add)
	return joined(found)
}

// checkModel looks at the name of a model.
func (c *Config) checkModel(add complain, path, name string) {
	if _, ok := c.Models[name]; !ok {
		add(path, "%s: no model %q under models\nhint: %s", path, name, yamlfile.Suggest(name, slices.Sorted(maps.Keys(c.Models))))
	}
}

func (c *Config) checkModels(add complain) {
	for name, m := range c.Models {
		at := modelPath(name)
		if !m.Synthetic && (m.Mistakes != nil || m.FollowsGuidance != nil) {
			add(at, "%s: mistakes and follows_guidance are for scripted models\nhint: add synthetic: true, or remove them", at)
		}
		req := m.Request()
		if m.Seed == nil || *m.Seed {
			req.Seed = &c.Seed
		}
		for key := range m.Extra {
			if err := req.CheckExtra(key); err != nil {
				add(yamlfile.Join(at+".extra", key), "%s.extra: %w", at, err)
			}
		}
	}
}

func (c *Config) checkDomains(add complain) {
	seen := map[string]bool{}
	for i, d := range c.Domains {
		at := fmt.Sprintf("domains[%d]", i)
		if _, err := all.Domain(d.Name); err != nil {
			add(at+".name", "%s: %w", at, err)
		}
		if seen[d.Name] {
			add(at+".name", "%s: domain %s is listed twice\nhint: put all its tasks into one entry, or into another run", at, d.Name)
		}
		seen[d.Name] = true
		for k, id := range d.Tasks {
			if slices.Contains(d.Tasks[:k], id) {
				path := fmt.Sprintf("%s.tasks[%d]", at, k)
				add(path, "%s: task %q is listed twice", path, id)
			}
		}
	}
}

func (c *Config) checkSystems(add complain) {
	seen := map[string]string{} // by lower case
	for i, s := range c.Systems {
		at := fmt.Sprintf("systems[%d]", i)
		folded := strings.ToLower(s.Name)
		switch other, dup := seen[folded]; {
		case dup && other == s.Name:
			add(at+".name", "%s: system %q is listed twice\nhint: give each its own name", at, s.Name)
		case dup:
			add(at+".name", "%s: system %q differs from %q by case only, which some file systems cannot tell apart\nhint: rename one", at, s.Name, other)
		}
		seen[folded] = s.Name
		if err := printable(s.Name); err != nil {
			add(at+".name", "%s.name: %w", at, err)
		}
		entry, err := agents.FindAgent(s.Agent)
		switch {
		case err != nil:
			add(at+".agent", "%s: %w", at, err)
		case entry.Model && s.Model == "":
			add(at, "%s: agent %s needs a model\nhint: add model, a name under models", at, s.Agent)
		}
		if s.Model != "" {
			c.checkModel(add, at+".model", s.Model)
		}
		for k, name := range s.Domains {
			if path := fmt.Sprintf("%s.domains[%d]", at, k); c.Domain(name) == nil {
				add(path, "%s: the config has no domain %q\nhint: add it under domains, or remove it here", path, name)
			}
		}
		for k, o := range s.Overlays {
			if _, err := agents.FindOverlay(o.Name); err != nil {
				path := fmt.Sprintf("%s.overlays[%d]", at, k)
				add(path, "%s: %w", path, err)
			}
		}
	}
}

// printable checks the name of a system, which tables and keys of trials show.
func printable(name string) error {
	if strings.TrimSpace(name) != name || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return errors.New("the name has characters that cannot be shown\nhint: use letters, digits and plain signs")
	}
	if strings.Contains(name, "/") {
		return errors.New("the name has a slash, which separates the parts of a trial's key, as in domain/system/task/trial\nhint: use another sign")
	}
	return nil
}
