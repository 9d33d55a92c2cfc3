package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The seed is part of the data set: another one gives another shop.
const seedHigh, seedLow = 0x7461756775696465, 3

const crowdSize = 62

// generator holds the state of one build. The first failure sticks in err and
// is reported at the end, so that stories read as plain lists.
type generator struct {
	rng    *rand.Rand
	db     *database
	used   map[string]bool
	drafts []draft
	err    error
}

// build makes the database and the unchecked tasks. Every call starts afresh
// and gives equal results, so callers may change what they get.
func build() (*database, []draft, error) {
	g := &generator{rng: rand.New(rand.NewPCG(seedHigh, seedLow)), db: &database{}, used: map[string]bool{}}
	g.stock()
	g.crowd()
	g.stories()
	return g.db, g.drafts, g.err
}

func (g *generator) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

func (g *generator) chance(p float64) bool { return g.rng.Float64() < p }

func pick[T any](g *generator, from []T) T { return from[g.rng.IntN(len(from))] }

// digits draws prefix plus n digits, the first not zero, never the same twice.
func (g *generator) digits(prefix string, n int) string {
	for {
		var b strings.Builder
		b.WriteString(prefix)
		b.WriteByte(byte('1' + g.rng.IntN(9)))
		for range n - 1 {
			b.WriteByte(byte('0' + g.rng.IntN(10)))
		}
		if s := b.String(); !g.used[s] {
			g.used[s] = true
			return s
		}
	}
}

// home draws an address in the given town.
func (g *generator) home(p place) address {
	a := address{
		Address1: fmt.Sprintf("%d %s", 10+g.rng.IntN(980), pick(g, streets())),
		City:     p.city, Country: "USA", State: p.state,
		Zip: fmt.Sprintf("%s%02d", p.zip, 1+g.rng.IntN(98)),
	}
	if !g.chance(0.15) {
		a.Address2 = fmt.Sprintf("%s %d", pick(g, unitKinds()), 1+g.rng.IntN(60))
	}
	return a
}

func card(brand, lastFour string) method {
	return method{Source: "credit_card", Brand: brand, LastFour: lastFour}
}

func paypal() method { return method{Source: "paypal"} }

func gift(balance float64) method { return method{Source: "gift_card", Balance: &balance} }

// customer adds a user with the given payment methods, whose ids are drawn.
func (g *generator) customer(first, last string, at place, methods ...method) *user {
	number := g.digits("", 3+g.rng.IntN(2))
	u := &user{
		UserID:  fmt.Sprintf("%s-%s-%s", strings.ToLower(last), strings.ToLower(first), number),
		Name:    fullName{first, last},
		Address: g.home(at),
		Email:   fmt.Sprintf("%s.%s%s@example.net", strings.ToLower(first), strings.ToLower(last), number),
		Orders:  []string{},
	}
	for _, m := range methods {
		m.ID = g.digits(map[string]string{"credit_card": "card-", "gift_card": "gift-", "paypal": "paypal-"}[m.Source], 5)
		u.PaymentMethods.put(m.ID, &m)
	}
	g.db.Users.put(u.UserID, u)
	return u
}

// pay is the id of the user's n-th payment method.
func (u *user) pay(n int) string { return u.PaymentMethods.keys[n] }

func (u *user) balance(n int) float64 { return *u.PaymentMethods.rows[u.pay(n)].Balance }

// order adds an order that was paid at once with one method.
func (g *generator) order(u *user, status, methodID string, items ...orderItem) *order {
	o := &order{
		OrderID: g.digits("#T", 7), UserID: u.UserID, Address: u.Address, Items: items,
		Status: status, Fulfillments: []fulfillment{},
	}
	o.PaymentHistory = []payment{{"payment", o.total(), methodID}}
	switch status {
	case "cancelled":
		o.PaymentHistory = append(o.PaymentHistory, payment{"refund", o.total(), methodID})
		o.CancelReason = pick(g, []string{"no longer needed", "ordered by mistake"})
	case "processed", "delivered":
		o.Fulfillments = g.parcels(o.itemIDs())
	}
	u.Orders = append(u.Orders, o.OrderID)
	g.db.Orders.put(o.OrderID, o)
	return o
}

// parcels ships items in one box, or now and then in two.
func (g *generator) parcels(ids []string) []fulfillment {
	cut := len(ids)
	if len(ids) > 2 && g.chance(0.25) {
		cut = 1 + g.rng.IntN(len(ids)-1)
	}
	out := []fulfillment{{[]string{g.digits("TRK", 9)}, ids[:cut:cut]}}
	if cut < len(ids) {
		out = append(out, fulfillment{[]string{g.digits("TRK", 9)}, ids[cut:]})
	}
	return out
}

// crowd adds the customers that no task is about, among them a few namesakes.
func (g *generator) crowd() {
	firsts, lasts, towns := firstNames(), lastNames(), places()
	g.rng.Shuffle(len(firsts), func(i, j int) { firsts[i], firsts[j] = firsts[j], firsts[i] })
	g.rng.Shuffle(len(lasts), func(i, j int) { lasts[i], lasts[j] = lasts[j], lasts[i] })
	for i := range crowdSize {
		// A different step per round of the list keeps all full names apart, except for every 15th customer,
		// who repeats the previous one's name in another town.
		n, town := i, towns[i%len(towns)]
		if i%15 == 14 {
			n = i - 1
		}
		first, last := firsts[n%len(firsts)], lasts[(n+n/len(firsts)*7)%len(lasts)]
		u := g.customer(first, last, town, g.purse()...)
		for range 2 + g.rng.IntN(4) {
			g.purchase(u)
		}
	}
}

// purse draws one to three payment methods, sometimes two of a kind.
func (g *generator) purse() []method {
	var out []method
	for range 1 + g.rng.IntN(3) {
		switch g.rng.IntN(3) {
		case 0:
			out = append(out, card(pick(g, cardBrands()), fmt.Sprintf("%04d", g.rng.IntN(10000))))
		case 1:
			out = append(out, gift(float64(g.rng.IntN(90000)+50)/100))
		default:
			out = append(out, paypal())
		}
	}
	return out
}

// purchase gives the user an order of one to five lines in a random state.
func (g *generator) purchase(u *user) {
	var items []orderItem
	for range 1 + g.rng.IntN(4) {
		p := g.db.Products.rows[pick(g, g.db.Products.keys)]
		items = append(items, lineOf(p, p.Variants.rows[pick(g, p.Variants.keys)]))
	}
	if g.chance(0.08) {
		items = append(items, items[0])
	}
	status := "pending"
	switch x := g.rng.Float64(); {
	case x < 0.16:
		status = "processed"
	case x < 0.58:
		status = "delivered"
	case x < 0.68:
		status = "cancelled"
	}
	method := pick(g, u.PaymentMethods.keys)
	o := g.order(u, status, method, items...)
	if status == "delivered" && g.chance(0.08) {
		if err := g.db.apply(do("return_delivered_order_items", "order_id", o.OrderID, "item_ids", []string{items[0].ItemID}, "payment_method_id", method)); err != nil {
			g.fail(fmt.Errorf("order %s: %w", o.OrderID, err))
		}
	}
}
