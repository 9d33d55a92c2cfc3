package telecom

import (
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// The clock of the domain does not move (docs/reference/domains.md#telecom); what the tools compute from it is fixed.
const (
	today     = "2025-02-25"
	cycleEnd  = "2025-02-28" // of the month of today
	nextStart = "2025-03-01" // first and last day of the month after
	nextEnd   = "2025-03-31"
	nextDue   = "2025-03-15" // 14 days after nextStart
	lastStart = "2025-01-01" // first and last day of the month before
	lastEnd   = "2025-01-31"
	lastDue   = "2025-01-15"
)

// dateType is a day, kept as its ISO text, so that texts order as days do.
var dateType = scalar("a date such as 2025-01-31", parseDate)

// The fields that may be null share their texts between the copies of a database: nobody writes through the pointer.
var (
	textOrNull     = scalarOrNull("a string", func(s string) (string, bool) { return s, true })
	dateOrNull     = scalarOrNull("a date such as 2025-01-31", parseDate)
	dateTimeOrNull = scalarOrNull(wantDateTime, parseDateTime)
)

// dateTimeType is a moment, kept as the text that it has in a dump: with a space, with microseconds only if there are
// some. A text with T in place of the space loads, and a bare day is its midnight.
var dateTimeType = scalar(wantDateTime, parseDateTime)

const wantDateTime = "a date and time such as 2025-01-31T10:30:00"

func parseDate(s string) (string, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t.Format(time.DateOnly), err == nil
}

func parseDateTime(s string) (string, bool) {
	iso := strings.Replace(s, " ", "T", 1)
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, iso); err == nil {
			return dateTimeText(t), true
		}
	}
	if t, err := time.Parse(time.RFC3339, iso); err == nil {
		return dateTimeText(t) + t.Format("-07:00"), true
	}
	return "", false
}

func dateTimeText(t time.Time) string {
	if t.Nanosecond() >= 1000 {
		return t.Format("2006-01-02 15:04:05.000000")
	}
	return t.Format(time.DateTime)
}

type parser func(string) (text string, ok bool)

func (parse parser) load(l *record.Loader, v value.Value, want string) string {
	s, ok := v.Text()
	if ok {
		s, ok = parse(s)
	}
	if !ok {
		l.Fail(v, record.Fault{Want: want})
	}
	return s
}

var stringSchema = value.MapOf(value.Pair{Key: "type", Value: value.OfString("string")})

func scalar(want string, parse parser) record.Type[string] {
	return record.New(record.Scalar[string]{
		Load:   func(l *record.Loader, v value.Value) string { return parse.load(l, v, want) },
		Value:  func(v *string) value.Value { return value.OfString(*v) },
		Schema: stringSchema,
	})
}

func scalarOrNull(want string, parse parser) record.Type[*string] {
	return record.New(record.Scalar[*string]{
		Load: func(l *record.Loader, v value.Value) *string {
			if v.IsNull() {
				return nil
			}
			s := parse.load(l, v, want)
			return &s
		},
		Value: func(v **string) value.Value {
			if *v == nil {
				return value.Value{}
			}
			return value.OfString(**v)
		},
		Schema: stringSchema,
	})
}
