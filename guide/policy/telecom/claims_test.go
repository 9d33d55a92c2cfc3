package telecom_test

import (
	"testing"

	"github.com/tauguide/tauguide/guide/policy/policytest"
	"github.com/tauguide/tauguide/guide/policy/telecom"
)

func known(t testing.TB, lines ...string) *telecom.Known {
	t.Helper()
	return telecom.NewTexts().Known(policytest.Trace(t, lines...))
}

// What the customer says about the phone, in the phone's words and in their own.
func TestReports(t *testing.T) {
	for _, tt := range []struct{ text, aspect, state string }{
		{"Status Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 80%", "service", "ok"},
		{"Status Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔋 80%", "saver", "on"},
		{"Status Bar: 📶¹ Poor | 2G | 📵 Data Disabled | 🔋 80%", "data", "off"},
		{"Status Bar: 📶¹ Poor | 2G | 📵 Data Disabled | 🔋 80%", "nettype", "2G"},
		{"Status Bar: 📵 No Signal | 📵 Data Disabled | 🔋 80%", "service", "none"},
		{"Status Bar: 📵 No Signal | 📵 Data Disabled | 🔋 80%", "data", ""},
		{"Status Bar: ✈️ Airplane Mode | 🔋 80%", "airplane", "on"},
		{"Status Bar: ✈️ Airplane Mode | 🔋 80%", "service", "none"},
		{"Status Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔒 VPN Connected | 🔋 80%", "vpn", "on"},
		{"Airplane Mode is now OFF.", "airplane", "off"},
		{"Mobile Data Enabled: Yes", "data", "on"},
		{"Mobile Data Enabled: No", "data", "off"},
		{"Mobile Data is now ON.", "data", "on"},
		{"Data Roaming Enabled: Yes", "roaming", "on"},
		{"Data Roaming Enabled: No", "roaming", "off"},
		{"Data Roaming is now ON.", "roaming", "on"},
		{"Data Saver mode is ON (limits data usage).", "saver", "on"},
		{"Data Saver mode is OFF.", "saver", "off"},
		{"Data Saver Mode is now OFF.", "saver", "off"},
		{"Cellular Connection: no_service", "service", "none"},
		{"Cellular Signal: fair", "service", "ok"},
		{"Cellular Network Type: 2G", "nettype", "2G"},
		{"Cellular Network Type: 5G", "nettype", "new"},
		{"No SIM card detected in the phone.", "sim", "missing"},
		{"SIM Card Status: missing", "sim", "missing"},
		{"Your SIM card is active and working.", "sim", "active"},
		{"The SIM card is locked with a PUK code.", "sim", "locked"},
		{"SIM card re-seated successfully.", "sim", "active"},
		{"Current APN Name: broken\nMMSC URL (for picture messages): Not Set", "apn", "wrong"},
		{"Current APN Name: broken\nMMSC URL (for picture messages): Not Set", "mmsc", "unset"},
		{"Current APN Name: internet\nMMSC URL (for picture messages): http://mms.example/x", "apn", "ok"},
		{"Current APN Name: internet\nMMSC URL (for picture messages): http://mms.example/x", "mmsc", "set"},
		{"Resetting APN settings...\nRestarting network services...", "apn", "ok"},
		{"Speed test failed: No Connection.", "speed", "none"},
		{"Speed Test Result: 27.50 Mbps (Good). Connection is good for most activities.", "speed", "slow"},
		{"Speed Test Result: 275.00 Mbps (Excellent). Connection is very fast.", "speed", "excellent"},
		{"Speed Test Result: 0.05 Mbps (Very Poor). Connection is very slow.", "speed", "slow"},
		{"Network Mode Preference: 2g_only", "mode", "old"},
		{"Network Mode Preference: 4g_5g_preferred", "mode", "new"},
		{"Preferred Network Mode set to: 4g_5g_preferred", "mode", "new"},
		{"VPN is ON and connected. Details: {}", "vpn", "on"},
		{"VPN is turned OFF.", "vpn", "off"},
		{"VPN disconnected successfully.", "vpn", "off"},
		{"No active VPN connection to disconnect.", "vpn", "off"},
		{"Wi-Fi Calling is currently turned ON.", "wifi_calling", "on"},
		{"Wi-Fi Calling is now OFF.", "wifi_calling", "off"},
		{"App 'messaging' has permission for: phone, sms.", "permissions", "missing"},
		{"App 'messaging' has permission for: sms, storage, phone.", "permissions", "granted"},
		{"App 'messaging' currently has no permissions granted.", "permissions", "missing"},
		{"Your messaging app can send MMS messages.", "mms", "ok"},
		{"Your messaging app cannot send MMS messages.", "mms", "no"},

		{"I switched airplane mode off and the bars are back.", "airplane", "off"},
		{"Okay, I turned off Airplane Mode like you said, but it still says \"No Signal\".", "service", "none"},
		{"It shows an excellent signal with 5G now.", "service", "ok"},
		{"The status bar shows excellent signal strength and 5G.", "service", "ok"},
		{"There is no mention of airplane mode.", "airplane", ""},
		{"I ran it again and got 55.00 Mbps, which is rated as “Good.”", "speed", "slow"},
		{"It says the speed is excellent now!", "speed", "excellent"},
		{"I really need excellent speed here.", "speed", ""},
		{"The test fails with no connection at all.", "speed", "none"},
		{"My mobile data is turned off.", "data", "off"},
		{"I turned on mobile data.", "data", "on"},
		{"I have turned data roaming on.", "roaming", "on"},
		{"I disconnected the VPN just now.", "vpn", "off"},
		{"Wi-Fi Calling is off on my phone.", "wifi_calling", "off"},
		{"I turned off Wi-Fi Calling but I still can't send MMS messages.", "mms", "no"},
		{"I am now able to send picture messages.", "mms", "ok"},
		{"The MMSC URL for picture messages is not set.", "mmsc", "unset"},
		{"The app only has access to the phone permission.", "permissions", "missing"},
		{"The messaging app has permission for SMS and phone, but I don't see storage permission listed.", "permissions", "missing"},
		{"Should I turn off airplane mode?", "airplane", ""},
		{"I'll turn off data saver now.", "saver", ""},
	} {
		phone := known(t, "user: My phone does not work.", "agent: Please look and tell me what you see.", "user: "+tt.text).Phone()
		if got := phone[tt.aspect].State; got != tt.state {
			t.Errorf("%q: %s is %q, want %q", tt.text, tt.aspect, got, tt.state)
		}
	}
}

// What the first text says is a complaint and no report, unless it quotes the status bar. A fault counts as fixed by the
// first good report after it.
func TestReportsOverTime(t *testing.T) {
	k := known(t, "user: My airplane mode is on.", "agent: Is it?", "user: Airplane Mode is now ON.", "agent: And now?", "user: Airplane Mode is now OFF.",
		"agent: Sure?", "user: Airplane Mode is now OFF.", "user: I just paid the bill.", "user: I restarted the phone.")
	if got, want := *k.Phone()["airplane"], (telecom.PhoneState{State: "off", At: 6, BadAt: 2, FixedAt: 4}); got != want {
		t.Errorf("airplane mode %+v, want %+v", got, want)
	}
	if k.PaidAt() != 7 || k.RestartedAt() != 8 {
		t.Errorf("paid at %d, restarted at %d; want 7 and 8", k.PaidAt(), k.RestartedAt())
	}
	if got := known(t, "user: My airplane mode is on.").Phone()["airplane"]; got.At != -1 {
		t.Errorf("a complaint is the report %+v", got)
	}
	if got := known(t, "user: Status Bar: ✈️ Airplane Mode").Phone()["airplane"]; got.State != "on" {
		t.Errorf("the status bar is not read: %+v", got)
	}
}

func TestClaims(t *testing.T) {
	const ask = "Are you outside your usual area, for instance abroad?"
	for _, tt := range []struct {
		fact string
		want any
		say  []string
	}{
		{"abroad", "yes", []string{"My data stopped while I am abroad in France."}},
		{"abroad", "no", []string{"I am at home in the United States."}},
		{"abroad", "no", []string{"No data.", ask, "No."}},
		{"abroad", "yes", []string{"No data.", ask, "Yes, I am."}},
		{"abroad", "", []string{"No data.", "Have you restarted the phone?", "Yes."}},
		{"abroad", "no", []string{"No data.", ask, "I'm not traveling."}},
		{"choice", "data", []string{"I do not want another plan, but I am willing to add 2 GB."}},
		{"choice", "plan", []string{"Then I would like to switch to a bigger plan."}},
		{"choice", "neither", []string{"I want neither of those, nothing that costs money."}},
		{"choice", "neither", []string{"Please add more data.", "That is $4.00.", "Then I do not want more data."}},
		{"named_gb", 1.5, []string{"4 GB please", "At most 2.", "Then 1.5 GB."}},
		{"named_gb", 2.0, []string{"two gigabytes"}},
		{"named_gb", 1.0, []string{"one more gig"}},
		{"named_gb", -1.0, []string{"as much as I can get"}},
	} {
		lines := make([]string, len(tt.say))
		for i, said := range tt.say {
			lines[i] = []string{"user: ", "agent: "}[i%2] + said
		}
		k := known(t, lines...)
		if got := map[string]any{"abroad": k.Abroad(), "choice": k.Choice(), "named_gb": k.NamedData()}[tt.fact]; got != tt.want {
			t.Errorf("%q: %s is %v, want %v", tt.say, tt.fact, got, tt.want)
		}
	}
}
