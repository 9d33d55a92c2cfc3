package toolkit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// jar is a database of one record.
type jar struct {
	Label string
	Count int64
	Price float64
}

var jarType = record.Struct(record.Model{Name: "JarDB"},
	record.F("label", record.String, func(j *jar) *string { return &j.Label }),
	record.F("count", record.Int, func(j *jar) *int64 { return &j.Count }),
	record.F("price", record.Float, func(j *jar) *float64 { return &j.Price }))

type jarDB struct{ record.Tree[jar] }

// lidDB is a database of another type.
type lidDB struct{ jarDB }

func (*lidDB) Class() string { return "LidDB" }

func newJar() *jarDB {
	return &jarDB{record.NewTree(jarType, &jar{Label: "jam", Count: 2, Price: 3})}
}

// echo shows its arguments as they were bound.
func echo(params ...toolkit.Param) toolkit.Tool[*jarDB] {
	return toolkit.Tool[*jarDB]{Name: "echo", Kind: domains.Read, Doc: "Shows what it is given.", Params: params,
		Run: func(_ *jarDB, a toolkit.Args) (toolkit.Result, error) {
			out := &value.Map{}
			for _, p := range params {
				out.Set(p.Name, a.Get(p.Name))
			}
			return toolkit.Say(value.OfMap(out).Repr())
		}}
}

func bindOne(t toolkit.Tool[*jarDB]) *domains.Tool {
	kit := toolkit.Bind(toolkit.Class{Name: "JarTools", Attribute: "label"}, []toolkit.Tool[*jarDB]{t}, nil)
	tool, _ := kit.Tool(t.Name)
	return tool
}

func arguments(t *testing.T, text string) *value.Map {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := v.Map() // nil for null, as for a call without arguments
	return m
}

// answer is a tool's result as text, or its error.
func answer(out domains.Output, err error) string {
	if err != nil {
		return "Error: " + err.Error()
	}
	return out()
}

func TestBinding(t *testing.T) {
	tool := bindOne(echo(toolkit.Text("a", ""), toolkit.Integer("b", ""), toolkit.Text("c", ""), toolkit.Number("d", "").Or(value.OfFloat(0.5))))
	for _, tt := range []struct{ name, args, want string }{
		{"all", `{"d": 1, "c": "x", "a": null, "b": [2]}`, `{'a': None, 'b': [2], 'c': 'x', 'd': 1}`},
		{"default", `{"a": 1, "b": 2, "c": 3}`, `{'a': 1, 'b': 2, 'c': 3, 'd': 0.5}`},
		{"null is not absent", `{"a": 1, "b": 2, "c": 3, "d": null}`, `{'a': 1, 'b': 2, 'c': 3, 'd': None}`},
		{"one missing", `{"a": 1, "c": 3}`, `Error: JarTools.echo() missing 1 required positional argument: 'b'`},
		{"two missing", `{"b": 2}`, `Error: JarTools.echo() missing 2 required positional arguments: 'a' and 'c'`},
		{"all missing", `{}`, `Error: JarTools.echo() missing 3 required positional arguments: 'a', 'b', and 'c'`},
		{"no arguments", `null`, `Error: JarTools.echo() missing 3 required positional arguments: 'a', 'b', and 'c'`},
		{"unknown before missing", `{"x": 1, "y": 2}`, `Error: JarTools.echo() got an unexpected keyword argument 'x'`},
		{"first unknown", `{"a": 1, "y": 2, "x": 3}`, `Error: JarTools.echo() got an unexpected keyword argument 'y'`},
		{"case matters", `{"A": 1, "b": 1, "c": 1}`, `Error: JarTools.echo() got an unexpected keyword argument 'A'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := answer(tool.Call(newJar(), arguments(t, tt.args))); got != tt.want {
				t.Errorf(" got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestUndeclaredParameterPanics(t *testing.T) {
	tool := bindOne(toolkit.Tool[*jarDB]{Name: "broken", Kind: domains.Read,
		Run: func(_ *jarDB, a toolkit.Args) (toolkit.Result, error) { return toolkit.Say(a.Str("nothing")) }})
	defer func() {
		if recover() == nil {
			t.Error("asking for an undeclared parameter goes unnoticed")
		}
	}()
	_, _ = tool.Call(newJar(), nil)
}

// TestForeignDatabase is what happens to a toolkit whose database was exchanged: binding comes first, then the first
// attribute that the tool asks for is missing.
func TestForeignDatabase(t *testing.T) {
	ran := false
	kit := toolkit.Bind(toolkit.Class{Name: "JarTools", Attribute: "label"},
		[]toolkit.Tool[*jarDB]{{Name: "open", Kind: domains.Write, Params: []toolkit.Param{toolkit.Text("how", "")},
			Run: func(*jarDB, toolkit.Args) (toolkit.Result, error) { ran = true; return toolkit.Say("") }}},
		[]toolkit.Func[*jarDB]{{Name: "is_full", Run: func(db *jarDB, _ toolkit.Args) (value.Value, error) {
			ran = true
			return value.OfBool(db.Root.Count > 1), nil
		}}})
	tool, _ := kit.Tool("open")
	const missing = "Error: 'LidDB' object has no attribute 'label'"
	if got := answer(tool.Call(&lidDB{}, arguments(t, `{"how": "gently"}`))); got != missing {
		t.Errorf("got %s, want %s", got, missing)
	}
	if got, want := answer(tool.Call(&lidDB{}, nil)), "Error: JarTools.open() missing 1 required positional argument: 'how'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := kit.Funcs[0].Call(&lidDB{}, nil); err == nil || "Error: "+err.Error() != missing {
		t.Errorf("a function: got %v, want %s", err, missing)
	}
	if ran {
		t.Error("the body ran on a foreign database")
	}
	if v, err := kit.Funcs[0].Call(newJar(), nil); err != nil || v.Repr() != "True" {
		t.Errorf("on its own database: %s, %v", v.Repr(), err)
	}
	if _, err := kit.Funcs[0].Call(newJar(), arguments(t, `{"x": 1}`)); err == nil ||
		err.Error() != "JarTools.is_full() got an unexpected keyword argument 'x'" {
		t.Errorf("a function with an unknown argument: %v", err)
	}
}

func TestResults(t *testing.T) {
	x := &jar{Label: "é \"x\"", Count: 2, Price: 3}
	plain := func(text string) func() (toolkit.Result, error) {
		return func() (toolkit.Result, error) {
			v, err := value.ParseString(text)
			if err != nil {
				t.Fatal(err)
			}
			return toolkit.Plain(v)
		}
	}
	const shown = `{"label": "\u00e9 \"x\"", "count": 2, "price": 3.0}`
	for _, tt := range []struct {
		name string
		make func() (toolkit.Result, error)
		want string
	}{
		{"text stays as it is", func() (toolkit.Result, error) { return toolkit.Say("é \"x\"") }, `é "x"`},
		{"record", func() (toolkit.Result, error) { return toolkit.Show(jarType, x) }, shown},
		{"records", func() (toolkit.Result, error) { return toolkit.ShowAll(jarType, []*jar{x, x}) }, "[" + shown + ", " + shown + "]"},
		{"no records", func() (toolkit.Result, error) { return toolkit.ShowAll(jarType, nil) }, "[]"},
		{"null", plain(`null`), "null"},
		{"number", plain(`2.0`), `"2.0"`},
		{"truth", plain(`true`), `"True"`},
		{"numbers inside", plain(`{"b": [1, 2.5, "x", null], "a": {"c": false}}`), `{"b": ["1", "2.5", "x", null], "a": {"c": "False"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := answer(tt.make()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestRecordsRenderLate holds that a shown record is rendered when the text is asked for: after the sync of the two
// sides, not before.
func TestRecordsRenderLate(t *testing.T) {
	x := &jar{Label: "before"}
	out, err := toolkit.ShowAll(jarType, []*jar{x})
	if err != nil {
		t.Fatal(err)
	}
	x.Label = "after"
	if got, want := out(), `[{"label": "after", "count": 0, "price": 0.0}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParameterSchemas(t *testing.T) {
	colour := record.NamedEnum("Colour", "red", "blue")
	for _, tt := range []struct {
		name   string
		params []toolkit.Param
		want   string
	}{
		{"none", nil, `{"properties":{},"title":"parameters","type":"object"}`},
		{"text and choice", []toolkit.Param{toolkit.Text("task_id", "Which"), toolkit.Choice("status", "What", "pending", "completed")},
			`{"properties":{"task_id":{"description":"Which","title":"Task Id","type":"string"},` +
				`"status":{"description":"What","enum":["pending","completed"],"title":"Status","type":"string"}},` +
				`"required":["task_id","status"],"title":"parameters","type":"object"}`},
		{"default and no description", []toolkit.Param{toolkit.Integer("limit", "").Or(value.OfInt(12))},
			`{"properties":{"limit":{"default":12,"title":"Limit","type":"integer"}},"title":"parameters","type":"object"}`},
		{"null as default", []toolkit.Param{toolkit.Number("gb_amount", "").Or(value.Value{})},
			`{"properties":{"gb_amount":{"default":null,"title":"Gb Amount","type":"number"}},"title":"parameters","type":"object"}`},
		{"lists and objects", []toolkit.Param{toolkit.Texts("ids", ""),
			{Name: "jars", Schema: toolkit.List(toolkit.OrObject(jarType.Schema))}, {Name: "jar", Schema: toolkit.OrObject(jarType.Schema)},
			toolkit.Typed("colour", "", colour)},
			`{"$defs":{"Colour":{"enum":["red","blue"],"title":"Colour","type":"string"},` +
				`"JarDB":{"properties":{"label":{"title":"Label","type":"string"},"count":{"title":"Count","type":"integer"},` +
				`"price":{"title":"Price","type":"number"}},"required":["label","count","price"],"title":"JarDB","type":"object"}},` +
				`"properties":{"ids":{"items":{"type":"string"},"title":"Ids","type":"array"},` +
				`"jars":{"items":{"anyOf":[{"$ref":"#/$defs/JarDB"},{"additionalProperties":true,"type":"object"}]},"title":"Jars","type":"array"},` +
				`"jar":{"anyOf":[{"$ref":"#/$defs/JarDB"},{"additionalProperties":true,"type":"object"}],"title":"Jar"},` +
				`"colour":{"$ref":"#/$defs/Colour"}},"required":["ids","jars","jar","colour"],"title":"parameters","type":"object"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := bindOne(echo(tt.params...)).Spec
			if diff := cmp.Diff(tt.want, string(spec.Parameters)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if spec.Name != "echo" || spec.Description != "Shows what it is given." {
				t.Errorf("name %q, description %q", spec.Name, spec.Description)
			}
		})
	}
}

func TestLookups(t *testing.T) {
	table := record.NewTable("jars", jarType)
	jars := record.NewStore("JarsDB", table)
	if err := jars.Load(value.OfMap(arguments(t, `{"jars": {"j1": {"label": "jam", "count": 1, "price": 2}}}`))); err != nil {
		t.Fatal(err)
	}
	var dict record.Dict[jar]
	dict.Set("j1", jar{Label: "jam"})
	for _, tt := range []struct{ name, key, want string }{
		{"there", `"j1"`, "jam"},
		{"not there", `"j2"`, "Error: no such jar"},
		{"number", `1`, "Error: no such jar"},
		{"null", `null`, "Error: no such jar"},
		{"truth", `true`, "Error: no such jar"},
		{"list", `["j1"]`, "Error: unhashable type: 'list'"},
		{"object", `{"j1": 1}`, "Error: unhashable type: 'dict'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key, err := value.ParseString(tt.key)
			if err != nil {
				t.Fatal(err)
			}
			name := func(j *jar, err error) string {
				if err != nil {
					return "Error: " + err.Error()
				}
				return j.Label
			}
			found, j, err := toolkit.Find(table, key, "no such jar")
			if got := name(j, err); got != tt.want || (err == nil) != (found == "j1") {
				t.Errorf("in a table: %s (key %q), want %s", got, found, tt.want)
			}
			if got := name(toolkit.FindIn(&dict, key, "no such jar")); got != tt.want {
				t.Errorf("in a dict: %s, want %s", got, tt.want)
			}
		})
	}
}

func TestIterateAndCount(t *testing.T) {
	for _, tt := range []struct{ name, in, items, count string }{
		{"list", `[1, "a", [2]]`, `[1, 'a', [2]]`, ""},
		{"text by character", `"aé😀"`, `['a', 'é', '😀']`, ""},
		{"object by key", `{"b": 1, "a": 2}`, `['b', 'a']`, ""},
		{"empty", `""`, `[]`, ""},
		{"number", `5`, "'int' object is not iterable", "object of type 'int' has no len()"},
		{"float", `5.0`, "'float' object is not iterable", "object of type 'float' has no len()"},
		{"null", `null`, "'NoneType' object is not iterable", "object of type 'NoneType' has no len()"},
		{"truth", `true`, "'bool' object is not iterable", "object of type 'bool' has no len()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := value.ParseString(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			items, err := toolkit.Iterate(v)
			got := value.OfList(items).Repr()
			if err != nil {
				got = err.Error()
			}
			if got != tt.items {
				t.Errorf("items: got %s, want %s", got, tt.items)
			}
			n, err := toolkit.Count(v)
			if (err != nil) != (tt.count != "") || err != nil && err.Error() != tt.count || err == nil && n != len(items) {
				t.Errorf("count: %d, %v; want %d, %q", n, err, len(items), tt.count)
			}
		})
	}
}
