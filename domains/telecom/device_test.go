package telecom_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
)

func vpn(performance string) *telecom.VPN { return &telecom.VPN{Performance: performance} }

// TestSpeed goes through the table of docs/reference/domains.md#radio.
func TestSpeed(t *testing.T) {
	const (
		plain = iota
		saver
		slowVPN
		both
	)
	for _, c := range []struct {
		name         string
		tech, signal string
		results      [4]string // by the constants above
	}{
		{"5G excellent", "5G", "excellent", [...]string{"275.00 Mbps (Excellent)", "55.00 Mbps (Good)", "27.50 Mbps (Good)", "5.50 Mbps (Fair)"}},
		{"5G good", "5G", "good", [...]string{"220.00 Mbps (Excellent)", "44.00 Mbps (Good)", "22.00 Mbps (Fair)", "4.40 Mbps (Poor)"}},
		{"4G good", "4G", "good", [...]string{"44.00 Mbps (Good)", "8.80 Mbps (Fair)", "4.40 Mbps (Poor)", "0.88 Mbps (Very Poor)"}},
		{"3G fair", "3G", "fair", [...]string{"1.50 Mbps (Poor)", "0.30 Mbps (Very Poor)", "0.15 Mbps (Very Poor)", "0.03 Mbps (Very Poor)"}},
		{"2G poor", "2G", "poor", [...]string{"0.05 Mbps (Very Poor)", "0.01 Mbps (Very Poor)", "0.01 Mbps (Very Poor)", "0.00 Mbps (Very Poor)"}},
		{"no technology", "none", "excellent", [...]string{"0.00 Mbps (Very Poor)", "0.00 Mbps (Very Poor)", "0.00 Mbps (Very Poor)", "0.00 Mbps (Very Poor)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for variant, want := range c.results {
				x := start(t, "plain")
				p := &x.handset().Device
				p.Technology, p.Signal = c.tech, c.signal
				p.DataSaver = variant == saver || variant == both
				if variant == slowVPN || variant == both {
					p.VPNConnected, p.VPN = true, vpn("poor")
				}
				got := x.call(user, "run_speed_test", `{}`).Content
				if !strings.HasPrefix(got, "Speed Test Result: "+want+". Connection is ") {
					t.Errorf("variant %d: %s, want %s", variant, got, want)
				}
			}
		})
	}
}

func TestSpeedVPN(t *testing.T) {
	for _, c := range []struct {
		name      string
		connected bool
		details   *telecom.VPN
		want      string
	}{
		{"slow", true, vpn("poor"), "22.00"},
		{"slow but not connected", false, vpn("poor"), "220.00"},
		{"no details", true, nil, "220.00"},
		{"fair", true, vpn("fair"), "220.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, "plain")
			p := &x.handset().Device
			p.VPNConnected, p.VPN = c.connected, c.details
			if got := x.call(user, "run_speed_test", `{}`).Content; !strings.Contains(got, ": "+c.want+" Mbps") {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestDataAndMMS goes through the conditions of docs/reference/domains.md#radio.
func TestDataAndMMS(t *testing.T) {
	for _, c := range []struct {
		name      string
		prepare   func(*telecom.Handset)
		data, mms bool
	}{
		{"as shipped", func(*telecom.Handset) {}, true, true},
		{"airplane mode", func(h *telecom.Handset) { h.Device.Airplane = true }, false, false},
		{"no signal", func(h *telecom.Handset) { h.Device.Signal = "none" }, false, false},
		{"no service", func(h *telecom.Handset) { h.Device.Status = "no_service" }, false, false},
		{"searching", func(h *telecom.Handset) { h.Device.Status = "searching" }, true, true},
		{"emergency calls only", func(h *telecom.Handset) { h.Device.Status = "emergency_only" }, true, true},
		{"data off", func(h *telecom.Handset) { h.Device.Data = false }, false, false},
		{"data used up", func(h *telecom.Handset) { h.Surroundings.UsageExceeded = true }, false, false},
		{"abroad", func(h *telecom.Handset) { h.Surroundings.IsAbroad = value.OfBool(true) }, false, false},
		{"abroad, phone roams", func(h *telecom.Handset) {
			h.Surroundings.IsAbroad, h.Device.Roaming = value.OfBool(true), true
		}, false, false},
		{"abroad, line may roam", func(h *telecom.Handset) {
			h.Surroundings.IsAbroad, h.Surroundings.RoamingAllowed = value.OfBool(true), true
		}, false, false},
		{"abroad, both", func(h *telecom.Handset) {
			h.Surroundings.IsAbroad, h.Surroundings.RoamingAllowed, h.Device.Roaming = value.OfBool(true), true, true
		}, true, true},
		{"2G", func(h *telecom.Handset) { h.Device.Technology = "2G" }, true, false},
		{"calls over Wi-Fi", func(h *telecom.Handset) { h.Device.WiFiCalling = value.OfBool(true) }, true, true},
		{"messages over Wi-Fi", func(h *telecom.Handset) { h.Device.MMSOverWiFi = value.OfBool(true) }, true, true},
		{"calls and messages over Wi-Fi", func(h *telecom.Handset) {
			h.Device.WiFiCalling, h.Device.MMSOverWiFi = value.OfBool(true), value.OfBool(true)
		}, true, false},
		{"no message centre", func(h *telecom.Handset) { h.Device.APN = apnWith("mmsc_url", value.Value{}) }, true, false},
		{"empty message centre", func(h *telecom.Handset) { h.Device.APN = apnWith("mmsc_url", value.OfString("")) }, true, true},
		{"no messaging app", func(h *telecom.Handset) { h.Device.Apps.Delete("messaging") }, true, false},
		{"no storage", func(h *telecom.Handset) { h.Device.Apps.Get("messaging").Permissions.Storage = false }, true, false},
		{"no sms", func(h *telecom.Handset) { h.Device.Apps.Get("messaging").Permissions.SMS = false }, true, false},
		{"no phone permission", func(h *telecom.Handset) { h.Device.Apps.Get("messaging").Permissions.Phone = false }, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, "plain")
			c.prepare(x.handset())
			if got := x.must(user, "assert_mobile_data_status", `{"expected_status": true}`) == "True"; got != c.data {
				t.Errorf("mobile data works: %v, want %v", got, c.data)
			}
			if got := x.must(user, "assert_can_send_mms", `{"expected_status": 1}`) == "True"; got != c.mms {
				t.Errorf("can send MMS: %v, want %v", got, c.mms)
			}
			want := "Your messaging app cannot send MMS messages."
			if c.mms {
				want = "Your messaging app can send MMS messages."
			}
			x.says(user, "can_send_mms", `{}`, want)
			if got := x.call(user, "run_speed_test", `{}`).Content; c.data == (got == "Speed test failed: No Connection.") {
				t.Errorf("speed test says %s although data works: %v", got, c.data)
			}
		})
	}
}

func apnWith(key string, v value.Value) value.Value {
	return value.OfMap(value.MapOf(
		value.Pair{Key: "apn_name", Value: value.OfString("internet")}, value.Pair{Key: "reset_at_reboot", Value: value.OfBool(false)},
		value.Pair{Key: "mmsc_url", Value: value.OfString("http://mms")}, value.Pair{Key: key, Value: v}))
}

func TestStatusBar(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(*telecom.Phone)
		want    string
	}{
		{"as shipped", func(*telecom.Phone) {}, "📶³ Good | 5G | 📱 Data Enabled | 🔋 60%"},
		{"no signal", func(p *telecom.Phone) { p.Signal = "none" }, "📵 No Signal | 5G | 📱 Data Enabled | 🔋 60%"},
		{"poor", func(p *telecom.Phone) { p.Signal, p.Technology = "poor", "2G" }, "📶¹ Poor | 2G | 📱 Data Enabled | 🔋 60%"},
		{"fair", func(p *telecom.Phone) { p.Signal, p.Technology = "fair", "3G" }, "📶² Fair | 3G | 📱 Data Enabled | 🔋 60%"},
		{"excellent", func(p *telecom.Phone) { p.Signal = "excellent" }, "📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 60%"},
		{"no technology", func(p *telecom.Phone) { p.Technology = "none" }, "📶³ Good | 📵 Data Disabled | 🔋 60%"},
		{"data off", func(p *telecom.Phone) { p.Data, p.DataSaver = false, true }, "📶³ Good | 5G | 📵 Data Disabled | 🔋 60%"},
		{"data saver", func(p *telecom.Phone) { p.DataSaver = true }, "📶³ Good | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔋 60%"},
		{"airplane mode", func(p *telecom.Phone) { p.Airplane, p.DataSaver = true, true }, "\u2708\ufe0f Airplane Mode | 🔋 60%"},
		{"airplane mode with VPN", func(p *telecom.Phone) { p.Airplane, p.VPNConnected = true, true }, "\u2708\ufe0f Airplane Mode | 🔒 VPN Connected | 🔋 60%"},
		{"Wi-Fi on", func(p *telecom.Phone) { p.WiFi = true }, "📶³ Good | 5G | 📱 Data Enabled | 🔋 60%"},
		{"Wi-Fi connected", func(p *telecom.Phone) { p.WiFi, p.WiFiConnected = true, true }, "📶³ Good | 5G | 📱 Data Enabled | 📡 Enabled | 🔋 60%"},
		{"Wi-Fi named", func(p *telecom.Phone) { p.WiFi, p.WiFiConnected, p.WiFiSSID = true, true, ptr("home") },
			"📶³ Good | 5G | 📱 Data Enabled | 📡 Connected to home | 🔋 60%"},
		{"everything", func(p *telecom.Phone) {
			p.WiFi, p.WiFiConnected, p.WiFiSSID, p.VPNConnected, p.DataSaver, p.Battery = true, true, ptr("home"), true, true, 100
		}, "📶³ Good | 5G | 📱 Data Enabled | 🔽 Data Saver | 📡 Connected to home | 🔒 VPN Connected | 🔋 100%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, "plain")
			c.prepare(&x.handset().Device)
			x.says(user, "check_status_bar", `{}`, "Status Bar: "+c.want)
		})
	}
}

// radio is what a network search sets.
type radio struct{ Status, Technology, Signal string }

var offline = radio{"no_service", "none", "none"}

func radioOf(h *telecom.Handset) radio {
	return radio{h.Device.Status, h.Device.Technology, h.Device.Signal}
}

func TestNetworkSearch(t *testing.T) {
	prefer := func(mode string) func(*telecom.Handset) {
		return func(h *telecom.Handset) { h.Device.Preference = value.OfString(mode) }
	}
	for _, c := range []struct {
		name    string
		prepare func(*telecom.Handset)
		want    radio
	}{
		{"5G", func(*telecom.Handset) {}, radio{"connected", "5G", "excellent"}},
		{"no 5G here", func(h *telecom.Handset) { h.Surroundings.Signals.Set("5G", "none") }, radio{"connected", "4G", "good"}},
		{"5G unknown", func(h *telecom.Handset) { h.Surroundings.Signals.Delete("5G") }, radio{"connected", "4G", "good"}},
		{"neither", func(h *telecom.Handset) {
			h.Surroundings.Signals.Set("5G", "none")
			h.Surroundings.Signals.Set("4G", "none")
		}, radio{"connected", "4G", "none"}},
		{"4G only", prefer("4g_only"), radio{"connected", "4G", "good"}},
		{"3G only", prefer("3g_only"), radio{"connected", "3G", "fair"}},
		{"2G only", prefer("2g_only"), radio{"connected", "2G", "poor"}},
		{"preference is no text", func(h *telecom.Handset) { h.Device.Preference = value.OfInt(7) }, radio{"connected", "4G", "good"}},
		{"SIM out", func(h *telecom.Handset) { h.Device.SIMMissing = true }, offline},
		{"SIM missing", func(h *telecom.Handset) { h.Device.SIM = "missing" }, offline},
		{"PIN", func(h *telecom.Handset) { h.Device.SIM = "locked_pin" }, offline},
		{"PUK", func(h *telecom.Handset) { h.Device.SIM = "locked_puk" }, offline},
		{"airplane mode", func(h *telecom.Handset) { h.Device.Airplane = true }, offline},
		{"broken access point", func(h *telecom.Handset) { h.Device.APN = apnWith("apn_name", value.OfString("broken")) }, offline},
		{"line not active", func(h *telecom.Handset) { h.Surroundings.LineActive = false }, offline},
		{"abroad, without data", func(h *telecom.Handset) { h.Surroundings.IsAbroad, h.Device.Data = value.OfBool(true), false },
			radio{"connected", "5G", "excellent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, "plain")
			c.prepare(x.handset())
			if got := x.must(user, "simulate_network_search", `{}`); got != "None" {
				t.Errorf("returns %s, want None", got)
			}
			if got := radioOf(x.handset()); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
