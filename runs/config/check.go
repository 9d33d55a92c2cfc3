package config

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// variable matches $NAME, ${NAME}, ${NAME:-default} and $$.
var variable = regexp.MustCompile(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}|\$([A-Za-z_][A-Za-z0-9_]*)`)

// expandAll replaces environment variables where configs may name them. One that is not set is noted: it is an error
// only if its value turns out to be needed.
func expandAll(tree any, s *source, env func(string) string) {
	top, _ := tree.(map[string]any)
	expand(top, "data", "data", s, env)
	if m, ok := top["cassette"].(map[string]any); ok {
		expand(m, "path", "cassette.path", s, env)
	}
	models, _ := top["models"].(map[string]any)
	for name, m := range models {
		if m, ok := m.(map[string]any); ok {
			for _, key := range []string{"base_url", "key", "model"} {
				expand(m, key, join(join("models", name), key), s, env)
			}
		}
	}
}

func expand(m map[string]any, key, path string, s *source, env func(string) string) {
	text, ok := m[key].(string)
	if !ok || !strings.Contains(text, "$") {
		return
	}
	s.raw[path] = text
	m[key] = variable.ReplaceAllStringFunc(text, func(match string) string {
		name, otherwise, optional := strings.Cut(strings.TrimSuffix(strings.TrimLeft(match, "${"), "}"), ":-")
		if name == "" {
			return "$"
		}
		value := env(name)
		if value == "" && optional {
			return otherwise
		}
		if value == "" && !slices.Contains(strings.Split(s.unset[path], ", "), name) {
			s.unset[path] = strings.TrimPrefix(s.unset[path]+", "+name, ", ")
		}
		return value
	})
}

// needed returns an error if a value that is about to be used names a variable that is not set.
func (s *source) needed(path, otherwise string) error {
	if s == nil {
		return nil
	}
	if name, unset := s.unset[path]; unset {
		if strings.Contains(name, ",") {
			return s.errorf(path, "%s: environment variables %s are not set: export them%s", path, name, otherwise)
		}
		return s.errorf(path, "%s: environment variable %s is not set: export it%s", path, name, otherwise)
	}
	return nil
}

// check looks at what a schema cannot: names that must exist and names that must differ.
func (c *Config) check() error {
	var complaints []error
	add := func(path, format string, args ...any) {
		complaints = append(complaints, c.source.errorf(path, format, args...))
	}
	if strings.TrimSpace(c.Note) == "" {
		add("note", "note is blank%s", because("note"))
	}
	known := slices.Sorted(maps.Keys(c.Models))
	model := func(path, name string) {
		if _, ok := c.Models[name]; !ok {
			add(path, "%s: no model %q under models%s", path, name, suggestion(name, known))
		}
	}
	model("user.model", c.User.Model)
	if c.Judge.Model != "" {
		model("judge.model", c.Judge.Model)
	}
	c.checkModels(add)
	c.checkDomains(add)
	c.checkAttack(add)
	c.checkSystems(add, model)
	return joined(complaints)
}

type complain func(path, format string, args ...any)

// checkMistakes looks at the names of mistakes while the data still has them all.
func checkMistakes(tree any, s *source) error {
	known, err := mistakeNames()
	if err != nil {
		return err
	}
	var complaints []error
	top, _ := tree.(map[string]any)
	models, _ := top["models"].(map[string]any)
	for name, m := range models {
		model, _ := m.(map[string]any)
		mistakes, _ := model["mistakes"].(map[string]any)
		for kind := range mistakes {
			if !slices.Contains(known, kind) {
				path := join(join("models", name), "mistakes")
				complaints = append(complaints, s.errorf(join(path, kind), "unknown key %q in %s%s", kind, path, suggestion(kind, known)))
			}
		}
	}
	return joined(complaints)
}

func mistakeNames() ([]string, error) {
	text, err := json.Marshal(synthetic.Mistakes{})
	if err != nil {
		return nil, err
	}
	var names map[string]any
	if err := json.Unmarshal(text, &names); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(names)), nil
}

func (c *Config) checkModels(add complain) {
	for name, m := range c.Models {
		at := join("models", name)
		if !m.Synthetic && (m.Mistakes != nil || m.FollowsGuidance != nil) {
			add(at, "%s: mistakes and follows_guidance are for scripted models: add synthetic: true, or remove them", at)
		}
		req := m.Request()
		if m.Seed == nil || *m.Seed {
			req.Seed = &c.Seed
		}
		for _, key := range slices.Sorted(maps.Keys(m.Extra)) {
			if err := req.CheckExtra(key); err != nil {
				add(join(join(at, "extra"), key), "%s.extra: %w", at, err)
			}
		}
	}
}

func (c *Config) checkDomains(add complain) {
	seen := map[string]bool{}
	for i, d := range c.Domains {
		at := "domains[" + strconv.Itoa(i) + "]"
		if _, err := all.Domain(d.Name); err != nil {
			add(at+".name", "%s: %w", at, err)
		}
		if seen[d.Name] {
			add(at+".name", "%s: domain %s is listed twice: put all its tasks into one entry, or into another run", at, d.Name)
		}
		seen[d.Name] = true
		ids := map[string]bool{}
		for k, id := range d.Tasks {
			if ids[id] {
				path := at + ".tasks[" + strconv.Itoa(k) + "]"
				add(path, "%s: task %q is listed twice", path, id)
			}
			ids[id] = true
		}
	}
}

func (c *Config) checkSystems(add complain, model func(path, name string)) {
	seen := map[string]string{}
	for i, s := range c.Systems {
		at := "systems[" + strconv.Itoa(i) + "]"
		folded := strings.ToLower(s.Name)
		switch other, dup := seen[folded]; {
		case dup && other == s.Name:
			add(at+".name", "%s: system %q is there twice: give each its own name", at, s.Name)
		case dup:
			add(at+".name", "%s: system %q differs from %q by case only, which some file systems cannot hold apart: rename one", at, s.Name, other)
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
			add(at, "%s: agent %s needs a model: add model, a name under models", at, s.Agent)
		}
		if s.Model != "" {
			model(at+".model", s.Model)
		}
		for k, name := range s.Domains {
			if path := at + ".domains[" + strconv.Itoa(k) + "]"; !slices.ContainsFunc(c.Domains, func(d Domain) bool { return d.Name == name }) {
				add(path, "%s: the config has no domain %q: add it under domains, or remove it here", path, name)
			}
		}
		for k, o := range s.Overlays {
			if _, err := agents.FindOverlay(o.Name); err != nil {
				path := at + ".overlays[" + strconv.Itoa(k) + "]"
				add(path, "%s: %w", path, err)
			}
		}
	}
}

var (
	errUnprintable = errors.New("the name holds characters that cannot be shown: use letters, digits and plain signs")
	errSlash       = errors.New("the name holds a slash, which separates the parts of a trial's key, as in domain/system/task/trial: use another sign")
)

func printable(name string) error {
	if strings.TrimSpace(name) != name || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return errUnprintable
	}
	if strings.Contains(name, "/") {
		return errSlash
	}
	return nil
}
