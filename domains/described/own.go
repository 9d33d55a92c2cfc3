package described

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// ownForm is tools.yaml.
type ownForm struct {
	Name   string    `yaml:"name"`
	Policy []string  `yaml:"policy"`
	Agent  []ownTool `yaml:"agent"`
	User   []ownTool `yaml:"user"`
}

type ownTool struct {
	Name        string         `yaml:"name"`
	Kind        string         `yaml:"kind"`
	Confirm     string         `yaml:"confirm"`
	Description string         `yaml:"description"`
	Parameters  map[string]any `yaml:"parameters"` // for its form; the order is the node's
	Returns     map[string]any `yaml:"returns"`
}

// KindWord is the word for the tool's kind in tools.yaml.
func (t Tool) KindWord() string { return kindWord(t.Kind) }

func kindWord(k domains.Kind) string {
	if k == Other {
		return "other"
	}
	return string(k)
}

// ParseKind reads the word for a kind: read, write or other.
func ParseKind(word string) (domains.Kind, error) {
	for _, k := range []domains.Kind{domains.Read, domains.Write, Other} {
		if kindWord(k) == word {
			return k, nil
		}
	}
	return "", fmt.Errorf("%q is no kind of tool\nhint: write read, write or other", word)
}

func parseOwn(file string, text []byte) (Tools, error) {
	var f ownForm
	if err := yamlfile.Decode(file, text, &f); err != nil {
		return Tools{}, err
	}
	root, err := yamlfile.Parse(file, text)
	if err != nil {
		return Tools{}, err
	}
	t := Tools{Name: f.Name, Policy: f.Policy}
	var bad []error
	if f.Name != "" {
		bad = append(bad, CheckName(f.Name))
	}
	for _, name := range f.Policy {
		if !documentPattern.MatchString(name) {
			bad = append(bad, fmt.Errorf("policy: %q is no name of a file in %s\nhint: name one", name, PolicyDir))
		}
	}
	side := func(key string, list []ownTool) (out []Tool) {
		for i, x := range list {
			one := Tool{ToolSpec: domains.ToolSpec{Name: x.Name, Description: x.Description}, Confirm: x.Confirm}
			item := root.Get(key).Items[i]
			if x.Kind != "" {
				var err error
				if one.Kind, err = ParseKind(x.Kind); err != nil {
					bad = append(bad, fmt.Errorf("tool %s: kind: %w", x.Name, err))
				}
			}
			for key, to := range map[string]*json.RawMessage{"parameters": &one.Parameters, "returns": &one.Returns} {
				if n := item.Get(key); n != nil {
					v, err := plain(n)
					if err == nil {
						*to, err = v.MarshalJSON()
					}
					bad = append(bad, err)
				}
			}
			one.Parameters = orNone(one.Parameters)
			out = append(out, one)
		}
		return out
	}
	t.Agent, t.User = side("agent", f.Agent), side("user", f.User)
	return t, errors.Join(bad...)
}

// plain is the value of a node, its keys in their order.
func plain(n *yamlfile.Node) (value.Value, error) {
	switch n.Kind {
	case yamlfile.Map:
		m := &value.Map{}
		for _, e := range n.Entries {
			v, err := plain(e.Value)
			if err != nil {
				return v, err
			}
			m.Set(e.Key, v)
		}
		return value.OfMap(m), nil
	case yamlfile.List:
		out := []value.Value{}
		for _, item := range n.Items {
			v, err := plain(item)
			if err != nil {
				return v, err
			}
			out = append(out, v)
		}
		return value.OfList(out), nil
	}
	raw, err := json.Marshal(n.JSON())
	if err != nil {
		return value.Value{}, err
	}
	return value.Parse(raw)
}

const ownHeader = `# The tools of an agent, and the documents of its policy in their order.
# kind: read, a tool that changes nothing; write, one that changes data and has to be authorized by the workflow; other, one that does neither, such as
# a transfer.
# confirm: no person has confirmed the kind. Correct the kind if it is wrong, and remove this line if it is right.
`

// YAML writes tools.yaml.
func (t Tools) YAML() []byte {
	root := mapping()
	if t.Name != "" {
		put(root, "name", text(t.Name))
	}
	if len(t.Policy) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, name := range t.Policy {
			list.Content = append(list.Content, text(name))
		}
		put(root, "policy", list)
	}
	for _, side := range []struct {
		key   string
		tools []Tool
	}{{"agent", t.Agent}, {"user", t.User}} {
		if len(side.tools) == 0 {
			continue
		}
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, x := range side.tools {
			list.Content = append(list.Content, x.node())
		}
		put(root, side.key, list)
	}
	var b bytes.Buffer
	b.WriteString(ownHeader)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(root), e.Close()); err != nil {
		panic("described: " + err.Error()) // a tree of scalars can be written
	}
	return b.Bytes()
}

func (t Tool) node() *yaml.Node {
	n := mapping()
	put(n, "name", text(t.Name))
	if t.Kind != "" {
		put(n, "kind", text(t.KindWord()))
	}
	if t.Confirm != "" {
		put(n, "confirm", text(t.Confirm))
	}
	if t.Description != "" {
		put(n, "description", text(t.Description))
	}
	for _, part := range []struct {
		key    string
		schema json.RawMessage
	}{{"parameters", t.Parameters}, {"returns", t.Returns}} {
		if schema, err := value.Parse(part.schema); err == nil && !schema.IsNull() {
			put(n, part.key, nodeOf(schema))
		}
	}
	return n
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

func put(m *yaml.Node, key string, v *yaml.Node) {
	m.Content = append(m.Content, text(key), v)
}

func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.Contains(strings.TrimSpace(s), "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

func nodeOf(v value.Value) *yaml.Node {
	if m, ok := v.Map(); ok {
		n := mapping()
		for key, x := range m.All() {
			put(n, key, nodeOf(x))
		}
		return n
	}
	if items, ok := v.Items(); ok {
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, x := range items {
			if x.Kind() == value.Object || x.Kind() == value.List {
				n.Style = 0
			}
			n.Content = append(n.Content, nodeOf(x))
		}
		return n
	}
	if s, ok := v.Text(); ok {
		return text(s)
	}
	raw, err := v.MarshalJSON()
	if err != nil {
		raw = []byte("null")
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(raw)}
}
