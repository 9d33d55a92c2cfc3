package record_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

func TestSchemas(t *testing.T) {
	text := record.Struct(record.Model{Name: "Leg", Doc: "one flight", Closed: true},
		record.F("number", record.String, func(p *part) *string { return &p.Name }).Doc("flight number"),
		record.Opt("cabin", record.NamedEnum("Cabin", "a", "b"), func(p *part) *string { return &p.Name }, func() string { return "b" }).Doc("class"),
		record.OrNull("note", record.String, func(p *part) **string { var s *string; return &s }))
	for _, tt := range []struct {
		name   string
		schema func(*record.Defs) *value.Map
		want   string
		defs   string // "" for none
	}{
		{"string", record.String.Schema, `{"type": "string"}`, ""},
		{"integer", record.Int.Schema, `{"type": "integer"}`, ""},
		{"integer of any size", record.AnyInt.Schema, `{"type": "integer"}`, ""},
		{"number", record.Float.Schema, `{"type": "number"}`, ""},
		{"boolean", record.Bool.Schema, `{"type": "boolean"}`, ""},
		{"words", record.Enum("b", "a").Schema, `{"enum": ["b", "a"], "type": "string"}`, ""},
		{"raw", record.Raw(record.Enum("x")).Schema, `{"enum": ["x"], "type": "string"}`, ""},
		{"list", record.ListOf(record.ListOf(record.Int)).Schema, `{"items": {"items": {"type": "integer"}, "type": "array"}, "type": "array"}`, ""},
		{"object of anything", record.DictOf(record.Int).Schema, `{"additionalProperties": {"type": "integer"}, "type": "object"}`, ""},
		{"null or", record.Nullable(record.String).Schema, `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, ""},
		{"named words", record.NamedEnum("Cabin", "a", "b").Schema, `{"$ref": "#/$defs/Cabin"}`,
			`{"Cabin": {"enum": ["a", "b"], "title": "Cabin", "type": "string"}}`},
		{"model", record.ListOf(text).Schema, `{"items": {"$ref": "#/$defs/Leg"}, "type": "array"}`,
			`{"Cabin": {"enum": ["a", "b"], "title": "Cabin", "type": "string"}, ` +
				`"Leg": {"additionalProperties": false, "description": "one flight", "properties": {` +
				`"number": {"description": "flight number", "title": "Number", "type": "string"}, ` +
				`"cabin": {"$ref": "#/$defs/Cabin", "default": "b", "description": "class"}, ` +
				`"note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Note"}}, ` +
				`"required": ["number"], "title": "Leg", "type": "object"}}`},
		{"shapes", payerType.Schema, `{"anyOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Voucher"}]}`,
			`{"Card": {"properties": {"source": {"enum": ["card"], "title": "Source", "type": "string"}, "id": {"title": "Id", "type": "string"}}, ` +
				`"required": ["source", "id"], "title": "Card", "type": "object"}, ` +
				`"Voucher": {"properties": {"source": {"enum": ["voucher"], "title": "Source", "type": "string"}, "id": {"title": "Id", "type": "string"}, ` +
				`"balance": {"title": "Balance", "type": "number"}, ` +
				`"uses": {"default": ["never"], "items": {"type": "string"}, "title": "Uses", "type": "array"}}, ` +
				`"required": ["source", "id", "balance"], "title": "Voucher", "type": "object"}}`},
		{"nothing required", entryType.Schema, `{"$ref": "#/$defs/Task"}`,
			`{"Task": {"properties": {"description": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Description"}}, ` +
				`"title": "Task", "type": "object"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defs := &record.Defs{}
			if got := dump(value.OfMap(tt.schema(defs))); got != tt.want {
				t.Errorf("schema:\n got %s\nwant %s", got, tt.want)
			}
			tt.schema(defs) // a second use must not define anything again
			got := ""
			if m := defs.Map(); m != nil {
				got = dump(value.OfMap(m))
			}
			if got != tt.defs {
				t.Errorf("definitions:\n got %s\nwant %s", got, tt.defs)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	for name, want := range map[string]string{
		"gb_amount": "Gb Amount", "zip": "Zip", "address1": "Address1", "": "", "_x": " X", "élan": "Élan",
	} {
		if got := record.Title(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestProperty(t *testing.T) {
	def := value.OfInt(5)
	integer := value.MapOf(value.Pair{Key: "type", Value: value.OfString("integer")})
	if got, want := dump(value.OfMap(record.Property("max_count", "how many", integer, &def))),
		`{"default": 5, "description": "how many", "title": "Max Count", "type": "integer"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if integer.Len() != 1 {
		t.Error("the type's own schema was written to")
	}
}
