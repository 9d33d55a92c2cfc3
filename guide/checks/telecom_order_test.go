package checks_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
)

// What has to follow a change or a repair: the walk rests at each step until it was done.
func TestTelecomOrder(t *testing.T) {
	type step struct {
		name  string
		do    func(h *hotline)
		rests string
	}
	on := func(tool string) func(*hotline) { return func(h *hotline) { h.on(tool) } }
	says := func(s string) func(*hotline) { return func(h *hotline) { h.Ask(s) } }
	call := func(name string, args ...string) func(*hotline) { return func(h *hotline) { h.Read(name, args...) } }
	bills := func(h *hotline) { h.Read("get_bills_for_customer", "customer_id", h.Profile.Text("customer_id")) }
	for _, tt := range []struct {
		name, task string
		request    guide.Request
		steps      []step
	}{
		{"a payment", "resume-before-payday", guide.Request{Intent: "pay_bill", Target: "B37455"}, []step{
			{"identified", func(h *hotline) { h.Identify() }, "pay.look_at_bills"},
			{"bills", bills, "pay.agree.summarize"},
			{"amount", says("Your overdue bill comes to $46.00. Shall I send you a payment request?"), "pay.agree.confirm"},
			{"yes", func(h *hotline) { h.Answer(h.Consent) }, "pay.authorize_request"},
			{"sent", call("send_payment_request", "customer_id", "C8181", "bill_id", "B37455"), "pay.tell_customer"},
			{"told", says("A payment request is on its way; please look at it on your phone."), "pay.customer_pays"},
			{"seen only", on("check_payment_request"), "pay.customer_pays"},
			{"paid", on("make_payment"), "pay.see_paid"},
			{"claimed", func(h *hotline) { h.Answer("So it is paid, is it not?") }, "pay.see_paid"},
			{"looked up", call("get_details_by_id", "id", "B37455"), "exit_done"},
		}},
		{"a suspension", "pictures-after-suspension", guide.Request{Intent: "lift_suspension", Target: "L4764"}, []step{
			{"identified", func(h *hotline) { h.Identify() }, "lift.read_line"},
			{"lines", func(h *hotline) { h.ReadLines() }, "lift.read_bills"},
			{"bills", bills, "lift.pay.agree.summarize"},
			{"paid", func(h *hotline) {
				c := domains.ToolCall{Name: "send_payment_request", Arguments: audit.Object("customer_id", "C8285", "bill_id", "B90639")}
				h.Prepare(c)
				must(t, h.Conversation, c)
				h.Settle(c)
				h.on("make_payment")
			}, "lift.pay.see_paid"},
			{"looked up", func(h *hotline) { h.LookAtPaid() }, "lift.authorize_resume"},
			{"resumed", call("resume_line", "customer_id", "C8285", "line_id", "L4764"), "lift.restart"},
			{"told", says("Your line is active. Please restart your phone."), "lift.see_service"},
			{"restarted", on("reboot_device"), "exit_done"},
		}},
		{"two repairs of service", "airplane-after-landing", guide.Request{Intent: "no_service"}, []step{
			{"identified", func(h *hotline) { h.Identify() }, "service.test"},
			{"seen", on("check_status_bar"), "service.fix_airplane"},
			{"a promise", func(h *hotline) { h.Answer("I will turn airplane mode off in a minute.") }, "service.fix_airplane"},
			{"repaired without a test", func(h *hotline) { h.Answer("I turned airplane mode off.") }, "service.retest_airplane"},
			{"done and tested", on("toggle_airplane_mode"), "service.sim"},
			{"card", on("check_sim_status"), "service.apn"},
			{"access point", on("check_apn_settings"), "service.fix_apn"},
			{"reset without a restart", on("reset_apn_settings"), "service.fix_apn"},
			{"restarted", on("reboot_device"), "exit_done"},
		}},
		{"messages come last", "pictures-stuck", guide.Request{Intent: "mms"}, []step{
			{"identified", func(h *hotline) { h.Identify() }, "service.test"},
			{"the app cannot send", on("can_send_mms"), "service.test"},
			{"service", on("check_status_bar"), "data.test"},
			{"data; the bar has shown the network already", on("run_speed_test"), "messages.wifi_calling"},
			{"calling", on("check_wifi_calling_status"), "messages.fix_wifi_calling"},
			{"off", on("toggle_wifi_calling"), "messages.retest_wifi_calling"},
			{"still not", on("can_send_mms"), "messages.permissions"},
		}},
		{"a handoff", "contract-ended", guide.Request{Intent: "transfer"}, []step{
			{"identified", func(h *hotline) { h.Identify() }, "hand_over"},
			{"the message first", says("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."), "hand_over"},
			{"transferred", call("transfer_to_human_agents", "summary", "The contract has ended."), "say_handover"},
			{"the message", says("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."), "exit_transfer"},
		}},
		{"another plan", "allowance-used-up", guide.Request{Intent: "change_plan"}, []step{
			{"identified", func(h *hotline) { h.Identify() }, "plan.which_line"},
			{"lines", func(h *hotline) { h.ReadLines() }, "plan.plans"},
			{"plans", call("get_details_by_id", "id", "P24"), "plan.choose"},
			{"chosen", func(h *hotline) { h.Answer("I take the Lake plan.") }, "plan.price"},
			{"price", says("The Lake plan costs $62.00 a month. Do you agree?"), "plan.accept_price"},
			{"yes", func(h *hotline) { h.Answer(h.Consent) }, "hand_over"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := open(t, "embedded", "telecom")
			stage := stageOf(t, w)
			h := newHotline(t, stage, taskOf(t, w, tt.task))
			h.Answer(audit.FirstPerson(h.Task.UserScenario.Instructions.ReasonForCall))
			for _, s := range tt.steps {
				s.do(h)
				if p := stage.Check.Walk(h.Trace, tt.request); p.Node != s.rests {
					t.Fatalf("%s: rests at %s (%s), want %s\n%s", s.name, p.Node, note(&p), s.rests, walked(&p))
				}
			}
		})
	}
}
