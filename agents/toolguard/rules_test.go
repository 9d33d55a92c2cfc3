package toolguard_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
)

// ruleCase is a rule with a call that its guard lets pass and one that the rule refuses, both on the reference's data.
type ruleCase struct {
	name    string
	rule    string
	release bool
	// task is where both calls are made, after its gold plan up to but without the action of that place.
	task   string
	action int
	// before are calls and functions, as name{json}, that are made after that.
	before []string
	// pass is a call as name{json}; empty for the gold action of that place.
	pass string
	// fail is a call as name{json}, or changes to the arguments of the passing one as {json}.
	fail string
	// says is in the message of the refusal.
	says string
}

// onReal runs the cases on the reference's data, and checks that no rule of the domain is without one.
func onReal(t *testing.T, d domains.Domain, cases []ruleCase) {
	t.Helper()
	w := domaintest.Real(t, d, domains.Options{})
	tried := map[bool][]string{}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s/release=%t/%s", c.rule, c.release, c.name), func(t *testing.T) {
			set := guards(t, d.Name, toolguard.Options{Release: c.release})
			env, gold := c.start(t, w)
			if c.pass != "" {
				gold = call(t, c.pass)
			}
			if v := check(t, set, env, gold); v.Blocked() {
				t.Errorf("%s%s is refused by %s: %s", gold.Name, gold.Arguments.Repr(), v.Rule, v.Message)
			}
			bad := gold
			if strings.HasPrefix(c.fail, "{") {
				bad.Arguments = value.OfMap(patched(t, gold.ArgumentsMap(), c.fail))
			} else {
				bad = call(t, c.fail)
			}
			v := check(t, set, env, bad)
			if v.Rule != c.rule {
				t.Fatalf("%s%s is refused by %q: %s", bad.Name, bad.Arguments.Repr(), v.Rule, v.Message)
			}
			if !strings.Contains(v.Message, c.says) || c.says == "" {
				t.Errorf("message %q, want %q in it", v.Message, c.says)
			}
		})
		tried[c.release] = append(tried[c.release], c.rule)
	}
	for release, rules := range tried {
		for _, r := range guards(t, d.Name, toolguard.Options{Release: release}).Rules() {
			if !slices.Contains(rules, r.ID) {
				t.Errorf("release=%t: no case for %s", release, r.ID)
			}
		}
	}
}

// start opens the task and returns the gold action that is next.
func (c ruleCase) start(t *testing.T, w *domains.World) (*domains.Env, domains.ToolCall) {
	t.Helper()
	task, ok := w.Task(c.task)
	if !ok {
		t.Fatalf("no task %s", c.task)
	}
	env, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range task.Criteria.Actions[:c.action] {
		env.Call(a.Requestor, a.Call())
	}
	for _, b := range c.before {
		made := call(t, b)
		if _, ok := w.Agent.Tool(made.Name); !ok {
			if _, err := env.Invoke(domains.EnvCall{Side: domains.AgentSide, Func: made.Name, Arguments: made.Arguments}); err != nil {
				t.Fatal(err)
			}
		} else if r := env.Call(domains.AgentSide, made); r.Error {
			t.Fatal(r.Content)
		}
	}
	return env, task.Criteria.Actions[c.action].Call()
}

func guards(t testing.TB, domain string, o toolguard.Options) toolguard.Set {
	t.Helper()
	s, err := toolguard.Guards(domain, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func reader(env *domains.Env) toolguard.Reader {
	return func(_ context.Context, c domains.ToolCall) domains.ToolResult { return env.Call(domains.AgentSide, c) }
}

// check asks the guards, and checks that the call's rules list the tools that a check reads.
func check(t testing.TB, s toolguard.Set, env *domains.Env, c domains.ToolCall) toolguard.Verdict {
	t.Helper()
	v, err := s.Check(t.Context(), c, reader(env))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, r := range s.Rules() {
		if r.Tool == c.Name {
			for _, tool := range r.Reads {
				listed[tool] = true
			}
		}
	}
	for _, n := range v.Reads {
		if !listed[n.Tool] {
			t.Errorf("%s: the check read %s, which no rule lists", c.Name, n)
		}
	}
	return v
}

// call reads name{json}.
func call(t testing.TB, text string) domains.ToolCall {
	t.Helper()
	at := strings.IndexByte(text, '{')
	args, err := value.ParseString(text[at:])
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return domains.ToolCall{ID: "c", Name: text[:at], Arguments: args, Requestor: domains.AgentSide}
}

// patched replaces arguments.
func patched(t testing.TB, args *value.Map, text string) *value.Map {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	out, changes := &value.Map{}, v
	for k, x := range args.All() {
		out.Set(k, x)
	}
	m, _ := changes.Map()
	for k, x := range m.All() {
		out.Set(k, x)
	}
	return out
}

func TestAirlineRules(t *testing.T) {
	const (
		oldBasic  = `cancel_reservation{"reservation_id":"OWZ4XL"}` // basic economy, uninsured, six days old
		landed    = `cancel_reservation{"reservation_id":"EMZ7JS"}` // business, flown
		sixPeople = `{"passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"A","last_name":"B","dob":"1990-01-01"},` +
			`{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"A","last_name":"B","dob":"1990-01-01"},` +
			`{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"A","last_name":"B","dob":"1990-01-01"}],` +
			`"flights":[{"flight_number":"HAT271","date":"2024-05-27"}]}`
	)
	both := []ruleCase{
		{name: "no such user", rule: "airline.book.1", task: "8", action: 3, fail: `{"user_id":"nobody_0000"}`, says: "no user"},
		{name: "no origin", rule: "airline.book.1", task: "8", action: 3, fail: `{"origin":""}`, says: "lacks origin"},
		{name: "flown already", rule: "airline.book.2", task: "8", action: 3, fail: `{"flights":[{"flight_number":"HAT271","date":"2024-05-14"}]}`, says: `"landed"`},
		{name: "on time is not available", rule: "airline.book.2", task: "8", action: 3, fail: `{"flights":[{"flight_number":"HAT271","date":"2024-05-15"}]}`, says: `"on time"`},
		{name: "no such date", rule: "airline.book.2", task: "8", action: 3, fail: `{"flights":[{"flight_number":"HAT271","date":"2025-01-01"}]}`, says: "no flight"},
		{name: "one seat for two", rule: "airline.book.3", task: "8", action: 3, fail: `{"cabin":"business","flights":[{"flight_number":"HAT271","date":"2024-05-22"}]}`, says: "too few for 2"},
		{name: "no such cabin", rule: "airline.book.3", task: "8", action: 3, fail: `{"cabin":"first"}`, says: "no price"},
		{name: "no date of birth", rule: "airline.book.4", task: "8", action: 3, fail: `{"passengers":[{"first_name":"Sophia","last_name":"Silva"}]}`, says: "no dob"},
		{name: "six passengers", rule: "airline.book.4", task: "8", action: 3, fail: sixPeople, says: "not 6"},
		{name: "method of somebody else", rule: "airline.book.5", task: "14", action: 1, fail: `{"payment_methods":[{"payment_id":"credit_card_2408938","amount":2613}]}`, says: "not in the user's profile"},
		{name: "two credit cards", rule: "airline.book.5", task: "14", action: 1,
			fail: `{"payment_methods":[{"payment_id":"credit_card_5843230","amount":1},{"payment_id":"credit_card_2198526","amount":2612}]}`, says: "1 credit card at most"},
		{name: "two certificates", rule: "airline.book.5", task: "14", action: 1,
			fail: `{"payment_methods":[{"payment_id":"certificate_3765853","amount":1},{"payment_id":"certificate_9984806","amount":2612}]}`, says: "1 certificate at most"},
		{name: "a fourth free bag", rule: "airline.book.6", task: "20", action: 0, fail: `{"total_baggages":4}`, says: "nonfree_baggages has to be 1"},
		{name: "old, cheap, uninsured", rule: "airline.cancel.1", task: "7", action: 4, fail: oldBasic, says: "more than 24 hours old"},
		{name: "flown in business", rule: "airline.cancel.2", task: "39", action: 8, fail: landed, says: `"landed"`},
		{name: "a bag off", rule: "airline.baggages.1", task: "33", action: 4,
			pass: `update_reservation_baggages{"reservation_id":"1N99U6","total_baggages":2,"nonfree_baggages":0,"payment_id":"gift_card_5634230"}`, fail: `{"total_baggages":0}`, says: "not taken off"},
		{name: "paid bag without method", rule: "airline.baggages.1", task: "33", action: 4, fail: `{"total_baggages":5,"nonfree_baggages":2,"payment_id":""}`, says: "need a payment method"},
		{name: "method of somebody else", rule: "airline.baggages.2", task: "33", action: 4, fail: `{"payment_id":"credit_card_2408938"}`, says: "not in the user's profile"},
		{name: "bags beyond the free ones", rule: "airline.baggages.3", task: "33", action: 4, fail: `{"total_baggages":5}`, says: "bags"},
		{name: "flown already", rule: "airline.flights.1", task: "30", action: 2,
			fail: `{"flights":[{"flight_number":"HAT266","date":"2024-05-02"},{"flight_number":"HAT112","date":"2024-05-27"}]}`, says: `"landed"`},
		{name: "business is full", rule: "airline.flights.2", task: "30", action: 2, fail: `{"cabin":"business"}`, says: "too few for 2"},
		{name: "certificate", rule: "airline.flights.3", task: "30", action: 2, fail: `{"payment_id":"certificate_9380982"}`, says: "credit card or a gift card"},
		{name: "method of somebody else", rule: "airline.flights.3", task: "30", action: 2, fail: `{"payment_id":"gift_card_1642017"}`, says: "not in the user's profile"},
		{name: "from another airport", rule: "airline.flights.4", task: "30", action: 2,
			fail: `{"flights":[{"flight_number":"HAT112","date":"2024-05-27"},{"flight_number":"HAT266","date":"2024-05-19"}]}`, says: "starts in LAS"},
		{name: "to another airport", rule: "airline.flights.4", task: "15", action: 0, fail: `{"flights":[{"flight_number":"HAT110","date":"2024-05-24"}]}`, says: "ends in PHL"},
		{name: "no date of birth", rule: "airline.passengers.1", task: "40", action: 1,
			fail: `{"passengers":[{"first_name":"Anya","last_name":"Garcia","dob":""},{"first_name":"Mei","last_name":"Garcia","dob":"1989-12-13"}]}`, says: "no dob"},
		{name: "one passenger less", rule: "airline.passengers.2", task: "40", action: 1,
			fail: `{"passengers":[{"first_name":"Anya","last_name":"Garcia","dob":"1992-11-12"}]}`, says: "for 2, not 1"},
	}
	cases := slices.Clone(both)
	for _, c := range both {
		c.release = true
		cases = append(cases, c)
	}
	cases = append(cases,
		ruleCase{name: "23 hours old", rule: "airline.cancel.1", task: "14", action: 0, fail: oldBasic, says: "24 hours"},
		ruleCase{name: "the airline cancelled a flight", rule: "airline.cancel.1", task: "14", action: 0, pass: `cancel_reservation{"reservation_id":"521ARH"}`, fail: oldBasic, says: "24 hours"},
		ruleCase{name: "certificate", rule: "airline.baggages.2", task: "33", action: 4, fail: `{"payment_id":"certificate_2345996"}`, says: "credit card or a gift card"},
		ruleCase{name: "other flights in basic economy", rule: "airline.flights.5", task: "17", action: 0,
			fail: `{"cabin":"basic_economy","flights":[{"flight_number":"HAT056","date":"2024-05-25"},{"flight_number":"HAT138","date":"2024-05-26"}]}`, says: "stay as they are"},
		ruleCase{name: "one way of a round trip", rule: "airline.flights.4", task: "30", action: 2,
			fail: `{"flights":[{"flight_number":"HAT266","date":"2024-05-19"}]}`, says: "and back"},
		ruleCase{name: "nor on the way out of it", rule: "airline.flights.5", task: "17", action: 0,
			fail: `{"cabin":"economy","flights":[{"flight_number":"HAT056","date":"2024-05-25"},{"flight_number":"HAT138","date":"2024-05-26"}]}`, says: "only the cabin may change"},
		ruleCase{name: "new cabin", rule: "airline.flights.5", release: true, task: "30", action: 2, fail: `{"cabin":"basic_economy"}`, says: "basic economy"},
		ruleCase{name: "23 hours are not recent by the wall clock", rule: "airline.cancel.1", release: true, task: "7", action: 4,
			fail: `cancel_reservation{"reservation_id":"K1NW8N"}`, says: "24 hours"},
		ruleCase{name: "profile with two certificates", rule: "airline.baggages.2", release: true, task: "33", action: 4,
			fail: `update_reservation_baggages{"reservation_id":"YAX4DR","total_baggages":2,"nonfree_baggages":0,"payment_id":"credit_card_4938634"}`, says: "1 certificate at most"},
		ruleCase{name: "paid bags, as nothing was paid for them yet", rule: "airline.baggages.3", release: true, task: "33", action: 4,
			fail: `{"total_baggages":5,"nonfree_baggages":2}`, says: "cost $100"},
	)
	onReal(t, airline.Domain(), cases)
}

func TestRetailRules(t *testing.T) {
	onReal(t, retail.Domain(), []ruleCase{
		{name: "delivered", rule: "retail.cancel.1", task: "16", action: 6, fail: `{"order_id":"#W2378156"}`, says: `"delivered"`},
		{name: "processed", rule: "retail.cancel.1", task: "16", action: 6, fail: `{"order_id":"#W2611340"}`, says: `"processed"`},
		{name: "cheaper elsewhere", rule: "retail.cancel.2", task: "16", action: 6, fail: `{"reason":"found cheaper"}`, says: "no reason"},
		{name: "delivered", rule: "retail.payment.1", task: "40", action: 3, fail: `{"order_id":"#W2378156"}`, says: `"delivered"`},
		{name: "the same method", rule: "retail.payment.2", task: "40", action: 3, fail: `{"payment_method_id":"credit_card_8554680"}`, says: "another one"},
		{name: "method of somebody else", rule: "retail.payment.2", task: "40", action: 3, fail: `{"payment_method_id":"paypal_5364164"}`, says: "not in the profile"},
		{name: "gift card too small", rule: "retail.payment.3", task: "40", action: 3, fail: `{"payment_method_id":"gift_card_8245350"}`, says: "holds $60"},
		{name: "delivered", rule: "retail.address.1", task: "17", action: 5, fail: `{"order_id":"#W2378156"}`, says: `"delivered"`},
		{name: "items were changed", rule: "retail.address.1", task: "17", action: 5, says: `"pending (item modified)"`, before: []string{
			`modify_pending_order_items{"order_id":"#W4776164","item_ids":["8349118980"],"new_item_ids":["9647292434"],"payment_method_id":"credit_card_9513926"}`},
			fail: `{"order_id":"#W4776164"}`},
		{name: "delivered", rule: "retail.items.1", task: "3", action: 11, fail: `{"order_id":"#W2378156"}`, says: `"delivered"`},
		{name: "a second time", rule: "retail.items.1", task: "4", action: 12, says: `"pending (item modified)"`,
			fail: `{"order_id":"#W6247578","item_ids":["9647292434"],"new_item_ids":["8349118980"]}`},
		{name: "another product", rule: "retail.items.2", task: "3", action: 11, fail: `{"new_item_ids":["7706410293"]}`, says: "no option of the same product"},
		{name: "the same option", rule: "retail.items.2", task: "3", action: 11, fail: `{"new_item_ids":["8349118980"]}`, says: "by itself"},
		{name: "one new item too many", rule: "retail.items.2", task: "3", action: 11, fail: `{"new_item_ids":["9647292434","9647292434"]}`, says: "one new item for each"},
		{name: "out of stock", rule: "retail.items.3", task: "3", action: 11, fail: `{"new_item_ids":["5047954489"]}`, says: "not available"},
		{name: "gift card too small", rule: "retail.items.4", task: "20", action: 8, says: "holds $49, which does not cover $77.03",
			fail: `modify_pending_order_items{"order_id":"#W6779827","item_ids":["7896397433"],"new_item_ids":["2444431651"],"payment_method_id":"gift_card_7219486"}`},
		{name: "method of somebody else", rule: "retail.items.4", task: "3", action: 11, fail: `{"payment_method_id":"paypal_5364164"}`, says: "not in the profile"},
		{name: "pending", rule: "retail.exchange.1", task: "1", action: 4, fail: `{"order_id":"#W4776164"}`, says: `"pending"`},
		{name: "another product", rule: "retail.exchange.2", task: "1", action: 4, fail: `{"new_item_ids":["9647292434"]}`, says: "no option of the same product"},
		{name: "out of stock", rule: "retail.exchange.3", task: "1", action: 4, fail: `{"new_item_ids":["8722653925"]}`, says: "not available"},
		{name: "gift card too small", rule: "retail.exchange.4", task: "49", action: 9, says: "holds $17",
			fail: `exchange_delivered_order_items{"order_id":"#W4316152","item_ids":["7292993796","7292993796"],"new_item_ids":["3761330360","9647374798"],"payment_method_id":"gift_card_7245904"}`},
		{name: "pending", rule: "retail.return.1", task: "11", action: 4, fail: `{"order_id":"#W4776164","item_ids":["8349118980"]}`, says: `"pending"`},
		{name: "another card", rule: "retail.return.2", task: "11", action: 4, fail: `{"payment_method_id":"paypal_9497703"}`, says: "gift card"},
		{name: "a gift card in place of the card", rule: "retail.return.2", task: "11", action: 4,
			pass: `return_delivered_order_items{"order_id":"#W5838674","item_ids":["7441167885"],"payment_method_id":"gift_card_9368765"}`,
			fail: `{"payment_method_id":"gift_card_7245904"}`, says: "not in the profile"},
	})
}

func TestTelecomRules(t *testing.T) {
	const (
		overdue = "[service_issue]overdue_bill_suspension|unseat_sim_card[PERSONA:Easy]"
		ended   = "[service_issue]contract_end_suspension|unseat_sim_card[PERSONA:Hard]"
		usedUp  = "[mobile_data_issue]data_mode_off|data_usage_exceeded[PERSONA:None]"
		abroad  = "[mobile_data_issue]bad_vpn|data_saver_mode_on|user_abroad_roaming_disabled_on[PERSONA:None]"
		resume  = `resume_line{"customer_id":"C1001","line_id":"L1002"}`
		second  = `suspend_line_for_overdue_bill{"customer_id":"C1001","line_id":"L1001","new_bill_id":"B7654321","contract_ended":false}`
	)
	onReal(t, telecom.Domain(), []ruleCase{
		{name: "issued", rule: "telecom.request.1", task: overdue, action: 0, fail: `{"bill_id":"B1002"}`, says: "Issued"},
		{name: "of somebody else", rule: "telecom.request.1", task: overdue, action: 0, fail: `{"bill_id":"B1005"}`, says: "not the customer's"},
		{name: "while another awaits payment", rule: "telecom.request.2", task: overdue, action: 0, says: "B1234321 awaits payment",
			before: []string{`send_payment_request{"customer_id":"C1001","bill_id":"B1234321"}`, second},
			pass:   `enable_roaming{"customer_id":"C1001","line_id":"L1001"}`, fail: `send_payment_request{"customer_id":"C1001","bill_id":"B7654321"}`},
		{name: "one paid, one not", rule: "telecom.resume.1", task: overdue, action: 2, says: "B7654321 is Overdue",
			before: []string{second}, pass: `send_payment_request{"customer_id":"C1001","bill_id":"B7654321"}`, fail: resume},
		{name: "requested but not paid", rule: "telecom.resume.1", task: overdue, action: 1, says: "Awaiting Payment", pass: `enable_roaming{"customer_id":"C1001","line_id":"L1001"}`, fail: resume},
		{name: "all paid", rule: "telecom.resume.2", task: ended, action: 0, says: "contract ended", before: []string{`_set_bill_to_paid{"bill_id":"B1234321"}`},
			pass: `resume_line{"customer_id":"C1001","line_id":"L1003"}`, fail: resume},
		{name: "more than two gigabytes", rule: "telecom.refuel.1", task: usedUp, action: 1, fail: `{"gb_amount":2.5}`, says: "2.5 GB cannot be added"},
		{name: "a second time", rule: "telecom.refuel.1", task: usedUp, action: 1, says: "1.5 GB were added",
			before: []string{`refuel_data{"customer_id":"C1001","line_id":"L1002","gb_amount":1.5}`},
			pass:   `refuel_data{"customer_id":"C1001","line_id":"L1002","gb_amount":0.5}`, fail: `{"gb_amount":1.0}`},
		{name: "enabled already", rule: "telecom.roaming.1", task: abroad, action: 2, fail: `{"customer_id":"C1002","line_id":"L1004"}`, says: "enabled on the line already"},
	})
}
