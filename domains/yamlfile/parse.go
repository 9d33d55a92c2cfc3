// Package yamlfile reads YAML files that people write, strictly: one document of bounded size and depth, no key twice,
// no unknown key, no value of another kind than was asked for. Every error has its file, line and column and a hint.
//
// It works on the nodes of go.yaml.in/yaml, since a library's decoder takes 012 for 10 or for 12, ignores later documents
// and knows no places.
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

	"go.yaml.in/yaml/v4"
)

// The bounds of a file: far above any real one, far below what fills the memory.
const (
	MaxBytes = 1 << 20
	maxNodes = 200_000 // after aliases are unfolded
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
	t := &tree{file: file, open: map[*yaml.Node]bool{}}
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

// cure is the hint about a line that is no YAML, for a reason.
func cure(text []byte, line int, reason string) string {
	lines := strings.Split(string(text), "\n")
	if at := lines[min(line, len(lines))-1]; strings.Contains(at[:len(at)-len(strings.TrimLeft(at, " \t"))], "\t") {
		return "correct the YAML: indent with spaces, it takes no tabs"
	}
	if strings.Contains(reason, "anchor") {
		return "correct the YAML"
	}
	return "correct the YAML here or on the line above: members of one mapping or list begin in one column, brackets and quotes are closed"
}

func placeOf(text []byte, at int) Place {
	before := text[:at]
	return Place{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1}
}

// document parses and returns the body of the only document. A library that panics on a broken text must not end the
// program.
func document(file string, text []byte) (body *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, fault(file, Place{1, 1}, Syntax, "simplify the file until it parses", "the YAML parser gave up: %v", p)
		}
	}()
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var n yaml.Node
		err := d.Decode(&n)
		var e *yaml.LoadError
		switch {
		case errors.Is(err, io.EOF) && body == nil:
			return nil, fault(file, Place{1, 1}, Document, "write one YAML document", "the file is empty")
		case errors.Is(err, io.EOF):
			return body, nil
		case errors.As(err, &e):
			at := e.Mark // of a bracket or quote that nothing closes, where it opens
			if e.ContextMark.Line > 0 && !strings.Contains(e.ContextMsg, "block") && !strings.Contains(e.ContextMsg, "plain") {
				at = e.ContextMark
			}
			place := Place{max(1, at.Line), max(1, at.Column)}
			return nil, fault(file, place, Syntax, cure(text, place.Line, e.Message), "%s", strings.TrimSpace(e.Message+" "+e.ContextMsg))
		case err != nil:
			return nil, fault(file, Place{1, 1}, Syntax, "correct the YAML", "%s", strings.Join(strings.Fields(err.Error()), " "))
		case body != nil:
			return nil, fault(file, start(n.Content[0]), Document, "keep one and drop the line ---", "a second YAML document begins here")
		}
		body = n.Content[0]
	}
}

func start(n *yaml.Node) Place { return Place{max(1, n.Line), max(1, n.Column)} }

// tree turns the library's nodes into ours.
type tree struct {
	file  string
	open  map[*yaml.Node]bool // anchors being unfolded
	nodes int
}

func (t *tree) fail(n *yaml.Node, code Code, hint, format string, args ...any) error {
	return fault(t.file, start(n), code, hint, format, args...)
}

func (t *tree) value(n *yaml.Node, depth int) (*Node, error) {
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return nil, t.fail(n, Syntax, "nest less deep, unfold fewer aliases", "the file is too large or too deep from here")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return nil, t.fail(n, WrongKind, "remove it", "tag %s: tags are not used in these files", n.Tag)
	}
	if n.Anchor != "" {
		t.open[n] = true
		defer delete(t.open, n)
	}
	switch n.Kind {
	case yaml.MappingNode:
		return t.mapping(n, depth)
	case yaml.SequenceNode:
		out := &Node{Kind: List, Place: start(n)}
		for _, item := range n.Content {
			v, err := t.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, v)
		}
		return out, nil
	case yaml.AliasNode:
		if t.open[n.Alias] {
			return nil, t.fail(n, Syntax, "name an anchor that ends before it", "alias *%s has no anchor &%s before it", n.Value, n.Value)
		}
		return t.value(n.Alias, depth+1)
	}
	return t.scalar(n)
}

func (t *tree) mapping(n *yaml.Node, depth int) (*Node, error) {
	out := &Node{Kind: Map, Place: start(n)}
	var merged []Entry
	there := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Tag == "!!merge" {
			more, err := t.merged(value, depth)
			if err != nil {
				return nil, err
			}
			merged = append(merged, more...)
			continue
		}
		key, err := t.key(name)
		if err != nil {
			return nil, err
		}
		if there[key] {
			return nil, t.fail(name, DuplicateKey, "keep one of the two", "the key %q is there twice", key)
		}
		there[key] = true
		v, err := t.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, Entry{key, start(name), v})
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
func (t *tree) merged(n *yaml.Node, depth int) ([]Entry, error) {
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

func (t *tree) key(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Style&yaml.TaggedStyle != 0 {
		return "", t.fail(n, WrongKind, "write it in quotes", "a key has to be a text")
	}
	return strings.ToValidUTF8(n.Value, "\ufffd"), nil
}

// bareNumber matches numbers that the library takes for texts: too large for it.
var bareNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$`)

func (t *tree) scalar(n *yaml.Node) (*Node, error) {
	out := &Node{Kind: Text, Place: start(n)}
	bare := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case n.Tag == "!!int", n.Tag == "!!float", bare && bareNumber.MatchString(n.Value):
		return t.number(n, n.Value)
	case n.Tag == "!!bool":
		out.Kind, out.Text = Bool, strings.ToLower(n.Value)
	case n.Tag == "!!null":
		out.Kind = Null
	default:
		out.Text = strings.ToValidUTF8(n.Value, "\ufffd")
	}
	return out, nil
}

func (t *tree) number(n *yaml.Node, text string) (*Node, error) {
	out := &Node{Kind: Number, Text: text, Place: start(n)}
	digits := strings.TrimLeft(text, "+-")
	switch {
	case strings.HasPrefix(digits, ".i") || strings.HasPrefix(digits, ".I") || strings.HasPrefix(digits, ".n") || strings.HasPrefix(digits, ".N"):
		return nil, t.fail(n, WrongKind, "write the value out", "%s cannot be used here", text)
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
