package guide

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// yamlFile reads one file by tables of keys: what it does not expect becomes a finding with a position.
type yamlFile struct {
	path  string
	found Findings
}

func (y *yamlFile) add(code string, at yamlfile.Place, text, mend string) {
	y.found = append(y.found, Finding{Code: code, Severity: Error, File: y.path, Line: at.Line, Column: at.Column, Text: text, Mend: mend})
}

// root parses the text; nil with a finding if there is no document.
func (y *yamlFile) root(text []byte) *yamlfile.Node {
	n, err := yamlfile.Parse(y.path, text)
	var e *yamlfile.Error
	if errors.As(err, &e) {
		y.add(string(e.Code), e.Place, e.Text, e.Hint)
	}
	return n
}

// field is how one key of a mapping is read.
type field struct {
	key  string
	read func(v *yamlfile.Node)
}

// fields reads a mapping by a table and returns the line of each key that was there.
func (y *yamlFile) fields(n *yamlfile.Node, what string, table []field) map[string]int {
	lines := map[string]int{}
	for _, e := range y.entries(n, what) {
		i := slices.IndexFunc(table, func(f field) bool { return f.key == e.Key })
		if i < 0 {
			keys := make([]string, len(table))
			for j, f := range table {
				keys[j] = f.key
			}
			y.add("unknown-key", e.At, fmt.Sprintf("%s has no key %q", what, e.Key), yamlfile.Suggest(e.Key, keys))
			continue
		}
		lines[e.Key] = e.At.Line
		table[i].read(e.Value)
	}
	return lines
}

func (y *yamlFile) entries(n *yamlfile.Node, what string) []yamlfile.Entry {
	if n.Kind != yamlfile.Map {
		y.wrong(n, what, "a map")
	}
	return n.Entries
}

func (y *yamlFile) items(n *yamlfile.Node, what string) []*yamlfile.Node {
	if n.Kind != yamlfile.List {
		y.wrong(n, what, "a list")
	}
	return n.Items
}

// text returns a string without white space around it.
func (y *yamlFile) text(n *yamlfile.Node, what string) (string, bool) {
	if n.Kind != yamlfile.Text {
		y.wrong(n, what, "a text")
		return "", false
	}
	s := strings.TrimSpace(n.Text)
	if s == "" {
		y.add("wrong-type", n.Place, what+" is empty", "write its text, or drop the key")
		return "", false
	}
	return s, true
}

// into and list build readers of text and of lists of texts.
func (y *yamlFile) into(dst *string, what string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) { *dst, _ = y.text(n, what) }
}

func (y *yamlFile) list(dst *[]string, what string) func(*yamlfile.Node) {
	return func(n *yamlfile.Node) {
		for _, item := range y.items(n, what) {
			if s, ok := y.text(item, "an element of "+what); ok {
				*dst = append(*dst, s)
			}
		}
	}
}

func (y *yamlFile) wrong(n *yamlfile.Node, what, want string) {
	mend := "write " + want
	if want == "a text" && (n.Kind == yamlfile.Number || n.Kind == yamlfile.Bool) {
		mend = "put quotes around it"
	}
	y.add("wrong-type", n.Place, fmt.Sprintf("%s is %s, not %s", what, n.Kind, want), mend)
}
