package yamlfile

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Get returns the value of a key of a map, nil if there is none.
func (n *Node) Get(key string) *Node {
	for _, e := range n.Entries {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// JSON returns the value as encoding/json would give it to an any, with json.Number for numbers.
func (n *Node) JSON() any {
	switch n.Kind {
	case Text:
		return n.Text
	case Number:
		return n.number
	case Bool:
		return n.Text == "true"
	case List:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.JSON()
		}
		return out
	case Map:
		out := map[string]any{}
		for _, e := range n.Entries {
			out[e.Key] = e.Value.JSON()
		}
		return out
	}
	return nil
}

// Walk calls visit for the value and everything in it, with the path of each, such as rows[1].name, and the place of its
// key, or of itself where it has none.
func (n *Node) Walk(path string, at Place, visit func(path string, at Place, n *Node)) {
	visit(path, at, n)
	for i, item := range n.Items {
		item.Walk(fmt.Sprintf("%s[%d]", path, i), item.Place, visit)
	}
	for _, e := range n.Entries {
		e.Value.Walk(Join(path, e.Key), e.At, visit)
	}
}

// Join writes the path of a key within a map.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// shown is a value in an error: itself where it is short.
func (n *Node) shown() string {
	switch n.Kind {
	case Text:
		if len(n.Text) <= 40 {
			return fmt.Sprintf("the text %q", n.Text)
		}
	case Number, Bool:
		return n.Text
	}
	return n.Kind.String()
}

func (k Kind) String() string {
	return [...]string{"empty", "a text", "a number", "true or false", "a list", "a map"}[k]
}

// whole reports whether a number has no fraction.
func whole(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }
