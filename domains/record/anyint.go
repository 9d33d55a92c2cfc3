package record

import (
	"errors"
	"math/big"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
)

// AnyInt is Int without a bound, held in dynamic form: the reference's integers have any size, and a tool that
// multiplies an argument can store one beyond 64 bits. A float beyond 64 bits is refused, as it is there.
var AnyInt = Type[value.Value]{
	load: func(l *Loader, v value.Value) value.Value {
		i, err := coerceAnyInt(v)
		if err != nil {
			l.Fail(v, err.Error())
		}
		return i
	},
	dump:   func(dst []byte, v *value.Value, o value.Order) []byte { return value.AppendDump(dst, *v, o) },
	value:  func(v *value.Value) value.Value { return *v },
	schema: scalarSchema("integer"),
}

func coerceAnyInt(v value.Value) (value.Value, error) {
	if v.Kind() == value.Int {
		return v, nil
	}
	i, err := coerceInt(v)
	s, isText := v.Text()
	if !isText || !errors.Is(err, errIntSize) {
		return value.OfInt(i), err
	}
	// coerceInt found the text well formed and only too long.
	digits, _, _ := strings.Cut(strings.TrimSpace(s), ".")
	b, ok := new(big.Int).SetString(strings.ReplaceAll(strings.TrimPrefix(digits, "+"), "_", ""), 10)
	if !ok {
		return value.Value{}, errInt
	}
	return value.OfBig(b), nil
}
