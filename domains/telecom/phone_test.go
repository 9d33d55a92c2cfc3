package telecom_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/telecom"
)

const (
	bar5G      = "\nStatus Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 60%"
	barShipped = "\nStatus Bar: 📶³ Good | 5G | 📱 Data Enabled | 🔋 60%"
	barOffline = "\nStatus Bar: 📵 No Signal | 📵 Data Disabled | 🔋 60%"
	barPlane   = "\nStatus Bar: ✈️ Airplane Mode | 🔋 60%"
)

// step is a call of a user tool, or, where it begins with a colon, of a function that only tasks call.
type step struct{ name, args, want string }

func (t trial) walk(steps []step) {
	t.Helper()
	for i, s := range steps {
		args := s.args
		if args == "" {
			args = "{}"
		}
		if s.name[0] != ':' {
			if got := t.call(user, s.name, args).Content; got != s.want {
				t.Fatalf("step %d: %s %s says\n%s\nwant\n%s", i, s.name, args, got, s.want)
			}
			continue
		}
		got, err := t.does(user, s.name[1:], args)
		if err != nil {
			got = "Error: " + err.Error()
		}
		if got != s.want {
			t.Fatalf("step %d: %s %s gives\n%s\nwant\n%s", i, s.name[1:], args, got, s.want)
		}
	}
}

func TestPhone(t *testing.T) {
	const notSettings = "Error: 'str' object has no attribute "
	for _, c := range []struct {
		name    string
		prepare func(*telecom.Handset)
		steps   []step
	}{
		{"airplane mode cuts connections and the VPN stays off", func(h *telecom.Handset) {
			h.Device.WiFi, h.Device.WiFiConnected, h.Device.WiFiSSID, h.Device.WiFiSignal = true, true, ptr("home"), "good"
		}, []step{
			{"connect_vpn", "", "VPN connected successfully.\nStatus Bar: 📶³ Good | 5G | 📱 Data Enabled | 📡 Connected to home | 🔒 VPN Connected | 🔋 60%"},
			{"check_wifi_status", "", "Wi-Fi is ON and connected to 'home'. Signal strength: good."},
			{"toggle_airplane_mode", "", "Airplane Mode is now ON." + barPlane},
			{"check_vpn_status", "", "VPN is turned OFF."},
			{"check_wifi_status", "", "Wi-Fi is ON but not connected to any network."},
			{"toggle_wifi", "", "Cannot change Wi-Fi settings while Airplane Mode is ON." + barPlane},
			{"check_network_status", "", "Airplane Mode: ON\nSIM Card Status: active\nCellular Connection: no_service\nCellular Signal: none\n" +
				"Cellular Network Type: none\nMobile Data Enabled: Yes\nData Roaming Enabled: No\nWi-Fi Radio: ON\nWi-Fi Connected: No"},
			{"toggle_airplane_mode", "", "Airplane Mode is now OFF." + bar5G},
			{"check_vpn_status", "", "VPN is turned OFF."},
		}},
		{"turning airplane mode on when it is on goes off and on", func(h *telecom.Handset) { h.Device.Airplane, h.Device.VPNConnected = true, true }, []step{
			{":turn_airplane_mode_on", "", "'Airplane Mode is now ON.'"},
			{"check_vpn_status", "", "VPN is turned OFF."},
			{":turn_airplane_mode_off", "", "'Airplane Mode is now OFF.'"},
			{":turn_airplane_mode_off", "", "'Airplane Mode is now OFF.'"},
			{"check_status_bar", "", bar5G[1:]},
		}},
		{"Wi-Fi", nil, []step{
			{"check_wifi_status", "", "Wi-Fi is turned OFF."},
			{"toggle_wifi", "", "Wi-Fi is now ON." + barShipped},
			{"check_wifi_status", "", "Wi-Fi is ON but not connected to any network."},
			{"toggle_wifi", "", "Wi-Fi is now OFF." + barShipped},
			{"check_wifi_calling_status", "", "Wi-Fi Calling is currently turned OFF."},
			{"toggle_wifi_calling", "", "Wi-Fi Calling is now ON." + barShipped},
			{"check_wifi_calling_status", "", "Wi-Fi Calling is currently turned ON."},
			{":set_wifi_calling", `{"enabled": true}`, "'Wi-Fi Calling is now ON.'"},
			{":set_wifi_calling", `{"enabled": false, "mms_over_wifi": true}`, `'Wi-Fi Calling is now OFF.\nMMS over Wi-Fi is now ON.'`},
		}},
		{"reboot restores the access point", nil, []step{
			{":break_apn_mms_setting", "", "'APN MMS setting broken. Please call reset_apn_settings() to fix.'"},
			{"check_apn_settings", "", "Current APN Name: internet\nMMSC URL (for picture messages): Not Set\n(These are technical settings, usually best left unchanged.)"},
			{":break_apn_settings", "", "'APN settings broken. Please call reset_apn_settings() to fix.'"},
			{"reboot_device", "", "Restarting network services..." + barOffline},
			{"reset_apn_settings", "", "APN settings will reset at reboot." + barOffline},
			{"reboot_device", "", "Resetting APN settings...\nRestarting network services..." + bar5G},
			{"reboot_device", "", "Restarting network services..." + bar5G},
			{"check_apn_settings", "", "Current APN Name: internet\nMMSC URL (for picture messages): http://mms.carrier.com/mms/wapenc\n(These are technical settings, usually best left unchanged.)"},
		}},
		{"reboot keeps the switches", nil, []step{
			{"connect_vpn", "", "VPN connected successfully.\nStatus Bar: 📶³ Good | 5G | 📱 Data Enabled | 🔒 VPN Connected | 🔋 60%"},
			{"toggle_airplane_mode", "", "Airplane Mode is now ON." + barPlane},
			{"toggle_data", "", "Mobile Data is now OFF." + barPlane},
			{":lock_sim_card", `{"mode": "pin"}`, "'SIM card locked successfully in pin mode.'"},
			{"reboot_device", "", "Restarting network services..." + barPlane},
			{"check_sim_status", "", "The SIM card is locked with a PIN code."},
			{"toggle_airplane_mode", "", "Airplane Mode is now OFF." + barOffline},
		}},
		{"SIM card", nil, []step{
			{"check_sim_status", "", "Your SIM card is active and working."},
			{":unseat_sim_card", "", "'SIM card un-seated successfully.'"},
			{"check_sim_status", "", "No SIM card detected in the phone."},
			{":lock_sim_card", `{"mode": "puk"}`, "'SIM card locked successfully in puk mode.'"},
			{"reseat_sim_card", "", "SIM card re-seated successfully." + barOffline},
			{"check_sim_status", "", "The SIM card is locked with a PUK code."},
			{":lock_sim_card", `{"mode": null}`, "'SIM card locked successfully in None mode.'"},
		}},
		{"network mode", nil, []step{
			{"check_network_mode_preference", "", "Network Mode Preference: 4g_5g_preferred"},
			{"set_network_mode_preference", `{"mode": "3g_only"}`, "Preferred Network Mode set to: 3g_only\nStatus Bar: 📶² Fair | 3G | 📱 Data Enabled | 🔋 60%"},
			{"set_network_mode_preference", `{"mode": "5G"}`, "Failed to set network mode: '5G' is not a valid option. Please use one of: " +
				"4g_5g_preferred, 4g_only, 3g_only, 2g_only\nStatus Bar: 📶² Fair | 3G | 📱 Data Enabled | 🔋 60%"},
			{"check_network_mode_preference", "", "Network Mode Preference: 3g_only"},
			{"set_network_mode_preference", `{"mode": null}`, "Failed to set network mode: 'None' is not a valid option. Please use one of: " +
				"4g_5g_preferred, 4g_only, 3g_only, 2g_only\nStatus Bar: 📶³ Good | 4G | 📱 Data Enabled | 🔋 60%"},
			{"check_network_mode_preference", "", "Error: 'NoneType' object has no attribute 'value'"},
			{"set_network_mode_preference", `{"mode": 4}`, "Error: 'int' object has no attribute 'value'"},
		}},
		{"switches of data", nil, []step{
			{":turn_data_off", "", "'Data connection broken.'"},
			{":turn_data_off", "", "'Data connection broken.'"},
			{"check_status_bar", "", "Status Bar: 📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 60%"},
			{":turn_data_on", "", "'Data connection restored.'"},
			{":turn_roaming_on", "", "'Data Roaming is now ON.'"},
			{":turn_roaming_on", "", "'Data Roaming is now ON.'"},
			{"toggle_roaming", "", "Data Roaming is now OFF." + bar5G},
			{":turn_roaming_off", "", "'Data Roaming is now OFF.'"},
			{":turn_data_saver_mode_on", "", "'Data Saver Mode is now ON.'"},
			{"check_data_restriction_status", "", "Data Saver mode is ON (limits data usage)."},
			{"run_speed_test", "", "Speed Test Result: 55.00 Mbps (Good). Connection is good for most activities, including HD streaming."},
			{"toggle_data_saver_mode", "", "Data Saver Mode is now OFF." + bar5G},
			{"check_data_restriction_status", "", "Data Saver mode is OFF."},
			{":turn_data_saver_mode_off", "", "'Data Saver Mode is now OFF.'"},
		}},
		{"turning data on searches no network", func(h *telecom.Handset) { h.Device.Data = false }, []step{
			{":turn_data_on", "", "'Data connection restored.'"},
			{"check_status_bar", "", barShipped[1:]},
		}},
		{"a broken VPN stays slow for the trial", nil, []step{
			{"disconnect_vpn", "", "No active VPN connection to disconnect." + barShipped},
			{":break_vpn", "", "'VPN connection broken.'"},
			{"connect_vpn", "", "VPN already connected."},
			{"check_vpn_status", "", "VPN is ON and connected. Details: {'server_address': '192.168.1.1', 'protocol': 'OpenVPN', 'server_performance': <PerformanceLevel.POOR: 'poor'>}"},
			{"run_speed_test", "", "Speed Test Result: 22.00 Mbps (Fair). Connection is okay for web browsing and some standard definition streaming."},
			{"disconnect_vpn", "", "VPN disconnected successfully." + barShipped},
			{"run_speed_test", "", "Speed Test Result: 220.00 Mbps (Excellent). Connection is very fast."},
			{"connect_vpn", "", "VPN connected successfully.\nStatus Bar: 📶³ Good | 5G | 📱 Data Enabled | 🔒 VPN Connected | 🔋 60%"},
			{"run_speed_test", "", "Speed Test Result: 22.00 Mbps (Fair). Connection is okay for web browsing and some standard definition streaming."},
		}},
		{"a VPN without details", func(h *telecom.Handset) { h.Device.VPNConnected = true }, []step{
			{"check_vpn_status", "", "VPN is ON and connected (no specific details available)."},
		}},
		{"a VPN of unknown make", func(h *telecom.Handset) {
			h.Device.VPNConnected, h.Device.VPN = true, &telecom.VPN{Performance: "unknown"}
		}, []step{
			{"check_vpn_status", "", "VPN is ON and connected. Details: {'server_address': None, 'protocol': None, 'server_performance': <PerformanceLevel.UNKNOWN: 'unknown'>}"},
		}},
		{"a VPN that waits", func(h *telecom.Handset) { h.Device.VPNSetting = true }, []step{
			{"check_vpn_status", "", "VPN is turned ON in settings, but currently not connected."},
		}},
		{"apps", nil, []step{
			{"check_installed_apps", "", "The following apps are installed on the phone: notes, messaging, camera"},
			{"check_app_status", `{"app_name": "messaging"}`, "Status for App: messaging\n - Permissions Granted:\n   - sms\n   - storage\n   - phone"},
			{"check_app_status", `{"app_name": "camera"}`, "Status for App: camera\n - Permissions: None granted."},
			{"check_app_permissions", `{"app_name": "camera"}`, "App 'camera' currently has no permissions granted."},
			{"check_app_permissions", `{"app_name": 7}`, "App '7' not found on this phone."},
			{"check_app_permissions", `{"app_name": []}`, "Error: unhashable type: 'list'"},
			{"grant_app_permission", `{"app_name": "camera", "permission": "STORAGE"}`, "Success. Permission 'storage' granted to app 'camera'." + barShipped},
			{"check_app_permissions", `{"app_name": "camera"}`, "App 'camera' has permission for: storage."},
			{"grant_app_permission", `{"app_name": "camera", "permission": "lens"}`, "Error. Permission 'lens' not tracked for app 'camera', available permissions: ['sms', 'storage', 'phone', 'network']" + barShipped},
			{"grant_app_permission", `{"app_name": "camera", "permission": "ΦΩΣ"}`, "Error. Permission 'φως' not tracked for app 'camera', available permissions: ['sms', 'storage', 'phone', 'network']" + barShipped},
			{"grant_app_permission", `{"app_name": "maps", "permission": "sms"}`, "Error. App 'maps' not found. Cannot grant permission." + barShipped},
			{"grant_app_permission", `{"app_name": "maps", "permission": 1}`, "Error: 'int' object has no attribute 'lower'"},
			{":remove_app_permission", `{"app_name": "camera", "permission": "Storage"}`, `[True, "Permission 'storage' removed from app 'camera'."]`},
			{":remove_app_permission", `{"app_name": "camera", "permission": "lens"}`, `[False, "Permission 'lens' not tracked for app 'camera'."]`},
			{":remove_app_permission", `{"app_name": "maps", "permission": "sms"}`, `[False, "App 'maps' not found. Cannot remove permission."]`},
		}},
		{"settings that are none", nil, []step{
			{"set_apn_settings", `{"apn_settings": {"apn_name": "other"}}`, "Error: 1 validation error for APNSettings\napn_name\n  Input should be 'internet' or 'broken' [type=enum, input_value='other', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.12/v/enum"},
			{"can_send_mms", "", "Your messaging app can send MMS messages."},
			{"set_apn_settings", `{"apn_settings": "internet"}`, notSettings + "'apn_name'"},
			{"check_apn_settings", "", notSettings + "'model_copy'"},
			{"reset_apn_settings", "", notSettings + "'reset_at_reboot'"},
			{"reboot_device", "", notSettings + "'reset_at_reboot'"},
			{"can_send_mms", "", notSettings + "'mmsc_url'"},
			{":break_apn_settings", "", notSettings + "'apn_name'"},
			{"toggle_data", "", notSettings + "'apn_name'"},
			{"check_status_bar", "", "Status Bar: 📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 60%"},
			{"can_send_mms", "", "Your messaging app cannot send MMS messages."},
			{"toggle_airplane_mode", "", notSettings + "'apn_name'"},
			{"check_status_bar", "", barPlane[1:]},
			{"set_apn_settings", `{"apn_settings": {"mms_port": "80"}}`, "APN settings set to: internet" + barPlane},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, "plain")
			if c.prepare != nil {
				c.prepare(x.handset())
			}
			x.walk(c.steps)
		})
	}
}

func TestVPNProfileIsTheTrials(t *testing.T) {
	w := small(t, domains.Options{})
	task, _ := w.Task("plain")
	var trials []trial
	for range 2 {
		e, err := w.New(task)
		if err != nil {
			t.Fatal(err)
		}
		trials = append(trials, trial{t, e})
	}
	trials[0].must(user, "break_vpn", `{}`)
	trials[1].call(user, "connect_vpn", `{}`)
	if got := trials[1].handset().Device.VPN.Performance; got != "excellent" {
		t.Errorf("a VPN that another trial broke is %s here, want excellent", got)
	}
}

func TestUserAssertions(t *testing.T) {
	for _, c := range []struct {
		name, args, want string // want is a literal, or the text of an error
	}{
		{"assert_airplane_mode_status", `{"expected_status": 0}`, "True"},
		{"assert_airplane_mode_status", `{"expected_status": true}`, "False"},
		{"assert_service_status", `{"expected_status": "connected"}`, "True"},
		{"assert_service_status", `{"expected_status": "no_service"}`, "False"},
		{"assert_service_status", `{"expected_status": "online"}`, "'online' is not a valid NetworkStatus"},
		{"assert_service_status", `{"expected_status": 4}`, "4 is not a valid NetworkStatus"},
		{"assert_mobile_data_status", `{"expected_status": true}`, "True"},
		{"assert_mobile_roaming_status", `{"expected_status": false}`, "True"},
		{"assert_mobile_data_saver_mode_status", `{"expected_status": false}`, "True"},
		{"assert_internet_speed", `{"expected_speed": 220}`, "True"},
		{"assert_internet_speed", `{"expected_speed": 220.1}`, "False"},
		{"assert_internet_speed", `{"expected_speed": 200, "expected_desc": "EXCELLENT"}`, "True"},
		{"assert_internet_speed", `{"expected_speed": 200, "expected_desc": "good"}`, "False"},
		{"assert_internet_speed", `{"expected_speed": "fast"}`, "'>=' not supported between instances of 'float' and 'str'"},
		{"assert_internet_not_excellent", `{}`, "False"},
		{"assert_can_send_mms", `{"expected_status": true}`, "True"},
		{"assert_mobile_data_usage_exceeded", `{"expected_status": false}`, "True"},
		{"assert_nothing", `{}`, "'TelecomUserTools' object has no attribute 'assert_nothing'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := start(t, "plain").does(user, c.name, c.args)
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%s gives %s, want %s", c.args, got, c.want)
			}
		})
	}
	x := start(t, "plain")
	x.handset().Device.Data = false
	if got := x.must(user, "assert_internet_speed", `{"expected_speed": 0, "expected_desc": "no connection"}`); got != "True" {
		t.Errorf("no connection counts as speed 0 of that grade: got %s, want True", got)
	}
}
