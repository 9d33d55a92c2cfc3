package telecom

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The functions that only tasks call, to bring about the trouble that a conversation is about
// (docs/reference/domains.md#set-up-functions). Models never see them.

type (
	agentFunc = toolkit.Func[*AgentDB]
	userFunc  = toolkit.Func[*UserDB]
)

// given declares parameters whose schema nobody reads.
func given(names ...string) []toolkit.Param {
	out := make([]toolkit.Param, len(names))
	for i, n := range names {
		out[i] = toolkit.Text(n, "")
	}
	return out
}

func said(text string) (value.Value, error) { return value.OfString(text), nil }

var agentFuncs = append([]agentFunc{
	{Name: "get_available_plan_ids", Run: func(db *AgentDB, _ toolkit.Args) (value.Value, error) {
		ids := make([]string, len(db.Root.Plans))
		for i := range ids {
			ids[i] = db.Root.Plans[i].ID
		}
		return value.OfStrings(ids), nil
	}},
	{Name: "set_data_usage", Params: given("customer_id", "line_id", "data_used_gb"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		_, l, err := db.targetLine(a)
		if err != nil {
			return value.Value{}, err
		}
		l.DataUsed = a.Get("data_used_gb")
		return said(fmt.Sprintf("Data usage set to %s GB for line %s", a.Str("data_used_gb"), l.ID))
	}},
	{Name: "suspend_line_for_overdue_bill", Params: given("customer_id", "line_id", "new_bill_id", "contract_ended"), Run: suspendForOverdueBill},
	{Name: "_get_line_by_phone", Params: given("phone_number"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		l, err := db.lineByPhone(a.Get("phone_number"))
		if err != nil {
			return value.Value{}, err
		}
		return lineType.Value(l), nil
	}},
	{Name: "_get_plan_by_id", Params: given("plan_id"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		p, err := db.plan(a.Get("plan_id"))
		if err != nil {
			return value.Value{}, err
		}
		return planType.Value(p), nil
	}},
	{Name: "_set_bill_to_paid", Params: given("bill_id"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		b, err := db.bill(a.Get("bill_id"))
		if err != nil {
			return value.Value{}, err
		}
		b.Status = billPaid
		return said("Bill " + b.ID + " set to paid")
	}},
}, agentAssertions...)

// suspendForOverdueBill makes last month's bill of a line overdue and suspends the line. Whether the line is the
// customer's is not checked.
func suspendForOverdueBill(db *AgentDB, a toolkit.Args) (value.Value, error) {
	l, err := db.line(a.Get("line_id"))
	if err != nil {
		return value.Value{}, err
	}
	if l.Status != lineActive {
		return value.Value{}, domains.Refusal("Line must be active to suspend for unpaid bill")
	}
	p, err := db.planOf(l)
	if err != nil {
		return value.Value{}, err
	}
	if p.Price <= 0 {
		return value.Value{}, domains.Refusal("Amount must be positive for overdue bill")
	}
	c, err := db.customer(a.Get("customer_id"))
	if err != nil {
		return value.Value{}, err
	}
	overdue, err := db.firstBill(c, billOverdue)
	if err != nil {
		return value.Value{}, err
	}
	if overdue != nil {
		return value.Value{}, domains.Refusal("Customer already has an overdue bill")
	}
	id, ok := a.Get("new_bill_id").Text()
	if !ok {
		return value.Value{}, fmt.Errorf("invalid Bill: bill_id: want a string, got %s (%s)", a.Get("new_bill_id").Repr(), a.Get("new_bill_id").TypeName())
	}
	db.addBill(c, Bill{ID: id, CustomerID: c.ID, PeriodStart: lastStart, PeriodEnd: lastEnd, IssuedOn: lastStart, Total: p.Price, DueOn: lastDue,
		Items:  []LineItem{{Description: "Charge for line " + l.ID, Amount: p.Price, Date: today, Kind: "Charge"}},
		Status: billOverdue})
	l.Status, l.SuspendedSince = lineSuspended, text(today)
	if a.Get("contract_ended").Truthy() {
		l.ContractEnd = text(lastEnd)
	}
	return said(fmt.Sprintf("Line %s suspended for unpaid bill %s. Contract ended: %s", l.ID, id, a.Str("contract_ended")))
}

// cause declares a function without arguments that answers with a text.
func cause(name string, do func(*UserDB) (string, error)) userFunc {
	return userFunc{Name: name, Run: func(db *UserDB, _ toolkit.Args) (value.Value, error) {
		text, err := do(db)
		if err != nil {
			return value.Value{}, err
		}
		return said(text)
	}}
}

// turn declares the function that brings a switch into a position.
func turn(name string, on bool, label string, toggle func(*UserDB) error, at func(*Phone) *bool) userFunc {
	return cause(name, func(db *UserDB) (string, error) {
		position := at(&db.Root.Device)
		err := until(func() error { return toggle(db) }, func() bool { return *position }, on)
		return label + " is now " + onOff(*position) + ".", err
	})
}

func airplane(p *Phone) *bool  { return &p.Airplane }
func roaming(p *Phone) *bool   { return &p.Roaming }
func dataSaver(p *Phone) *bool { return &p.DataSaver }

func (db *UserDB) toggleDataSaver() error {
	db.Root.Device.DataSaver = !db.Root.Device.DataSaver
	return nil
}

var userFuncs = append([]userFunc{
	{Name: "set_user_info", Params: given("name", "phone_number"), Run: func(db *UserDB, a toolkit.Args) (value.Value, error) {
		db.Root.Surroundings.Name, db.Root.Surroundings.Phone = a.Get("name"), a.Get("phone_number")
		return value.Value{}, nil
	}},
	{Name: "set_user_location", Params: given("abroad"), Run: func(db *UserDB, a toolkit.Args) (value.Value, error) {
		db.Root.Surroundings.IsAbroad = a.Get("abroad")
		return value.Value{}, nil
	}},
	turn("turn_airplane_mode_on", true, "Airplane Mode", (*UserDB).toggleAirplane, airplane),
	turn("turn_airplane_mode_off", false, "Airplane Mode", (*UserDB).toggleAirplane, airplane),
	cause("unseat_sim_card", func(db *UserDB) (string, error) {
		db.Root.Device.SIMMissing = true
		return "SIM card un-seated successfully.", db.search()
	}),
	{Name: "lock_sim_card", Params: given("mode"), Run: func(db *UserDB, a toolkit.Args) (value.Value, error) {
		switch mode, _ := a.Get("mode").Text(); mode {
		case "pin":
			db.Root.Device.SIM = simPIN
		case "puk":
			db.Root.Device.SIM = simPUK
		}
		if err := db.search(); err != nil {
			return value.Value{}, err
		}
		return said("SIM card locked successfully in " + a.Str("mode") + " mode.")
	}},
	cause("turn_data_on", func(db *UserDB) (string, error) {
		db.Root.Device.Data = true
		return "Data connection restored.", nil
	}),
	cause("turn_data_off", func(db *UserDB) (string, error) {
		err := until(db.toggleData, func() bool { return db.Root.Device.Data }, false)
		return "Data connection broken.", err
	}),
	turn("turn_roaming_on", true, "Data Roaming", (*UserDB).toggleRoaming, roaming),
	turn("turn_roaming_off", false, "Data Roaming", (*UserDB).toggleRoaming, roaming),
	turn("turn_data_saver_mode_on", true, "Data Saver Mode", (*UserDB).toggleDataSaver, dataSaver),
	turn("turn_data_saver_mode_off", false, "Data Saver Mode", (*UserDB).toggleDataSaver, dataSaver),
	cause("break_apn_settings", func(db *UserDB) (string, error) {
		if err := db.Root.Device.set("apn_name", value.OfString(apnBroken)); err != nil {
			return "", err
		}
		return "APN settings broken. Please call reset_apn_settings() to fix.", db.search()
	}),
	cause("break_apn_mms_setting", func(db *UserDB) (string, error) {
		return "APN MMS setting broken. Please call reset_apn_settings() to fix.", db.Root.Device.set("mmsc_url", value.Value{})
	}),
	{Name: "set_wifi_calling", Params: append(given("enabled"), toolkit.Text("mms_over_wifi", "").Or(value.Value{})), Run: setWiFiCalling},
	cause("break_vpn", func(db *UserDB) (string, error) {
		db.connectVPN()
		db.profile.Performance = vpnPoor
		return "VPN connection broken.", nil
	}),
	{Name: "remove_app_permission", Params: given("app_name", "permission"), Run: removePermission},
	{Name: "simulate_network_search", Run: func(db *UserDB, _ toolkit.Args) (value.Value, error) {
		return value.Value{}, db.search()
	}},
}, userAssertions...)

func setWiFiCalling(db *UserDB, a toolkit.Args) (value.Value, error) {
	p := &db.Root.Device
	p.WiFiCalling = a.Get("enabled")
	text := "Wi-Fi Calling is now " + onOff(p.WiFiCalling.Truthy()) + "."
	if over := a.Get("mms_over_wifi"); !over.IsNull() {
		p.MMSOverWiFi = over
		text += "\nMMS over Wi-Fi is now " + onOff(over.Truthy()) + "."
	}
	return said(text)
}

// removePermission answers with a pair: whether there was such a permission of such an app, and a text.
func removePermission(db *UserDB, a toolkit.Args) (value.Value, error) {
	pair := func(ok bool, text string) (value.Value, error) {
		return value.OfList([]value.Value{value.OfBool(ok), value.OfString(text)}), nil
	}
	app, flag, name, err := db.permission(a)
	switch {
	case err != nil:
		return value.Value{}, err
	case app == nil:
		return pair(false, "App '"+a.Str("app_name")+"' not found. Cannot remove permission.")
	case flag == nil:
		return pair(false, fmt.Sprintf("Permission '%s' not tracked for app '%s'.", name, a.Str("app_name")))
	}
	*flag = false
	return pair(true, fmt.Sprintf("Permission '%s' removed from app '%s'.", name, a.Str("app_name")))
}
