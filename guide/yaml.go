package guide

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/tauguide/tauguide/domains"
)

// maxYAML bounds a file, so that a mistaken path does not fill the memory.
const maxYAML = 4 << 20

// yamlFile reads one file strictly: what it does not expect becomes a finding with a position. It works on the syntax
// tree, because decoding into structs would convert types quietly, ignore later documents and stop at the first error.
type yamlFile struct {
	path  string
	found Findings
}

func (y *yamlFile) add(code string, at *token.Token, text, mend string) {
	f := Finding{Code: code, Severity: Error, File: y.path, Text: text, Mend: mend}
	if at != nil && at.Position != nil {
		f.Line, f.Column = at.Position.Line, at.Position.Column
	}
	y.found = append(y.found, f)
}

// root parses the text and returns its one document's mapping; nil with a finding if there is none.
func (y *yamlFile) root(text []byte) (n ast.Node) {
	if len(text) > maxYAML {
		y.add("yaml-syntax", nil, fmt.Sprintf("the file has %d bytes", len(text)), fmt.Sprintf("keep it under %d", maxYAML))
		return nil
	}
	if !utf8.Valid(text) {
		y.add("yaml-syntax", nil, "the file is not UTF-8", "save it as UTF-8")
		return nil
	}
	// The parser is not proof against every malformed text; a panic of it is a syntax error to us.
	defer func() {
		if r := recover(); r != nil {
			y.add("yaml-syntax", nil, fmt.Sprintf("the YAML parser gave up (%v)", r), "simplify the file until it parses")
			n = nil
		}
	}()
	if err := domains.CheckNesting(text); err != nil {
		y.add("yaml-syntax", nil, err.Error(), "write the file flatter")
		return nil
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		y.syntax(err)
		return nil
	}
	var bodies []*ast.DocumentNode
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			bodies = append(bodies, d)
		}
	}
	switch len(bodies) {
	case 0:
		y.add("yaml-document", nil, "the file is empty", "write one YAML document")
		return nil
	case 1:
		return bodies[0].Body
	}
	y.add("yaml-document", bodies[1].Body.GetToken(), "the file holds a second YAML document", "keep one document per file and drop the line ---")
	return nil
}

func (y *yamlFile) syntax(err error) {
	var e yaml.Error
	if !errors.As(err, &e) {
		y.add("yaml-syntax", nil, strings.TrimSpace(err.Error()), "correct the YAML")
		return
	}
	code, mend := "yaml-syntax", "correct the YAML"
	if strings.Contains(e.GetMessage(), "already defined") {
		code, mend = "duplicate-key", "remove one of the two"
	}
	y.add(code, e.GetToken(), e.GetMessage(), mend)
}

// field is how one key of a mapping is read.
type field struct {
	key  string
	read func(v ast.Node)
}

// fields reads a mapping by a table and returns the line of each key that was there.
func (y *yamlFile) fields(n ast.Node, what string, table []field) map[string]int {
	lines := map[string]int{}
	for key, v := range y.entries(n, what) {
		name, ok := y.text(key, "a key of "+what)
		if !ok {
			continue
		}
		i := slices.IndexFunc(table, func(f field) bool { return f.key == name })
		if i < 0 {
			keys := make([]string, len(table))
			for j, f := range table {
				keys[j] = f.key
			}
			y.add("unknown-key", key.GetToken(), fmt.Sprintf("%s has no key %q", what, name), suggest(name, keys))
			continue
		}
		if _, twice := lines[name]; twice {
			y.add("duplicate-key", key.GetToken(), fmt.Sprintf("%s has the key %q twice", what, name), "remove one of the two")
			continue
		}
		lines[name] = key.GetToken().Position.Line
		table[i].read(v)
	}
	return lines
}

// entries yields the keys and values of a mapping in order.
func (y *yamlFile) entries(n ast.Node, what string) func(yield func(ast.Node, ast.Node) bool) {
	return func(yield func(ast.Node, ast.Node) bool) {
		var values []*ast.MappingValueNode
		switch m := n.(type) {
		case *ast.MappingNode:
			values = m.Values
		case *ast.MappingValueNode:
			values = []*ast.MappingValueNode{m}
		default:
			y.wrong(n, what, "a mapping of keys to values")
			return
		}
		for _, v := range values {
			if !yield(v.Key, v.Value) {
				return
			}
		}
	}
}

// items yields the elements of a list.
func (y *yamlFile) items(n ast.Node, what string) []ast.Node {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		y.wrong(n, what, "a list")
		return nil
	}
	return s.Values
}

// text returns a string without white space around it.
func (y *yamlFile) text(n ast.Node, what string) (string, bool) {
	var s string
	switch t := n.(type) {
	case *ast.StringNode:
		s = t.Value
	case *ast.LiteralNode:
		s = t.Value.Value
	default:
		y.wrong(n, what, "text")
		return "", false
	}
	s = strings.TrimSpace(s)
	if s == "" {
		y.add("wrong-type", n.GetToken(), what+" is empty", "write its text, or drop the key")
		return "", false
	}
	return s, true
}

// into and list build readers of text and of lists of texts.
func (y *yamlFile) into(dst *string, what string) func(ast.Node) {
	return func(n ast.Node) { *dst, _ = y.text(n, what) }
}

func (y *yamlFile) list(dst *[]string, what string) func(ast.Node) {
	return func(n ast.Node) {
		for _, item := range y.items(n, what) {
			if s, ok := y.text(item, "an element of "+what); ok {
				*dst = append(*dst, s)
			}
		}
	}
}

func (y *yamlFile) wrong(n ast.Node, what, want string) {
	var at *token.Token
	if n != nil {
		at = n.GetToken()
	}
	got, mend := kindName(n), "write "+want
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode, *ast.MappingNode, *ast.MappingValueNode:
		if want == "text" {
			mend = "put quotes around it"
		}
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		mend = "write the value out; anchors, aliases, tags and merge keys are not used in these files"
	}
	y.add("wrong-type", at, fmt.Sprintf("%s is %s, not %s", what, got, want), mend)
}

func kindName(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "empty"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "a boolean"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	}
	return "a YAML " + strings.ToLower(n.Type().String())
}

// suggest names the valid word nearest to a wrong one, or all of them if none is near.
func suggest(wrong string, valid []string) string {
	best, at := 1+len(wrong)/2, ""
	for _, v := range valid {
		if d := distance(wrong, v); d < best {
			best, at = d, v
		}
	}
	if at != "" {
		return fmt.Sprintf("did you mean %q?", at)
	}
	if len(valid) == 0 {
		return "remove it"
	}
	return "use one of " + strings.Join(slices.Compact(slices.Sorted(slices.Values(valid))), ", ")
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
