package main

import (
	"errors"
	"fmt"
	"slices"
)

// phone is the customer's device, as far as tools read or change it.
type phone struct {
	simMissing                         bool
	simStatus                          string
	airplane, data, roaming, saver     bool
	mode                               string
	status, technology, signal         string
	apnName                            string
	apnReset, mmsc                     bool // reset at the next start; an MMS centre is set
	vpn, vpnSlow                       bool // vpnSlow stays once the profile is broken
	wifi, wifiCalling, wifiCallingMMS  bool
	apps                               []app
	abroad, roamingAllowed, lineActive bool
	exceeded                           bool
	name, number                       string
	request                            *request
}

type app struct {
	name        string
	permissions []string // granted ones
}

type request struct {
	billID string
	paid   bool
}

// newPhone is the state that user_db.toml describes.
func newPhone() *phone {
	return &phone{
		simStatus: "active", data: true, mode: "4g_5g_preferred",
		status: "connected", technology: "5G", signal: "good",
		apnName: "internet", mmsc: true, lineActive: true,
		apps: []app{
			{"messaging", []string{"sms", "storage", "phone"}},
			{"browser", []string{"storage", "network"}},
		},
	}
}

func permissions() []string { return []string{"sms", "storage", "phone", "network"} }

// toml renders the device as user_db.toml; the surroundings keep their defaults.
func (p *phone) toml() []byte {
	w := &tomlWriter{}
	w.head("[device]")
	w.text("sim_card_status", p.simStatus)
	w.truth("sim_card_missing", p.simMissing)
	w.truth("airplane_mode", p.airplane)
	w.text("network_connection_status", p.status)
	w.text("network_technology_connected", p.technology)
	w.text("network_signal_strength", p.signal)
	w.text("network_mode_preference", p.mode)
	fmt.Fprintf(w, "battery_level = %d\n", 80)
	w.truth("data_enabled", p.data)
	w.truth("roaming_enabled", p.roaming)
	w.truth("data_saver_mode", p.saver)
	w.truth("wifi_enabled", p.wifi)
	w.truth("wifi_connected", false)
	w.text("wifi_signal_strength", "none")
	w.truth("wifi_calling_enabled", p.wifiCalling)
	w.truth("wifi_calling_mms_over_wifi", p.wifiCallingMMS)
	w.truth("vpn_enabled_setting", false)
	w.truth("vpn_connected", p.vpn)
	w.head("[device.active_apn_settings]")
	w.text("apn_name", p.apnName)
	w.text("mms_apn", "mms")
	w.text("mmsc_url", "http://mms.carrier.com/mms/wapenc")
	for _, a := range p.apps {
		w.head("[device.app_statuses." + a.name + "]")
		w.text("app_name", a.name)
		w.head("[device.app_statuses." + a.name + ".permissions]")
		for _, name := range permissions() {
			w.truth(name, slices.Contains(a.permissions, name))
		}
	}
	return w.Bytes()
}

// search is the only thing that sets status, technology and signal.
func (p *phone) search() {
	p.status, p.technology, p.signal = "no_service", "none", "none"
	if p.simMissing || p.simStatus != "active" || p.airplane || p.apnName == "broken" || !p.lineActive {
		return
	}
	p.status = "connected"
	switch p.mode {
	case "2g_only":
		p.technology, p.signal = "2G", "poor"
	case "3g_only":
		p.technology, p.signal = "3G", "fair"
	case "4g_only":
		p.technology, p.signal = "4G", "good"
	default:
		p.technology, p.signal = "5G", "excellent"
	}
}

func (p *phone) online() bool {
	return !p.airplane && p.signal != "none" && p.status != "no_service" &&
		(!p.abroad || p.roaming && p.roamingAllowed) && p.data && !p.exceeded
}

// speed is the download speed in Mbit/s, 0 without a connection.
func (p *phone) speed() float64 {
	if !p.online() {
		return 0
	}
	middle := map[string]float64{"2G": 0.25, "3G": 3, "4G": 55, "5G": 275}[p.technology]
	share := map[string]float64{"poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1}[p.signal]
	if p.vpn && p.vpnSlow {
		share *= 0.1
	}
	if p.saver {
		share *= 0.2
	}
	return middle * share
}

func (p *phone) sendsMMS() bool {
	i := p.app("messaging")
	return p.online() && p.technology != "2G" && !(p.wifiCalling && p.wifiCallingMMS) && p.mmsc && i >= 0 &&
		slices.Contains(p.apps[i].permissions, "storage") && slices.Contains(p.apps[i].permissions, "sms")
}

// app returns the position of an app, -1 if it is not installed.
func (p *phone) app(name string) int {
	return slices.IndexFunc(p.apps, func(a app) bool { return a.name == name })
}

func phoneReads() []string {
	return []string{
		"check_status_bar", "check_network_status", "check_network_mode_preference", "check_sim_status", "check_data_restriction_status",
		"check_apn_settings", "check_wifi_status", "check_wifi_calling_status", "check_vpn_status", "check_installed_apps",
		"check_app_status", "check_app_permissions", "run_speed_test", "can_send_mms", "check_payment_request",
	}
}

func phoneWrites() []string {
	return []string{
		"set_network_mode_preference", "toggle_airplane_mode", "reseat_sim_card", "toggle_data", "toggle_roaming", "toggle_data_saver_mode",
		"reset_apn_settings", "toggle_wifi_calling", "disconnect_vpn", "grant_app_permission", "reboot_device", "make_payment",
	}
}

// use makes the customer use a tool on the phone. Calls that the tools answer
// with a friendly refusal are errors here: no plan should contain one.
func (p *phone) use(c call) error {
	if slices.Contains(phoneReads(), c.name) {
		if c.name == "check_payment_request" && p.request == nil {
			return errors.New("no payment request has been made")
		}
		return nil
	}
	switch c.name {
	case "toggle_airplane_mode":
		p.airplane = !p.airplane
		p.vpn = p.vpn && !p.airplane
	case "reseat_sim_card":
		p.simMissing = false
	case "toggle_data":
		p.data = !p.data
	case "toggle_roaming":
		p.roaming = !p.roaming
	case "reset_apn_settings":
		p.apnReset = true
	case "set_network_mode_preference":
		if !slices.Contains([]string{"4g_5g_preferred", "4g_only", "3g_only", "2g_only"}, c.text("mode")) {
			return fmt.Errorf("%q is not a network mode", c.text("mode"))
		}
		p.mode = c.text("mode")
	case "reboot_device":
		if p.apnReset {
			p.apnName, p.apnReset, p.mmsc = "internet", false, true
		}
	default:
		return p.useQuietly(c)
	}
	p.search()
	return nil
}

// useQuietly holds the tools that leave the radio alone.
func (p *phone) useQuietly(c call) error {
	switch c.name {
	case "toggle_data_saver_mode":
		p.saver = !p.saver
	case "toggle_wifi_calling":
		p.wifiCalling = !p.wifiCalling
	case "disconnect_vpn":
		if !p.vpn {
			return errors.New("no VPN is connected")
		}
		p.vpn = false
	case "grant_app_permission":
		i, name := p.app(c.text("app_name")), c.text("permission")
		if i < 0 || !slices.Contains(permissions(), name) {
			return fmt.Errorf("app %q has no permission %q", c.text("app_name"), name)
		}
		if !slices.Contains(p.apps[i].permissions, name) {
			p.apps[i].permissions = append(p.apps[i].permissions, name)
		}
	case "make_payment":
		if p.request == nil {
			return errors.New("there is no payment request")
		}
		p.request.paid = true
	default:
		return fmt.Errorf("the phone has no tool %s", c.name)
	}
	return nil
}

// prepare runs a set-up function of the customer's side.
func (p *phone) prepare(c call) error {
	switch c.name {
	case "set_user_info":
		p.name, p.number = c.text("name"), c.text("phone_number")
	case "set_user_location":
		p.abroad = c.truth("abroad")
	case "turn_airplane_mode_on":
		p.airplane, p.vpn = true, false
		p.search()
	case "unseat_sim_card":
		p.simMissing = true
		p.search()
	case "turn_data_off":
		p.data = false
		p.search()
	case "turn_roaming_on", "turn_roaming_off":
		p.roaming = c.name == "turn_roaming_on"
		p.search()
	case "turn_data_saver_mode_on":
		p.saver = true
	case "break_apn_settings":
		p.apnName = "broken"
		p.search()
	case "break_apn_mms_setting":
		p.mmsc = false
	case "set_wifi_calling":
		p.wifiCalling, p.wifiCallingMMS = c.truth("enabled"), c.truth("mms_over_wifi")
	case "break_vpn":
		p.vpn, p.vpnSlow = true, true
	case "remove_app_permission":
		i, name := p.app(c.text("app_name")), c.text("permission")
		if i < 0 || !slices.Contains(p.apps[i].permissions, name) {
			return fmt.Errorf("app %q has no permission %q to lose", c.text("app_name"), name)
		}
		p.apps[i].permissions = slices.DeleteFunc(p.apps[i].permissions, func(s string) bool { return s == name })
	case "simulate_network_search":
		p.search()
	default:
		return p.use(c)
	}
	return nil
}
