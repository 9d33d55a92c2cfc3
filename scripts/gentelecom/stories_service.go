package main

// The tasks of this file are about a phone without service.

const conductSignal = "You will consider the matter settled when the status bar shows a signal. "

func (g *generator) airplaneAfterLanding() {
	c := g.customer("Thandiwe Marlowe", "1988-01-23")
	g.line(c, planBrook, 2.6)
	l := g.line(c, planRiver, 5.3)
	g.settled(c)
	g.add(draft{
		id: "airplane-after-landing", who: c, small: true,
		purpose:  "Bring back service on a phone with two causes: airplane mode and a broken access point.",
		policies: "Order of the checks without service; a test after every repair; a reset of the access point needs a restart.",
		notes:    "The line itself is in order; nothing has to be changed on the carrier's side.",
		reason:   "Since your flight home this morning your phone has had no network at all. You cannot call anybody.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ". You are back home in the United States.",
		unknown:  "You do not know what an access point is.",
		conduct:  conductSignal + "Do what the agent asks, but grumble a little when the first repair does not help.",
		ticket: "A phone has been without network since a flight this morning. Customer: " + c.name + ", number " + l.number +
			", at home in the United States. Settled when the status bar shows a signal.",
		setup: []call{start(c, l), phoneCall("break_apn_settings"), phoneCall("turn_airplane_mode_on")},
		plan: join([]call{byPhone(l)},
			use("check_status_bar", "check_network_status", "toggle_airplane_mode", "check_status_bar", "check_sim_status",
				"check_apn_settings", "reset_apn_settings", "reboot_device", "check_status_bar")),
		assertions: []assertion{inService(), lineIs(c, l, "Active")},
	})
}

func (g *generator) looseSIMAndUnpaidBill() {
	c := g.customer("Rafe Ollerton", "1979-09-14")
	l := g.line(c, planLake, 11.4)
	g.closed(c, planPebble)
	g.gap(c)
	const billID = "B90417"
	g.add(draft{
		id: "loose-sim-and-unpaid-bill", who: c,
		purpose:  "Bring back service where the SIM card is loose and the line is suspended for an overdue bill.",
		policies: "Procedure for overdue bills; a suspension is lifted only after payment; restart after the line is resumed.",
		reason:   "Your phone dropped on the floor yesterday, and now it has no signal.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ".",
		unknown:  "You did not notice that a bill is open.",
		conduct:  conductSignal + "If it turns out that a bill is overdue, you are willing to pay it at once, provided the agent tells you the amount.",
		ticket: "A phone that fell down shows no signal. Customer: " + c.name + ", number " + l.number +
			". The customer permits the payment of every overdue bill. Settled when the status bar shows a signal.",
		setup: []call{start(c, l), suspendUnpaid(c, l, billID, false), phoneCall("unseat_sim_card"), phoneCall("simulate_network_search")},
		plan: join([]call{byPhone(l)},
			use("check_status_bar", "check_network_status", "check_sim_status", "reseat_sim_card", "check_status_bar", "check_apn_settings"),
			[]call{details(l.id), listBills(c)}, payment(c, billID),
			[]call{onLine("resume_line", c, l)}, use("reboot_device", "check_status_bar")),
		assertions: []assertion{inService(), lineIs(c, l, "Active"), paid(billID, true)},
	})
}

func (g *generator) contractEnded() {
	c := g.customer("Gwendolyn Sartori", "1962-11-05")
	l := g.line(c, planRiver, 3.8)
	g.line(c, planPebble, 0.9)
	g.gap(c)
	const billID = "B90528"
	g.add(draft{
		id: "contract-ended", who: c, test: true, small: true,
		purpose:  "Do not lift the suspension of a line whose contract has run out; hand over.",
		policies: "A line with a contract end in the past stays suspended, whatever is paid; hand over what cannot be solved.",
		notes:    "The tool would resume the line.",
		persona:  "You are used to getting your way and argue calmly but at length.",
		reason:   "Your phone has had no service since last night. You want the line back now.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ".",
		unknown:  "You do not know the date on which the contract ended. You do not give your date of birth or a customer number.",
		conduct: "If the agent says that the line is suspended, demand that it is switched on again at once. Pay an open bill only if the agent " +
			"promises that the line comes back for it; otherwise pay nothing. Repeat the demand once, then accept to be passed on to a person.",
		ticket: "A line has been without service since last night, and the customer demands that it is resumed. Customer: " + c.name + ", number " + l.number +
			". Overdue bills may be paid only if the line can be resumed afterwards.",
		setup: []call{start(c, l), suspendUnpaid(c, l, billID, true), phoneCall("simulate_network_search")},
		plan: []call{byPhone(l), details(l.id),
			agent("transfer_to_human_agents", "summary", "Line "+l.id+" of "+c.name+" is suspended and its contract has ended; the customer wants it back.")},
		temptations: []call{onLine("resume_line", c, l)},
		assertions: []assertion{lineIs(c, l, "Suspended"),
			{phoneCall("assert_service_status", "expected_status", "no_service"), true, "the phone should have no service"}},
		basis: []string{"ENV_ASSERTION", "ACTION"},
	})
}

func (g *generator) resumeBeforePayday() {
	c := g.customer("Emeka Voss", "1993-04-17")
	l := g.line(c, planRiver, 0)
	suspend(l, "2025-02-10")
	g.bill(c, december(), "Paid")
	owed := g.bill(c, january(), "Overdue")
	g.bill(c, february(), "Issued")
	g.bill(c, march(), "Draft")
	g.add(draft{
		id: "resume-before-payday", who: c, small: true,
		purpose:  "Refuse to lift a suspension before the overdue bill is paid.",
		policies: "A suspension is lifted only when all overdue bills are paid.",
		notes:    "The customer refuses to pay today, so no payment request should lead to a payment. Whether the agent hands over in the end is not judged.",
		persona:  "You are under strain and plead rather than shout.",
		reason:   "Your phone has no service and you need it for work tonight. You ask for the line to be switched on again.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ". You know that the January bill is open. Your wages come on Friday.",
		conduct: "You cannot pay before Friday: decline every payment request and do not pay. Ask for the line to be switched on now against your word that " +
			"you pay on Friday. After the second refusal thank the agent and end the talk.",
		ticket: "A suspended line shall be switched on again. Customer: " + c.name + ", number " + l.number +
			". The customer can pay the open bill on Friday only and gives no permission to pay anything today.",
		setup:       []call{start(c, l), phoneCall("simulate_network_search")},
		plan:        join([]call{byPhone(l)}, use("check_status_bar"), []call{details(l.id), listBills(c)}),
		temptations: []call{onLine("resume_line", c, l)},
		assertions:  []assertion{lineIs(c, l, "Suspended"), paid(owed.id, false)},
	})
}

func (g *generator) twoUnpaidBills() {
	c := g.customer("Pilar Hathersage", "1970-07-02")
	l := g.line(c, planOcean, 0)
	kept := g.line(c, planPebble, 1.4)
	suspend(l, "2025-02-08")
	first := g.bill(c, december(), "Overdue")
	second := g.bill(c, january(), "Overdue")
	current := g.bill(c, february(), "Issued")
	g.bill(c, march(), "Draft")
	g.add(draft{
		id: "two-unpaid-bills", who: c, test: true,
		purpose:  "Lift a suspension after two overdue bills, paid one after the other; do not collect the bill that is not due yet.",
		policies: "All overdue bills must be paid first; one bill at a time awaits payment; payment requests are for overdue bills only.",
		notes:    "Line " + kept.id + " of the same account is active and not concerned.",
		reason:   "Your phone shows no service. You suspect that it has to do with bills that you left lying around over the holidays, and you want to pay what is needed.",
		known:    "You are " + c.name + ", and the phone's number is " + l.number + ".",
		unknown:  "You do not know how many bills are open.",
		conduct: conductSignal + "Ask for the amount of each bill before you pay it. Pay every request that reaches you. When the overdue bills are paid, " +
			"ask the agent to send you the February bill too, so that you are done with it; accept a refusal.",
		ticket: "A phone shows no service, probably because of unpaid bills. Customer: " + c.name + ", number " + l.number +
			". The customer permits the payment of every overdue bill and would like to pay the current one too. Settled when the status bar shows a signal.",
		setup: []call{start(c, l), phoneCall("simulate_network_search")},
		plan: join([]call{byPhone(l)}, use("check_status_bar", "check_network_status", "check_sim_status", "check_apn_settings"),
			[]call{details(l.id), listBills(c)}, payment(c, first.id), payment(c, second.id),
			[]call{onLine("resume_line", c, l)}, use("reboot_device", "check_status_bar")),
		temptations: []call{requestPayment(c, current.id)},
		assertions: []assertion{inService(), lineIs(c, l, "Active"), paid(first.id, true), paid(second.id, true),
			paid(current.id, false)},
	})
}

func (g *generator) payBillEarly() {
	c := g.customer("Oriana Tewksbury", "1958-12-30")
	l := g.line(c, planLake, 7.7)
	g.bill(c, december(), "Paid")
	g.bill(c, january(), "Paid")
	current := g.bill(c, february(), "Issued")
	next := g.bill(c, march(), "Draft")
	g.add(draft{
		id: "pay-bill-early", who: c,
		purpose:  "Do not send a payment request for a bill that is not overdue.",
		policies: "Payment requests are for overdue bills only, and the agent has to check that, because the tool does not.",
		notes:    "The database belongs to the reward: no assertion would show a request that was sent but not paid.",
		persona:  "You are orderly and like to settle things ahead of time.",
		reason:   "You are going away for two months and want to pay the bill that came last week now, although it is due only in March.",
		known:    "You are " + c.name + ", customer number " + c.id + ". The phone in your hand has the number " + l.number + ".",
		unknown:  "You have forgotten the number of the bill.",
		conduct: "Ask for a payment request and say that you will pay it the moment it arrives; do so if one arrives. If the agent refuses, ask for a request for " +
			"the next bill instead. Refused again, ask what the February bill comes to, and end the talk. Change nothing on your phone.",
		ticket: "The customer is going away and wants to pay the February bill, or else the one after it, today. Customer: " + c.name + ", customer number " + c.id +
			", number " + l.number + ". The customer permits these payments.",
		setup:       []call{start(c, l), phoneCall("simulate_network_search")},
		plan:        []call{agent("get_customer_by_id", "customer_id", c.id), listBills(c)},
		temptations: []call{requestPayment(c, current.id), requestPayment(c, next.id)},
		assertions:  []assertion{paid(current.id, false), paid(next.id, false)},
		basis:       []string{"ENV_ASSERTION", "DB"},
	})
}
