package checks_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
)

// What has to follow a change or a repair: the walk rests at each step until it was done.
func TestTelecomOrder(t *testing.T) {
	type step struct {
		name  string
		do    func(h *hotline)
		rests string
	}
	on := func(tool string) func(*hotline) { return func(h *hotline) { h.on(tool) } }
	says := func(s string) func(*hotline) { return func(h *hotline) { h.agent(s) } }
	call := func(name string, args ...string) func(*hotline) { return func(h *hotline) { h.read(name, args...) } }
	for _, tt := range []struct {
		name, task string
		request    guide.Request
		steps      []step
	}{
		{"a payment", "resume-before-payday", guide.Request{Intent: "pay_bill", Target: "B37455"}, []step{
			{"identified", (*hotline).identify, "pay.look_at_bills"},
			{"bills", (*hotline).readBills, "pay.agree.summarize"},
			{"amount", says("Your overdue bill comes to $46.00. Shall I send you a payment request?"), "pay.agree.confirm"},
			{"yes", func(h *hotline) { h.user(yes) }, "pay.authorize_request"},
			{"sent", call("send_payment_request", "customer_id", "C8181", "bill_id", "B37455"), "pay.tell_customer"},
			{"told", says("A payment request is on its way; please look at it on your phone."), "pay.customer_pays"},
			{"seen only", on("check_payment_request"), "pay.customer_pays"},
			{"paid", on("make_payment"), "pay.see_paid"},
			{"claimed", func(h *hotline) { h.user("So it is paid, is it not?") }, "pay.see_paid"},
			{"looked up", call("get_details_by_id", "id", "B37455"), "exit_done"},
		}},
		{"a suspension", "pictures-after-suspension", guide.Request{Intent: "lift_suspension", Target: "L4764"}, []step{
			{"identified", (*hotline).identify, "lift.read_line"},
			{"lines", (*hotline).readLines, "lift.read_bills"},
			{"bills", (*hotline).readBills, "lift.pay.agree.summarize"},
			{"paid", func(h *hotline) {
				c := domains.ToolCall{Name: "send_payment_request", Arguments: object("customer_id", "C8285", "bill_id", "B90639")}
				h.prepare(c, yes)
				h.carryOut(c)
				h.on("make_payment")
			}, "lift.pay.see_paid"},
			{"looked up", (*hotline).paid, "lift.authorize_resume"},
			{"resumed", call("resume_line", "customer_id", "C8285", "line_id", "L4764"), "lift.restart"},
			{"told", says("Your line is active. Please restart your phone."), "lift.see_service"},
			{"restarted", on("reboot_device"), "exit_done"},
		}},
		{"two repairs of service", "airplane-after-landing", guide.Request{Intent: "no_service"}, []step{
			{"identified", (*hotline).identify, "service.test"},
			{"seen", on("check_status_bar"), "service.fix_airplane"},
			{"a promise", func(h *hotline) { h.user("I will turn airplane mode off in a minute.") }, "service.fix_airplane"},
			{"repaired without a test", func(h *hotline) { h.user("I turned airplane mode off.") }, "service.retest_airplane"},
			{"done and tested", on("toggle_airplane_mode"), "service.sim"},
			{"card", on("check_sim_status"), "service.apn"},
			{"access point", on("check_apn_settings"), "service.fix_apn"},
			{"reset without a restart", on("reset_apn_settings"), "service.fix_apn"},
			{"restarted", on("reboot_device"), "exit_done"},
		}},
		{"messages come last", "pictures-stuck", guide.Request{Intent: "mms"}, []step{
			{"identified", (*hotline).identify, "service.test"},
			{"the app cannot send", on("can_send_mms"), "service.test"},
			{"service", on("check_status_bar"), "data.test"},
			{"data; the bar has shown the network already", on("run_speed_test"), "messages.wifi_calling"},
			{"calling", on("check_wifi_calling_status"), "messages.fix_wifi_calling"},
			{"off", on("toggle_wifi_calling"), "messages.retest_wifi_calling"},
			{"still not", on("can_send_mms"), "messages.permissions"},
		}},
		{"a handoff", "contract-ended", guide.Request{Intent: "transfer"}, []step{
			{"identified", (*hotline).identify, "hand_over"},
			{"the message first", says("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."), "hand_over"},
			{"transferred", call("transfer_to_human_agents", "summary", "The contract has ended."), "say_handover"},
			{"the message", says("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."), "exit_transfer"},
		}},
		{"another plan", "allowance-used-up", guide.Request{Intent: "change_plan"}, []step{
			{"identified", (*hotline).identify, "plan.which_line"},
			{"lines", (*hotline).readLines, "plan.plans"},
			{"plans", call("get_details_by_id", "id", "P24"), "plan.choose"},
			{"chosen", func(h *hotline) { h.user("I take the Lake plan.") }, "plan.price"},
			{"price", says("The Lake plan costs $62.00 a month. Do you agree?"), "plan.accept_price"},
			{"yes", func(h *hotline) { h.user(yes) }, "hand_over"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := embeddedTelecom(t)
			c := checkerFor(t, w)
			task, _ := w.Task(tt.task)
			h := newHotline(t, c, w, task)
			for _, s := range tt.steps {
				s.do(h)
				if p := c.Walk(h.trace, tt.request); p.Node != s.rests {
					t.Fatalf("%s: rests at %s (%s), want %s\n%s", s.name, p.Node, note(&p), s.rests, walked(&p))
				}
			}
		})
	}
}

// TestTelecomOmissions leaves out one step before the first change of each gold plan, which must then be withheld.
func TestTelecomOmissions(t *testing.T) {
	steps := map[string][]string{
		"send_payment_request": {"identify", "bills", "summary"},
		"enable_roaming":       {"identify", "lines"},
		"refuel_data":          {"identify", "lines", "ask", "plans", "summary"},
	}
	telecomWorlds(t, func(t *testing.T, w *domains.World) {
		c, tried := checkerFor(t, w), 0
		for i := range w.Tasks {
			writes := writesOf(w, &w.Tasks[i])
			if len(writes) == 0 {
				continue
			}
			first := writes[0].Call()
			for _, omitted := range steps[first.Name] {
				h := newHotline(t, c, w, &w.Tasks[i])
				h.omit = map[string]bool{omitted: true}
				if omitted == "identify" {
					h.profile, _ = h.read("get_details_by_id", "id", textArg(first, "customer_id")).(map[string]any)
				} else {
					h.identify()
				}
				h.prepare(first, yes)
				tried++
				if p, due := h.propose(first); due {
					t.Errorf("%s: %s is authorized at %s without the step %s", h.task.ID, describeCall(first), p.Node, omitted)
				}
			}
		}
		if tried == 0 {
			t.Fatal("nothing was left out")
		}
		t.Logf("%d conversations", tried)
	})
}
