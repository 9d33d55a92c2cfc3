// Package yamlfile reads YAML files that people write, strictly: one document of bounded size and depth, no key twice,
// no unknown key, no value of another kind than was asked for. Every error has its file, line and column and a hint.
//
// It works on the syntax tree of goccy/go-yaml, since that library's decoder turns 1.5 into 1, takes '15' for a number
// and 012 for 10, ignores later documents and stops at the first error.
package yamlfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds of a file: far above any real one, far below what fills the memory.
const (
	MaxBytes = 1 << 20
	maxNodes = 100_000 // after aliases are unfolded
	maxDepth = 100
)

// Kind is what a value is.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Text
	Number
	Bool
	List
	Map
)

// Place is where something begins in its file, counted from 1.
type Place struct{ Line, Column int }

// Node is a value of a file.
type Node struct {
	Kind    Kind
	Text    string  // of a text; of a number or truth value as it is written
	Items   []*Node // of a list
	Entries []Entry // of a map, in their order, merged ones last
	Place

	number json.Number // in decimal
}

// Entry is a key of a map and its value.
type Entry struct {
	Key   string
	At    Place // of the key
	Value *Node
}

// Parse reads a text of one document. Aliases and merge keys are unfolded; tags are refused. The error is an *Error.
// file serves errors only.
func Parse(file string, text []byte) (*Node, error) {
	text, err := checkText(file, text)
	if err != nil {
		return nil, err
	}
	body, err := document(file, text)
	if err != nil {
		return nil, err
	}
	t := &tree{file: file, anchors: map[string]ast.Node{}, open: map[string]bool{}}
	return t.value(body, 0)
}

// checkText looks at the text before the library does, and returns it without the mark that some editors put in front.
func checkText(file string, text []byte) ([]byte, error) {
	const hint = "save the file as UTF-8"
	if len(text) > MaxBytes {
		return nil, fault(file, Place{1, 1}, Syntax, fmt.Sprintf("keep it under %d", MaxBytes), "the file has %d bytes", len(text))
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, fault(file, Place{1, 1}, Syntax, hint, "the text is UTF-16")
	}
	if bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return nil, fault(file, Place{1, 1}, Syntax, "unpack it first, with gunzip", "the file is packed with gzip")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if at := bytes.IndexByte(text, 0); at >= 0 {
		return nil, fault(file, placeOf(text, at), Syntax, hint, "the file has a zero byte, as in UTF-16")
	}
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return nil, fault(file, placeOf(text, at), Syntax, hint, "the file is not UTF-8")
		}
		at += n
	}
	if err := CheckNesting(text); err != nil {
		err.File = file
		return nil, err
	}
	return text, nil
}

func placeOf(text []byte, at int) Place {
	before := text[:at]
	return Place{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1}
}

// document parses and returns the body of the only document. The library panics on some broken texts.
func document(file string, text []byte) (body ast.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, fault(file, Place{1, 1}, Syntax, "simplify the file until it parses", "the YAML parser gave up: %v", p)
		}
	}()
	parsed, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	var e yaml.Error
	switch {
	case errors.As(err, &e) && e.GetToken() != nil:
		return nil, fault(file, placeOfToken(e.GetToken()), Syntax, "correct the YAML", "%s", e.GetMessage())
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fault(file, Place{1, 1}, Syntax, "correct the YAML", "%s", strings.Join(strings.Fields(err.Error()), " "))
	}
	if parsed != nil {
		for _, d := range parsed.Docs {
			if d.Body == nil || d.Body.Type() == ast.CommentType {
				continue
			}
			if body != nil {
				return nil, fault(file, start(d.Body), Document, "keep one and drop the line ---", "a second YAML document begins here")
			}
			body = d.Body
		}
	}
	if body == nil {
		return nil, fault(file, Place{1, 1}, Document, "write one YAML document", "the file is empty")
	}
	return body, nil
}

// start is where a node begins: a map's own token is its first colon.
func start(n ast.Node) Place {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return placeOfToken(n.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return placeOfToken(n.Key.GetToken())
	}
	return placeOfToken(n.GetToken())
}

func placeOfToken(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{1, 1}
	}
	return Place{t.Position.Line, t.Position.Column}
}

// tree turns the library's nodes into ours.
type tree struct {
	file    string
	anchors map[string]ast.Node
	open    map[string]bool // aliases being unfolded
	nodes   int
}

func (t *tree) fail(n ast.Node, code Code, hint, format string, args ...any) error {
	return fault(t.file, start(n), code, hint, format, args...)
}

func (t *tree) value(n ast.Node, depth int) (*Node, error) {
	if n == nil {
		return &Node{Place: Place{1, 1}}, nil
	}
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, t.fail(n, Syntax, "nest less deep, unfold fewer aliases", "the file is too large or too deep from here")
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return t.mapping(n, n.Values, depth)
	case *ast.MappingValueNode:
		return t.mapping(n, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out := &Node{Kind: List, Place: start(n)}
		for _, item := range n.Values {
			v, err := t.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, v)
		}
		return out, nil
	case *ast.AnchorNode:
		t.anchors[n.Name.GetToken().Value] = n.Value
		return t.value(n.Value, depth+1)
	case *ast.AliasNode:
		return t.alias(n, depth)
	case *ast.TagNode:
		return nil, t.fail(n, WrongKind, "remove it", "tag %s: tags are not used in these files", n.Start.Value)
	}
	return t.scalar(n)
}

func (t *tree) alias(n *ast.AliasNode, depth int) (*Node, error) {
	name := n.Value.GetToken().Value
	to, ok := t.anchors[name]
	if !ok || t.open[name] {
		return nil, t.fail(n, Syntax, "name an anchor that ends before it", "alias *%s has no anchor &%s before it", name, name)
	}
	t.open[name] = true
	defer delete(t.open, name)
	return t.value(to, depth+1)
}

func (t *tree) mapping(n ast.Node, members []*ast.MappingValueNode, depth int) (*Node, error) {
	out := &Node{Kind: Map, Place: start(n)}
	var merged []Entry
	there := map[string]bool{}
	for _, m := range members {
		if m.Key.IsMergeKey() {
			more, err := t.merged(m.Value, depth)
			if err != nil {
				return nil, err
			}
			merged = append(merged, more...)
			continue
		}
		key, err := t.key(m)
		if err != nil {
			return nil, err
		}
		if there[key] {
			return nil, t.fail(m.Key, DuplicateKey, "keep one of the two", "the key %q is there twice", key)
		}
		there[key] = true
		v, err := t.value(m.Value, depth+1)
		if err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, Entry{key, placeOfToken(m.Key.GetToken()), v})
	}
	for _, e := range merged { // what is there already wins
		if !there[e.Key] {
			there[e.Key] = true
			out.Entries = append(out.Entries, e)
		}
	}
	return out, nil
}

// merged unfolds <<: *base, and <<: [*a, *b].
func (t *tree) merged(n ast.Node, depth int) ([]Entry, error) {
	v, err := t.value(n, depth+1)
	if err != nil {
		return nil, err
	}
	maps := []*Node{v}
	if v.Kind == List {
		maps = v.Items
	}
	var out []Entry
	for _, m := range maps {
		if m.Kind != Map {
			return nil, t.fail(n, WrongKind, "name an anchor of a map", "<< takes a map or a list of maps")
		}
		out = append(out, m.Entries...)
	}
	return out, nil
}

func (t *tree) key(m *ast.MappingValueNode) (string, error) {
	switch k := m.Key.(type) {
	case *ast.StringNode:
		return strings.ToValidUTF8(k.Value, "\ufffd"), nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return k.GetToken().Value, nil
	}
	return "", t.fail(m.Key, WrongKind, "write it in quotes", "a key has to be a text")
}

// bareNumber matches numbers that the library takes for texts: with an exponent but no dot, or too large for it.
var bareNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$`)

func (t *tree) scalar(n ast.Node) (*Node, error) {
	out := &Node{Kind: Text, Place: start(n)}
	switch n := n.(type) {
	case *ast.StringNode:
		if n.Token.Type == token.StringType && bareNumber.MatchString(n.Value) {
			return t.number(n, n.Value)
		}
		out.Text = strings.ToValidUTF8(n.Value, "\ufffd")
	case *ast.LiteralNode:
		out.Text = strings.ToValidUTF8(n.Value.Value, "\ufffd")
	case *ast.IntegerNode, *ast.FloatNode:
		return t.number(n, n.GetToken().Value)
	case *ast.BoolNode:
		out.Kind, out.Text = Bool, strconv.FormatBool(n.Value)
	case *ast.NullNode:
		out.Kind = Null
	default:
		return nil, t.fail(n, WrongKind, "write the value out", "%s cannot be used here", n.GetToken().Value)
	}
	return out, nil
}

func (t *tree) number(n ast.Node, text string) (*Node, error) {
	out := &Node{Kind: Number, Text: text, Place: start(n)}
	digits := strings.TrimLeft(text, "+-")
	switch {
	case len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == "" || strings.ContainsAny(digits, "xob_"):
		return nil, t.fail(n, WrongKind, "write the number in decimal, or quote it if it is a text", "%s could be read in another base", text)
	case strings.Trim(digits, "0123456789") == "":
		out.number = json.Number(strings.TrimPrefix(text, "+"))
		return out, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, t.fail(n, WrongKind, "quote it if it is a text", "%s is out of range", text)
	}
	format := byte('g') // whole numbers without an exponent, which no field for whole numbers takes
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		format = 'f'
	}
	out.number = json.Number(strconv.FormatFloat(f, format, -1, 64))
	return out, nil
}
