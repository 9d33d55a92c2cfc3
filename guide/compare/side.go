package compare

import (
	"maps"
	"slices"
	"strings"
)

// tools lists what a workflow authorizes, sorted.
func (s *side) tools() []string {
	set := map[string]bool{}
	for _, x := range s.sites {
		set[x.tool] = true
	}
	return sortedKeys(set)
}

// authorizing lists the authorizations of a tool.
func (s *side) authorizing(tool string) []string {
	var out []string
	for _, x := range s.sites {
		if x.tool == tool {
			out = append(out, x.Node)
		}
	}
	return out
}

// target is the node to which an intent leads; nil where the classifier has no such branch.
func (s *side) target(label string) []string {
	if c := s.graph.Classifier(); c != nil {
		for _, e := range c.Edges {
			if e.When == label {
				return []string{e.To}
			}
		}
	}
	return nil
}

// toolsOf lists the tools that an intent leads to, sorted.
func (s *side) toolsOf(label string) []string {
	set := map[string]bool{}
	for _, x := range s.sites {
		if slices.Contains(x.Intents, label) {
			set[x.tool] = true
		}
	}
	return sortedKeys(set)
}

func (s *side) intents() []Intent {
	out := []Intent{}
	if c := s.graph.Classifier(); c != nil {
		for _, e := range c.Edges {
			out = append(out, Intent{e.When, s.toolsOf(e.When)})
		}
	}
	return out
}

// sortedKeys never returns nil, which JSON would show as null.
func sortedKeys[V any](m map[string]V) []string {
	return slices.AppendSeq(make([]string, 0, len(m)), slices.Values(slices.Sorted(maps.Keys(m))))
}

func list(names []string) string {
	if len(names) == 0 {
		return "no tool"
	}
	return strings.Join(names, ", ")
}
