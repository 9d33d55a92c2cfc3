package config

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

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// source is a config file with the position of everything in it, so that every complaint can name its place.
type source struct {
	file  string
	at    map[string]position // by path, e.g. systems[1].name: of the key, or of the item
	unset map[string]string   // path of a value → the variables in it that are not set
	raw   map[string]string   // path of a value → its text before variables were replaced

	numbers map[string]string // path of a number → how it is written
}

type position struct{ line, column int }

// errorf makes an error about the field at path, or about the closest field around it that is in the file.
func (s *source) errorf(path, format string, args ...any) error {
	return s.positioned(path, fmt.Errorf(format, args...))
}

func (s *source) positioned(path string, err error) error {
	if s == nil {
		return err
	}
	p, ok := s.at[path]
	for !ok && path != "" {
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
		p, ok = s.at[path]
	}
	if !ok {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	return &configError{file: s.file, pos: p, err: err}
}

// configError is a complaint about one place of a config.
type configError struct {
	file string
	pos  position
	err  error
}

func (e *configError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.file, e.pos.line, e.pos.column, e.err)
}
func (e *configError) Unwrap() error { return e.err }

// The bounds of a config file: far above any real one, far below what anchors can be made to unfold to.
const (
	maxNodes = 100_000
	maxDepth = 100
)

// readYAML turns a YAML document into JSON-like data and notes where everything stands. It does so from the syntax
// tree, since the library's decoder converts between types without a word.
func readYAML(file string, text []byte) (any, *source, error) {
	s := &source{file: file, at: map[string]position{}, unset: map[string]string{}, raw: map[string]string{},
		numbers: map[string]string{}}
	text, err := readable(file, text)
	if err != nil {
		return nil, nil, err
	}
	tree, err := parseYAML(text)
	if err != nil {
		return nil, nil, syntaxError(file, err)
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil {
		return nil, nil, fmt.Errorf("%s: the file is empty: see configs/quickstart.yaml for a config that runs", file)
	}
	if len(tree.Docs) > 1 {
		line := 0
		if d := tree.Docs[1]; d.Start != nil {
			line = d.Start.Position.Line
		} else if d.Body != nil {
			line = d.Body.GetToken().Position.Line
		}
		return nil, nil, fmt.Errorf("%s:%d: a second document starts here: keep one config in a file", file, line)
	}
	r := &yamlReader{source: s, anchors: map[string]ast.Node{}, open: map[string]bool{}}
	v, err := r.value(tree.Docs[0].Body, "", 0)
	if err != nil {
		return nil, nil, err
	}
	return v, s, nil
}

// readable returns the text without the mark that some editors put at its start, if it is UTF-8.
func readable(file string, text []byte) ([]byte, error) {
	const mend = "save the file as UTF-8"
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, fmt.Errorf("%s: the text is UTF-16: %s", file, mend)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	at, what := bytes.IndexByte(text, 0), "a zero byte (as in UTF-16)"
	if at < 0 && !utf8.Valid(text) {
		what = "a byte that is no UTF-8"
		for at = 0; ; {
			r, n := utf8.DecodeRune(text[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
	}
	if at < 0 {
		return text, nil
	}
	before := text[:at]
	return nil, &configError{file: file, err: fmt.Errorf("%s stands here: %s", what, mend),
		pos: position{line: bytes.Count(before, []byte("\n")) + 1, column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1}}
}

// parseYAML parses; the library panics on some broken texts.
func parseYAML(text []byte) (tree *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			tree, err = nil, fmt.Errorf("not readable as YAML: %v", p)
		}
	}()
	if err := yamlfile.CheckNesting(text); err != nil {
		return nil, errors.New(err.Text)
	}
	return parser.ParseBytes(text, 0)
}

func syntaxError(file string, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty: see configs/quickstart.yaml for a config that runs", file)
	}
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return &configError{file: file, pos: positionOf(e.GetToken()), err: errors.New(e.GetMessage())}
	}
	return fmt.Errorf("%s: %w", file, err)
}

// start is where a node begins: a map's own token is its first colon.
func start(n ast.Node) position {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return positionOf(n.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return positionOf(n.Key.GetToken())
	}
	return positionOf(n.GetToken())
}

func positionOf(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{}
	}
	return position{line: t.Position.Line, column: t.Position.Column}
}

type yamlReader struct {
	source  *source
	anchors map[string]ast.Node
	open    map[string]bool // aliases being unfolded
	nodes   int
}

func (r *yamlReader) fail(n ast.Node, format string, args ...any) error {
	return &configError{file: r.source.file, pos: positionOf(n.GetToken()), err: fmt.Errorf(format, args...)}
}

func (r *yamlReader) value(n ast.Node, path string, depth int) (any, error) {
	if n == nil {
		return nil, nil
	}
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return nil, r.fail(n, "the config is too large or too deep: unfold fewer aliases")
	}
	if _, known := r.source.at[path]; !known {
		r.source.at[path] = start(n)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(n.Values, path, depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, path, depth)
	case *ast.SequenceNode:
		return r.sequence(n, path, depth)
	case *ast.AnchorNode:
		r.anchors[n.Name.GetToken().Value] = n.Value
		return r.value(n.Value, path, depth+1)
	case *ast.AliasNode:
		return r.alias(n, func(to ast.Node) (any, error) { return r.value(to, path, depth+1) })
	case *ast.TagNode:
		return nil, r.fail(n, "tag %s: tags are not used in configs, remove it", n.Start.Value)
	}
	v, err := r.scalar(n)
	if _, number := v.(json.Number); number {
		r.source.numbers[path] = n.GetToken().Value
	}
	return v, err
}

// bareNumber matches numbers that the library takes for texts: with an exponent but no dot, or too large for it.
var bareNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$`)

func (r *yamlReader) scalar(n ast.Node) (any, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		if n.Token.Type == token.StringType && bareNumber.MatchString(n.Value) {
			return r.bare(n)
		}
		return strings.ToValidUTF8(n.Value, "\ufffd"), nil
	case *ast.LiteralNode:
		return strings.ToValidUTF8(n.Value.Value, "\ufffd"), nil
	case *ast.IntegerNode:
		text := strings.TrimLeft(n.Token.Value, "+-")
		if len(text) > 1 && text[0] == '0' {
			return nil, r.fail(n, "%s would be read in another base: write the number in decimal, or quote it if it is a text", n.Token.Value)
		}
		return json.Number(fmt.Sprint(n.Value)), nil
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
			return nil, r.fail(n, "%s is out of range", n.Token.Value)
		}
		return plainNumber(n.Value), nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.NullNode:
		return nil, nil
	}
	return nil, r.fail(n, "%s cannot be used in a config", n.GetToken().Value)
}

// bare reads a number that the library took for a text.
func (r *yamlReader) bare(n *ast.StringNode) (any, error) {
	if strings.Trim(n.Value, "+-0123456789") == "" {
		return json.Number(strings.TrimPrefix(n.Value, "+")), nil
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	if err != nil {
		return nil, r.fail(n, "%s is out of range: quote it if it is a text", n.Value)
	}
	return plainNumber(f), nil
}

// plainNumber writes whole numbers without an exponent, which no field for whole numbers takes.
func plainNumber(f float64) json.Number {
	format := byte('g')
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		format = 'f'
	}
	return json.Number(strconv.FormatFloat(f, format, -1, 64))
}

func (r *yamlReader) alias(n *ast.AliasNode, use func(ast.Node) (any, error)) (any, error) {
	name := n.Value.GetToken().Value
	to, ok := r.anchors[name]
	if !ok || r.open[name] {
		return nil, r.fail(n, "alias *%s has no anchor &%s before it", name, name)
	}
	r.open[name] = true
	defer delete(r.open, name)
	return use(to)
}

func (r *yamlReader) sequence(n *ast.SequenceNode, path string, depth int) (any, error) {
	out := make([]any, 0, len(n.Values))
	for i, item := range n.Values {
		v, err := r.value(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (r *yamlReader) mapping(members []*ast.MappingValueNode, path string, depth int) (any, error) {
	out, merged := map[string]any{}, map[string]any{}
	for _, m := range members {
		if m.Key.IsMergeKey() {
			if err := r.merge(m.Value, merged, path, depth); err != nil {
				return nil, err
			}
			continue
		}
		key, err := r.key(m)
		if err != nil {
			return nil, err
		}
		if _, dup := out[key]; dup {
			return nil, r.fail(m.Key, "key %q is there twice: keep one", key)
		}
		at := join(path, key)
		r.source.at[at] = positionOf(m.Key.GetToken())
		if out[key], err = r.value(m.Value, at, depth+1); err != nil {
			return nil, err
		}
	}
	for k, v := range merged {
		if _, own := out[k]; !own {
			out[k] = v
		}
	}
	return out, nil
}

func (r *yamlReader) key(m *ast.MappingValueNode) (string, error) {
	switch k := m.Key.(type) {
	case *ast.StringNode:
		return strings.ToValidUTF8(k.Value, "\ufffd"), nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return k.GetToken().Value, nil
	}
	return "", r.fail(m.Key, "a key must be a text")
}

// merge unfolds <<: *base; where several are merged the earlier one wins.
func (r *yamlReader) merge(n ast.Node, into map[string]any, path string, depth int) error {
	if seq, ok := n.(*ast.SequenceNode); ok {
		for _, item := range seq.Values {
			if err := r.merge(item, into, path, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	v, err := r.value(n, path, depth+1)
	if err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return r.fail(n, "<< takes a map or a list of maps")
	}
	for k, v := range m {
		if _, earlier := into[k]; !earlier {
			into[k] = v
		}
	}
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
