package toolguard

import (
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// keyArgs names the arguments that make up the key of a read; more than one are joined by a slash.
var keyArgs = map[string][]string{
	readUser: {"user_id"}, readReservation: {"reservation_id"}, readStatus: {"flight_number", "date"},
	readOrder: {"order_id"}, readProduct: {"product_id"},
	readDetails: {"id"}, readBills: {"customer_id"}, readUsage: {"line_id"},
}

// Covers reports whether a read that succeeded earlier gave what a need asks for: the same tool for the same entity, or
// an equivalent one. Equivalent are, for status, instance and schedule of a flight, a search that lists it; for a bill, a
// list that has it; for the data of a line, the line's record.
func Covers(n Need, c domains.ToolCall, result string) bool {
	if c.Name == n.Tool && keyOf(c) == n.Key {
		return true
	}
	v, err := value.ParseString(result)
	if err != nil {
		return false
	}
	switch got := (record{v}); n.Tool {
	case readStatus, readInstance:
		return slices.ContainsFunc(listing(c, got), func(l leg) bool { return l.key() == n.Key })
	case readSchedule:
		return slices.ContainsFunc(listing(c, got), func(l leg) bool { return l.number == n.Key })
	case readDetails:
		return c.Name == readBills && slices.ContainsFunc(got.items(), func(b record) bool { return b.text("bill_id") == n.Key })
	case readUsage:
		return c.Name == readDetails && keyOf(c) == n.Key
	}
	return false
}

func keyOf(c domains.ToolCall) string {
	key, args := "", record{c.Arguments}
	for i, name := range keyArgs[c.Name] {
		if i > 0 {
			key += "/"
		}
		key += args.text(name)
	}
	return key
}

// listing are the flights that a search found.
func listing(c domains.ToolCall, found record) []leg {
	var out []leg
	switch c.Name {
	case "search_direct_flight":
		for _, f := range found.items() {
			out = append(out, leg{f.text("flight_number"), (record{c.Arguments}).text("date")})
		}
	case "search_onestop_flight":
		for _, pair := range found.items() {
			out = append(out, legs(pair.items())...)
		}
	}
	return out
}
