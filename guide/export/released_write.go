package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// WriteReleased writes a bundle in the released layout: file name → content, byte-stable.
func WriteReleased(b *guide.Bundle) (map[string][]byte, error) {
	if b.Main == nil {
		return nil, fmt.Errorf("export of %s: the bundle has no main file", b.Domain)
	}
	manifest := &value.Map{}
	manifest.Set("domain", value.OfString(b.Domain))
	manifest.Set("schema_version", value.OfInt(1))
	out := map[string][]byte{}
	put := func(name string, m *value.Map) error {
		text, err := pretty(m)
		if err != nil {
			return fmt.Errorf("export of %s: %s: %w", b.Domain, name, err)
		}
		out[name] = text
		return nil
	}
	if err := put(manifestFile, manifest); err != nil {
		return nil, err
	}
	if err := put(mainFile, releasedFile(b.Main, "main", b.Domain)); err != nil {
		return nil, err
	}
	for _, f := range b.Subflows {
		if err := put("subflows/"+f.Name()+subflowSuffix, releasedFile(f, "subflow", b.Domain)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func pretty(m *value.Map) ([]byte, error) {
	text, err := value.OfMap(m).MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func releasedFile(f *guide.File, kind, domain string) *value.Map {
	m := &value.Map{}
	text := func(k, s string) { m.Set(k, value.OfString(s)) }
	m.Set("schema_version", value.OfInt(1))
	text("kind", kind)
	text("domain", domain)
	text("name", f.ID)
	text("description", f.Title)
	text("entry", f.Entry)
	m.Set("exits", value.OfStrings(f.Exits))
	m.Set("max_directives_per_node", value.OfInt(maxDirectives(kind)))
	nodes, edges := []value.Value{}, []value.Value{}
	for _, n := range f.Nodes {
		nodes = append(nodes, value.OfMap(releasedNode(n)))
		if n.Type == guide.Decision {
			continue
		}
		for _, e := range n.Edges {
			edges = append(edges, value.OfMap(value.MapOf(
				value.Pair{Key: "from", Value: value.OfString(n.ID)},
				value.Pair{Key: "to", Value: value.OfString(e.To)},
				value.Pair{Key: "when", Value: value.OfString(e.When)})))
		}
	}
	m.Set("nodes", value.OfList(nodes))
	m.Set("edges", value.OfList(edges))
	if own := intentsOf(f.Intents); own.Len() > 0 && !value.Identical(value.OfMap(own), value.OfMap(intentsOf(intents(f)))) {
		m.Set(extension, value.OfMap(value.MapOf(value.Pair{Key: "intents", Value: value.OfMap(own)})))
	}
	return m
}

func intentsOf(list []guide.Intent) *value.Map {
	m := &value.Map{}
	for _, in := range list {
		m.Set(in.Label, value.OfString(in.Target))
	}
	return m
}

// node writes a node as the layout has it, and adds the extension for what reading that back would not give.
func releasedNode(n *guide.Node) *value.Map {
	m := &value.Map{}
	text := func(k, s string) {
		if s != "" {
			m.Set(k, value.OfString(s))
		}
	}
	text("id", n.ID)
	text("type", string(n.Type))
	tools := strings.Join(n.Tools, " or ")
	switch n.Type {
	case guide.AgentAction, guide.UserInput, guide.ToolCall:
		text("actor", actor(n))
		text("tool", strings.Join(n.Tools, "|"))
	case guide.Authorization:
		text("actor", "tool")
		text("tool", strings.Join(n.Tools, "|"))
		if n.Expect != callOf(tools) {
			text("description", n.Expect)
		}
	case guide.Decision:
		text("actor", "verifier")
		text("evaluation_prompt", n.SatisfiedWhen)
		branchMembers(m, n)
	case guide.Anchor:
		text("subflow", n.Subflow)
	}
	switch n.Type {
	case guide.AgentAction, guide.UserInput:
		text("expectation", n.Expect)
		text("evaluation_prompt", n.SatisfiedWhen)
		text("directive_template", n.Remediation)
	case guide.ToolCall:
		if n.Expect != resultOf(tools) {
			text("expectation", n.Expect)
		}
		text("evaluation_prompt", n.SatisfiedWhen)
		text("directive_template", n.Remediation)
	}
	if ext := extra(n, m); ext.Len() > 0 {
		m.Set(extension, value.OfMap(ext))
	}
	return m
}

// actor is the node's own where the layout knows it, else the one that its type implies there.
func actor(n *guide.Node) string {
	switch {
	case n.Actor == guide.ByAgent || n.Actor == guide.ByUser:
		return string(n.Actor)
	case n.Type == guide.UserInput:
		return "user"
	}
	return "agent"
}

func branchMembers(m *value.Map, n *guide.Node) {
	branches, about := &value.Map{}, &value.Map{}
	for _, e := range n.Edges {
		branches.Set(e.When, value.OfString(e.To))
		if e.Describe != "" {
			about.Set(e.When, value.OfString(e.Describe))
		}
	}
	m.Set("branches", value.OfMap(branches))
	m.Set("branch_descriptions", value.OfMap(about))
}

// extra is what the extension must say so that reading the node gives n again.
func extra(n *guide.Node, m *value.Map) *value.Map {
	guessed := &guide.Node{Type: n.Type, Tools: n.Tools}
	guess(guessed, m)
	ext := &value.Map{}
	own, read := fields(n), fields(guessed)
	for i, f := range own {
		if *f.at != *read[i].at {
			ext.Set(f.key, value.OfString(*f.at))
		}
	}
	if len(n.Policy) > 0 {
		ext.Set("policy", value.OfStrings(n.Policy))
	}
	if e := n.Event; e != nil {
		event := value.MapOf(value.Pair{Key: "kind", Value: value.OfString(string(e.Kind))})
		if len(e.Tools) > 0 {
			event.Set("tools", value.OfStrings(e.Tools))
		}
		if e.Pattern != "" {
			event.Set("pattern", value.OfString(e.Pattern))
		}
		ext.Set("event", value.OfMap(event))
	}
	checks := &value.Map{}
	for _, e := range n.Edges {
		if e.Check != "" {
			checks.Set(e.When, value.OfString(e.Check))
		}
	}
	if checks.Len() > 0 {
		ext.Set("branch_checks", value.OfMap(checks))
	}
	return ext
}
