package record_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func dump(v value.Value) string { return string(value.AppendDump(nil, v, value.Declared)) }
