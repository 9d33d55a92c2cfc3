// Package policy holds what the policies of all domains build on: records as tools show them, and what was read from
// texts. What the policy of a domain says is in the package below that has its name: facts, that is what results and
// texts have shown, and rules as predicates over them. Workflow checks, audits and ToolGuard all go by these.
package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// Record is a JSON object in plain Go, as guide.Native makes it: of a tool's result, of a call's arguments or of a
// database. What is absent, or of another kind than the one asked for, reads as empty.
type Record map[string]any

// RecordOf reads a value as a record, nil if it is none.
func RecordOf(v any) Record {
	m, _ := v.(map[string]any)
	return m
}

// Arguments reads the arguments of a call.
func Arguments(args value.Value) Record { return RecordOf(guide.Native(args)) }

// Records reads a list of records. An element that is none is an empty record.
func Records(v any) []Record {
	list, _ := v.([]any)
	out := make([]Record, len(list))
	for i, x := range list {
		out[i] = RecordOf(x)
	}
	return out
}

// Has reports whether there is such a member.
func (r Record) Has(key string) bool {
	_, has := r[key]
	return has
}

// Text is a member that is a text.
func (r Record) Text(key string) string {
	s, _ := r[key].(string)
	return s
}

// Number is a member that is a finite number.
func (r Record) Number(key string) (float64, bool) {
	switch n := r[key].(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

// Whole is a member that is a number, without its fraction.
func (r Record) Whole(key string) int64 {
	n, _ := r.Number(key)
	return int64(n)
}

// Quantity is a member that is a number, or a text that is one.
func (r Record) Quantity(key string) (float64, bool) {
	if s, ok := r[key].(string); ok {
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return r.Number(key)
}

// Record is a member that is a record.
func (r Record) Record(key string) Record { return RecordOf(r[key]) }

// List is a member that is a list.
func (r Record) List(key string) []any {
	l, _ := r[key].([]any)
	return l
}

// Records is a member that is a list of records.
func (r Record) Records(key string) []Record { return Records(r[key]) }

// Texts is a member that is a list of texts; anything else in it makes it empty.
func (r Record) Texts(key string) []string {
	var out []string
	for _, v := range r.List(key) {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// Amount prints a number as people write it: with two decimals, or none where there is no fraction.
func Amount(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return fmt.Sprintf("%.2f", f)
}

// Spoken is a name in code as words.
func Spoken(name string) string { return strings.ReplaceAll(name, "_", " ") }
