package value_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/value"
)

// parse reads a JSON text that the test itself wrote.
func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func list(items ...value.Value) value.Value { return value.OfList(items) }

func object(pairs ...value.Pair) value.Value { return value.OfMap(value.MapOf(pairs...)) }

func pair(key string, v value.Value) value.Pair { return value.Pair{Key: key, Value: v} }

func text(s string) value.Value { return value.OfString(s) }

func integer(i int64) value.Value { return value.OfInt(i) }

func float(f float64) value.Value { return value.OfFloat(f) }

// huge is an integer beyond 64 bits.
func huge(decimal string) value.Value {
	b, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		panic(decimal)
	}
	return value.OfBig(b)
}

// values generates values of every kind that JSON can hold.
func values() *rapid.Generator[value.Value] {
	return rapid.Custom(func(t *rapid.T) value.Value { return draw(t, 3) })
}

func draw(t *rapid.T, depth int) value.Value {
	top := 6
	if depth == 0 {
		top = 4
	}
	switch rapid.IntRange(0, top).Draw(t, "kind") {
	case 0:
		return value.Value{}
	case 1:
		return value.OfBool(rapid.Bool().Draw(t, "bool"))
	case 2:
		if rapid.IntRange(0, 4).Draw(t, "huge") == 0 {
			return value.OfBig(new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 9, 20).Draw(t, "bytes")))
		}
		return value.OfInt(rapid.Int64().Draw(t, "int"))
	case 3:
		return value.OfFloat(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "float"))
	case 4:
		return value.OfString(rapid.String().Draw(t, "string"))
	case 5:
		items := make([]value.Value, rapid.IntRange(0, 4).Draw(t, "len"))
		for i := range items {
			items[i] = draw(t, depth-1)
		}
		return value.OfList(items)
	}
	m := &value.Map{}
	for range rapid.IntRange(0, 12).Draw(t, "members") {
		m.Set(rapid.StringN(0, 3, -1).Draw(t, "key"), draw(t, depth-1))
	}
	return value.OfMap(m)
}
