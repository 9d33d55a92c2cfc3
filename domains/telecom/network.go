package telecom

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// The radio of the phone (docs/reference/domains.md#radio).

// simStatus is what the phone makes of its SIM card: one that is out is missing, whatever it was.
func (p *Phone) simStatus() string {
	if p.SIMMissing {
		return simMissing
	}
	return p.SIM
}

func (p *Phone) connect(technology, signal string) {
	p.Status, p.Technology, p.Signal = statusConnected, technology, signal
}

func (p *Phone) disconnect() {
	p.Status, p.Technology, p.Signal = statusNoService, techNone, signalNone
}

// setting reads one field of the access point settings; it fails where they are not settings at all.
func (p *Phone) setting(name string) (value.Value, error) {
	m, ok := p.APN.Map()
	if !ok {
		return value.Value{}, domains.Refuse("'%s' object has no attribute '%s'", p.APN.TypeName(), name)
	}
	v, _ := m.Get(name)
	return v, nil
}

// set replaces one field of the access point settings.
func (p *Phone) set(name string, v value.Value) error {
	m, ok := p.APN.Map()
	if !ok {
		return domains.Refuse("'%s' object has no attribute '%s'", p.APN.TypeName(), name)
	}
	p.APN = value.Merge(value.OfMap(m), value.OfMap(value.MapOf(value.Pair{Key: name, Value: v})))
	return nil
}

func (s *Surroundings) signal(technology string) string {
	if v := s.Signals.Get(technology); v != nil {
		return *v
	}
	return signalNone
}

// technology is what a search settles on under a network mode preference; a preference that is none of them, which
// only a call can have stored, counts as 4G.
func (s *Surroundings) technology(preference value.Value) string {
	switch name, _ := preference.Text(); name {
	case prefer4G5G:
		if s.signal("5G") != signalNone {
			return "5G"
		}
	case only3G:
		return "3G"
	case only2G:
		return "2G"
	}
	return "4G"
}

// search looks for the network again. Nothing else sets status, technology and signal, so a change of line or
// settings shows only after one. With settings that are none it fails, but has done what comes before it reads them.
func (db *UserDB) search() error {
	p, s := &db.Root.Device, &db.Root.Surroundings
	if p.simStatus() == simActive {
		t := s.technology(p.Preference)
		p.connect(t, s.signal(t))
	} else {
		p.disconnect()
	}
	if p.Airplane {
		p.disconnect()
	}
	name, err := p.setting("apn_name")
	if err != nil {
		return err
	}
	if s, _ := name.Text(); s == apnBroken {
		p.disconnect()
	}
	if !s.LineActive {
		p.disconnect()
	}
	return nil
}

// dataWorks reports whether the phone gets through to the internet over the mobile network.
func (db *UserDB) dataWorks() bool {
	p, s := &db.Root.Device, &db.Root.Surroundings
	switch {
	case p.Airplane, p.Signal == signalNone, p.Status == statusNoService:
		return false
	case s.IsAbroad.Truthy() && !(p.Roaming && s.RoamingAllowed):
		return false
	}
	return p.Data && !s.UsageExceeded
}

// band is the range of speeds of a technology in megabits per second.
type band struct{ low, high float64 }

func bandOf(technology string) band {
	switch technology {
	case "2G":
		return band{0.1, 0.4}
	case "3G":
		return band{1, 5}
	case "4G":
		return band{10, 100}
	case "5G":
		return band{50, 500}
	}
	return band{}
}

func signalFactor(signal string) float64 {
	switch signal {
	case "poor":
		return 0.2
	case "fair":
		return 0.5
	case "good":
		return 0.8
	case "excellent":
		return 1
	}
	return 0
}

// noConnection is the grade of a speed test that reaches nothing.
const noConnection = "No Connection"

// speed measures the mobile connection in megabits per second and grades it; ok is false without a connection.
func (db *UserDB) speed() (mbps float64, grade string, ok bool) {
	if !db.dataWorks() {
		return 0, noConnection, false
	}
	p := &db.Root.Device
	factor := 1.0
	if p.VPNConnected && p.VPN != nil && p.VPN.Performance == vpnPoor {
		factor = 0.1
	}
	if p.DataSaver {
		factor *= 0.2
	}
	b := bandOf(p.Technology)
	mbps = value.Round2((b.low + b.high) / 2 * signalFactor(p.Signal) * factor)
	return mbps, gradeOf(mbps), true
}

func gradeOf(mbps float64) string {
	switch {
	case mbps < 1:
		return "Very Poor"
	case mbps < 5:
		return "Poor"
	case mbps < 25:
		return "Fair"
	case mbps < 100:
		return "Good"
	}
	return "Excellent"
}

// canSendMMS reports whether a picture message would go out. It fails where it gets to settings that are none.
func (db *UserDB) canSendMMS() (bool, error) {
	p := &db.Root.Device
	if !db.dataWorks() || p.Technology == "2G" || p.WiFiCalling.Truthy() && p.MMSOverWiFi.Truthy() {
		return false, nil
	}
	url, err := p.setting("mmsc_url")
	if err != nil || url.IsNull() {
		return false, err
	}
	app := p.Apps.Get("messaging")
	return app != nil && app.Permissions.Storage && app.Permissions.SMS, nil
}
