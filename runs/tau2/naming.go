package tau2

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// Domain returns our name of the domain; "" if neither the file nor anybody else says.
func (s *Source) Domain() string {
	if s.domain != "" {
		return s.domain
	}
	name, _ := s.Header.Facts.Domain()
	return name
}

// System returns the name of the system under test: what our own export says, otherwise program and model.
func (s *Source) System() string {
	if s.system != "" {
		return s.system
	}
	if note := s.Header.Export; note != nil && note.System != "" {
		return note.System
	}
	var parts []string
	for _, p := range []string{s.Header.Facts.Agent.Implementation, s.Header.Facts.Agent.Model} {
		if p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return "recorded"
	}
	return strings.NewReplacer("/", "-", " ", "_").Replace(strings.Join(parts, ":"))
}

// NameAs sets domain and system where they are not empty. A domain that neither the file nor the caller names is guessed
// from the tasks, otherwise from the tools that were called; list is the domains to choose from.
func (s *Source) NameAs(domain, system string, list []domains.Domain) error {
	s.system = system
	if domain != "" {
		s.domain = domain
	}
	if s.Domain() == "" {
		name, err := s.guess(list)
		if err != nil {
			return err
		}
		s.deviations.add("files that do not name their domain", "taken as "+name+", by tasks and tools")
		s.domain = name
	}
	var names []string
	for _, d := range list {
		if d.Name == s.Domain() {
			return nil
		}
		names = append(names, d.Name)
	}
	return fmt.Errorf("%s is of the domain %q: only %s can be read", s.Name, s.Domain(), strings.Join(names, ", "))
}

// guess finds the domain by what the first conversations say. It reads no further than needed.
func (s *Source) guess(list []domains.Domain) (string, error) {
	probe := *s
	probe.seen, probe.deviations = maps.Clone(s.seen), &deviations{}
	found := ""
	var kits map[string]*domains.World
	err := probe.each(func(one Simulation) (err error) {
		if json.Unmarshal(one.Record.Extra["domain"], &found) == nil && found != "" {
			return errEnough
		}
		if t := one.Task; t != nil && t.Task != nil {
			name := strings.ToLower(t.Task.UserScenario.Instructions.Domain)
			if slices.ContainsFunc(list, func(d domains.Domain) bool { return d.Name == name }) {
				found = name
				return errEnough
			}
		}
		if kits == nil {
			if kits, err = openAll(list); err != nil {
				return err
			}
		}
		if found = byTools(kits, one.Record.Messages); found != "" {
			return errEnough
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return "", err
	case found == "":
		return "", fmt.Errorf("%s does not name its domain, and its tool calls do not tell it\nhint: give --domain", s.Name)
	}
	return found, nil
}

// openAll opens domains on their embedded data, for their tools.
func openAll(list []domains.Domain) (map[string]*domains.World, error) {
	out := map[string]*domains.World{}
	for _, d := range list {
		w, err := d.Open(domains.Embedded(), domains.Options{})
		if err != nil {
			return nil, fmt.Errorf("open domain %s: %w", d.Name, err)
		}
		out[d.Name] = w
	}
	return out, nil
}

// byTools returns the one domain that has a tool of each name that no other domain has; "" if there is none.
func byTools(worlds map[string]*domains.World, msgs []domains.Message) string {
	own := map[string]bool{}
	for _, m := range msgs {
		for _, c := range m.ToolCalls {
			var owners []string
			for name, w := range worlds {
				_, agent := w.Agent.Tool(c.Name)
				_, user := w.User.Tool(c.Name)
				if agent || user {
					owners = append(owners, name)
				}
			}
			if len(owners) == 1 {
				own[owners[0]] = true
			}
		}
	}
	if len(own) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(own))[0]
}
