package record_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// item is a record with a field of every type that there is.
type item struct {
	ID      string
	Count   int64
	Price   float64
	Open    bool
	State   value.Value // raw: pending or done at load, anything later
	Note    *string
	Tags    []string
	Options record.Dict[string]
	Parts   []part
	Past    *[]string
	Payer   payer
	Seats   record.Dict[record.Dict[int64]]
}

type part struct {
	Name  string
	Sizes record.Dict[float64]
}

type payer struct {
	Source, ID string
	Balance    float64
	Uses       []string
}

var partType = record.Struct(record.Model{Name: "Part"},
	record.F("name", record.String, func(p *part) *string { return &p.Name }),
	record.F("sizes", record.DictOf(record.Float), func(p *part) *record.Dict[float64] { return &p.Sizes }))

var payerType = record.Union("source", func(p *payer) string { return p.Source },
	record.Variant[payer]{Tag: "card", Type: record.Struct(record.Model{Name: "Card"}, payerSource("card"), payerID)},
	record.Variant[payer]{Tag: "voucher", Type: record.Struct(record.Model{Name: "Voucher"}, payerSource("voucher"), payerID,
		record.F("balance", record.Float, func(p *payer) *float64 { return &p.Balance }),
		record.Opt("uses", record.ListOf(record.String), func(p *payer) *[]string { return &p.Uses }, func() []string { return []string{"never"} }))})

var payerID = record.F("id", record.String, func(p *payer) *string { return &p.ID })

func payerSource(tag string) record.Field[payer] {
	return record.F("source", record.Enum(tag), func(p *payer) *string { return &p.Source })
}

var itemType = record.Struct(record.Model{Name: "Item"},
	record.F("id", record.String, func(x *item) *string { return &x.ID }),
	record.F("count", record.Int, func(x *item) *int64 { return &x.Count }),
	record.F("price", record.Float, func(x *item) *float64 { return &x.Price }),
	record.Opt("open", record.Bool, func(x *item) *bool { return &x.Open }, func() bool { return true }),
	record.F("state", record.Raw(record.Enum("pending", "done")), func(x *item) *value.Value { return &x.State }),
	record.OrNull("note", record.String, func(x *item) **string { return &x.Note }),
	record.F("tags", record.ListOf(record.String), func(x *item) *[]string { return &x.Tags }),
	record.F("options", record.DictOf(record.String), func(x *item) *record.Dict[string] { return &x.Options }),
	record.F("parts", record.ListOf(partType), func(x *item) *[]part { return &x.Parts }),
	record.OrNull("past", record.ListOf(record.String), func(x *item) **[]string { return &x.Past }),
	record.F("payer", payerType, func(x *item) *payer { return &x.Payer }),
	record.F("seats", record.DictOf(record.DictOf(record.Int)), func(x *item) *record.Dict[record.Dict[int64]] { return &x.Seats }))

// itemText is a valid item; its members are not in the order of declaration.
const itemText = `{"count": 3, "id": "a", "price": 44, "state": "pending", "tags": ["x", "y"], "options": {"size": "L", "colour": "red"},
 "parts": [{"name": "lid", "sizes": {"w": 1, "h": 2.5}}], "payer": {"source": "voucher", "id": "v1", "balance": 5, "brand": "dropped"},
 "seats": {"front": {"left": 1}, "back": {}}, "unknown": 1}`

// itemDump is itemText as it is rendered: declared order, floats as floats, defaults filled in, unknown members gone.
const itemDump = `{"id": "a", "count": 3, "price": 44.0, "open": true, "state": "pending", "note": null, "tags": ["x", "y"], ` +
	`"options": {"size": "L", "colour": "red"}, "parts": [{"name": "lid", "sizes": {"w": 1.0, "h": 2.5}}], "past": null, ` +
	`"payer": {"source": "voucher", "id": "v1", "balance": 5.0, "uses": ["never"]}, "seats": {"front": {"left": 1}, "back": {}}}`

func loadItem(t testing.TB) item {
	t.Helper()
	x, err := itemType.Load(parse(t, itemText))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func itemAs(x *item, o value.Order) string { return string(itemType.Dump(nil, x, o)) }

// shelf is a database of two tables, as the domains make them.
type shelf struct {
	record.Store
	items *record.Table[item]
	parts *record.Table[part]
}

func newShelf() *shelf {
	s := &shelf{items: record.NewTable("items", itemType), parts: record.NewTable("a_parts", partType)}
	s.Store = record.NewStore("ShelfDB", s.items, s.parts)
	return s
}

// newBase loads a shelf of n items, whose keys are not in order, and two parts.
func newBase(t testing.TB, n int) *shelf {
	t.Helper()
	table := &value.Map{}
	for i := range n {
		table.Set(fmt.Sprintf("#%d", (i*7+3)%n), parse(t, itemText))
	}
	parts := parse(t, `{"p": {"name": "pin", "sizes": {}}, "b": {"name": "bolt", "sizes": {"l": 3}}}`)
	s := newShelf()
	if err := s.Load(value.OfMap(value.MapOf(value.Pair{Key: "items", Value: value.OfMap(table)}, value.Pair{Key: "a_parts", Value: parts}))); err != nil {
		t.Fatal(err)
	}
	return s
}

// open is the shelf as it was loaded.
func (s *shelf) open() *shelf {
	fresh := newShelf()
	fresh.Share(&s.Store)
	return fresh
}

// edit draws one change of an item.
func edit(t *rapid.T, x *item) {
	words := rapid.SampledFrom([]string{"", "L", "red", "x", "é"})
	switch rapid.IntRange(0, 13).Draw(t, "change") {
	case 0:
		x.Count = rapid.Int64Range(0, 2).Draw(t, "count")
	case 1:
		x.Price = rapid.SampledFrom([]float64{44, 44.5, 0}).Draw(t, "price")
	case 2:
		x.Open = rapid.Bool().Draw(t, "open")
	case 3:
		x.State = rapid.SampledFrom([]value.Value{value.OfString("pending"), value.OfInt(1), value.OfFloat(1), value.OfBool(true), {},
			value.OfList(nil), value.OfMap(nil)}).Draw(t, "state")
	case 4:
		note := words.Draw(t, "note")
		x.Note = &note
	case 5:
		x.Note = nil
	case 6:
		x.Tags = append(x.Tags, words.Draw(t, "tag"))
	case 7:
		if len(x.Tags) > 0 {
			x.Tags[0] = words.Draw(t, "first tag")
		}
	case 8:
		x.Options.Set(words.Draw(t, "option"), words.Draw(t, "choice"))
	case 9:
		x.Options.Delete(words.Draw(t, "option"))
	case 10:
		x.Parts = append(x.Parts, part{Name: words.Draw(t, "part")})
	case 11:
		if len(x.Parts) > 0 {
			x.Parts[0].Sizes.Set("w", float64(rapid.IntRange(0, 2).Draw(t, "w")))
		}
	case 12:
		past := []string{words.Draw(t, "past")}
		x.Past = &past
	case 13:
		if d := x.Seats.Get("front"); d != nil {
			d.Set("left", rapid.Int64Range(0, 2).Draw(t, "left"))
		}
		x.Payer.Uses[0] = words.Draw(t, "use")
	}
}

// scramble draws some changes of a shelf: edits, additions, replacements.
func scramble(t *rapid.T, s *shelf) {
	for range rapid.IntRange(0, 6).Draw(t, "changes") {
		key := rapid.SampledFrom([]string{"#0", "#1", "#2", "new", "#10", "zzz", ""}).Draw(t, "key")
		if x := s.items.Edit(key); x != nil {
			edit(t, x)
			continue
		}
		first, ok := s.items.Get("#1")
		if !ok {
			t.Fatal("#1 is missing")
		}
		added := s.items.Put(key, itemType.Clone(first))
		edit(t, added)
	}
	if rapid.IntRange(0, 3).Draw(t, "parts") == 0 {
		s.parts.Edit("b").Name = rapid.SampledFrom([]string{"bolt", "nut"}).Draw(t, "part")
	}
}
