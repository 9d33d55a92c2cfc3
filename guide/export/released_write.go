package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// WriteReleased writes a bundle in the released layout: file name → content, byte-stable.
func WriteReleased(b *guide.Bundle) (map[string][]byte, error) {
	if b.Main == nil {
		return nil, fmt.Errorf("export of %s: the bundle has no main file", b.Domain)
	}
	files := map[string]any{
		manifestFile: manifest{Domain: b.Domain, Version: 1},
		MainFile:     released(b.Main, "main", b.Domain),
	}
	for _, f := range b.Subflows {
		files[SubflowFile(f.Name())] = released(f, "subflow", b.Domain)
	}
	out := map[string][]byte{}
	for name, f := range files {
		text, err := json.Marshal(f, jsontext.WithIndent("  "))
		if err != nil {
			return nil, fmt.Errorf("export of %s: %s: %w", b.Domain, name, err)
		}
		out[name] = append(text, '\n')
	}
	return out, nil
}

func released(f *guide.File, kind, domain string) *releasedFile {
	out := &releasedFile{Version: 1, Kind: kind, Domain: domain, Name: f.ID, Description: f.Title, Entry: f.Entry, Exits: f.Exits,
		MaxDirectives: maxDirectives(kind)}
	for _, n := range f.Nodes {
		out.Nodes = append(out.Nodes, releasedFrom(n))
		if n.Type == guide.Decision {
			continue
		}
		for _, e := range n.Edges {
			out.Edges = append(out.Edges, releasedEdge{From: n.ID, To: e.To, When: e.When})
		}
	}
	same := func(a, b guide.Intent) bool { return a.Label == b.Label && a.Target == b.Target }
	if !slices.EqualFunc(f.Intents, intents(f), same) {
		out.Own.Intents = object(f.Intents, func(in guide.Intent) (string, string) { return in.Label, in.Target })
	}
	return out
}

// object is an object of texts; a text that is empty is left out.
func object[T any](list []T, member func(T) (key, text string)) value.Value {
	m := &value.Map{}
	for _, x := range list {
		if key, text := member(x); text != "" {
			m.Set(key, value.OfString(text))
		}
	}
	return value.OfMap(m)
}

// releasedFrom writes a node as the layout has it, with the fields of its own that reading that back would not give.
func releasedFrom(n *guide.Node) releasedNode {
	r := releasedNode{ID: n.ID, Type: n.Type}
	tools := strings.Join(n.Tools, " or ")
	switch n.Type {
	case guide.AgentAction, guide.UserInput, guide.ToolCall:
		r.Actor, r.Tool = actor(n), strings.Join(n.Tools, "|")
		r.Prompt, r.Directive = n.SatisfiedWhen, n.Remediation
		if n.Type != guide.ToolCall || n.Expect != resultOf(tools) {
			r.Expectation = n.Expect
		}
	case guide.Authorization:
		r.Actor, r.Tool = "tool", strings.Join(n.Tools, "|")
		if n.Expect != callOf(tools) {
			r.Description = n.Expect
		}
	case guide.Decision:
		r.Actor, r.Prompt = "verifier", n.SatisfiedWhen
		r.Branches = object(n.Edges, func(e guide.Edge) (string, string) { return e.When, e.To })
		r.Descriptions = object(n.Edges, func(e guide.Edge) (string, string) { return e.When, e.Describe })
	case guide.Anchor:
		r.Subflow = n.Subflow
	}
	guessed := &guide.Node{Type: n.Type, Tools: n.Tools}
	guess(guessed, &r)
	own, read := texts(n), texts(guessed)
	for i, at := range r.Own.texts() {
		if *own[i] != *read[i] {
			*at = own[i]
		}
	}
	r.Own.Policy = n.Policy
	if e := n.Event; e != nil {
		r.Own.Event = &ownEvent{Kind: e.Kind, Tools: e.Tools, Pattern: e.Pattern}
	}
	r.Own.BranchChecks = object(n.Edges, func(e guide.Edge) (string, string) { return e.When, e.Check })
	return r
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
