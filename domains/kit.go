package domains

import (
	"encoding/json"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Kind says what a tool does to the world.
type Kind string

// The kinds. Only write tools mutate.
const (
	Read    Kind = "read"
	Write   Kind = "write"
	Think   Kind = "think"
	Generic Kind = "generic"
)

// ToolSpec is a tool as it is offered to a model.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema
	Returns     json.RawMessage // JSON Schema of results, which agents are not told; nil where nobody has said it
}

// Output renders a tool's result. It is called after the sync that follows the tool, so that records show what the
// sync made of them (docs/reference/domains.md#results).
type Output func() string

// Database is one side's state.
type Database interface {
	// Class is the reference's name for the type, for error texts.
	Class() string
	// Hash is the reference-compatible SHA-256 of the canonical dump, in lower-case hex.
	Hash() string
	// Value returns the whole database in dynamic form.
	Value() value.Value
	// Schemas returns the JSON Schemas of its records and their parts, by name.
	Schemas() *value.Map
	// Diff lists where other differs; empty exactly if the hashes are equal.
	Diff(other any) []record.Change
	// Patch merges data in and validates everything again.
	Patch(data value.Value) error
}

// Tool is one registered tool over a database; toolkit.Bind makes it from a declaration.
type Tool struct {
	Kind Kind
	Spec ToolSpec
	// Call binds the arguments and runs the tool. Changes made before an error stay.
	Call func(db Database, args *value.Map) (Output, error)
}

// Func is a function that only tasks can call: set-up helpers and assertions.
type Func struct {
	Name string
	Call func(db Database, args *value.Map) (value.Value, error)
}

// Kit is the tools and functions of one side, in listing order. It is immutable; all trials share it.
type Kit struct {
	Class string // the reference's name of the toolkit, for error texts
	Tools []Tool
	Funcs []Func
	index map[string]int
}

// NewKit builds a kit. A repeated tool name is a mistake of the domain's author, and panics.
func NewKit(class string, tools []Tool, funcs []Func) *Kit {
	k := &Kit{Class: class, Tools: tools, Funcs: funcs, index: map[string]int{}}
	for i, t := range tools {
		if _, dup := k.index[t.Spec.Name]; dup {
			panic("domains: tool declared twice: " + class + "." + t.Spec.Name)
		}
		k.index[t.Spec.Name] = i
	}
	return k
}

// Tool returns the tool of that name. A nil kit has none.
func (k *Kit) Tool(name string) (*Tool, bool) {
	if k == nil {
		return nil, false
	}
	i, ok := k.index[name]
	if !ok {
		return nil, false
	}
	return &k.Tools[i], true
}

// Mutates reports whether name is a tool of the kit that changes the world.
func (k *Kit) Mutates(name string) bool {
	t, ok := k.Tool(name)
	return ok && t.Kind == Write
}

// Specs returns the tools as offered to a model, in listing order.
func (k *Kit) Specs() []ToolSpec {
	if k == nil {
		return nil
	}
	out := make([]ToolSpec, len(k.Tools))
	for i, t := range k.Tools {
		out[i] = t.Spec
	}
	return out
}

// call runs a tool by name.
func (k *Kit) call(db Database, name string, args *value.Map) (Output, error) {
	t, ok := k.Tool(name)
	if !ok {
		return nil, Refuse("Tool '%s' not found.", name)
	}
	return t.Call(db, args)
}

// invoke runs any function of the kit by name: a helper, an assertion, or a tool, whose result is then its text.
func (k *Kit) invoke(db Database, name string, args *value.Map) (value.Value, error) {
	if k == nil {
		return value.Value{}, Refuse("'NoneType' object has no attribute '%s'", name)
	}
	for _, f := range k.Funcs {
		if f.Name == name {
			return f.Call(db, args)
		}
	}
	t, ok := k.Tool(name)
	if !ok {
		return value.Value{}, Refuse("'%s' object has no attribute '%s'", k.Class, name)
	}
	out, err := t.Call(db, args)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfString(out()), nil
}
