package record_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

func TestAnyInt(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"small", "5", "5"},
		{"beyond 64 bits", "-100000000000000000001", "-100000000000000000001"},
		{"boolean", "true", "1"},
		{"whole float", "7.0", "7"},
		{"text", `" +1_000.0 "`, "1000"},
		{"text beyond 64 bits", `"+100_000_000_000_000_000_001.00"`, "100000000000000000001"},
		{"negative text beyond 64 bits", `"-99999999999999999999"`, "-99999999999999999999"},
		{"float beyond 64 bits", "1e22", "want an integer of at most 64 bits, got 1e+22 (float)"},
		{"fraction", "1.5", "want an integer, not a number with a fraction, got 1.5 (float)"},
		{"word", `"many"`, "want an integer, got 'many' (str)"},
		{"null", "null", "want an integer, got None (NoneType)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := value.ParseString(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := record.AnyInt.Load(in)
			text := string(value.AppendDump(nil, got, value.Declared))
			if err != nil {
				text = strings.TrimPrefix(err.Error(), "invalid value: ")
			}
			if text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}

func TestDictIn(t *testing.T) {
	seats := record.DictIn(record.Int, "front", "back")
	for _, tt := range []struct{ name, in, want string }{
		{"known keys keep their order", `{"back": 2, "front": 1}`, `{"back": 2, "front": 1}`},
		{"empty", `{}`, `{}`},
		{"unknown key", `{"front": 1, "roof": 2}`, "invalid value: roof: want one of 'front' or 'back', got 'roof' (str)"},
		{"value of a wrong type", `{"front": []}`, "invalid value: front: want an integer, got [] (list)"},
		{"no object", `[]`, "invalid value: want an object, got [] (list)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := value.ParseString(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := seats.Load(in)
			text := string(seats.Dump(nil, &got, value.Declared))
			if err != nil {
				text = err.Error()
			}
			if text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}
