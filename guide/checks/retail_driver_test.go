package checks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// clerk is a compliant agent of the shop with a cooperative customer: it identifies, reads and sets out whatever a
// change needs, except for what a test leaves out.
type clerk struct {
	*driver
	db       map[string]any
	customer string   // user id
	without  []string // parts that are left out: identity, statement, order, profile, products, reminder, reason, address, summary, yes
	wordy    bool     // items and methods are described, not named by their ids
	beside   bool     // the summary stands beside a tool call
}

func newClerk(t testing.TB, w *domains.World, db map[string]any, c *guide.Checker, task *domains.Task, customer string) *clerk {
	t.Helper()
	return &clerk{driver: newDriver(t, w, c, task), db: db, customer: customer}
}

func (k *clerk) skips(part string) bool { return slices.Contains(k.without, part) }

func (k *clerk) record(table, id string) map[string]any {
	m, _ := k.db[table].(map[string]any)
	r, _ := m[id].(map[string]any)
	return r
}

// identify has the customer state their e-mail address and looks them up by it.
func (k *clerk) identify() {
	email, _ := k.record("users", k.customer)["email"].(string)
	if k.skips("identity") {
		k.user("My user id is " + k.customer + ", you can take my word for it.")
		k.call("get_user_details", object("user_id", k.customer))
		return
	}
	k.agent("Please tell me your e-mail address, or your name and zip code.")
	if !k.skips("statement") {
		k.user("It is " + email + ".")
	}
	k.call("find_user_id_by_email", object("email", email))
}

// follow carries out a call of a gold plan that changes nothing; what a lookup is made with, the customer has said.
func (k *clerk) follow(a domains.Action) {
	if strings.HasPrefix(a.Name, "find_user_id") {
		var said []string
		for _, v := range a.Call().ArgumentsMap().All() {
			said = append(said, v.Str())
		}
		k.agent("Please tell me who you are.")
		k.user("That would be " + strings.Join(said, " ") + ".")
	}
	k.call(a.Name, a.Arguments)
}

// prepare does everything that has to come before a change: reads, questions, the summary and the yes.
func (k *clerk) prepare(name string, args map[string]any) {
	order, _ := args["order_id"].(string)
	olds, news := shopIDs(args["item_ids"]), shopIDs(args["new_item_ids"])
	if order != "" && !k.skips("order") {
		k.call("get_order_details", object("order_id", order))
	}
	if _, pays := args["payment_method_id"]; pays && !k.skips("profile") {
		k.call("get_user_details", object("user_id", k.customer))
	}
	if _, swaps := args["new_item_ids"]; swaps && !k.skips("products") {
		for _, id := range olds {
			if product, _ := k.item(order, id)["product_id"].(string); product != "" {
				k.call("get_product_details", object("product_id", product))
			}
		}
	}
	if reason, ok := args["reason"].(string); ok && !k.skips("reason") {
		k.agent("Why would you like to cancel it?")
		k.user(map[string]string{"no longer needed": "I do not need it any more.", "ordered by mistake": "I ordered it by mistake."}[reason])
	}
	if _, moves := args["address1"]; moves && !k.skips("address") {
		k.agent("What is the new address?")
		k.user(shopAddress(args))
	}
	reminder := ""
	if len(news) > 0 && !k.skips("reminder") {
		reminder = " Please make sure that no item is missing: this works only once."
	}
	setOut := "This is what I will do: " + k.summary(name, args) + "." + reminder + " Shall I go ahead?"
	switch {
	case k.skips("summary"):
		k.agent("I will see to it." + reminder)
	case k.beside:
		c := domains.ToolCall{ID: "beside", Name: "calculate", Arguments: object("expression", "1 + 1"), Requestor: domains.AgentSide}
		k.trace.Add(domains.Message{Role: domains.RoleAssistant, Content: &setOut, ToolCalls: []domains.ToolCall{c}},
			domains.ResultMessage(c, k.env.Call(domains.AgentSide, c)))
		k.agent("Shall I go ahead?")
	default:
		k.agent(setOut)
	}
	if k.skips("yes") {
		k.user("What would happen then?")
	} else {
		k.user("Yes, please.")
	}
}

// summary sets a change out in words.
func (k *clerk) summary(name string, args map[string]any) string {
	order, _ := args["order_id"].(string)
	olds, news := shopIDs(args["item_ids"]), shopIDs(args["new_item_ids"])
	method := ""
	if id, ok := args["payment_method_id"].(string); ok {
		method = k.methodName(order, id)
	}
	switch name {
	case "cancel_pending_order":
		return fmt.Sprintf("cancel order %s because it was %v", order, args["reason"])
	case "return_delivered_order_items":
		return fmt.Sprintf("return %s of order %s, with the refund to %s", k.itemNames(order, olds), order, method)
	case "modify_pending_order_payment":
		return fmt.Sprintf("have order %s paid by %s", order, method)
	case "modify_user_address":
		return "change your default address to " + shopAddress(args)
	case "modify_pending_order_address":
		return fmt.Sprintf("ship order %s to this address: %s", order, shopAddress(args))
	}
	var pairs []string
	for i, id := range olds {
		if i < len(news) {
			pairs = append(pairs, k.itemNames(order, []string{id})+" by "+k.variantName(order, id, news[i]))
		}
	}
	return fmt.Sprintf("in order %s replace %s; the difference goes to %s", order, strings.Join(pairs, ", "), method)
}

func (k *clerk) itemNames(order string, ids []string) string {
	var out []string
	for _, id := range ids {
		it := k.item(order, id)
		if !k.wordy || it == nil {
			out = append(out, "item "+id)
			continue
		}
		out = append(out, fmt.Sprintf("the %v (%s)", it["name"], shopOptions(it)))
	}
	return strings.Join(out, " and ")
}

func (k *clerk) variantName(order, old, id string) string {
	product, _ := k.item(order, old)["product_id"].(string)
	variants, _ := k.record("products", product)["variants"].(map[string]any)
	v, known := variants[id].(map[string]any)
	if !k.wordy || !known {
		return "item " + id
	}
	return "one with " + shopOptions(v)
}

func (k *clerk) methodName(order, id string) string {
	methods, _ := k.record("users", k.customer)["payment_methods"].(map[string]any)
	m, _ := methods[id].(map[string]any)
	if !k.wordy || m == nil {
		return id
	}
	if payments, _ := k.record("orders", order)["payment_history"].([]any); len(payments) > 0 && payments[0].(map[string]any)["payment_method_id"] == id {
		return "your original payment method"
	}
	if digits, ok := m["last_four"].(string); ok {
		return "your card ending in " + digits
	}
	if balance, ok := m["balance"].(float64); ok {
		return fmt.Sprintf("your gift card with %.2f on it", balance)
	}
	return "your " + strings.ReplaceAll(m["source"].(string), "_", " ")
}

func (k *clerk) item(order, id string) map[string]any {
	items, _ := k.record("orders", order)["items"].([]any)
	for _, x := range items {
		if it, _ := x.(map[string]any); it["item_id"] == id {
			return it
		}
	}
	return nil
}

func shopOptions(item map[string]any) string {
	var out []string
	chosen, _ := item["options"].(map[string]any)
	for key, v := range chosen {
		out = append(out, fmt.Sprintf("%s %v", key, v))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func shopAddress(args map[string]any) string {
	var out []string
	for _, key := range []string{"address1", "address2", "city", "state", "zip", "country"} {
		if s, _ := args[key].(string); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

func shopIDs(v any) []string {
	var out []string
	items, _ := v.([]any)
	for _, x := range items {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}

func shopArgs(args value.Value) map[string]any {
	m, _ := guide.Native(args).(map[string]any)
	return m
}

// shopOwner finds whose records an action names, "" if it names none.
func shopOwner(db map[string]any, a domains.Action) string {
	args := shopArgs(a.Arguments)
	if id, ok := args["user_id"].(string); ok {
		return id
	}
	id, _ := args["order_id"].(string)
	order, _ := db["orders"].(map[string]any)[id].(map[string]any)
	owner, _ := order["user_id"].(string)
	return owner
}
