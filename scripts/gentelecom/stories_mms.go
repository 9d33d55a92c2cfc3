package main

// The tasks of this file are about picture messages (MMS).

const conductMMS = "You will consider the matter settled when the phone says that the messaging app can send MMS. "

func grant(permission string) call {
	return phoneCall("grant_app_permission", "app_name", "messaging", "permission", permission)
}

func lose(permission string) call {
	return phoneCall("remove_app_permission", "app_name", "messaging", "permission", permission)
}

func appRights() call { return phoneCall("check_app_permissions", "app_name", "messaging") }

func (g *generator) picturesStuck() {
	c := g.customer("Hamish Dallimore", "1948-05-11")
	l := g.line(c, planPebble, 0.7)
	g.settled(c)
	g.add(draft{
		id: "pictures-stuck", who: c,
		purpose:  "Make picture messages work again: Wi-Fi calling interferes and the messaging app lacks two permissions.",
		policies: "Order of the checks for picture messages: service, data, network type, Wi-Fi calling, permissions, access point; a test after every repair.",
		persona:  "You are an old hand at carpentry and a novice with phones. You want short instructions, one at a time, and you are afraid of losing your photos.",
		reason:   "You cannot send the photo of your new boat to your daughter. Ordinary calls work.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ". You are at home.",
		conduct:  conductMMS + "Before you change a setting, ask whether your photos are safe.",
		ticket: "Picture messages cannot be sent. Customer: " + c.name + ", number " + l.number + ", at home in the United States. " +
			"Settled when the messaging app can send MMS.",
		setup: []call{start(c, l), phoneCall("set_wifi_calling", "enabled", true, "mms_over_wifi", true), lose("storage"), lose("sms")},
		plan: join([]call{byPhone(l)},
			use("can_send_mms", "check_status_bar", "run_speed_test", "check_network_status", "check_wifi_calling_status", "toggle_wifi_calling", "can_send_mms"),
			[]call{appRights(), grant("storage"), grant("sms")}, use("can_send_mms")),
		assertions: []assertion{sendsMMS(), online(true)},
	})
}

func (g *generator) picturesAbroad() {
	c := g.customer("Noor Vantongeren", "1995-09-25")
	g.pending(c, planBeacon)
	l := g.line(c, planLake, 16.8)
	g.settled(c)
	g.add(draft{
		id: "pictures-abroad", who: c,
		purpose:  "Make picture messages work abroad: the line has no roaming, and the phone is held to 2G.",
		policies: "Picture messages need data, data abroad need roaming on phone and line; 2G carries no picture messages.",
		notes:    "The speed does not matter here.",
		reason:   "You are travelling and cannot send pictures to your family.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ". You are in Japan; roaming is on in your phone's settings.",
		conduct:  conductMMS + "How fast the internet is does not matter to you. Decline anything that costs money.",
		ticket: "Picture messages cannot be sent. Customer: " + c.name + ", number " + l.number + ", at present in Japan. No permission for anything that costs money. " +
			"Settled when the messaging app can send MMS.",
		setup: []call{start(c, l), phoneCall("set_user_location", "abroad", true), phoneCall("turn_roaming_on"),
			phoneCall("set_network_mode_preference", "mode", "2g_only")},
		plan: join([]call{byPhone(l)}, use("can_send_mms", "check_status_bar", "run_speed_test", "check_network_status"),
			[]call{details(l.id), onLine("enable_roaming", c, l)}, use("run_speed_test", "can_send_mms", "check_network_status"),
			[]call{phoneCall("set_network_mode_preference", "mode", "4g_5g_preferred")}, use("can_send_mms")),
		assertions: []assertion{sendsMMS(), refuelled(c, l, 0)},
	})
}

func (g *generator) picturesAfterSuspension() {
	c := g.customer("Cordelia Nystrom", "1982-01-31")
	l := g.line(c, planBrook, 6.6)
	paused := g.line(c, planPebble, 0)
	suspend(paused, "2024-11-18")
	paused.contractEnd = "2024-11-15"
	g.gap(c)
	const billID = "B90639"
	g.add(draft{
		id: "pictures-after-suspension", who: c, test: true,
		purpose:  "Work through all layers: a suspended line, then a permission and a missing MMS centre.",
		policies: "Service before data before picture messages; procedure for overdue bills; only the line in question is resumed.",
		notes:    "Line " + paused.id + " of the same account is suspended too, because its contract has ended; paying does not bring it back.",
		reason:   "You cannot send picture messages any more.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ". Your mother's old line, " + paused.number + ", is on your account too. You are at home.",
		unknown:  "You do not know that a bill is open.",
		conduct: conductMMS + "Pay an overdue bill once the agent has told you its amount. When your own line is back, ask the agent to switch on your mother's line too, " +
			"now that everything is paid; accept a refusal and go on with the pictures.",
		ticket: "Picture messages cannot be sent. Customer: " + c.name + ", number " + l.number + ", at home in the United States. The customer permits the payment of every overdue " +
			"bill, and also asks for the line " + paused.number + " to be resumed. Settled when the messaging app can send MMS.",
		setup: []call{start(c, l), phoneCall("break_apn_mms_setting"), lose("sms"), suspendUnpaid(c, l, billID, false), phoneCall("simulate_network_search")},
		plan: join([]call{byPhone(l)}, use("can_send_mms", "check_status_bar", "check_network_status", "check_sim_status", "check_apn_settings"),
			[]call{details(l.id), listBills(c)}, payment(c, billID),
			[]call{onLine("resume_line", c, l)}, use("reboot_device", "check_status_bar", "run_speed_test", "can_send_mms", "check_wifi_calling_status"),
			[]call{appRights(), grant("sms")}, use("can_send_mms", "check_apn_settings", "reset_apn_settings", "reboot_device", "can_send_mms")),
		temptations: []call{onLine("resume_line", c, paused)},
		assertions:  []assertion{sendsMMS(), inService(), paid(billID, true), lineIs(c, paused, "Suspended")},
	})
}
