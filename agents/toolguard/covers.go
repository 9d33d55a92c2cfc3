package toolguard

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/airline"
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
	args := policy.Arguments(c.Arguments)
	if c.Name == n.Tool && keyOf(c.Name, args) == n.Key {
		return true
	}
	v, err := value.ParseString(result)
	if err != nil {
		return false
	}
	switch got := guide.Native(v); n.Tool {
	case readStatus, readInstance:
		return slices.ContainsFunc(airline.Offers(c.Name, args, got), func(o airline.Offer) bool { return keyOfFlight(o.Flight) == n.Key })
	case readSchedule:
		return slices.ContainsFunc(airline.Offers(c.Name, args, got), func(o airline.Offer) bool { return o.Number == n.Key })
	case readDetails:
		return c.Name == readBills && slices.ContainsFunc(policy.Records(got), func(b policy.Record) bool { return b.Text("bill_id") == n.Key })
	case readUsage:
		return c.Name == readDetails && keyOf(c.Name, args) == n.Key
	}
	return false
}

func keyOf(tool string, args policy.Record) string {
	var key []string
	for _, name := range keyArgs[tool] {
		key = append(key, args.Text(name))
	}
	return strings.Join(key, "/")
}

func keyOfFlight(f airline.Flight) string { return f.Number + "/" + f.Date }
