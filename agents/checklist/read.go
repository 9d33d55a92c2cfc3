package checklist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/tauguide/tauguide/domains"
)

// maxFile bounds a file, so that a mistaken path does not fill the memory.
const maxFile = 1 << 20

// reader reads one file strictly: what it does not expect becomes a finding. It does not decode into structs, because
// the library then converts numbers and dates to text without a word and stops at the first error.
type reader struct {
	file  string
	found Findings
}

func (r *reader) add(field, mend, format string, args ...any) {
	r.found = append(r.found, Finding{Severity: Error, File: r.file, Field: field, Text: fmt.Sprintf(format, args...), Mend: mend})
}

// root returns the mapping that the text holds; false with a finding if there is none.
func (r *reader) root(text []byte) (m yaml.MapSlice, ok bool) {
	switch {
	case len(text) > maxFile:
		r.add("", fmt.Sprintf("keep it under %d", maxFile), "the file has %d bytes", len(text))
		return nil, false
	case !utf8.Valid(text):
		r.add("", "save it as UTF-8", "the file is not UTF-8")
		return nil, false
	}
	// The parser is not proof against every malformed text; a panic of it is a syntax error to us.
	defer func() {
		if p := recover(); p != nil {
			r.add("", "simplify the file until it parses", "the YAML parser gave up (%v)", p)
			m, ok = nil, false
		}
	}()
	body, err := document(text)
	if err != nil {
		r.add("", "correct the YAML", "%v", err)
		return nil, false
	}
	var v any
	if err := yaml.NodeToValue(body, &v, yaml.UseOrderedMap()); err != nil {
		r.add("", "correct the YAML", "%v", plain(err))
		return nil, false
	}
	if m, ok = v.(yaml.MapSlice); !ok {
		r.add("", "write keys and values", "the file is %s and no mapping", typeOf(v))
	}
	return m, ok
}

// document parses a text that holds one document without anchors, which could unfold to any size.
func document(text []byte) (ast.Node, error) {
	if err := domains.CheckNesting(text); err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, plain(err)
	}
	var body ast.Node
	for _, d := range file.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			return nil, errors.New("the file holds a second YAML document")
		}
		body = d.Body
	}
	if body == nil {
		return nil, errors.New("the file is empty")
	}
	var look anchors
	ast.Walk(&look, body)
	if look {
		return nil, errors.New("the file has an anchor, an alias or a tag")
	}
	return body, nil
}

type anchors bool

// Visit notes what cannot be read as plain data.
func (a *anchors) Visit(n ast.Node) ast.Visitor {
	switch n.Type() {
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		*a = true
	}
	return a
}

// plain is an error of the library on one line.
func plain(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	if t := e.GetToken(); t != nil && t.Position != nil {
		return fmt.Errorf("line %d: %s", t.Position.Line, e.GetMessage())
	}
	return errors.New(e.GetMessage())
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "empty"
	case string:
		return "a text"
	case bool:
		return "a truth value"
	case []any:
		return "a list"
	case yaml.MapSlice, map[string]any:
		return "a mapping"
	}
	return "a number"
}

// fields reads a mapping by a table; a key that is not in it is a finding.
func (r *reader) fields(at string, v any, table map[string]func(field string, v any)) {
	m, ok := v.(yaml.MapSlice)
	if !ok {
		r.add(at, "write keys and values", "it is %s and no mapping", typeOf(v))
		return
	}
	for _, item := range m {
		key, ok := item.Key.(string)
		if !ok {
			r.add(at, "write a text", "the key %v is %s", item.Key, typeOf(item.Key))
			continue
		}
		read, ok := table[key]
		if !ok {
			keys := make([]string, 0, len(table))
			for k := range table {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			r.add(join(at, key), "remove it, or use one of "+strings.Join(keys, ", "), "there is no such key")
			continue
		}
		read(join(at, key), item.Value)
	}
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// text reads a text, without white space around it and with its lines joined by what joined them.
func (r *reader) text(into *string) func(string, any) {
	return func(at string, v any) {
		s, ok := v.(string)
		switch {
		case !ok:
			r.add(at, "write a text, in quotes if it looks like something else", "it is %s and no text", typeOf(v))
		case strings.TrimSpace(s) == "":
			r.add(at, "write it, or leave the key out", "it is empty")
		default:
			*into = strings.TrimSpace(s)
		}
	}
}

// texts reads a list of texts, or one text for a list of one.
func (r *reader) texts(into *[]string) func(string, any) {
	return func(at string, v any) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for i, x := range list {
			field := at
			if ok {
				field = fmt.Sprintf("%s[%d]", at, i)
			}
			switch x := x.(type) {
			case uint64, int64, int, float64:
				*into = append(*into, fmt.Sprint(x)) // as in valid_values: [1, 2]
			default:
				var s string
				r.text(&s)(field, x)
				if s != "" {
					*into = append(*into, s)
				}
			}
		}
	}
}

// each reads a list.
func (r *reader) each(read func(at string, v any)) func(string, any) {
	return func(at string, v any) {
		list, ok := v.([]any)
		if !ok {
			r.add(at, "write a list", "it is %s and no list", typeOf(v))
			return
		}
		for i, x := range list {
			read(fmt.Sprintf("%s[%d]", at, i), x)
		}
	}
}

// ParseChecklist reads a tool's checklist. The error is a Findings.
func ParseChecklist(file string, text []byte) (*Checklist, error) {
	r := &reader{file: file}
	c := &Checklist{}
	if m, ok := r.root(text); ok {
		r.fields("", m, map[string]func(string, any){
			"tool":        r.text(&c.Tool),
			"description": r.text(&c.Description),
			"requirements": r.each(func(at string, v any) {
				c.Requirements = append(c.Requirements, r.requirement(at, v))
			}),
		})
	}
	return c, r.found.err()
}

func (r *reader) requirement(at string, v any) Requirement {
	var q Requirement
	table := map[string]func(string, any){
		"name":          r.text(&q.Name),
		"purpose":       r.text(&q.Purpose),
		"condition":     r.text(&q.Condition),
		"constraints":   r.texts(&q.Constraints),
		"valid_values":  r.texts(&q.ValidValues),
		"verification":  r.text(&q.Verification),
		"on_ineligible": r.text(&q.OnIneligible),
		"on_violation":  r.text(&q.OnViolation),
		"catalog":       r.texts(&q.Catalog),
	}
	for _, k := range Kinds() {
		table[string(k)] = func(field string, v any) {
			if q.Kind != "" {
				r.add(field, "keep one of "+kindList(), "the requirement has the field %s already", q.Kind)
				return
			}
			q.Kind = k
			r.text(&q.Text)(field, v)
		}
	}
	r.fields(at, v, table)
	return q
}

func kindList() string {
	list := make([]string, len(Kinds()))
	for i, k := range Kinds() {
		list[i] = string(k)
	}
	return strings.Join(list, ", ")
}

// ParseRules reads the rules for all tools. The error is a Findings.
func ParseRules(file string, text []byte) (*Rules, error) {
	r := &reader{file: file}
	out := &Rules{}
	if m, ok := r.root(text); ok {
		r.fields("", m, map[string]func(string, any){
			"behavior": r.each(func(at string, v any) {
				var b Behavior
				r.fields(at, v, map[string]func(string, any){
					"name": r.text(&b.Name), "rule": r.text(&b.Rule), "verification": r.text(&b.Verification), "catalog": r.texts(&b.Catalog),
				})
				out.Behavior = append(out.Behavior, b)
			}),
			"capabilities": func(at string, v any) {
				r.fields(at, v, map[string]func(string, any){"can": r.texts(&out.Can), "cannot": r.texts(&out.Cannot)})
			},
			"facts": r.texts(&out.Facts),
		})
	}
	return out, r.found.err()
}
