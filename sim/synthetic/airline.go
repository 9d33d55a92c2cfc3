package synthetic

import (
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

var airlineKnowledge = knowledge{
	identity:   "your user id",
	identifies: []string{"get_user_details"},
	lookUp:     airlineLookUp,
	grounds: func(_ *plan, c domains.ToolCall) []domains.ToolCall {
		return reading(c, "get_reservation_details", "reservation_id")
	},
	slips:     airlineSlips,
	forbidden: airlineForbidden,
}

// airlineLookUp reads the profile that the caller names, or that the plan's reservation belongs to.
func airlineLookUp(s Input, e *domains.Env) []domains.ToolCall {
	var out []domains.ToolCall
	if user, ok := firstArg(s, "user_id"); ok {
		out = append(out, invoke("get_user_details", arg("user_id", user)))
	}
	for _, user := range userIDPattern.FindAllString(scenario(s), -1) {
		out = append(out, invoke("get_user_details", arg("user_id", user)))
	}
	if id, ok := firstArg(s, "reservation_id"); ok {
		if r := ask(e, "get_reservation_details", arg("reservation_id", id)); r != nil {
			user, _ := textAt(r, "user_id")
			out = append(out, invoke("get_user_details", arg("user_id", user)))
		}
	}
	return out
}

// airlineSlips are another payment method, another cabin, another reservation, a bag more, a garbled date of birth.
func airlineSlips(e *domains.Env, c domains.ToolCall) []value.Value {
	args := c.ArgumentsMap()
	user, ok := textAt(args, "user_id")
	id, _ := textAt(args, "reservation_id")
	if !ok {
		user, _ = textAt(ask(e, "get_reservation_details", arg("reservation_id", id)), "user_id")
	}
	u := ask(e, "get_user_details", arg("user_id", user))
	out := instead(args, "payment_id", keysOf(u, "payment_methods"))
	if id != "" {
		out = append(out, instead(args, "cabin", []string{"basic_economy", "economy", "business"})...)
	}
	if c.Name == "cancel_reservation" {
		out = append(out, instead(args, "reservation_id", listOf(u, "reservations"))...)
	}
	for _, key := range []string{"total_baggages", "amount"} {
		if v, has := args.Get(key); has {
			if n, whole := v.Int64(); whole {
				out = append(out, with(args, key, value.OfInt(n+1)))
			}
		}
	}
	return append(out, garbledPassenger(args)...)
}

// garbledPassenger mistakes a digit in the first passenger's date of birth.
func garbledPassenger(args *value.Map) []value.Value {
	p := first(args, "passengers")
	dob, ok := textAt(p, "dob")
	if !ok || dob == "" {
		return nil
	}
	v, _ := args.Get("passengers")
	items, _ := v.Items()
	items = slices.Clone(items)
	items[0] = with(p, "dob", value.OfString(dob[:len(dob)-1]+otherDigit(dob[len(dob)-1])))
	return []value.Value{with(args, "passengers", value.OfList(items))}
}

// airlineForbidden cancels one of the caller's reservations, those that the caller names first, or pays compensation.
func airlineForbidden(s Input, e *domains.Env, user string) []domains.ToolCall {
	u := ask(e, "get_user_details", arg("user_id", user))
	var out []domains.ToolCall
	for _, id := range namedFirst(s, listOf(u, "reservations")) {
		if status, _ := textAt(ask(e, "get_reservation_details", arg("reservation_id", id)), "status"); status != "cancelled" {
			out = append(out, invoke("cancel_reservation", arg("reservation_id", id)))
		}
	}
	return append(out, invoke("send_certificate", arg("user_id", user), value.Pair{Key: "amount", Value: value.OfInt(100)}))
}
