package telecom

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

type (
	userTool   = toolkit.Tool[*UserDB]
	userResult = func(*UserDB, toolkit.Args) (toolkit.Result, error)
)

// look declares a tool that reads something off the phone.
func look(name, doc string, see func(*UserDB) string) userTool {
	return userTool{Name: name, Kind: domains.Read, Doc: doc, Run: func(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
		return toolkit.Say(see(db))
	}}
}

// act declares a tool that changes the phone and then shows the status bar.
func act(name, doc string, do func(*UserDB) (string, error)) userTool {
	return userTool{Name: name, Kind: domains.Write, Doc: doc, Run: func(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
		said, err := do(db)
		if err != nil {
			return nil, err
		}
		return db.withBar(said)
	}}
}

// orText is the schema of something that may also be given as a free text.
func orText(schema func(*record.Defs) *value.Map) func(*record.Defs) *value.Map {
	return func(d *record.Defs) *value.Map {
		return value.MapOf(value.Pair{Key: "anyOf", Value: value.OfList([]value.Value{
			value.OfMap(schema(d)), value.OfMap(record.String.Schema(d))})})
	}
}

var appName = toolkit.Text("app_name", "Name of the app, such as 'messaging'")

// userTools are the user's tools in the reference's listing order (docs/reference/domains.md#phone).
var userTools = []userTool{
	look("check_status_bar", "Look at the icons at the top of your screen: signal, network, data, Wi-Fi, VPN, battery.", func(db *UserDB) string {
		return string(db.Root.Device.appendBar([]byte("Status Bar: ")))
	}),
	look("check_network_status", "Look up the state of your connections: airplane mode, SIM, signal, network type, data, roaming, Wi-Fi.", func(db *UserDB) string {
		return db.Root.Device.networkStatus()
	}),
	{Name: "check_network_mode_preference", Kind: domains.Read, Doc: "Look up which types of network your phone prefers.", Run: checkPreference},
	{
		Name: "set_network_mode_preference", Kind: domains.Write, Doc: "Choose which types of network your phone uses, such as 3G only, or 5G with 4G as a fallback.",
		Params: []toolkit.Param{{Name: "mode", Doc: "The network mode", Schema: orText(preferenceType.Schema)}},
		Run: func(db *UserDB, a toolkit.Args) (toolkit.Result, error) {
			said, err := db.setPreference(a.Get("mode"))
			if err != nil {
				return nil, err
			}
			return db.withBar(said)
		},
	},
	look("run_speed_test", "Measure how fast your mobile internet is.", speedTest),
	act("toggle_airplane_mode", "Switch airplane mode on or off. While it is on, your phone has no wireless connection.", func(db *UserDB) (string, error) {
		err := db.toggleAirplane()
		return "Airplane Mode is now " + onOff(db.Root.Device.Airplane) + ".", err
	}),
	look("check_sim_status", "Look up whether your SIM card works, is locked or is missing.", simText),
	act("reseat_sim_card", "Take your SIM card out and put it in again.", func(db *UserDB) (string, error) {
		db.Root.Device.SIMMissing = false
		return "SIM card re-seated successfully.", db.search()
	}),
	act("toggle_data", "Switch mobile data on or off.", func(db *UserDB) (string, error) {
		err := db.toggleData()
		return "Mobile Data is now " + onOff(db.Root.Device.Data) + ".", err
	}),
	act("toggle_roaming", "Switch data roaming, which mobile data needs abroad, on or off.", func(db *UserDB) (string, error) {
		err := db.toggleRoaming()
		return "Data Roaming is now " + onOff(db.Root.Device.Roaming) + ".", err
	}),
	look("check_data_restriction_status", "Look up whether data saver is on, which slows apps down.", func(db *UserDB) string {
		if db.Root.Device.DataSaver {
			return "Data Saver mode is ON (limits data usage)."
		}
		return "Data Saver mode is OFF."
	}),
	act("toggle_data_saver_mode", "Switch data saver on or off.", func(db *UserDB) (string, error) {
		p := &db.Root.Device
		p.DataSaver = !p.DataSaver
		return "Data Saver Mode is now " + onOff(p.DataSaver) + ".", nil
	}),
	{Name: "check_apn_settings", Kind: domains.Read, Doc: "Look up the access point settings (APN) that your phone reaches the mobile network with.", Run: checkAPN},
	{
		Name: "set_apn_settings", Kind: domains.Write, Doc: "Replace your phone's access point settings (APN).",
		Params: []toolkit.Param{{Name: "apn_settings", Doc: "The new settings; what is left out takes its usual value", Schema: toolkit.OrObject(apnType.Schema)}},
		Run: func(db *UserDB, a toolkit.Args) (toolkit.Result, error) {
			name, err := db.setAPN(a.Get("apn_settings"))
			if err != nil {
				return nil, err
			}
			return db.withBar("APN settings set to: " + name)
		},
	},
	act("reset_apn_settings", "Have the access point settings (APN) restored. It takes effect when you reboot your phone.", func(db *UserDB) (string, error) {
		if err := db.Root.Device.set("reset_at_reboot", value.OfBool(true)); err != nil {
			return "", err
		}
		return "APN settings will reset at reboot.", db.search()
	}),
	look("check_wifi_status", "Look up whether Wi-Fi is on and what it is connected to.", wifiText),
	act("toggle_wifi", "Switch Wi-Fi on or off.", toggleWiFi),
	look("check_wifi_calling_status", "Look up whether calls and messages may go over Wi-Fi.", func(db *UserDB) string {
		return "Wi-Fi Calling is currently turned " + onOff(db.Root.Device.WiFiCalling.Truthy()) + "."
	}),
	act("toggle_wifi_calling", "Switch calls and messages over Wi-Fi on or off.", func(db *UserDB) (string, error) {
		p := &db.Root.Device
		p.WiFiCalling = value.OfBool(!p.WiFiCalling.Truthy())
		return "Wi-Fi Calling is now " + onOff(p.WiFiCalling.Truthy()) + ".", nil
	}),
	look("check_vpn_status", "Look up whether your internet traffic goes through a VPN, and which.", func(db *UserDB) string { return db.Root.Device.vpnStatus() }),
	{
		Name: "connect_vpn", Kind: domains.Write, Doc: "Connect to your VPN.",
		Run: func(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
			if !db.connectVPN() {
				return toolkit.Say("VPN already connected.")
			}
			return db.withBar("VPN connected successfully.")
		},
	},
	act("disconnect_vpn", "Disconnect from your VPN.", func(db *UserDB) (string, error) {
		if !db.Root.Device.disconnectVPN() {
			return "No active VPN connection to disconnect.", nil
		}
		return "VPN disconnected successfully.", nil
	}),
	look("check_installed_apps", "List the apps on your phone.", func(db *UserDB) string {
		return "The following apps are installed on the phone: " + strings.Join(db.Root.Device.Apps.Keys(), ", ")
	}),
	{Name: "check_app_status", Kind: domains.Read, Doc: "Look up how an app is doing and what it may use.", Params: []toolkit.Param{appName},
		Run: ofApp(func(name string, granted []string) string {
			if len(granted) == 0 {
				return "Status for App: " + name + "\n - Permissions: None granted."
			}
			return "Status for App: " + name + "\n - Permissions Granted:\n   - " + strings.Join(granted, "\n   - ")
		})},
	{Name: "check_app_permissions", Kind: domains.Read, Doc: "Look up what an app may use.", Params: []toolkit.Param{appName},
		Run: ofApp(func(name string, granted []string) string {
			if len(granted) == 0 {
				return "App '" + name + "' currently has no permissions granted."
			}
			return "App '" + name + "' has permission for: " + strings.Join(granted, ", ") + "."
		})},
	{
		Name: "grant_app_permission", Kind: domains.Write, Doc: "Allow an app to use something of your phone.",
		Params: []toolkit.Param{appName, toolkit.Text("permission", "What it may use, in lower case: "+strings.Join(permissions, ", "))},
		Run:    grantPermission,
	},
	{
		Name: "can_send_mms", Kind: domains.Read, Doc: "Find out whether your messaging app can send picture messages.",
		Run: func(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
			can, err := db.canSendMMS()
			if err != nil {
				return nil, err
			}
			if can {
				return toolkit.Say("Your messaging app can send MMS messages.")
			}
			return toolkit.Say("Your messaging app cannot send MMS messages.")
		},
	},
	act("reboot_device", "Restart your phone. It connects to the network anew, and applies settings that wait for a restart.", (*UserDB).reboot),
	look("check_payment_request", "Look up whether you have been asked to pay a bill.", func(db *UserDB) string {
		r := db.Root.Surroundings.PaymentRequest
		if r == nil {
			return "No payment request has been made."
		}
		return fmt.Sprintf("You have a payment request for bill %s of %s USD.", r.BillID, value.FloatText(r.Amount))
	}),
	{
		Name: "make_payment", Kind: domains.Write, Doc: "Pay the bill that you have been asked to pay.",
		Run: func(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
			r := db.Root.Surroundings.PaymentRequest
			if r == nil {
				return toolkit.Say("You do not have a payment request.")
			}
			r.Paid = true
			return toolkit.Say(fmt.Sprintf("Payment of %s USD has been made for bill %s.", value.FloatText(r.Amount), r.BillID))
		},
	},
}

func checkPreference(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
	mode := db.Root.Device.Preference
	name, ok := mode.Text()
	if !ok {
		return nil, domains.Refuse("'%s' object has no attribute 'value'", mode.TypeName())
	}
	return toolkit.Say("Network Mode Preference: " + name)
}

func speedTest(db *UserDB) string {
	mbps, grade, ok := db.speed()
	if !ok {
		return "Speed test failed: " + noConnection + "."
	}
	return fmt.Sprintf("Speed Test Result: %.2f Mbps (%s). %s", mbps, grade, speedAdvice(grade))
}

func speedAdvice(grade string) string {
	switch grade {
	case "Very Poor":
		return "Connection is very slow. Basic web browsing might be difficult."
	case "Poor":
		return "Connection is slow. Web browsing may be sluggish, streaming difficult."
	case "Fair":
		return "Connection is okay for web browsing and some standard definition streaming."
	case "Good":
		return "Connection is good for most activities, including HD streaming."
	}
	return "Connection is very fast."
}

func simText(db *UserDB) string {
	switch db.Root.Device.simStatus() {
	case simMissing:
		return "No SIM card detected in the phone."
	case simPIN:
		return "The SIM card is locked with a PIN code."
	case simPUK:
		return "The SIM card is locked with a PUK code."
	}
	return "Your SIM card is active and working."
}

func checkAPN(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
	p := &db.Root.Device
	m, ok := p.APN.Map()
	if !ok {
		return nil, domains.Refuse("'%s' object has no attribute 'model_copy'", p.APN.TypeName())
	}
	name, _ := m.Get("apn_name")
	url, _ := m.Get("mmsc_url")
	shown := "Not Set"
	if url.Truthy() {
		shown = url.Str()
	}
	return toolkit.Say(fmt.Sprintf("Current APN Name: %s\nMMSC URL (for picture messages): %s\n(These are technical settings, usually best left unchanged.)",
		name.Str(), shown))
}

func wifiText(db *UserDB) string {
	p := &db.Root.Device
	switch {
	case !p.WiFi:
		return "Wi-Fi is turned OFF."
	case p.WiFiConnected:
		return fmt.Sprintf("Wi-Fi is ON and connected to '%s'. Signal strength: %s.", orNone(p.WiFiSSID), p.WiFiSignal)
	}
	return "Wi-Fi is ON but not connected to any network."
}

func toggleWiFi(db *UserDB) (string, error) {
	p := &db.Root.Device
	if p.Airplane {
		return "Cannot change Wi-Fi settings while Airplane Mode is ON.", nil
	}
	p.WiFi = !p.WiFi
	if !p.WiFi {
		p.leaveWiFi()
	}
	return "Wi-Fi is now " + onOff(p.WiFi) + ".", nil
}

// ofApp is a tool that describes what the app of its argument app_name is granted.
func ofApp(describe func(name string, granted []string) string) userResult {
	return func(db *UserDB, a toolkit.Args) (toolkit.Result, error) {
		app, err := db.Root.Device.app(a.Get("app_name"))
		if err != nil {
			return nil, err
		}
		if app == nil {
			return toolkit.Say("App '" + a.Str("app_name") + "' not found on this phone.")
		}
		return toolkit.Say(describe(a.Str("app_name"), app.granted()))
	}
}

// permission finds what the arguments app_name and permission name; app or flag are nil where there is no such thing.
// The name of the permission comes back in lower case.
func (db *UserDB) permission(a toolkit.Args) (app *App, flag *bool, name string, err error) {
	if name, err = toolkit.Lower(a.Get("permission")); err != nil {
		return nil, nil, "", err
	}
	if app, err = db.Root.Device.app(a.Get("app_name")); err != nil || app == nil {
		return nil, nil, name, err
	}
	return app, app.Permissions.flag(name), name, nil
}

// grantPermission answers what cannot be granted with a text that begins with Error but is not a failure.
func grantPermission(db *UserDB, a toolkit.Args) (toolkit.Result, error) {
	app, flag, name, err := db.permission(a)
	switch {
	case err != nil:
		return nil, err
	case app == nil:
		return db.withBar("Error. App '" + a.Str("app_name") + "' not found. Cannot grant permission.")
	case flag == nil:
		return db.withBar(fmt.Sprintf("Error. Permission '%s' not tracked for app '%s', available permissions: %s", name, a.Str("app_name"),
			value.OfStrings(permissions).Repr()))
	}
	*flag = true
	return db.withBar(fmt.Sprintf("Success. Permission '%s' granted to app '%s'.", name, a.Str("app_name")))
}
