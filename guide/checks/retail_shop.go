package checks

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// shop is what the agent has learnt from the shop's tools up to some message.
type shop struct {
	customer string // user id that was looked up by data which the customer gave; "" before that
	profiles map[string]*shopProfile
	orders   map[string]*shopOrder
	products map[string]map[string]shopItem // product id → item id → variant
}

type shopProfile struct {
	methods map[string]shopMethod
	address map[string]any
}

// shopMethod is a payment method. An empty source means that its kind is not known.
type shopMethod struct {
	id, source, brand, lastFour string
	balance                     float64 // of a gift card, in dollars, after what this conversation moved
}

// shopItem is an item of an order, or a variant that can be bought.
type shopItem struct {
	id, product, name string
	price             float64
	options           map[string]any
	available         bool // of variants
}

type shopPayment struct {
	kind, method string
	amount       float64
}

// shopOrder is an order as the latest result showed it.
type shopOrder struct {
	id, user, status string
	items            []shopItem
	payments         []shopPayment
	address          map[string]any
	seen             int // index of the first call that showed it
}

// newShop reads the results of the agent's calls before the message of that index.
func newShop(t *guide.Trace, until int) *shop {
	s := &shop{profiles: map[string]*shopProfile{}, orders: map[string]*shopOrder{}, products: map[string]map[string]shopItem{}}
	for _, c := range t.Calls {
		if c.OK && c.Index < until {
			s.read(t, c)
		}
	}
	return s
}

func (s *shop) read(t *guide.Trace, c *guide.Call) {
	switch c.Name {
	case "find_user_id_by_email", "find_user_id_by_name_zip":
		if id, ok := c.Result.Text(); ok && s.customer == "" && shopStated(t, c) {
			s.customer = id
		}
	case "get_user_details", "modify_user_address":
		s.readProfile(c)
	case "get_product_details":
		s.readProduct(shopObject(c.Plain()))
	case "get_order_details", "cancel_pending_order", "exchange_delivered_order_items", "return_delivered_order_items",
		"modify_pending_order_address", "modify_pending_order_items", "modify_pending_order_payment":
		s.readOrder(shopObject(c.Plain()), c.Index)
	}
}

// shopStated reports whether the customer had said every argument of a call when it was made.
func shopStated(t *guide.Trace, c *guide.Call) bool {
	var said strings.Builder
	for _, u := range t.User {
		if u.Index < c.Index {
			said.WriteString(" " + u.Text)
		}
	}
	heard := shopWordsOf(said.String())
	for _, v := range c.Args.All() {
		if text, ok := v.Text(); !ok || !heard.has(text) {
			return false
		}
	}
	return c.Args.Len() > 0
}

func (s *shop) readProfile(c *guide.Call) {
	m := shopObject(c.Plain())
	p := &shopProfile{methods: map[string]shopMethod{}, address: shopObject(m["address"])}
	for id, v := range shopObject(m["payment_methods"]) {
		x := shopObject(v)
		balance, _ := shopNumber(x["balance"])
		p.methods[id] = shopMethod{id: id, source: shopText(x["source"]), brand: shopText(x["brand"]), lastFour: shopText(x["last_four"]), balance: balance}
	}
	if id := shopText(m["user_id"]); id != "" {
		s.profiles[id] = p
	}
}

func (s *shop) readProduct(m map[string]any) {
	id := shopText(m["product_id"])
	variants := map[string]shopItem{}
	for _, v := range shopObject(m["variants"]) {
		item := shopVariant(shopObject(v))
		item.product, item.name = id, shopText(m["name"])
		variants[item.id] = item
	}
	if id != "" {
		s.products[id] = variants
	}
}

func shopVariant(m map[string]any) shopItem {
	price, _ := shopNumber(m["price"])
	available, _ := m["available"].(bool)
	return shopItem{id: shopText(m["item_id"]), product: shopText(m["product_id"]), name: shopText(m["name"]), price: price,
		options: shopObject(m["options"]), available: available}
}

func (s *shop) readOrder(m map[string]any, at int) {
	o := &shopOrder{id: shopText(m["order_id"]), user: shopText(m["user_id"]), status: shopText(m["status"]), address: shopObject(m["address"]), seen: at}
	if o.id == "" {
		return
	}
	for _, v := range shopList(m["items"]) {
		o.items = append(o.items, shopVariant(shopObject(v)))
	}
	for _, v := range shopList(m["payment_history"]) {
		x := shopObject(v)
		amount, _ := shopNumber(x["amount"])
		o.payments = append(o.payments, shopPayment{kind: shopText(x["transaction_type"]), method: shopText(x["payment_method_id"]), amount: amount})
	}
	if before := s.orders[o.id]; before != nil {
		o.seen = before.seen
		s.settle(o.user, o.payments[min(len(before.payments), len(o.payments)):])
	}
	s.orders[o.id] = o
}

// settle keeps the balances of gift cards up to date with payments that were made since the profile was read.
func (s *shop) settle(user string, payments []shopPayment) {
	profile := s.profiles[user]
	if profile == nil {
		return
	}
	for _, p := range payments {
		m, ok := profile.methods[p.method]
		switch {
		case !ok:
			continue
		case p.kind == "payment":
			m.balance -= p.amount
		default:
			m.balance += p.amount
		}
		profile.methods[p.method] = m
	}
}

// statusText is the order's status, "" while it was not read.
func (o *shopOrder) statusText() string {
	if o == nil {
		return ""
	}
	return o.status
}

// original is the method that the order was first paid with.
func (o *shopOrder) original() string {
	if o == nil || len(o.payments) == 0 {
		return ""
	}
	return o.payments[0].method
}

// paidWith lists the methods that the order was ever paid with, in order.
func (o *shopOrder) paidWith() []string {
	var out []string
	for _, p := range o.payments {
		if p.kind == "payment" && !slices.Contains(out, p.method) {
			out = append(out, p.method)
		}
	}
	return out
}

// total is the amount that the order was first paid with, in dollars.
func (o *shopOrder) total() float64 {
	if len(o.payments) == 0 {
		return 0
	}
	return o.payments[0].amount
}

// item finds an item of the order.
func (o *shopOrder) item(id string) (shopItem, bool) {
	for _, it := range o.items {
		if it.id == id {
			return it, true
		}
	}
	return shopItem{}, false
}

// holds reports whether the order has every item that is listed, as often as it is listed.
func (o *shopOrder) holds(ids []string) bool {
	left := map[string]int{}
	for _, it := range o.items {
		left[it.id]++
	}
	for _, id := range ids {
		if left[id]--; left[id] < 0 {
			return false
		}
	}
	return len(ids) > 0
}

// shopFacts is the part of a shop that checks can see directly.
func shopFacts(t *guide.Trace) map[string]any {
	s := derived(t, shopSceneKey(t.Len()), func() *shopScene { return newShopScene(t, t.Len()) })
	orders := map[string]any{}
	for id, o := range s.orders {
		orders[id] = map[string]any{"status": o.status, "own": s.own(o)}
	}
	return map[string]any{"customer": s.customer, "profile_read": s.profile() != nil, "orders": orders}
}

// own reports whether an order is the customer's.
func (s *shop) own(o *shopOrder) bool { return o != nil && s.customer != "" && o.user == s.customer }

// profile is the customer's profile, nil while it was not read.
func (s *shop) profile() *shopProfile { return s.profiles[s.customer] }

func shopObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func shopList(v any) []any {
	l, _ := v.([]any)
	return l
}

func shopText(v any) string {
	s, _ := v.(string)
	return s
}

func shopNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}
