package rubric_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/policy"
)

// hotline holds a conversation of the telecom domain that keeps to policy and manual, in the task's real environment:
// the plan's corrections layer by layer, each after a look and before a test.
type hotline struct {
	*audit.Telecom
	t     testing.TB
	skip  map[string]bool // steps that are left out
	early bool            // an account is read before the customer is known
}

func newHotline(t testing.TB, w *domains.World, task *domains.Task) *hotline {
	t.Helper()
	d, err := audit.NewStage(w, nil).Converse(task)
	if err != nil {
		t.Fatal(err)
	}
	return &hotline{Telecom: audit.NewTelecom(d), t: t, skip: map[string]bool{}}
}

func (h *hotline) look(name string) {
	args := value.OfMap(nil)
	if name == "check_app_permissions" {
		args = audit.Object("app_name", "messaging")
	}
	h.device(name, args)
}

// details reads a record.
func (h *hotline) details(id string) policy.Record {
	return policy.RecordOf(h.Read("get_details_by_id", "id", id))
}

// device has the user work the phone, after being told to, and report.
func (h *hotline) device(name string, args value.Value) {
	if !h.skip[name] {
		h.Instruct(name, args)
	}
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
	h.Answer("Something is wrong with my phone. " + h.Task.UserScenario.Instructions.ReasonForCall)
	h.identify()
	for _, t := range tests {
		h.look(t)
	}
	mms := slices.ContainsFunc(h.Task.Criteria.EnvAssertions, func(a domains.EnvAssertion) bool { return a.Func == "assert_can_send_mms" })
	var todo []domains.Action
	for _, a := range h.Task.Criteria.Actions {
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
	if slices.ContainsFunc(h.Task.Criteria.Actions, func(a domains.Action) bool { return a.Name == "transfer_to_human_agents" }) {
		h.Read("transfer_to_human_agents", "summary", "Everything was tried.")
		h.Ask(handoff)
	} else {
		h.Ask("Is there anything else?")
		h.Answer("No, thank you.")
	}
	return h.Messages
}

func (h *hotline) identify() {
	if h.early {
		h.details("L1001")
	}
	h.Identify()
	h.ReadLines()
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
		h.Do(a.Name, a.Arguments)
		if !h.skip["restart"] {
			h.Ask("The line is back. Please restart your phone.")
			h.device("reboot_device", value.OfMap(nil))
		}
	case "enable_roaming":
		h.Do(a.Name, a.Arguments)
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
	bill := policy.Arguments(a.Arguments).Text("bill_id")
	if !h.skip["bills"] {
		h.Read("get_bills_for_customer", "customer_id", h.Profile.Text("customer_id"))
	}
	if !h.skip["consent"] {
		h.Propose(h.Summary(a.Call()))
	}
	h.Do(a.Name, a.Arguments)
	h.Ask("I have sent you a payment request. Please check it on your phone.")
	h.device("check_payment_request", value.OfMap(nil))
	h.device("make_payment", value.OfMap(nil))
	if !h.skip["paid"] {
		h.details(bill)
	}
	h.Ask("Your bill has been paid.")
}

func (h *hotline) refuel(a domains.Action) {
	args := policy.Arguments(a.Arguments)
	if !h.skip["usage"] {
		h.Read("get_data_usage", "customer_id", h.Profile.Text("customer_id"), "line_id", args.Text("line_id"))
	}
	h.Ask("Your data are used up. How much data do you want to add?")
	h.Answer(fmt.Sprintf("%v GB, please.", args["gb_amount"]))
	if !h.skip["consent"] {
		h.Propose(h.Summary(a.Call()))
	}
	h.Do(a.Name, a.Arguments)
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
