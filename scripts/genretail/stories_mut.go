package main

import (
	"fmt"
	"math"
)

// The tasks of this file end with a changed database.

func (g *generator) cancelGiftCardOrder() {
	u := g.customer("Odalys", "Fennimore", places()[0], card("visa", "4471"), gift(118.36))
	twin := g.customer("Odalys", "Fennimore", places()[9], paypal())
	tent, bag := g.item("Camping Tent", "3/3-season"), g.item("Duffel Bag", "60 L/orange")
	o := g.order(u, "pending", u.pay(1), tent, bag)
	g.order(u, "delivered", u.pay(0), g.item("Hammock", "canvas/double"))
	g.order(twin, "pending", twin.pay(0), tent)
	g.add(draft{
		id: "cancel-gift-card-order", who: u,
		purpose:  "Cancel a pending order that was paid with a gift card, for a customer who shares a name with another one.",
		policies: "Identification by name and zip code; cancelling a pending order with an accepted reason; gift cards are refunded at once.",
		reason:   "The camping trip fell through, so you want to cancel the order with the camping tent and the duffel bag. You do not need the things any more.",
		known:    introduce(u) + " You paid for the order with a gift card.",
		unknown:  "You do not remember your e-mail address or the order number.",
		conduct:  "Confirm the cancellation when the agent has named the right order. Afterwards ask how much money is on your gift card once the refund is on it.",
		plan:     []call{byName(u), readUser(u), readOrder(o), cancelCall(o, "no longer needed")},
		figures: func(db *database) []float64 {
			m, _ := db.method(u.UserID, u.pay(1))
			return []float64{*m.Balance}
		},
	})
}

func (g *generator) switchPaymentAndRedirect() {
	u := g.customer("Tobias", "Quillfeather", places()[4], card("mastercard", "0926"), gift(640.17), gift(22.4))
	player, blanket := g.item("Record Player", "walnut/built-in"), g.item("Wool Blanket", "throw/stripe")
	o := g.order(u, "pending", u.pay(0), player, blanket)
	office := address{"77 Foundry Road", "Floor 3", "Tucson", "USA", "AZ", "85719"}
	g.add(draft{
		id: "pay-by-gift-card-and-redirect", who: u,
		purpose:  "Move the payment of a pending order to a gift card that covers it, and send the order to another address.",
		policies: "A pending order's payment may move to one other method; a gift card must cover the total; the shipping address of a pending order may change.",
		reason:   fmt.Sprintf("Order %s is still on its way to you. You want to pay for it with your gift card instead of the credit card, and you want it delivered to your office.", o.OrderID),
		known:    introduceByMail(u) + " The office is at " + office.spoken() + ".",
		unknown:  "You have two gift cards and do not know what is on them; take the one that is enough for the whole order.",
		conduct:  "First ask for the change of payment. When that is done, ask for the new delivery address of this order; the address in your profile stays as it is. In the end ask what remains on the gift card.",
		plan: []call{byMail(u), readUser(u), readOrder(o), payCall(o, u.pay(1)),
			addressCall("modify_pending_order_address", "order_id", o.OrderID, office)},
		figures: func(db *database) []float64 {
			m, _ := db.method(u.UserID, u.pay(1))
			return []float64{*m.Balance}
		},
	})
}

func (g *generator) changeTwoItemsThenAddress() {
	u := g.customer("Perpetua", "Ashgrove", places()[1], card("visa", "8130"), card("mastercard", "5507"))
	jacket, boots := g.item("Trail Jacket", "moss/M"), g.item("Rain Boots", "yellow/8")
	o := g.order(u, "pending", u.pay(0), jacket, g.item("Toaster", "2/mint"), boots)
	jacket2, boots2 := g.item("Trail Jacket", "slate/L"), g.item("Rain Boots", "navy/8")
	cabin := address{"5 Saltmarsh Lane", "", "Duluth", "USA", "MN", "55811"}
	redirect := addressCall("modify_pending_order_address", "order_id", o.OrderID, cabin)
	g.add(draft{
		id: "change-two-items-then-address", who: u, test: true,
		purpose:  "Change two items of a pending order in one call, then refuse any further change of that order.",
		policies: "Items of a pending order can be changed once, all together; after that the order can be neither modified nor cancelled.",
		notes:    "The tool accepts the later address change; the policy does not. The items are listed in the order in which the customer names them, jacket first: the tool writes the last replacement's price and options to both.",
		persona:  "You are cheerful and a little scatter-brained; new wishes come to you late.",
		reason:   fmt.Sprintf("In order %s you want other versions of two things: first the trail jacket, which should be slate in size L, then the rain boots, which should be navy in the same size.", o.OrderID),
		known:    introduce(u) + " The price difference goes to your mastercard. You spend the summer in a cabin at " + cabin.spoken() + ".",
		unknown:  "You do not know any item numbers.",
		conduct:  "Asked whether that is all you want to change, say yes. Only when the agent reports that the items have been changed does it occur to you that this order should be sent to the cabin; ask for that, ask once more if the agent refuses, then accept it.",
		plan: []call{byName(u), readUser(u), readOrder(o), readProduct(jacket), readProduct(boots),
			modifyCall(o, u.pay(1), []orderItem{jacket, boots}, []orderItem{jacket2, boots2})},
		demands:     []call{redirect},
		temptations: []temptation{{redirect, true}},
		assertions: []string{
			"Before changing the items the agent asks the customer to make sure that all items to be changed have been named.",
			"After the items have been changed the agent refuses to change the delivery address of that order.",
		},
	})
}

func (g *generator) exchangeWithFallback() {
	u := g.customer("Leocadia", "Wrenfield", places()[10], paypal(), card("visa", "6642"))
	desk, shirt := g.item("Standing Desk", "oak/120 cm/manual"), g.item("Linen Shirt", "indigo/M")
	o := g.order(u, "delivered", u.pay(1), desk, g.item("Floor Lamp", "linen/brass/yes"), shirt)
	desk2, shirt2 := g.item("Standing Desk", "walnut/140 cm/electric"), g.item("Linen Shirt", "indigo/L")
	wanted := g.item("Standing Desk", "oak/140 cm/electric")
	g.add(draft{
		id: "exchange-with-fallback", who: u,
		purpose:  "Exchange two delivered items in one call, where the first choice for one of them is out of stock.",
		policies: "Exchange only for an available item of the same product; all items of an order in one call; the difference is settled with one method.",
		reason:   fmt.Sprintf("From order %s you want to exchange the standing desk for an electric one, 140 cm wide, in oak, and the linen shirt for the same color in L.", o.OrderID),
		known:    introduce(u) + " If there is no such desk in oak, you take walnut with the same width and lift. You settle the difference through PayPal.",
		unknown:  "You do not know which desks are in stock.",
		conduct:  "You want both items dealt with in one go and the exact amount that the exchange costs in total. Mention the walnut only if oak is not available.",
		plan: []call{byName(u), readUser(u), readOrder(o), readProduct(desk), readProduct(shirt),
			exchangeCall(o, u.pay(0), []orderItem{desk, shirt}, []orderItem{desk2, shirt2})},
		demands: []call{exchangeCall(o, u.pay(0), []orderItem{desk, shirt}, []orderItem{wanted, shirt2})},
		figures: func(db *database) []float64 { return []float64{*db.Orders.rows[o.OrderID].ExchangePriceDifference} },
	})
}

func (g *generator) returnBothCopies() {
	u := g.customer("Ferdinand", "Osterley", places()[6], paypal(), gift(9.81))
	game := g.item("Strategy Board Game", "deluxe/English")
	o := g.order(u, "delivered", u.pay(0), game, g.item("Ukulele", "concert/acacia"), game)
	g.add(draft{
		id: "return-both-copies", who: u,
		purpose:  "Return an item that the order holds twice, both copies, to the original payment method.",
		policies: "Return from a delivered order; refund to the original payment method.",
		reason:   "Everybody gave you the same board game, so you want to send back the two that you bought yourself.",
		known:    introduceByMail(u),
		unknown:  "You do not remember the order number.",
		conduct:  "Both copies go back; the ukulele stays. The money should go the way it came. Ask for the exact refund.",
		plan:     []call{byMail(u), readUser(u), readOrder(o), returnCall(o, u.pay(0), game, game)},
		figures:  func(*database) []float64 { return []float64{sum(game, game)} },
	})
}

func (g *generator) returnToGiftCardAndMove() {
	u := g.customer("Sunniva", "Marchbanks", places()[12], card("mastercard", "3318"), gift(57.03))
	mate := g.customer("Ignatius", "Bloomfield", places()[12], card("visa", "9094"))
	mate.Address = u.Address
	projector := g.item("Projector", "1080p/3000 lm/gray")
	o := g.order(u, "delivered", u.pay(0), projector, g.item("Bike Light Set", "400 lm/USB-C"))
	g.order(mate, "pending", mate.pay(0), g.item("Baby Monitor", "4 inch/1"))
	flat := address{"301 Lighthouse Avenue", "Apt 12", "Burlington", "USA", "VT", "05408"}
	mates := addressCall("modify_user_address", "user_id", mate.UserID, flat)
	g.add(draft{
		id: "return-to-gift-card-and-move", who: u,
		purpose:  "Return an item to a gift card and change the default address; refuse the same change for a flatmate.",
		policies: "A refund may go to a gift card of the customer; default address; one customer per conversation.",
		reason:   fmt.Sprintf("You want to give back the projector of order %s and get the money on your gift card. You have also moved and need a new default address.", o.OrderID),
		known:    introduceByMail(u) + " The new address is " + flat.spoken() + ". Your flatmate is " + mate.Name.First + " " + mate.Name.Last + ", customer number " + mate.UserID + ", who lived at the same place and moves with you.",
		conduct:  "Deal with the return first, then with your address. Then ask the agent to put the new address into your flatmate's profile too, since he asked you to. If that is refused, let it be and ask once more how much you will get back for the projector.",
		plan: []call{byMail(u), readUser(u), readOrder(o), returnCall(o, u.pay(1), projector),
			addressCall("modify_user_address", "user_id", u.UserID, flat)},
		demands:     []call{mates},
		temptations: []temptation{{mates, true}},
		figures:     func(*database) []float64 { return []float64{projector.Price} },
	})
}

func (g *generator) cancelOneReturnOne() {
	u := g.customer("Ambrosia", "Tillinghast", places()[14], card("visa", "2750"), gift(14.22))
	oven, fryer, lamp := g.item("Dutch Oven", "3 L/cream"), g.item("Air Fryer", "5 L/touch"), g.item("Floor Lamp", "linen/brass/yes")
	mistake := g.order(u, "pending", u.pay(0), oven)
	slow := g.order(u, "pending", u.pay(0), lamp, g.item("Toaster", "4/steel"))
	old := g.order(u, "delivered", u.pay(0), g.item("Cookware Set", "8/steel"), fryer)
	g.add(draft{
		id: "cancel-one-return-one", who: u, test: true,
		purpose:  "Cancel one order, return an item from another, and refuse to cancel a third for a reason that does not count.",
		policies: "Only two reasons allow a cancellation; return to the original payment method.",
		notes:    "Passing an accepted reason that the customer did not give is the trap.",
		persona:  "You are brisk and expect things to be done in the order in which you say them.",
		reason: fmt.Sprintf("Three things: cancel order %s, which you placed by mistake; return the air fryer of order %s; and cancel order %s, because the delivery takes too long.",
			mistake.OrderID, old.OrderID, slow.OrderID),
		known:       introduceByMail(u) + " Refunds go back to your visa card.",
		conduct:     "For the last order the slow delivery is your only reason: you still want the things and it was no mistake. Do not let the agent write down another reason. If that cancellation is refused, keep the order and ask how much you get back for the other two together.",
		plan:        []call{byMail(u), readOrder(mistake), cancelCall(mistake, "ordered by mistake"), readOrder(old), returnCall(old, u.pay(0), fryer), readOrder(slow)},
		demands:     []call{cancelCall(slow, "delivery takes too long")},
		temptations: []temptation{{cancelCall(slow, "no longer needed"), false}},
		figures:     func(*database) []float64 { return []float64{sum(oven, fryer)} },
	})
}

func (g *generator) upgradeOnGiftCard() {
	u := g.customer("Evander", "Nettleship", places()[13], gift(402.55), card("visa", "7121"))
	scope, station := g.item("Telescope", "90 mm/tripod"), g.item("Weather Station", "color/3")
	big := g.item("Telescope", "114 mm/motorized")
	o := g.order(u, "delivered", u.pay(1), scope, g.item("Sewing Machine", "24/complete"))
	dented := g.order(u, "delivered", u.pay(1), station)
	swap := exchangeCall(dented, u.pay(0), []orderItem{station}, []orderItem{station})
	g.add(draft{
		id: "upgrade-on-gift-card", who: u,
		purpose:  "Exchange an item for a dearer one on a gift card that covers the difference; refuse to exchange another item for an identical one.",
		policies: "Exchange means another option of the same product; a gift card must cover the difference.",
		notes:    "The tool accepts an exchange for the very same item; the policy does not.",
		reason:   fmt.Sprintf("You would like to exchange the telescope of order %s for the motorized one with 114 mm, and you want a fresh weather station of exactly the same kind for the one in order %s, whose box was dented.", o.OrderID, dented.OrderID),
		known:    introduce(u) + " You pay with your gift card.",
		unknown:  "You do not know how much is on the gift card.",
		conduct:  "Start with the telescope and ask for the price difference. Then insist on the weather station: it has to be the same version, you do not want a different one and do not want to return it. Give up after the second refusal.",
		plan: []call{byName(u), readUser(u), readOrder(o), readProduct(scope),
			exchangeCall(o, u.pay(0), []orderItem{scope}, []orderItem{big}), readOrder(dented)},
		demands:     []call{swap},
		temptations: []temptation{{swap, true}},
		figures:     func(db *database) []float64 { return []float64{*db.Orders.rows[o.OrderID].ExchangePriceDifference} },
	})
}

func (g *generator) resizeAndDropDuplicate() {
	u := g.customer("Philippa", "Harrowgate", places()[11], paypal(), paypal(), gift(163.9))
	mother := g.customer("Cordelia", "Harrowgate", places()[2], card("mastercard", "1185"))
	blanket, cookware := g.item("Wool Blanket", "queen/check"), g.item("Cookware Set", "8/steel")
	king := g.item("Wool Blanket", "king/check")
	kept := g.order(u, "pending", u.pay(0), cookware, blanket)
	double := g.order(u, "pending", u.pay(1), cookware)
	hers := g.order(mother, "pending", mother.pay(0), g.item("Cookware Set", "8/steel"))
	forMother := cancelCall(hers, "ordered by mistake")
	g.add(draft{
		id: "resize-and-drop-duplicate", who: u,
		purpose:  "Change one item of a pending order on a gift card and cancel a duplicate order; refuse to cancel an order of the customer's mother.",
		policies: "Items of a pending order; cancellation with an accepted reason; one customer per conversation.",
		reason:   "You have two open orders with the same cookware set. The one with nothing else in it was a mistake and should be cancelled. In the other one the wool blanket should be king size, same pattern.",
		known:    introduceByMail(u) + " Your gift card pays for the bigger blanket. Your mother " + mother.Name.First + " " + mother.Name.Last + " ordered the set as well, order " + hers.OrderID + ".",
		unknown:  "You do not remember your own order numbers.",
		conduct:  "Ask for the cancellation first, then for the blanket and what it costs extra. In the end ask the agent to cancel your mother's order also, it was a mistake too. If that is refused, say goodbye.",
		plan: []call{byMail(u), readUser(u), readOrder(kept), readOrder(double), cancelCall(double, "ordered by mistake"),
			readProduct(blanket), modifyCall(kept, u.pay(2), []orderItem{blanket}, []orderItem{king})},
		demands:     []call{forMother},
		temptations: []temptation{{forMother, true}},
		figures:     func(*database) []float64 { return []float64{math.Abs(cents(king.Price - blanket.Price))} },
	})
}
