package telecom

import (
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Handset is the user's database: a simulated phone and what surrounds it (docs/reference/domains.md#phone).
type Handset struct {
	Device       Phone
	Surroundings Surroundings
}

// Phone is the state of the device. Fields that are dynamic values keep whatever a call or a task has put there: APN
// is an object with the fields of apnType unless set_apn_settings was given something else.
type Phone struct {
	SIM           string
	SIMMissing    bool
	Airplane      bool
	Signal        string
	Technology    string
	Status        string
	Battery       int64
	Data, Roaming bool
	Preference    value.Value
	APN           value.Value
	WiFi          bool
	WiFiConnected bool
	WiFiSSID      *string
	WiFiSignal    string
	WiFiCalling   value.Value
	MMSOverWiFi   value.Value
	DataSaver     bool
	VPNSetting    bool
	VPNConnected  bool
	VPN           *VPN
	Apps          record.Dict[App]
}

// VPN describes a VPN connection.
type VPN struct {
	Server, Protocol *string
	Performance      string
}

// App is an installed app and what it may use.
type App struct {
	Name        string
	Permissions Permissions
}

// Permissions are the things that an app may be allowed to use.
type Permissions struct{ SMS, Storage, Phone, Network bool }

// Surroundings are the facts outside of the phone that decide what it can do. Name, phone number and IsAbroad keep
// what a task has put there.
type Surroundings struct {
	Name, Phone    value.Value
	IsAbroad       value.Value
	RoamingAllowed bool
	Signals        record.Dict[string] // by technology
	UsageExceeded  bool
	LineActive     bool
	PaymentRequest *PaymentRequest
}

// PaymentRequest is a bill that the user has been asked to pay.
type PaymentRequest struct {
	BillID string
	Amount float64
	Paid   bool
}

// The values that the simulation compares with or sets.
const (
	simActive  = "active"
	simMissing = "missing"
	simPIN     = "locked_pin"
	simPUK     = "locked_puk"

	signalNone = "none"
	techNone   = "none"

	statusConnected = "connected"
	statusSearching = "searching"
	statusNoService = "no_service"

	prefer4G5G = "4g_5g_preferred"
	only4G     = "4g_only"
	only3G     = "3g_only"
	only2G     = "2g_only"

	apnInternet = "internet"
	apnBroken   = "broken"

	vpnPoor = "poor"
)

var (
	signals      = []string{signalNone, "poor", "fair", "good", "excellent"}
	technologies = []string{techNone, "2G", "3G", "4G", "5G"}
	statuses     = []string{statusConnected, statusSearching, statusNoService, "emergency_only"}
	preferences  = []string{prefer4G5G, only4G, only3G, only2G}
	permissions  = []string{"sms", "storage", "phone", "network"}
)

var preferenceType = record.NamedEnum("NetworkModePreference", preferences...)

// apn is a set of access point settings in typed form; in the database it is a dynamic value.
type apn struct {
	Name                   string
	ResetAtReboot          bool
	MMSAPN, MMSC, MMSProxy *string
	MMSPort                *value.Value
}

func text(s string) *string { return &s }

var apnType = record.Struct(record.Model{Name: "APNSettings", Doc: "One set of access point settings of the phone.", Closed: true},
	record.Opt("apn_name", record.NamedEnum("APNNames", apnInternet, apnBroken), func(a *apn) *string { return &a.Name }, always(apnInternet)).
		Doc("Name of the access point."),
	record.Opt("reset_at_reboot", record.Bool, func(a *apn) *bool { return &a.ResetAtReboot }, always(false)).
		Doc("Whether the next reboot restores the factory settings."),
	record.Opt("mms_apn", record.Nullable(record.String), func(a *apn) **string { return &a.MMSAPN }, func() *string { return text("mms") }).
		Doc("Name of the access point for picture messages, if it is another one."),
	record.Opt("mmsc_url", record.Nullable(record.String), func(a *apn) **string { return &a.MMSC },
		func() *string { return text("http://mms.carrier.com/mms/wapenc") }).
		Doc("Address of the message centre, without which no picture message can be sent."),
	record.OrNull("mms_proxy", record.String, func(a *apn) **string { return &a.MMSProxy }).
		Doc("Proxy for picture messages, where the network wants one."),
	record.OrNull("mms_port", record.AnyInt, func(a *apn) **value.Value { return &a.MMSPort }).
		Doc("Port of that proxy."),
)

// factoryAPN is the settings that the phone comes with, all defaults.
var factoryAPN = func() value.Value {
	fresh := preset(apnType)()
	return apnType.Value(&fresh)
}()

var vpnType = record.Struct(record.Model{Name: "VpnDetails", Closed: true},
	record.Opt("server_address", textOrNull, func(v *VPN) **string { return &v.Server }, null),
	record.Opt("protocol", textOrNull, func(v *VPN) **string { return &v.Protocol }, null),
	record.Opt("server_performance", record.Enum("unknown", vpnPoor, "fair", "good", "excellent"),
		func(v *VPN) *string { return &v.Performance }, always("unknown")),
)

var permissionsType = record.Struct(record.Model{Name: "AppPermissions", Closed: true},
	record.Opt("sms", record.Bool, func(p *Permissions) *bool { return &p.SMS }, always(false)),
	record.Opt("storage", record.Bool, func(p *Permissions) *bool { return &p.Storage }, always(false)),
	record.Opt("phone", record.Bool, func(p *Permissions) *bool { return &p.Phone }, always(false)),
	record.Opt("network", record.Bool, func(p *Permissions) *bool { return &p.Network }, always(false)),
)

var appType = record.Struct(record.Model{Name: "AppStatus", Closed: true},
	record.F("app_name", record.String, func(a *App) *string { return &a.Name }),
	record.F("permissions", permissionsType, func(a *App) *Permissions { return &a.Permissions }),
)

func factoryApps() record.Dict[App] {
	var d record.Dict[App]
	d.Set("messaging", App{Name: "messaging", Permissions: Permissions{SMS: true, Storage: true, Phone: true}})
	d.Set("browser", App{Name: "browser", Permissions: Permissions{Storage: true, Network: true}})
	return d
}

var phoneType = record.Struct(record.Model{Name: "MockPhoneAttributes", Closed: true},
	record.Opt("sim_card_status", record.Enum(simActive, simMissing, simPIN, simPUK), func(p *Phone) *string { return &p.SIM }, always(simActive)),
	record.Opt("sim_card_missing", record.Bool, func(p *Phone) *bool { return &p.SIMMissing }, always(false)),
	record.Opt("airplane_mode", record.Bool, func(p *Phone) *bool { return &p.Airplane }, always(false)),
	record.Opt("network_signal_strength", record.Enum(signals...), func(p *Phone) *string { return &p.Signal }, always("good")),
	record.Opt("network_technology_connected", record.Enum(technologies...), func(p *Phone) *string { return &p.Technology }, always("5G")),
	record.Opt("network_connection_status", record.Enum(statuses...), func(p *Phone) *string { return &p.Status }, always(statusConnected)),
	record.Opt("battery_level", record.Int, func(p *Phone) *int64 { return &p.Battery }, always(int64(80))),
	record.Opt("data_enabled", record.Bool, func(p *Phone) *bool { return &p.Data }, always(true)),
	record.Opt("roaming_enabled", record.Bool, func(p *Phone) *bool { return &p.Roaming }, always(false)),
	record.Opt("network_mode_preference", record.Raw(preferenceType), func(p *Phone) *value.Value { return &p.Preference },
		always(value.OfString(prefer4G5G))),
	record.Opt("active_apn_settings", record.Raw(apnType), func(p *Phone) *value.Value { return &p.APN }, always(factoryAPN)),
	record.Opt("wifi_enabled", record.Bool, func(p *Phone) *bool { return &p.WiFi }, always(false)),
	record.Opt("wifi_connected", record.Bool, func(p *Phone) *bool { return &p.WiFiConnected }, always(false)),
	record.Opt("wifi_ssid", textOrNull, func(p *Phone) **string { return &p.WiFiSSID }, null),
	record.Opt("wifi_signal_strength", record.Enum(signals...), func(p *Phone) *string { return &p.WiFiSignal }, always(signalNone)),
	record.Opt("wifi_calling_enabled", record.Raw(record.Bool), func(p *Phone) *value.Value { return &p.WiFiCalling }, always(value.OfBool(false))),
	record.Opt("wifi_calling_mms_over_wifi", record.Raw(record.Bool), func(p *Phone) *value.Value { return &p.MMSOverWiFi }, always(value.OfBool(false))),
	record.Opt("data_saver_mode", record.Bool, func(p *Phone) *bool { return &p.DataSaver }, always(false)),
	record.Opt("vpn_enabled_setting", record.Bool, func(p *Phone) *bool { return &p.VPNSetting }, always(false)),
	record.Opt("vpn_connected", record.Bool, func(p *Phone) *bool { return &p.VPNConnected }, always(false)),
	record.OrNull("vpn_details", vpnType, func(p *Phone) **VPN { return &p.VPN }),
	record.Opt("app_statuses", record.DictOf(appType), func(p *Phone) *record.Dict[App] { return &p.Apps }, factoryApps),
)

var requestType = record.Struct(record.Model{Name: "PaymentRequest", Closed: true},
	record.F("bill_id", record.String, func(r *PaymentRequest) *string { return &r.BillID }),
	record.F("amount_due", record.Float, func(r *PaymentRequest) *float64 { return &r.Amount }),
	record.Opt("paid", record.Bool, func(r *PaymentRequest) *bool { return &r.Paid }, always(false)),
)

func usualSignals() record.Dict[string] {
	var d record.Dict[string]
	d.Set("2G", "poor")
	d.Set("3G", "fair")
	d.Set("4G", "good")
	d.Set("5G", "excellent")
	return d
}

var surroundingsType = record.Struct(record.Model{Name: "UserSurroundings", Closed: true},
	record.Opt("name", record.Raw(record.Nullable(record.String)), func(s *Surroundings) *value.Value { return &s.Name }, always(value.Value{})),
	record.Opt("phone_number", record.Raw(record.Nullable(record.String)), func(s *Surroundings) *value.Value { return &s.Phone }, always(value.Value{})),
	record.Opt("is_abroad", record.Raw(record.Bool), func(s *Surroundings) *value.Value { return &s.IsAbroad }, always(value.OfBool(false))),
	record.Opt("roaming_allowed", record.Bool, func(s *Surroundings) *bool { return &s.RoamingAllowed }, always(false)),
	record.Opt("signal_strength", record.DictIn(record.Enum(signals...), technologies...), func(s *Surroundings) *record.Dict[string] { return &s.Signals }, usualSignals),
	record.Opt("mobile_data_usage_exceeded", record.Bool, func(s *Surroundings) *bool { return &s.UsageExceeded }, always(false)),
	record.Opt("line_active", record.Bool, func(s *Surroundings) *bool { return &s.LineActive }, always(true)),
	record.OrNull("payment_request", requestType, func(s *Surroundings) **PaymentRequest { return &s.PaymentRequest }),
)

// preset loads the record that an absent section means: all defaults.
func preset[T any](t record.Type[T]) func() T {
	return func() T {
		v, err := t.Load(value.OfMap(nil))
		if err != nil {
			panic("telecom: defaults of " + t.Name() + ": " + err.Error())
		}
		return v
	}
}

var handsetType = record.Struct(record.Model{Name: "TelecomUserDB", Closed: true},
	record.Opt("device", phoneType, func(h *Handset) *Phone { return &h.Device }, preset(phoneType)),
	record.Opt("surroundings", surroundingsType, func(h *Handset) *Surroundings { return &h.Surroundings }, preset(surroundingsType)),
)

// UserDB is a trial's copy of the user's database, with the VPN profile of the trial, which no dump shows: connecting
// takes it, breaking the VPN degrades it for good (docs/reference/domains.md#phone).
type UserDB struct {
	record.Tree[Handset]
	profile *VPN
}

// usualVPN is the profile that every trial starts with.
func usualVPN() VPN {
	return VPN{Server: text("192.168.1.1"), Protocol: text("OpenVPN"), Performance: "excellent"}
}

func newUserDB(h *Handset, profile VPN) *UserDB {
	return &UserDB{Tree: record.NewTree(handsetType, h), profile: &profile}
}
