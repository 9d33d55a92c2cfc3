package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

func maxDirectives(kind string) int64 {
	if kind == "main" {
		return 15
	}
	return 5
}

// node reads a node. The layout has fewer fields than a bundle; guess fills the rest, and the extension, where the
// bundle came from here, says what they really are.
func (r *releasedReader) node(o *value.Map, where string) (*guide.Node, error) {
	id, err := r.text(o, where, "id")
	if err != nil {
		return nil, err
	}
	typ, err := r.text(o, where, "type")
	if err != nil {
		return nil, err
	}
	n := &guide.Node{ID: id, Local: id, Type: guide.Type(typ)}
	where += " (" + id + ")"
	if !slices.Contains(guide.Types(), n.Type) {
		return nil, fmt.Errorf("%s: there is no node type %q", where, typ)
	}
	r.unknown(o, where, "id", "type", "actor", "tool", "subflow", "expectation", "evaluation_prompt", "directive_template", "description", "branches", "branch_descriptions", extension)
	if tools := optional(o, "tool"); tools != "" {
		n.Tools = strings.Split(tools, "|")
	}
	n.Subflow = optional(o, "subflow")
	if n.Type == guide.Decision {
		if err := branches(n, o, where); err != nil {
			return nil, err
		}
	}
	guess(n, o)
	ext, ok := o.Get(extension)
	if !ok {
		return n, nil
	}
	m, ok := ext.Map()
	if !ok {
		return nil, fmt.Errorf("%s: member %q is not an object", where, extension)
	}
	return n, extend(n, m, where)
}

func branches(n *guide.Node, o *value.Map, where string) error {
	v, _ := o.Get("branches")
	m, ok := v.Map()
	if !ok {
		return fmt.Errorf("%s: member %q is not an object of labels to nodes", where, "branches")
	}
	described, _ := o.Get("branch_descriptions")
	about, _ := described.Map()
	for label, to := range m.All() {
		target, ok := to.Text()
		if !ok {
			return fmt.Errorf("%s: branch %q does not name a node", where, label)
		}
		n.Edges = append(n.Edges, guide.Edge{To: target, When: label, Describe: optional(about, label)})
	}
	return nil
}

// guess fills the fields of an evaluated node from what the layout has.
func guess(n *guide.Node, o *value.Map) {
	if !n.Type.Evaluated() {
		return
	}
	expectation, judged := optional(o, "expectation"), optional(o, "evaluation_prompt")
	n.Expect, n.SatisfiedWhen, n.Remediation = expectation, judged, optional(o, "directive_template")
	tools := strings.Join(n.Tools, " or ")
	switch n.Type {
	case guide.UserInput:
		n.Actor = guide.ByUser
	case guide.Authorization:
		n.Actor = guide.ByRuntime
		n.Expect = orElse(optional(o, "description"), callOf(tools))
		n.SatisfiedWhen = "A call of " + tools + " has succeeded."
		n.Remediation = "Call " + tools + " with the values agreed on."
	case guide.Decision:
		n.Actor = guide.ByRuntime
		n.Expect = orElse(n.Expect, n.SatisfiedWhen)
		n.Remediation = orElse(n.Remediation, "Find out which of the branches applies.")
	case guide.ToolCall:
		n.Actor = guide.ByAgent
		n.Expect = orElse(n.Expect, resultOf(tools))
	default:
		n.Actor = guide.ByAgent
	}
	if a := guide.Actor(optional(o, "actor")); a == guide.ByAgent || a == guide.ByUser {
		n.Actor = a
	}
	n.Action = n.Expect
}

// What is guessed for a tool node that says nothing of itself, and therefore left out again.
func callOf(tools string) string   { return "A call of " + tools + "." }
func resultOf(tools string) string { return "A result of " + tools + "." }

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// fields lists the texts of a node that the extension can hold, by member.
func fields(n *guide.Node) []struct {
	key string
	at  *string
} {
	return []struct {
		key string
		at  *string
	}{
		{"actor", (*string)(&n.Actor)}, {"action", &n.Action}, {"expect", &n.Expect}, {"satisfied_when", &n.SatisfiedWhen},
		{"remediation", &n.Remediation}, {"check", &n.Check}, {"only_if", &n.OnlyIf},
	}
}

// extend overlays what the extension says.
func extend(n *guide.Node, m *value.Map, where string) error {
	for _, f := range fields(n) {
		if v, ok := m.Get(f.key); ok {
			if *f.at, ok = v.Text(); !ok {
				return fmt.Errorf("%s: %s.%s is not a text", where, extension, f.key)
			}
		}
	}
	var err error
	if n.Policy, err = texts(m, "policy", where); err != nil {
		return err
	}
	if v, ok := m.Get("event"); ok {
		e, ok := v.Map()
		if !ok {
			return fmt.Errorf("%s: %s.event is not an object", where, extension)
		}
		n.Event = &guide.Event{Kind: guide.EventKind(optional(e, "kind")), Pattern: optional(e, "pattern")}
		if n.Event.Tools, err = texts(e, "tools", where); err != nil {
			return err
		}
	}
	if v, ok := m.Get("branch_checks"); ok {
		checks, _ := v.Map()
		for i := range n.Edges {
			n.Edges[i].Check = optional(checks, n.Edges[i].When)
		}
	}
	return nil
}

func texts(m *value.Map, key, where string) ([]string, error) {
	v, ok := m.Get(key)
	if !ok {
		return nil, nil
	}
	items, ok := v.Items()
	if !ok {
		return nil, fmt.Errorf("%s: %s.%s is not a list of texts", where, extension, key)
	}
	var out []string
	for _, item := range items {
		s, ok := item.Text()
		if !ok {
			return nil, fmt.Errorf("%s: %s.%s is not a list of texts", where, extension, key)
		}
		out = append(out, s)
	}
	return out, nil
}
