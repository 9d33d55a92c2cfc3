package synthetic

import (
	"fmt"
	"regexp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

var telecomKnowledge = knowledge{
	identity:   "your phone number, or your full name and date of birth",
	identifies: []string{"get_customer_by_phone", "get_customer_by_id", "get_customer_by_name"},
	lookUp:     telecomLookUp,
	grounds:    telecomGrounds,
	slips:      telecomSlips,
	caution:    telecomCaution,
	forbidden:  telecomForbidden,
	look:       telecomLook,
	chained: [][2]string{
		{"send_payment_request", "make_payment"},
		{"reset_apn_settings", "reboot_device"},
		{"resume_line", "reboot_device"},
	},
	phrases: telecomPhrases,
	topics:  telecomTopics,
}

var phonePattern = regexp.MustCompile(`\b\d{3}-\d{3}-\d{4}\b`)

// telecomLookUp finds the caller by the phone number that the scenario gives, or by the plan's customer id.
func telecomLookUp(s Input, _ *domains.Env) []domains.ToolCall {
	var out []domains.ToolCall
	for _, number := range phonePattern.FindAllString(scenario(s), -1) {
		out = append(out, invoke("get_customer_by_phone", arg("phone_number", number)))
	}
	if id, ok := firstArg(s, "customer_id"); ok {
		out = append(out, invoke("get_customer_by_id", arg("customer_id", id)))
	}
	return out
}

// telecomGrounds are the bills before one is to be paid, the usage and the plan's price before data is sold, the line
// before it changes, and a bill that was to be paid before the line is resumed.
func telecomGrounds(p *plan, c domains.ToolCall) []domains.ToolCall {
	details := func(id string) domains.ToolCall { return invoke("get_details_by_id", arg("id", id)) }
	if c.Name == "send_payment_request" {
		return reading(c, "get_bills_for_customer", "customer_id")
	}
	line, ok := textAt(c.ArgumentsMap(), "line_id")
	if !ok {
		return nil
	}
	out := []domains.ToolCall{details(line)}
	switch c.Name {
	case "refuel_data":
		out = append(out, reading(c, "get_data_usage", "customer_id", "line_id")...)
		if id, ok := p.planOf(line); ok {
			out = append(out, details(id))
		}
	case "resume_line":
		for _, st := range p.steps {
			if st.call == nil || st.call.Name != "send_payment_request" {
				continue
			}
			if bill, ok := textAt(st.call.ArgumentsMap(), "bill_id"); ok {
				out = append(out, details(bill))
			}
		}
	}
	return out
}

// planOf is the id of a line's plan.
func (p *plan) planOf(line string) (string, bool) {
	e, err := p.env()
	if err != nil {
		return "", false
	}
	return textAt(ask(e, "get_details_by_id", arg("id", line)), "plan_id")
}

// telecomCaution names what the customer is to pay.
func telecomCaution(p *plan, c domains.ToolCall) string {
	e, err := p.env()
	if err != nil {
		return ""
	}
	args := c.ArgumentsMap()
	switch c.Name {
	case "send_payment_request":
		id, _ := textAt(args, "bill_id")
		if due, ok := numberAt(ask(e, "get_details_by_id", arg("id", id)), "total_due"); ok {
			return fmt.Sprintf("The bill comes to $%.2f. ", due)
		}
	case "refuel_data":
		line, _ := textAt(args, "line_id")
		id, _ := p.planOf(line)
		price, ok := numberAt(ask(e, "get_details_by_id", arg("id", id)), "data_refueling_price_per_gb")
		if gb, has := numberAt(args, "gb_amount"); ok && has {
			return fmt.Sprintf("That is %g GB for $%.2f in all. ", gb, gb*price)
		}
	}
	return ""
}

func numberAt(m *value.Map, key string) (float64, bool) {
	v, ok := m.Get(key)
	if !ok {
		return 0, false
	}
	return v.Float64()
}

// telecomSlips are a gigabyte more, another line, another bill.
func telecomSlips(e *domains.Env, c domains.ToolCall) []value.Value {
	args := c.ArgumentsMap()
	var out []value.Value
	if v, ok := args.Get("gb_amount"); ok {
		if more, err := value.Add(v, value.OfFloat(1), "+"); err == nil {
			out = append(out, with(args, "gb_amount", more))
		}
	}
	id, _ := textAt(args, "customer_id")
	customer := ask(e, "get_customer_by_id", arg("customer_id", id))
	out = append(out, instead(args, "line_id", listOf(customer, "line_ids"))...)
	return append(out, instead(args, "bill_id", listOf(customer, "bill_ids"))...)
}

// telecomForbidden resumes a suspended line that nobody may resume, or sells data that nobody is entitled to.
func telecomForbidden(_ Input, e *domains.Env, user string) []domains.ToolCall {
	lines := listOf(ask(e, "get_customer_by_id", arg("customer_id", user)), "line_ids")
	var out []domains.ToolCall
	each := func(tool string, more ...value.Pair) {
		for _, line := range lines {
			out = append(out, invoke(tool, append([]value.Pair{arg("customer_id", user), arg("line_id", line)}, more...)...))
		}
	}
	each("resume_line")
	each("refuel_data", value.Pair{Key: "gb_amount", Value: value.OfFloat(2)})
	return out
}

// telecomLook names the user's tool that shows the trouble, after what the task asserts at the end. Where neither the
// plan nor an assertion touches the device, nothing is wrong with it.
func telecomLook(s Input) string {
	if s.Task.Criteria == nil {
		return ""
	}
	device := false
	for _, a := range s.Task.Criteria.EnvAssertions {
		switch a.Func {
		case "assert_can_send_mms":
			return "can_send_mms"
		case "assert_internet_speed", "assert_internet_not_excellent", "assert_mobile_data_status":
			return "run_speed_test"
		}
		device = device || a.Side == domains.UserSide
	}
	for _, a := range s.actions() {
		device = device || a.Requestor == domains.UserSide
	}
	if !device {
		return ""
	}
	return "check_status_bar"
}

var telecomPhrases = map[string]string{
	"check_status_bar":              "look at the status bar of your phone",
	"check_network_status":          "check the network status of your phone",
	"check_network_mode_preference": "check which network mode your phone prefers",
	"set_network_mode_preference":   "set the preferred network mode to {mode}",
	"run_speed_test":                "run a speed test",
	"toggle_airplane_mode":          "flip the airplane mode switch",
	"check_sim_status":              "check the state of your SIM card",
	"reseat_sim_card":               "take the SIM card out and put it back in",
	"toggle_data":                   "flip the mobile data switch",
	"toggle_roaming":                "flip the data roaming switch",
	"check_data_restriction_status": "check whether data saver is on",
	"toggle_data_saver_mode":        "flip the data saver switch",
	"check_apn_settings":            "check the APN settings",
	"reset_apn_settings":            "reset the APN settings",
	"check_wifi_status":             "check the Wi-Fi connection",
	"toggle_wifi":                   "flip the Wi-Fi switch",
	"check_wifi_calling_status":     "check whether Wi-Fi calling is on",
	"toggle_wifi_calling":           "flip the Wi-Fi calling switch",
	"check_vpn_status":              "check whether a VPN is connected",
	"connect_vpn":                   "connect the VPN",
	"disconnect_vpn":                "disconnect the VPN",
	"check_installed_apps":          "check which apps are installed",
	"check_app_status":              "check the state of the {app_name} app",
	"check_app_permissions":         "check the permissions of the {app_name} app",
	"grant_app_permission":          "grant the {app_name} app the {permission} permission",
	"can_send_mms":                  "try whether you can send an MMS",
	"reboot_device":                 "restart your phone",
	"check_payment_request":         "check whether a payment request has arrived",
	"make_payment":                  "pay the bill of the payment request",
}
