package described

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// ReadTools reads a list of tools. Its form is told by its content: function definitions as chat and response APIs
// take them, alone or under tools in a request; the answer of an MCP server to tools/list, or its result; a
// tool_schemas.json of τ²-bench, with both sides' tools; and the program's own tools.yaml.
func ReadTools(path string) (Tools, error) {
	text, err := domains.ReadFile(path, yamlfile.MaxBytes)
	if err != nil {
		return Tools{}, err
	}
	return ParseTools(path, text)
}

// ParseTools is ReadTools of a text; file serves errors only.
func ParseTools(file string, text []byte) (Tools, error) {
	t, err := parseTools(file, bytes.TrimPrefix(text, []byte("\ufeff")))
	if err == nil {
		err = t.check()
	}
	if err == nil {
		return t, nil
	}
	if errors.As(err, new(*yamlfile.Error)) || errors.As(err, new(yamlfile.Errors)) { // they have their place
		return Tools{}, err
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range list.Unwrap() {
			all = append(all, fmt.Errorf("%s: %w", file, one))
		}
		return Tools{}, errors.Join(all...)
	}
	return Tools{}, fmt.Errorf("%s: %w", file, err)
}

const formsHint = "\nhint: give function definitions, an MCP server's answer to tools/list, a tool_schemas.json of τ²-bench, or a tools.yaml"

func parseTools(file string, text []byte) (Tools, error) {
	if err := value.CheckEncoding(text); err != nil {
		return Tools{}, err
	}
	if !utf8.Valid(text) {
		return Tools{}, errors.New("this is no UTF-8 text\nhint: save the file in UTF-8")
	}
	start := bytes.TrimSpace(text)
	if len(start) == 0 {
		return Tools{}, errors.New("this file is empty" + formsHint)
	}
	if start[0] != '[' && start[0] != '{' {
		return parseOwn(file, text)
	}
	root, err := value.Parse(text)
	if place := (*value.PlaceError)(nil); errors.As(err, &place) {
		line := 1 + bytes.Count(text[:place.Offset], []byte("\n"))
		err = fmt.Errorf("line %d: %w within %q", line, place.Err, place.Path)
	}
	if err != nil {
		return Tools{}, fmt.Errorf("%w\nhint: correct the JSON", err)
	}
	if m, ok := root.Map(); ok {
		if _, own := m.Get("agent"); own {
			return parseOwn(file, text)
		}
	}
	agent, user, err := lists(root)
	if err != nil {
		return Tools{}, err
	}
	var t Tools
	var bad [2]error
	t.Agent, bad[0] = definitions("the agent", agent)
	t.User, bad[1] = definitions("the user", user)
	err = errors.Join(bad[:]...)
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return t, err
	}
	return parseOwn(file, t.YAML()) // so that a tool is the same to the byte once it is in a tools.yaml
}

// lists finds the definitions in a JSON text.
func lists(root value.Value) (agent, user []value.Value, err error) {
	if items, ok := root.Items(); ok {
		return items, nil, nil
	}
	m, _ := root.Map()
	list := func(key string) []value.Value {
		v, _ := m.Get(key)
		items, ok := v.Items()
		if !ok && !v.IsNull() {
			err = fmt.Errorf("%s: want a list of tools, got: %s", key, v.TypeName())
		}
		return items
	}
	has := func(key string) bool { _, ok := m.Get(key); return ok }
	switch {
	case has("result"):
		inner, _ := m.Get("result")
		return lists(inner)
	case has("error"):
		why, _ := m.Get("error")
		return nil, nil, fmt.Errorf("the server answered with an error: %s\nhint: ask it for tools/list again", value.Clip(why, 200))
	case has("nextCursor") && has("tools"):
		if next, _ := m.Get("nextCursor"); next.Truthy() {
			return nil, nil, errors.New("nextCursor: the server has more tools than these\nhint: ask for the other pages, and put the tools of all into one list")
		}
		fallthrough
	case has("tools"):
		agent = list("tools")
	case has("assistant"):
		agent, user = list("assistant"), list("user")
	case has("name"), has("function"):
		agent = []value.Value{root}
	default:
		err = errors.New("this is no list of tools" + formsHint)
	}
	return agent, user, err
}

func definitions(whose string, list []value.Value) (out []Tool, err error) {
	var bad []error
	for i, v := range list {
		t, err := definition(v)
		if err != nil {
			name := t.Name
			if name == "" {
				name = fmt.Sprintf("%d", i+1)
			}
			bad = append(bad, fmt.Errorf("tool %s of %s: %w", name, whose, err))
		}
		out = append(out, t)
	}
	return out, errors.Join(bad...)
}

// definition reads one tool: {type: function, function: {...}}, or the function's members themselves, as response APIs
// and MCP have them.
func definition(v value.Value) (t Tool, err error) {
	outer, ok := v.Map()
	if !ok {
		return t, fmt.Errorf("want an object, got: %s%s", v.TypeName(), formsHint)
	}
	m := outer
	if inner, ok := outer.Get("function"); ok {
		if m, ok = inner.Map(); !ok {
			return t, fmt.Errorf("function: want an object, got: %s", inner.TypeName())
		}
	}
	text := func(key string) string {
		x, ok := m.Get(key)
		s, isText := x.Text()
		if ok && !isText && !x.IsNull() && err == nil {
			err = fmt.Errorf("%s: want a text, got: %s", key, x.TypeName())
		}
		return s
	}
	t.Name, t.Description = text("name"), text("description")
	if kind, ok := outer.Get("type"); ok && kind.Str() != "function" {
		return t, fmt.Errorf("type: %s is no function, which alone can be guarded\nhint: remove it from the list", kind.Repr())
	}
	for key, to := range map[string]*json.RawMessage{"parameters": &t.Parameters, "inputSchema": &t.Parameters, "input_schema": &t.Parameters, "outputSchema": &t.Returns} {
		if x, ok := m.Get(key); ok && !x.IsNull() {
			if *to, err = x.MarshalJSON(); err != nil {
				return t, err
			}
		}
	}
	if t.Parameters = orNone(t.Parameters); err == nil {
		err = t.hints(outer)
	}
	return t, err
}

// orNone is the schema of a tool that takes no arguments, where none is given.
func orNone(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 || string(schema) == "null" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}

// hints takes the kind from the annotations of an MCP tool. They are the server's word, which a person has to confirm.
// A tool that is not read-only changes data, whether it destroys any or not.
func (t *Tool) hints(m *value.Map) error {
	v, _ := m.Get("annotations")
	notes, ok := v.Map()
	if !ok {
		return nil
	}
	hint := func(name string) (set, yes bool, err error) {
		x, _ := notes.Get(name)
		yes, set = x.Bool()
		if !set && !x.IsNull() {
			err = fmt.Errorf("annotations.%s: want true or false, got: %s", name, x.TypeName())
		}
		return set, yes, err
	}
	told, reads, err := hint("readOnlyHint")
	_, destroys, err2 := hint("destructiveHint")
	switch {
	case errors.Join(err, err2) != nil:
		return errors.Join(err, err2)
	case reads && destroys: // which of the two is meant, nobody can tell
	case reads:
		t.Kind, t.Confirm = domains.Read, "readOnlyHint of the server"
	case destroys:
		t.Kind, t.Confirm = domains.Write, "destructiveHint of the server"
	case told:
		t.Kind, t.Confirm = domains.Write, "readOnlyHint of the server, which is false"
	}
	return nil
}

// checkSchema says what keeps a tool's parameters, or results, from being the JSON Schema of an object.
func checkSchema(raw json.RawMessage) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	m, ok := doc.(map[string]any)
	if kind, typed := m["type"]; !ok || typed && kind != "object" {
		return errors.New(`want the JSON Schema of an object` + "\nhint: " + `write {"type": "object", "properties": {...}}`)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	const here = "tool:parameters"
	if err = c.AddResource(here, doc); err == nil {
		_, err = c.Compile(here)
	}
	if err != nil {
		return fmt.Errorf("it is no JSON Schema: %s\nhint: correct it", strings.Join(strings.Fields(err.Error()), " "))
	}
	return nil
}

// nowhere keeps schemas from reading files.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is elsewhere: a tool's schema has to be whole", url)
}
