package telecom

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The switches of the phone and what it shows (docs/reference/domains.md#phone).

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

func yesNo(yes bool) string {
	if yes {
		return "Yes"
	}
	return "No"
}

func signalIcon(signal string) string {
	switch signal {
	case "poor":
		return "📶¹ Poor"
	case "fair":
		return "📶² Fair"
	case "good":
		return "📶³ Good"
	case "excellent":
		return "📶⁴ Excellent"
	}
	return "📵 No Signal"
}

// appendBar appends the line of icons at the top of the screen.
func (p *Phone) appendBar(dst []byte) []byte {
	if p.Airplane {
		dst = append(dst, "✈️ Airplane Mode"...)
	} else {
		dst = append(dst, signalIcon(p.Signal)...)
		if p.Technology != techNone {
			dst = append(append(dst, " | "...), p.Technology...)
		}
		switch {
		case !p.Data || p.Technology == techNone:
			dst = append(dst, " | 📵 Data Disabled"...)
		case p.DataSaver:
			dst = append(dst, " | 📱 Data Enabled | 🔽 Data Saver"...)
		default:
			dst = append(dst, " | 📱 Data Enabled"...)
		}
	}
	if p.WiFi && p.WiFiConnected {
		if ssid := p.ssid(); ssid != "" {
			dst = append(append(dst, " | 📡 Connected to "...), ssid...)
		} else {
			dst = append(dst, " | 📡 Enabled"...)
		}
	}
	if p.VPNConnected {
		dst = append(dst, " | 🔒 VPN Connected"...)
	}
	dst = strconv.AppendInt(append(dst, " | 🔋 "...), p.Battery, 10)
	return append(dst, '%')
}

func (p *Phone) ssid() string {
	if p.WiFiSSID == nil {
		return ""
	}
	return *p.WiFiSSID
}

// withBar is a message with the status bar below it.
func (db *UserDB) withBar(message string) (toolkit.Result, error) {
	dst := append(make([]byte, 0, 256), message...)
	return toolkit.Say(string(db.Root.Device.appendBar(append(dst, "\nStatus Bar: "...))))
}

func (p *Phone) networkStatus() string {
	lines := []string{
		"Airplane Mode: " + onOff(p.Airplane),
		"SIM Card Status: " + p.simStatus(),
		"Cellular Connection: " + p.Status,
		"Cellular Signal: " + p.Signal,
		"Cellular Network Type: " + p.Technology,
		"Mobile Data Enabled: " + yesNo(p.Data),
		"Data Roaming Enabled: " + yesNo(p.Roaming),
		"Wi-Fi Radio: " + onOff(p.WiFi),
		"Wi-Fi Connected: " + yesNo(p.WiFiConnected),
	}
	if p.WiFiConnected {
		lines = append(lines, "Connected Wi-Fi Network: "+orNone(p.WiFiSSID))
	}
	return strings.Join(lines, "\n")
}

// orNone is the text of a string that may be null.
func orNone(s *string) string {
	if s == nil {
		return "None"
	}
	return *s
}

func (p *Phone) leaveWiFi() { p.WiFiConnected, p.WiFiSSID, p.WiFiSignal = false, nil, signalNone }

// toggleAirplane switches airplane mode. Going on ends Wi-Fi and VPN connections, which do not come back; the other
// switches keep their positions.
func (db *UserDB) toggleAirplane() error {
	p := &db.Root.Device
	p.Airplane = !p.Airplane
	switch {
	case p.Airplane:
		p.leaveWiFi()
		p.disconnectVPN()
	default:
		p.Status = statusSearching
		if p.WiFi {
			p.leaveWiFi()
		}
	}
	return db.search()
}

func (db *UserDB) toggleData() error {
	db.Root.Device.Data = !db.Root.Device.Data
	return db.search()
}

func (db *UserDB) toggleRoaming() error {
	db.Root.Device.Roaming = !db.Root.Device.Roaming
	return db.search()
}

// until runs a toggle until its switch is in the wanted position, at least once. Each run acts in full, so asking for
// the present position switches away and back.
func until(toggle func() error, position func() bool, want bool) error {
	err := toggle()
	if err == nil && position() != want {
		err = toggle()
	}
	return err
}

// connectVPN takes the trial's profile; it reports whether there was no connection before.
func (db *UserDB) connectVPN() bool {
	p := &db.Root.Device
	if p.VPNConnected {
		return false
	}
	p.VPNConnected, p.VPN = true, db.profile
	return true
}

func (p *Phone) disconnectVPN() bool {
	if !p.VPNConnected {
		return false
	}
	p.VPNConnected, p.VPN = false, nil
	return true
}

func (p *Phone) vpnStatus() string {
	switch {
	case p.VPNConnected && p.VPN != nil:
		v := p.VPN
		return fmt.Sprintf("VPN is ON and connected. Details: {'server_address': %s, 'protocol': %s, 'server_performance': <PerformanceLevel.%s: '%s'>}",
			literal(v.Server), literal(v.Protocol), strings.ToUpper(v.Performance), v.Performance)
	case p.VPNConnected:
		return "VPN is ON and connected (no specific details available)."
	case p.VPNSetting:
		return "VPN is turned ON in settings, but currently not connected."
	}
	return "VPN is turned OFF."
}

func literal(s *string) string {
	if s == nil {
		return "None"
	}
	return value.StringRepr(*s)
}

// reboot restarts the phone and returns what the user sees of it.
func (db *UserDB) reboot() (string, error) {
	p := &db.Root.Device
	reset, err := p.setting("reset_at_reboot")
	if err != nil {
		return "", err
	}
	var seen string
	if reset.Truthy() {
		p.APN = factoryAPN
		seen = "Resetting APN settings...\n"
	}
	p.Status = statusSearching
	return seen + "Restarting network services...", db.search()
}

// app finds an installed app; nil if there is none of that name.
func (p *Phone) app(name value.Value) (*App, error) {
	key, ok, err := toolkit.Key(name)
	if err != nil || !ok {
		return nil, err
	}
	return p.Apps.Get(key), nil
}

// flag returns the permission of that name, nil if there is no such permission.
func (p *Permissions) flag(name string) *bool {
	switch name {
	case "sms":
		return &p.SMS
	case "storage":
		return &p.Storage
	case "phone":
		return &p.Phone
	case "network":
		return &p.Network
	}
	return nil
}

// granted lists the permissions that the app has.
func (a *App) granted() []string {
	var out []string
	for _, name := range permissions {
		if *a.Permissions.flag(name) {
			out = append(out, name)
		}
	}
	return out
}

// setPreference stores a network mode and searches under it. A text that is not a mode changes nothing and is answered
// with a message; anything else is stored as it is, as the reference does, and fails after the search.
func (db *UserDB) setPreference(mode value.Value) (message string, err error) {
	p := &db.Root.Device
	name, isText := mode.Text()
	if isText && !slices.Contains(preferences, name) {
		return wrongMode(mode), nil
	}
	p.Preference = mode
	if err := db.search(); err != nil {
		return "", err
	}
	switch {
	case isText:
		return "Preferred Network Mode set to: " + name, nil
	case mode.IsNull():
		return wrongMode(mode), nil
	}
	return "", domains.Refuse("'%s' object has no attribute 'value'", mode.TypeName())
}

func wrongMode(mode value.Value) string {
	return fmt.Sprintf("Failed to set network mode: '%s' is not a valid option. Please use one of: %s", mode.Str(), strings.Join(preferences, ", "))
}

// setAPN replaces the access point settings. An object must be one of settings; anything else is stored as it is, as
// the reference does, and every search fails from then on until settings are set.
func (db *UserDB) setAPN(settings value.Value) (name string, err error) {
	p := &db.Root.Device
	if _, ok := settings.Map(); ok {
		a, err := apnType.Load(settings)
		if err != nil {
			return "", err
		}
		settings = apnType.Value(&a)
	}
	p.APN = settings
	if err := db.search(); err != nil {
		return "", err
	}
	v, err := p.setting("apn_name")
	return v.Str(), err
}
