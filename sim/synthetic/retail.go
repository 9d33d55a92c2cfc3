package synthetic

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

var retailKnowledge = knowledge{
	identity:   "your e-mail address, or your first name, last name and zip code",
	identifies: []string{"find_user_id_by_email", "find_user_id_by_name_zip"},
	lookUp:     retailLookUp,
	grounds: func(_ *plan, c domains.ToolCall) []domains.ToolCall {
		return reading(c, "get_order_details", "order_id")
	},
	caution: func(_ *plan, c domains.ToolCall) string {
		if _, ok := c.ArgumentsMap().Get("new_item_ids"); ok {
			return "This works only once for an order, so please make sure that no item is missing. "
		}
		return ""
	},
	slips:     retailSlips,
	forbidden: retailForbidden,
}

var (
	emailPattern    = regexp.MustCompile(`[\w.+-]+@[\w-]+(\.[\w-]+)+`)
	fullNamePattern = regexp.MustCompile(`(?i:you are|name is) ([A-Z][\w'-]*) ([A-Z][\w'-]*)`)
	zipPattern      = regexp.MustCompile(`\b\d{5}\b`)
	userIDPattern   = regexp.MustCompile(`\b[a-z]+[_-][a-z]+[_-]\d+\b`)
)

// retailLookUp finds the caller by e-mail, by name and zip, or as the owner of the order that the plan is about.
func retailLookUp(s Input, e *domains.Env) []domains.ToolCall {
	var out []domains.ToolCall
	text := scenario(s)
	if email := emailPattern.FindString(text); email != "" {
		out = append(out, invoke("find_user_id_by_email", arg("email", strings.TrimRight(email, "."))))
	}
	byName := func(first, last, zip string) {
		out = append(out, invoke("find_user_id_by_name_zip", arg("first_name", first), arg("last_name", last), arg("zip", zip)))
	}
	zip := zipPattern.FindString(text)
	for _, n := range fullNamePattern.FindAllStringSubmatch(text, -1) {
		byName(n[1], n[2], zip)
	}
	user, ok := firstArg(s, "user_id")
	if order, has := firstArg(s, "order_id"); has && !ok {
		user, ok = textAt(ask(e, "get_order_details", arg("order_id", order)), "user_id")
	}
	if !ok {
		user = userIDPattern.FindString(text)
	}
	if u := ask(e, "get_user_details", arg("user_id", user)); u != nil {
		first, _ := textAt(u, "name", "first_name")
		last, _ := textAt(u, "name", "last_name")
		home, _ := textAt(u, "address", "zip")
		byName(first, last, home)
	}
	return out
}

// retailSlips are the mistakes that reading the details back would have caught: another payment method, another
// item or variant, an item less, the other reason, a garbled address.
func retailSlips(e *domains.Env, c domains.ToolCall) []value.Value {
	args := c.ArgumentsMap()
	order, _ := textAt(args, "order_id")
	o := ask(e, "get_order_details", arg("order_id", order))
	owner, _ := textAt(o, "user_id")
	u := ask(e, "get_user_details", arg("user_id", owner))
	out := instead(args, "payment_method_id", keysOf(u, "payment_methods"))
	out = append(out, instead(args, "reason", []string{"no longer needed", "ordered by mistake"})...)
	items, replacements := listOf(args, "item_ids"), listOf(args, "new_item_ids")
	if len(items) == 1 && len(replacements) == 0 {
		for _, other := range otherItems(o, items[0]) {
			out = append(out, with(args, "item_ids", value.OfStrings([]string{other})))
		}
	}
	if n := len(items); n > 1 {
		less := with(args, "item_ids", value.OfStrings(items[:n-1]))
		if len(replacements) == n {
			m, _ := less.Map()
			less = with(m, "new_item_ids", value.OfStrings(replacements[:n-1]))
		}
		out = append(out, less)
	}
	if len(items) > 0 && len(replacements) == len(items) {
		for _, other := range otherVariants(e, o, items[0], replacements[0]) {
			out = append(out, with(args, "new_item_ids", value.OfStrings(append([]string{other}, replacements[1:]...))))
		}
	}
	return append(out, garbledAddress(args)...)
}

// otherItems lists the items of an order but one.
func otherItems(order *value.Map, item string) []string {
	var out []string
	for _, m := range objectsOf(order, "items") {
		if id, _ := textAt(m, "item_id"); id != item {
			out = append(out, id)
		}
	}
	return out
}

// otherVariants lists variants of an ordered item's product that are neither it nor the wanted one.
func otherVariants(e *domains.Env, order *value.Map, item, wanted string) []string {
	for _, m := range objectsOf(order, "items") {
		if id, _ := textAt(m, "item_id"); id != item {
			continue
		}
		product, _ := textAt(m, "product_id")
		variants := keysOf(ask(e, "get_product_details", arg("product_id", product)), "variants")
		return slices.DeleteFunc(variants, func(id string) bool { return id == item || id == wanted })
	}
	return nil
}

// garbledAddress drops the second line of an address, or mistakes a digit of its zip code.
func garbledAddress(args *value.Map) []value.Value {
	var out []value.Value
	if line, ok := textAt(args, "address2"); ok && line != "" {
		out = append(out, with(args, "address2", value.OfString("")))
	}
	if zip, ok := textAt(args, "zip"); ok && zip != "" {
		out = append(out, with(args, "zip", value.OfString(zip[:len(zip)-1]+otherDigit(zip[len(zip)-1]))))
	}
	return out
}

func otherDigit(d byte) string {
	if d == '7' {
		return "1"
	}
	return "7"
}

// retailForbidden cancels or takes back one of the caller's orders, those that the caller names first.
func retailForbidden(s Input, e *domains.Env, user string) []domains.ToolCall {
	u := ask(e, "get_user_details", arg("user_id", user))
	var out []domains.ToolCall
	for _, id := range namedFirst(s, listOf(u, "orders")) {
		o := ask(e, "get_order_details", arg("order_id", id))
		switch status, _ := textAt(o, "status"); status {
		case "pending":
			out = append(out, invoke("cancel_pending_order", arg("order_id", id), arg("reason", "no longer needed")))
		case "delivered":
			if c, ok := takeBack(o, id); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// takeBack returns the first item of an order to the method that paid for it.
func takeBack(order *value.Map, id string) (domains.ToolCall, bool) {
	item, ok := textAt(first(order, "items"), "item_id")
	if !ok {
		return domains.ToolCall{}, false
	}
	method, ok := textAt(first(order, "payment_history"), "payment_method_id")
	return invoke("return_delivered_order_items", arg("order_id", id),
		value.Pair{Key: "item_ids", Value: value.OfStrings([]string{item})}, arg("payment_method_id", method)), ok
}
