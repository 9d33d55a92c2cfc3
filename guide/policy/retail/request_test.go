package retail_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/policytest"
	"github.com/tauguide/tauguide/guide/policy/retail"
)

const (
	order = `{"order_id": "#W1", "user_id": "ann_poe_1", "status": "pending", "address": {"address1": "1 High Street", "city": "Ely", "zip": "12345"},
		"items": [{"item_id": "1", "product_id": "P", "name": "Mug", "price": 10, "options": {"color": "red", "lid": "no"}},
			{"item_id": "2", "product_id": "P", "name": "Mug", "price": 12, "options": {"color": "blue", "lid": "no"}}],
		"payment_history": [{"transaction_type": "payment", "amount": 22, "payment_method_id": "gift_card_1"}`
	product = `get_product_details {"product_id": "P"} => {"product_id": "P", "name": "Mug", "variants": {
		"1": {"item_id": "1", "price": 10, "available": true, "options": {"color": "red", "lid": "no"}}, "3": {"item_id": "3", "price": 15.5, "available": true, "options": {"color": "green", "lid": "no"}},
		"4": {"item_id": "4", "price": 9, "available": false, "options": {"color": "red", "lid": "yes"}}, "5": {"item_id": "5", "price": 10, "available": true, "options": {"color": "red", "lid": "no"}}}}`
	getOrder = `get_order_details {"order_id": "#W1"} => ` + order + `]}`
)

var conversation = []string{
	"user: I am at ann@example.net and would like to change something.",
	`find_user_id_by_email {"email": "ann@example.net"} => ann_poe_1`,
	`get_user_details {"user_id": "ann_poe_1"} => {"user_id": "ann_poe_1", "address": {"address1": "2 Low Road"}, "payment_methods": {"gift_card_1": {"source": "gift_card", "balance": 5},
		"credit_card_2": {"source": "credit_card", "brand": "visa", "last_four": "1234"}}}`,
	getOrder, product,
}

func request(t testing.TB, intent, args string, more ...string) *retail.Request {
	t.Helper()
	trace := policytest.Trace(t, append(conversation[:len(conversation):len(conversation)], more...)...)
	return retail.NewRequest(trace, policy.Request{Intent: intent, Args: policytest.Record(t, args)})
}

func TestCustomer(t *testing.T) {
	for name, tt := range map[string]struct {
		said     string
		customer string
	}{"stated": {"ann@example.net", "ann_poe_1"}, "not stated": {"ann", ""}} {
		k := retail.KnownFrom(policytest.Trace(t, "user: It is "+tt.said, conversation[1], conversation[2], getOrder))
		if k.Customer != tt.customer || (k.Profile() != nil) != (tt.customer != "") || k.Owns(k.Orders["#W1"]) != (tt.customer != "") {
			t.Errorf("%s: customer %q", name, k.Customer)
		}
	}
}

func TestOrder(t *testing.T) {
	o := retail.OrderOf(policytest.Record(t, order+`, {"transaction_type": "refund", "amount": 1, "payment_method_id": "credit_card_2"}]}`))
	if o.Original() != "gift_card_1" || o.Total() != 22 || !o.PaidWith("gift_card_1") || o.PaidWith("credit_card_2") {
		t.Errorf("paid %v by %s", o.Total(), o.Original())
	}
	for _, tt := range []struct {
		ids  []string
		want bool
	}{{[]string{"1", "2"}, true}, {[]string{"1", "1"}, false}, {[]string{"3"}, false}, {nil, false}} {
		if got := o.Holds(tt.ids); got != tt.want {
			t.Errorf("the order holds %v: %v", tt.ids, got)
		}
	}
	var none *retail.Order
	if none.Holds([]string{"1"}) || none.Original() != "" || none.Total() != 0 {
		t.Error("an order that was not read has something")
	}
}

func TestSwapVerdict(t *testing.T) {
	all := map[string]bool{"paired": true, "products_read": true, "same_product": true, "other_option": true, "available": true}
	but := func(not ...string) map[string]bool {
		out := map[string]bool{}
		for name := range all {
			out[name] = true
		}
		for _, name := range not {
			out[name] = false
		}
		return out
	}
	for _, tt := range []struct {
		name, olds, news string
		want             map[string]bool
	}{
		{"another color", `["1"]`, `["3"]`, all},
		{"itself", `["1"]`, `["1"]`, but("other_option")},
		{"the same options", `["1"]`, `["5"]`, but("other_option")},
		{"not in stock", `["1"]`, `["4"]`, but("available")},
		{"not of the product", `["1"]`, `["9"]`, but("same_product", "other_option", "available")},
		{"two by one", `["1", "2"]`, `["3"]`, but("paired", "products_read", "same_product", "other_option", "available")},
		{"not in the order", `["8"]`, `["3"]`, but("paired", "products_read", "same_product", "other_option", "available")},
	} {
		r := request(t, "change_items", `{"order_id": "#W1", "item_ids": `+tt.olds+`, "new_item_ids": `+tt.news+`}`)
		if d := cmp.Diff(tt.want, r.SwapVerdict()); d != "" {
			t.Errorf("%s:\n%s", tt.name, d)
		}
	}
}

func TestMethodVerdict(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		more       []string
		want       []string // what holds
	}{
		{"the original gift card is too small", `{"order_id": "#W1", "item_ids": ["1"], "new_item_ids": ["3"], "payment_method_id": "gift_card_1"}`, nil,
			[]string{"gift_card", "on_file", "original", "used_before"}},
		{"a card", `{"order_id": "#W1", "item_ids": ["1"], "new_item_ids": ["3"], "payment_method_id": "credit_card_2"}`, nil, []string{"covers_difference", "covers_total", "on_file"}},
		{"a cheaper item", `{"order_id": "#W1", "item_ids": ["1"], "new_item_ids": ["4"], "payment_method_id": "gift_card_1"}`, nil,
			[]string{"covers_difference", "gift_card", "on_file", "original", "used_before"}},
		{"chosen", `{"order_id": "#W1", "payment_method_id": "credit_card_2"}`, []string{"user: Take my visa."}, []string{"chosen", "covers_difference", "covers_total", "on_file"}},
		{"chosen by a yes", `{"order_id": "#W1", "payment_method_id": "credit_card_2"}`, []string{"agent: By the card ending in 1234?", "user: Yes."},
			[]string{"chosen", "covers_difference", "covers_total", "on_file"}},
		{"the other one is chosen", `{"order_id": "#W1", "payment_method_id": "credit_card_2"}`, []string{"user: Take the gift card."}, []string{"covers_difference", "covers_total", "on_file"}},
		{"somebody else's", `{"order_id": "#W1", "payment_method_id": "paypal_9"}`, nil, nil},
		{"a refund since filled the card", `{"order_id": "#W1", "payment_method_id": "gift_card_1"}`,
			[]string{`cancel_pending_order {"order_id": "#W1"} => ` + order + `, {"transaction_type": "refund", "amount": 22, "payment_method_id": "gift_card_1"}]}`},
			[]string{"covers_difference", "covers_total", "gift_card", "on_file", "original", "used_before"}},
	} {
		var got []string
		verdict := request(t, "change_payment", tt.args, tt.more...).MethodVerdict()
		for _, name := range []string{"chosen", "covers_difference", "covers_total", "gift_card", "on_file", "original", "used_before"} {
			if verdict[name] {
				got = append(got, name)
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s:\n%s", tt.name, d)
		}
	}
}

// Once a change was made, a request sees what was known right before.
func TestRequestCarriedOut(t *testing.T) {
	done := `cancel_pending_order {"order_id": "#W1", "reason": "no longer needed"} => {"order_id": "#W1", "status": "cancelled"}`
	for args, want := range map[string]string{
		`{"order_id": "#W1", "reason": "no longer needed"}`:   "pending",
		`{"order_id": "#W1", "reason": "ordered by mistake"}`: "cancelled", // another request
	} {
		if got := request(t, "cancel_order", args, done).Status(); got != want {
			t.Errorf("%s sees the status %q, want %q", args, got, want)
		}
	}
}

func TestReasonGiven(t *testing.T) {
	const summary = "agent: I cancel W1, as no longer needed. Right?"
	for _, tt := range []struct {
		name, reason string
		lines        []string
		want         bool
	}{
		{"said", "no longer needed", []string{"user: I do not need it any more."}, true},
		{"a mistake", "ordered by mistake", []string{"user: It was an accident."}, true},
		{"a denied mistake", "ordered by mistake", []string{"user: That was no mistake."}, false},
		{"confirmed", "no longer needed", []string{summary, "user: Yes."}, true},
		{"confirmed after another reason", "no longer needed", []string{"user: It is cheaper elsewhere.", summary, "user: Yes."}, false},
		{"nothing said", "no longer needed", nil, false},
		{"none that counts", "too late", []string{"user: I do not need it."}, false},
	} {
		if got := request(t, "cancel_order", `{"order_id": "#W1", "reason": "`+tt.reason+`"}`, tt.lines...).ReasonGiven(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestRemindedAndAddress(t *testing.T) {
	args := `{"order_id": "#W1"}`
	for _, tt := range []struct {
		lines []string
		want  bool
	}{
		{[]string{"agent: This works only once.", "user: Fine."}, true},
		{[]string{"agent: Is anything missing?"}, false},
		{[]string{"agent: All right.", "user: Fine."}, false},
	} {
		if got := request(t, "change_items", args, tt.lines...).Reminded(); got != tt.want {
			t.Errorf("%v: reminded %v", tt.lines, got)
		}
	}
	for args, want := range map[string]bool{
		`{"order_id": "#W1", "address1": "1 High Street", "address2": "", "city": "Ely", "zip": "12345"}`:       true, // of the order
		`{"order_id": "#W1", "address1": "7 New Lane", "address2": "", "city": "Ely", "zip": "54321"}`:          true, // said
		`{"order_id": "#W1", "address1": "7 New Lane", "address2": "Flat 2", "city": "Ely", "zip": "54321"}`:    false,
		`{"order_id": "#W1", "address1": "1 High Street", "address2": "", "city": "London", "zip": "12345"}`:    false,
		`{"order_id": "#W1", "address1": "", "address2": "", "city": "Ely", "zip": "12345"}`:                    false,
		`{"order_id": "#W1", "address1": "2 Low Road", "address2": "", "city": "Ely", "zip": "12345"}`:          true, // of the profile
		`{"order_id": "#W1", "address1": "Low Road 2", "address2": "", "city": "Ely", "zip": "12345-extended"}`: false,
	} {
		if got := request(t, "change_address", args, "user: Send it to 7 New Lane, 54321 Ely.").AddressGiven(); got != want {
			t.Errorf("%s is given: %v", args, got)
		}
	}
}

func TestSummary(t *testing.T) {
	items := `{"order_id": "#W1", "item_ids": ["1"], "new_item_ids": ["3"], "payment_method_id": "credit_card_2"}`
	for _, tt := range []struct {
		name, intent, args string
		lines              []string
		summarised, agreed bool
	}{
		{"by ids", "change_items", items, []string{"agent: In W1 I exchange item 1 for item 3, by credit_card_2.", "user: Yes."}, true, true},
		{"in words", "change_items", items, []string{"agent: In order #W1 I swap the red mug for a green one, by visa.", "user: Yes."}, true, true},
		{"which mug?", "change_items", items, []string{"agent: In order #W1 I swap the mug for a green one, by visa.", "user: Yes."}, false, false},
		{"no verb", "change_items", items, []string{"agent: W1: item 1, item 3, by visa.", "user: Yes."}, false, false},
		{"no order", "change_items", items, []string{"agent: I exchange item 1 for item 3, by visa.", "user: Yes."}, false, false},
		{"the method in the answer", "change_items", items, []string{"agent: In W1 I exchange item 1 for item 3.", "user: Yes, by visa."}, true, true},
		{"another method in the answer", "change_items", items, []string{"agent: In W1 I exchange item 1 for item 3, by visa.", "user: Yes, by gift card."}, true, false},
		{"a no", "change_items", items, []string{"agent: In W1 I exchange item 1 for item 3, by visa.", "user: No."}, true, false},
		{"the yes answers something else", "change_items", items, []string{"agent: In W1 I exchange item 1 for item 3, by visa.", "agent: Anything else?", "user: Yes."}, true, false},
		{"an address", "change_address", `{"order_id": "#W1", "address1": "7 New Lane", "address2": "", "city": "Ely", "zip": "54321"}`,
			[]string{"agent: I send W1 to 7 New Lane, Ely 54321.", "user: Yes."}, true, true},
		{"half an address", "change_address", `{"order_id": "#W1", "address1": "7 New Lane", "address2": "", "city": "Ely", "zip": "54321"}`,
			[]string{"agent: I send W1 to 7 New Lane.", "user: Yes."}, false, false},
		{"the other reason in the answer", "cancel_order", `{"order_id": "#W1", "reason": "no longer needed"}`,
			[]string{"agent: I cancel W1, as no longer needed.", "user: Yes, it was a mistake."}, true, false},
	} {
		r := request(t, tt.intent, tt.args, tt.lines...)
		if r.Summarised() != tt.summarised || r.Agreed() != tt.agreed {
			t.Errorf("%s: summarised %v, agreed %v; want %v and %v", tt.name, r.Summarised(), r.Agreed(), tt.summarised, tt.agreed)
		}
	}
}
