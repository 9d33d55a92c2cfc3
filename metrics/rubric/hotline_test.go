package rubric_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// hotline holds a conversation of the telecom domain that keeps to policy and manual, in the task's real environment:
// the plan's corrections layer by layer, each after a look and before a test.
type hotline struct {
	t        testing.TB
	env      *domains.Env
	task     *domains.Task
	msgs     []domains.Message
	customer string
	lines    []string
	skip     map[string]bool // steps that are left out
	early    bool            // an account is read before the customer is known
}

func newHotline(t testing.TB, w *domains.World, task *domains.Task) *hotline {
	t.Helper()
	env, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	return &hotline{t: t, env: env, task: task, skip: map[string]bool{}}
}

func (h *hotline) say(role domains.Role, text string) {
	h.msgs = append(h.msgs, domains.Message{Role: role, Content: &text})
}

func (h *hotline) ask(text string)    { h.say(domains.RoleAssistant, text) }
func (h *hotline) answer(text string) { h.say(domains.RoleUser, text) }

// call makes a call of a side and returns its result.
func (h *hotline) call(side domains.Side, name string, args value.Value) domains.ToolResult {
	c := domains.ToolCall{ID: fmt.Sprint("c", len(h.msgs)), Name: name, Arguments: args, Requestor: side}
	res := h.env.Call(side, c)
	role := domains.RoleAssistant
	if side == domains.UserSide {
		role = domains.RoleUser
	}
	h.msgs = append(h.msgs, domains.Message{Role: role, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, res))
	return res
}

func (h *hotline) read(name string, args ...string) value.Value {
	v, err := value.ParseString(h.call(domains.AgentSide, name, object(args...)).Content)
	if err != nil {
		return value.Value{}
	}
	return v
}

// device has the user work the phone, after being told to, and report.
func (h *hotline) device(name string, args value.Value) {
	if h.skip[name] {
		return
	}
	h.ask("Please use " + name + " on your phone and tell me what it shows.")
	res := h.call(domains.UserSide, name, args)
	h.answer("It shows: " + res.Content)
}

func (h *hotline) look(name string) {
	args := value.OfMap(nil)
	if name == "check_app_permissions" {
		args = object("app_name", "messaging")
	}
	h.device(name, args)
}

func object(pairs ...string) value.Value {
	m := &value.Map{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.Set(pairs[i], value.OfString(pairs[i+1]))
	}
	return value.OfMap(m)
}

func field(v value.Value, name string) string {
	m, ok := v.Map()
	if !ok {
		return ""
	}
	f, _ := m.Get(name)
	s, _ := f.Text()
	return s
}

func number(v value.Value, name string) float64 {
	m, ok := v.Map()
	if !ok {
		return 0
	}
	f, _ := m.Get(name)
	n, _ := f.Float64()
	return n
}

// Each correction with its layer and what shows the fault.
var corrections = []struct {
	tool, look string
	layer      int // 0 service, 1 data, 2 messages
}{
	{"toggle_airplane_mode", "check_status_bar", 0}, {"reseat_sim_card", "check_sim_status", 0}, {"reset_apn_settings", "check_apn_settings", 0},
	{"send_payment_request", "", 0}, {"resume_line", "", 0},
	{"toggle_data", "check_network_status", 1}, {"toggle_roaming", "check_network_status", 1}, {"enable_roaming", "", 1}, {"refuel_data", "", 1},
	{"toggle_data_saver_mode", "check_data_restriction_status", 1}, {"disconnect_vpn", "check_vpn_status", 1},
	{"set_network_mode_preference", "check_network_mode_preference", 1},
	{"toggle_wifi_calling", "check_wifi_calling_status", 2}, {"grant_app_permission", "check_app_permissions", 2},
}

func layerOf(tool string, mms bool) int {
	for _, c := range corrections {
		if c.tool == tool {
			if tool == "reset_apn_settings" && mms {
				return 2
			}
			return c.layer
		}
	}
	return -1
}

var tests = []string{"check_status_bar", "run_speed_test", "can_send_mms"}

// hold completes the gold plan: opening, corrections in the order of layers, goodbye. order may rearrange the plan's
// corrections first.
func (h *hotline) hold(order func([]domains.Action) []domains.Action) []domains.Message {
	h.ask(domains.Greeting)
	h.answer("Something is wrong with my phone. " + h.task.UserScenario.Instructions.ReasonForCall)
	h.identify()
	for _, t := range tests {
		h.look(t)
	}
	mms := slices.ContainsFunc(h.task.Criteria.EnvAssertions, func(a domains.EnvAssertion) bool { return a.Func == "assert_can_send_mms" })
	var todo []domains.Action
	for _, a := range h.task.Criteria.Actions {
		if layerOf(a.Name, mms) >= 0 {
			todo = append(todo, a)
		}
	}
	slices.SortStableFunc(todo, func(a, b domains.Action) int { return layerOf(a.Name, mms) - layerOf(b.Name, mms) })
	if order != nil {
		todo = order(todo)
	}
	for i, a := range todo {
		layer := layerOf(a.Name, mms)
		if layer == 2 && (i == 0 || layerOf(todo[i-1].Name, mms) != 2) {
			h.look(tests[1]) // the data connection, before messages
		}
		h.correct(a, layer)
	}
	if slices.ContainsFunc(h.task.Criteria.Actions, func(a domains.Action) bool { return a.Name == "transfer_to_human_agents" }) {
		h.read("transfer_to_human_agents", "summary", "Everything was tried.")
		h.ask(handoff)
	} else {
		h.ask("Is there anything else?")
		h.answer("No, thank you.")
	}
	return h.msgs
}

func (h *hotline) identify() {
	known := ""
	if k := h.task.UserScenario.Instructions.KnownInfo; k != nil {
		known = *k
	}
	if h.early {
		h.read("get_details_by_id", "id", "L1001")
	}
	h.ask("Please tell me your phone number.")
	h.answer("I am calling about this: " + known)
	var c value.Value
	switch number, id := phoneIn.FindString(known), customerIn.FindString(known); {
	case id != "":
		c = h.read("get_customer_by_id", "customer_id", id)
	default:
		c = h.read("get_customer_by_phone", "phone_number", number)
	}
	h.customer = field(c, "customer_id")
	if m, ok := c.Map(); ok {
		ids, _ := m.Get("line_ids")
		items, _ := ids.Items()
		for _, v := range items {
			h.lines = append(h.lines, v.Str())
			h.read("get_details_by_id", "id", v.Str())
		}
	}
	if h.customer == "" {
		h.t.Fatalf("%s: no customer is found by %q", h.task.ID, known)
	}
}

// correct looks, corrects and tests.
func (h *hotline) correct(a domains.Action, layer int) {
	for _, c := range corrections {
		if c.tool == a.Name && c.look != "" {
			h.look(c.look)
		}
	}
	args := a.Call()
	switch a.Name {
	case "send_payment_request":
		h.pay(a)
		return
	case "resume_line":
		h.call(domains.AgentSide, a.Name, a.Arguments)
		if !h.skip["restart"] {
			h.ask("The line is back. Please restart your phone.")
			h.device("reboot_device", value.OfMap(nil))
		}
	case "enable_roaming":
		h.call(domains.AgentSide, a.Name, a.Arguments)
	case "refuel_data":
		h.refuel(a)
	case "reset_apn_settings":
		h.device(a.Name, args.Arguments)
		h.device("reboot_device", value.OfMap(nil))
	default:
		h.device(a.Name, args.Arguments)
	}
	h.look(tests[layer])
	if layer == 1 {
		h.look(tests[2])
	}
}

func (h *hotline) pay(a domains.Action) {
	bill := field(a.Arguments, "bill_id")
	if !h.skip["bills"] {
		h.read("get_bills_for_customer", "customer_id", h.customer)
	}
	if !h.skip["consent"] {
		h.ask(fmt.Sprintf("Bill %s of $%.2f is overdue. Shall I send you a payment request?", bill, number(h.read("get_details_by_id", "id", bill), "total_due")))
		h.answer("Yes, please.")
	}
	h.call(domains.AgentSide, a.Name, a.Arguments)
	h.ask("I have sent you a payment request. Please check it on your phone.")
	h.device("check_payment_request", value.OfMap(nil))
	h.device("make_payment", value.OfMap(nil))
	if !h.skip["paid"] {
		h.read("get_details_by_id", "id", bill)
	}
	h.ask("Your bill has been paid.")
}

func (h *hotline) refuel(a domains.Action) {
	line := field(a.Arguments, "line_id")
	if !h.skip["usage"] {
		h.read("get_data_usage", "customer_id", h.customer, "line_id", line)
	}
	gb := number(a.Arguments, "gb_amount")
	h.ask("Your data are used up. How much data do you want to add?")
	h.answer(fmt.Sprintf("%v GB, please.", gb))
	if !h.skip["consent"] {
		plan := field(h.read("get_details_by_id", "id", line), "plan_id")
		price := number(h.read("get_details_by_id", "id", plan), "data_refueling_price_per_gb")
		h.ask(fmt.Sprintf("%v GB at $%.2f per GB come to $%.2f. Do you agree?", gb, price, price*gb))
		h.answer("Yes, go ahead.")
	}
	h.call(domains.AgentSide, a.Name, a.Arguments)
}

// rendered is a conversation in short, for failures.
func rendered(msgs []domains.Message) string {
	var b strings.Builder
	for i, m := range msgs {
		fmt.Fprintf(&b, "%3d %s %s", i, m.Role, m.TextOf())
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " %s%s", c.Name, c.Arguments.Repr())
		}
		b.WriteByte('\n')
	}
	return b.String()
}
