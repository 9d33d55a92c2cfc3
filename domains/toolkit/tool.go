// Package toolkit lets a domain declare each of its tools once: name, kind, parameters, function. From the declaration
// come the JSON Schema that a model sees, the binding of arguments with the reference's error texts, and the rendering
// of results byte for byte. Dispatch and replay over the bound tools are package domains' Env.
//
// The reference does not validate arguments against the schema, so a tool receives whatever the model sent, as
// dynamic values, and decides itself what a wrong type leads to (docs/reference/domains.md#tools).
package toolkit

import (
	"encoding/json"
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Value is a dynamically typed argument or field.
type Value = value.Value

// Result renders what a tool returns, once the sync after the call has run.
type Result = domains.Output

// Param declares one parameter. Build it with Text, Integer, Number, Choice, Texts or Typed.
type Param struct {
	Name   string
	Doc    string
	Schema func(*record.Defs) *value.Map
	def    *Value
}

// Or returns the parameter as an optional one with that default.
func (p Param) Or(def Value) Param {
	p.def = &def
	return p
}

// Typed declares a parameter with the schema of a record type.
func Typed[T any](name, doc string, t record.Type[T]) Param {
	return Param{Name: name, Doc: doc, Schema: t.Schema}
}

// Text declares a string parameter.
func Text(name, doc string) Param { return Typed(name, doc, record.String) }

// Integer declares an integer parameter.
func Integer(name, doc string) Param { return Typed(name, doc, record.Int) }

// Number declares a parameter that may have a fraction.
func Number(name, doc string) Param { return Typed(name, doc, record.Float) }

// Choice declares a parameter that is one of a few texts.
func Choice(name, doc string, members ...string) Param {
	return Typed(name, doc, record.Enum(members...))
}

// Texts declares a list of strings.
func Texts(name, doc string) Param { return Typed(name, doc, record.ListOf(record.String)) }

// OrObject is the schema of something that may also be given as a free object.
func OrObject(schema func(*record.Defs) *value.Map) func(*record.Defs) *value.Map {
	free := value.MapOf(value.Pair{Key: "additionalProperties", Value: value.OfBool(true)},
		value.Pair{Key: "type", Value: value.OfString("object")})
	return func(d *record.Defs) *value.Map {
		return value.MapOf(value.Pair{Key: "anyOf", Value: value.OfList([]Value{value.OfMap(schema(d)), value.OfMap(free)})})
	}
}

// List is the schema of a list of such elements.
func List(schema func(*record.Defs) *value.Map) func(*record.Defs) *value.Map {
	return func(d *record.Defs) *value.Map {
		return value.MapOf(value.Pair{Key: "items", Value: value.OfMap(schema(d))},
			value.Pair{Key: "type", Value: value.OfString("array")})
	}
}

// Tool declares a tool over a database of type DB.
type Tool[DB domains.Database] struct {
	Name   string
	Kind   domains.Kind
	Doc    string // what the model reads, in our own words
	Params []Param
	Run    func(db DB, a Args) (Result, error)
}

// Func declares a function that only tasks call: a set-up helper or an assertion.
type Func[DB domains.Database] struct {
	Name   string
	Params []Param
	Run    func(db DB, a Args) (Value, error)
}

// Class names a toolkit as the reference does, for error texts.
type Class struct {
	Name string // e.g. RetailTools
	// Attribute is what the tools first ask of their database; it is in the error text when initialization data
	// has put the other side's database in its place.
	Attribute string
}

// Bind makes a kit of declarations.
func Bind[DB domains.Database](c Class, tools []Tool[DB], funcs []Func[DB]) *domains.Kit {
	bound := make([]domains.Tool, len(tools))
	for i, t := range tools {
		bound[i] = domains.Tool{
			Kind: t.Kind,
			Spec: domains.ToolSpec{Name: t.Name, Description: t.Doc, Parameters: parameters(t.Params)},
			Call: func(db domains.Database, args *value.Map) (domains.Output, error) {
				own, a, err := enter[DB](c, t.Name, t.Params, db, args)
				if err != nil {
					return nil, err
				}
				return t.Run(own, a)
			},
		}
	}
	helpers := make([]domains.Func, len(funcs))
	for i, f := range funcs {
		helpers[i] = domains.Func{Name: f.Name, Call: func(db domains.Database, args *value.Map) (Value, error) {
			own, a, err := enter[DB](c, f.Name, f.Params, db, args)
			if err != nil {
				return Value{}, err
			}
			return f.Run(own, a)
		}}
	}
	return domains.NewKit(c.Name, bound, helpers)
}

// enter binds the arguments, then checks that the database is the tool's own.
func enter[DB domains.Database](c Class, name string, params []Param, db domains.Database, args *value.Map) (own DB, a Args, err error) {
	a, err = bind(c.Name+"."+name, params, args)
	if err != nil {
		return own, a, err
	}
	own, ok := db.(DB)
	if !ok {
		return own, a, domains.Refuse("'%s' object has no attribute '%s'", db.Class(), c.Attribute)
	}
	return own, a, nil
}

// parameters builds the JSON Schema of a parameter list (docs/reference/domains.md#schemas).
func parameters(params []Param) json.RawMessage {
	defs := &record.Defs{}
	props, required := &value.Map{}, []Value{}
	for _, p := range params {
		props.Set(p.Name, value.OfMap(record.Property(p.Name, p.Doc, p.Schema(defs), p.def)))
		if p.def == nil {
			required = append(required, value.OfString(p.Name))
		}
	}
	schema := &value.Map{}
	if d := defs.Map(); d != nil {
		schema.Set("$defs", value.OfMap(d))
	}
	schema.Set("properties", value.OfMap(props))
	if len(required) > 0 {
		schema.Set("required", value.OfList(required))
	}
	schema.Set("title", value.OfString("parameters"))
	schema.Set("type", value.OfString("object"))
	text, err := value.OfMap(schema).MarshalJSON()
	if err != nil {
		panic(fmt.Sprintf("toolkit: a parameter default has no JSON form: %v", err))
	}
	return text
}
