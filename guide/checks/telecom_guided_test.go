package checks_test

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/policy"
)

// maxSteps bounds a guided conversation.
const maxSteps = 120

// intentOf is the kind of request of a task, read off what it asserts at the end.
func intentOf(t *domains.Task) string {
	intent := "no_service"
	for _, a := range t.Criteria.EnvAssertions {
		switch a.Func {
		case "assert_can_send_mms":
			return "mms"
		case "assert_internet_speed", "assert_mobile_data_status", "assert_internet_not_excellent":
			intent = "mobile_data"
		}
	}
	return intent
}

// follow does what the graph asks for, step by step, and returns the exit that it comes to, or the node at which it
// gets stuck.
func (h *hotline) follow(intent string) string {
	before := ""
	for range maxSteps {
		p := h.check.Walk(h.Trace, guide.Request{ID: "r", Intent: intent, Target: h.ownLine()})
		if p.Done {
			return p.Node
		}
		if p.Node == before && p.Node != "identify.look_up" {
			return p.Node + " (stuck: " + note(&p) + ")"
		}
		before = p.Node
		if p.Authorizes != "" {
			h.act(p)
			continue
		}
		if !h.obey(p.Node) {
			return p.Node + " (nothing to do: " + note(&p) + ")"
		}
	}
	return "too many steps"
}

// act makes the change that the graph has enabled, if it also authorizes the very call.
func (h *hotline) act(p guide.Position) {
	line := h.ownLine()
	c := domains.ToolCall{Name: p.Authorizes, Requestor: domains.AgentSide}
	switch p.Authorizes {
	case "send_payment_request":
		c.Arguments = audit.Object("customer_id", h.Profile.Text("customer_id"), "bill_id", h.overdueBill())
	case "refuel_data":
		c.Arguments = h.refuel(line)
	default:
		c.Arguments = audit.Object("customer_id", h.Profile.Text("customer_id"), "line_id", line)
	}
	if due, stop := h.Due(c); !due {
		h.t.Errorf("%s: at %s %s is not authorized: rests at %s: %s", h.Task.ID, p.Node, describe(c), stop.Node, stop.Note)
	}
	h.Do(c.Name, c.Arguments)
}

func (h *hotline) refuel(line string) value.Value {
	m := &value.Map{}
	m.Set("customer_id", value.OfString(h.Profile.Text("customer_id")))
	m.Set("line_id", value.OfString(line))
	m.Set("gb_amount", value.OfFloat(h.wanted()))
	return value.OfMap(m)
}

// wanted is how much data the customer takes.
func (h *hotline) wanted() float64 {
	for _, a := range h.Task.Criteria.Actions {
		if a.Name == "refuel_data" {
			gb, _ := policy.Arguments(a.Arguments).Number("gb_amount")
			return gb
		}
	}
	return 1
}

// ownLine is the line whose number the customer gave.
func (h *hotline) ownLine() string {
	number := audit.PhoneNumber.FindString(h.Known)
	for _, c := range h.Trace.CallsOf("get_details_by_id") {
		l, _ := guide.Native(c.Result).(map[string]any)
		if l["phone_number"] == number && l["line_id"] != nil {
			return l["line_id"].(string)
		}
	}
	return ""
}

// overdueBill is the first overdue bill, in the order of ids, by the latest look at the bills.
func (h *hotline) overdueBill() string {
	first := ""
	list, _ := h.Read("get_bills_for_customer", "customer_id", h.Profile.Text("customer_id")).([]any)
	for _, b := range list {
		bill := b.(map[string]any)
		if id := bill["bill_id"].(string); bill["status"] == "Overdue" && (first == "" || id < first) {
			first = id
		}
	}
	return first
}

// deviceSteps are the tools of the phone that satisfy a node, by the node's id without the way there; with the way in
// front where that makes a difference.
var deviceSteps = map[string][]string{
	"service.test": {"check_status_bar"}, "data.test": {"run_speed_test"}, "speed.test": {"run_speed_test"}, "messages.test": {"can_send_mms"},
	"airplane": {"check_network_status"}, "fix_airplane": {"toggle_airplane_mode"}, "retest_airplane": {"check_status_bar"},
	"sim": {"check_sim_status"}, "fix_sim": {"reseat_sim_card"}, "retest_sim": {"check_status_bar"},
	"apn": {"check_apn_settings"}, "fix_apn": {"reset_apn_settings", "reboot_device"}, "retest_apn": {"check_status_bar"},
	"restart": {"reboot_device"}, "see_service": {"check_status_bar"}, "customer_pays": {"check_payment_request", "make_payment"},
	"phone_roaming": {"check_network_status"}, "fix_phone_roaming": {"toggle_roaming"}, "retest_phone_roaming": {"run_speed_test"},
	"retest_line": {"run_speed_test"}, "data_switch": {"check_network_status"}, "fix_data_switch": {"toggle_data"}, "retest_data_switch": {"run_speed_test"},
	"retest_more": {"run_speed_test"}, "saver": {"check_data_restriction_status"}, "fix_saver": {"toggle_data_saver_mode"}, "retest_saver": {"run_speed_test"},
	"mode": {"check_network_mode_preference"}, "fix_mode": {"set_network_mode_preference"}, "retest_mode": {"run_speed_test"},
	"vpn": {"check_vpn_status"}, "fix_vpn": {"disconnect_vpn"}, "retest_vpn": {"run_speed_test"},
	"network": {"check_network_status"}, "fix_network": {"set_network_mode_preference"}, "retest_network": {"can_send_mms"},
	"wifi_calling": {"check_wifi_calling_status"}, "fix_wifi_calling": {"toggle_wifi_calling"}, "retest_wifi_calling": {"can_send_mms"},
	"permissions": {"check_app_permissions"}, "fix_permissions": {"grant_app_permission storage", "grant_app_permission sms"}, "retest_permissions": {"can_send_mms"},
	"mmsc": {"check_apn_settings"}, "fix_mmsc": {"reset_apn_settings", "reboot_device"}, "retest_mmsc": {"can_send_mms"},
}

// obey does what a node wants; it reports whether it knows how.
func (h *hotline) obey(node string) bool {
	local := node[strings.LastIndex(node, ".")+1:]
	steps, ok := deviceSteps[node]
	if !ok {
		steps = deviceSteps[local]
	}
	for _, s := range steps {
		h.step(s)
	}
	if len(steps) > 0 {
		return true
	}
	switch local {
	case "state_key":
		h.Ask("Please tell me your phone number.")
		h.Answer(h.Known)
	case "look_up":
		h.Identify()
	case "read_line", "which_line":
		if local == "read_line" && h.ownLine() != "" {
			return false
		}
		if !audit.PhoneNumber.MatchString(h.Known) {
			return false
		}
		h.ReadLines()
	case "look_at_bills", "read_bills":
		h.Read("get_bills_for_customer", "customer_id", h.Profile.Text("customer_id"))
	case "summarize", "confirm":
		return h.ask(node)
	case "verify_request": // the request for the bill before was sent, but not for this one
		h.act(guide.Position{Node: node, Authorizes: "send_payment_request"})
	case "tell_customer":
		h.Ask("I have sent you a payment request; please check it on your phone.")
	case "see_paid":
		h.LookAtPaid()
	case "travelling", "says_abroad":
		h.Ask("Are you outside your usual area, for instance abroad?")
		h.Answer(h.Known)
	case "usage":
		if h.ownLine() == "" {
			h.ReadLines()
		}
		h.Read("get_data_usage", "customer_id", h.Profile.Text("customer_id"), "line_id", h.ownLine())
	case "choose":
		h.Ask("Your data are used up. Do you want additional data or another plan?")
		h.Answer("I do not want to change my plan. Please add data.")
	case "amount":
		h.Ask("How much data do you want?")
		h.Answer(fmt.Sprintf("%v GB, please.", h.wanted()))
	case "read_plan":
		h.Read("get_details_by_id", "id", h.Lines[h.ownLine()])
	case "hand_over":
		h.Read("transfer_to_human_agents", "summary", "Everything was tried.")
	case "say_handover":
		h.Ask("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.")
	default:
		return false
	}
	return true
}

// ask names the amount and gets a yes.
func (h *hotline) ask(node string) bool {
	var c domains.ToolCall
	switch {
	case strings.Contains(node, "pay."):
		c = domains.ToolCall{Name: "send_payment_request", Arguments: audit.Object("customer_id", h.Profile.Text("customer_id"), "bill_id", h.overdueBill())}
	default:
		c = domains.ToolCall{Name: "refuel_data", Arguments: h.refuel(h.ownLine())}
	}
	h.Propose(h.Summary(c))
	return true
}

// step has the customer use one tool of the phone.
func (h *hotline) step(s string) {
	name, permission, _ := strings.Cut(s, " ")
	switch {
	case name == "set_network_mode_preference":
		h.Instruct(name, audit.Object("mode", "4g_5g_preferred"))
	case permission != "":
		h.Instruct(name, audit.Object("app_name", "messaging", "permission", permission))
	case name == "check_app_permissions":
		h.Instruct(name, audit.Object("app_name", "messaging"))
	default:
		h.on(name)
	}
}
