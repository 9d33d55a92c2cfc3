package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics/trace"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

const user = `{"user_id": "vance-ada-201", "name": {"first_name": "Ada", "last_name": "Vance"}, "address": {"street": "3 Mill Lane", "city": "Salem", "zip": "01970"}, ` +
	`"email": "ada.vance@example.org", "payment_methods": {"card-77": {"id": "card-77", "brand": "visa"}}, "orders": ["#T1", "#T2"], "note": null}`

const order = `{"order_id": "#T1", "user_id": "vance-ada-201", "items": [{"name": "Desk Lamp", "item_id": "5501", "price": 48.5}, {"name": "Kettle", "item_id": "5502", "price": 31.0}], ` +
	`"status": "delivered", "return_items": null, "payment_history": [{"amount": 79.5, "payment_method_id": "card-77"}]}`

// TestFolding: what of a long result is shown, for calls and texts that come after it.
func TestFolding(t *testing.T) {
	list := func(n int, each string) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(each, i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, c := range []struct{ name, talk, want string }{
		{"a value that is called with later", `agent> get_user_details user_id=vance-ada-201 => ` + user + "\nagent> get_order_details order_id=#T2", `orders.1: "#T2", … 11 more fields`},
		{"and one that is told", `agent> get_order_details order_id=#T1 => ` + order + "\nagent: That was 31.0 dollars.", "items.1.price: 31.0, … 11 more fields"},
		{"calls before words", `agent> get_order_details order_id=#T1 => ` + order + "\nagent: That was 31.0 dollars for the Kettle.\nagent> return item_id=5502", `items.1.item_id: "5502", items.1.name: "Kettle", items.1.price: 31.0, … 9 more fields`},
		{"the user's words are not the agent's", `agent> get_order_details order_id=#T1 => ` + order + "\nuser: 31.0, I think.", `user_id: "vance-ada-201", items.0.name: "Desk Lamp", items.0.item_id: "5501", … 9 more fields`},
		{"a part of a number is another number", `agent> get_order_details order_id=#T1 => ` + order + "\nagent: That was 131.0 dollars.", `user_id: "vance-ada-201", items.0.name: "Desk Lamp", items.0.item_id: "5501", … 9 more fields`},
		{"what was known before is not new", "user: I am vance-ada-201.\nagent> get_order_details order_id=#T1 => " + order + "\nagent> get_user_details user_id=vance-ada-201", `items.0.name: "Desk Lamp", items.0.item_id: "5501", items.0.price: 48.5, … 9 more fields`},
		{"a list", `agent> list => ` + list(30, `{"flight": "KST%03d"}`) + "\nagent> book flight=KST007", `7.flight: "KST007", … 29 more fields`},
		{"no more than eight", `agent> list => ` + list(30, `"KST%03d"`) + "\nagent> book {\"flights\": " + list(30, `"KST%03d"`) + "}", `7: "KST007", … 22 more fields`},
		{"the same again", `agent> get_order_details order_id=#T1 => ` + order + "\nagent> get_order_details order_id=#T1 => " + order, "as in message 1"},
		{"another record of the kind", `agent> get_order_details order_id=#T1 => ` + order + "\nagent> get_order_details order_id=#T2 => " + strings.Replace(order, "#T1", "#T2", 1), `order_id: "#T2", user_id: "vance-ada-201", items.0.name: "Desk Lamp", … 9 more fields`},
		{"what changed", `agent> get_order_details order_id=#T1 => ` + order + "\nagent> cancel order_id=#T1 => " + strings.Replace(order, "delivered", "cancelled", 1), `changed since message 1: status: "delivered" → "cancelled"`},
		{"short ones are whole", `agent> get => {"status": "Active", "line_id": "L1"}`, `{"status": "Active", "line_id": "L1"}`},
		{"and so is an empty list", `agent> get => []`, "[]"},
		{"text", "agent> get => " + strings.Repeat("word ", 100), "… (199 more characters)"},
		{"JSON that is torn", "agent> get => " + order[:200], order[:200]},
	} {
		t.Run(c.name, func(t *testing.T) {
			msgs, err := trace.Parse(c.talk)
			if err != nil {
				t.Fatal(err)
			}
			conversation, err := transcript.NewConversation(transcript.Trial{Record: sim.Record{Messages: msgs}})
			if err != nil {
				t.Fatal(err)
			}
			last := ""
			for _, e := range conversation.Transcript() {
				if e.Role == transcript.ResultRole {
					last = e.Brief
				}
			}
			if !strings.HasSuffix(last, c.want) {
				t.Errorf("%s\nwant at its end\n%s", last, c.want)
			}
		})
	}
}
