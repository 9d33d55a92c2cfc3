package checks

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/guide"
)

// retail is the vocabulary of the shop. Its policy depends on no date; the clock only has to be the same every time.
func retail() guide.Vocabulary {
	return guide.Vocabulary{
		Facts:   shopFacts,
		Helpers: retailHelpers(),
		Targets: map[string]string{
			"cancel_pending_order": "order_id", "exchange_delivered_order_items": "order_id", "return_delivered_order_items": "order_id",
			"modify_pending_order_address": "order_id", "modify_pending_order_items": "order_id", "modify_pending_order_payment": "order_id",
			"modify_user_address": "user_id",
		},
		Now: time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC),
	}
}

// retailHelpers declares the functions that README.md documents. Each takes the request and sees what was known when
// the request was carried out, or what is known now.
func retailHelpers() []cel.EnvOption {
	changes := shopVerbs()
	request := []*cel.Type{cel.MapType(cel.StringType, cel.DynType)}
	var out []cel.EnvOption
	add := func(name string, result *cel.Type, run func(m *shopMatter) any) {
		out = append(out, guide.TraceFunction(name, request, result, func(t *guide.Trace, args []ref.Val) ref.Val {
			m := newShopMatter(t, shopObject(args[0].Value()))
			m.verb = changes[m.intent]
			return types.DefaultTypeAdapter.NativeToValue(run(m))
		})...)
	}
	verdicts := cel.MapType(cel.StringType, cel.BoolType)
	add("order_status", cel.StringType, func(m *shopMatter) any { return m.order().statusText() })
	add("order_own", cel.BoolType, func(m *shopMatter) any { return m.own(m.order()) })
	add("swap", verdicts, func(m *shopMatter) any { verdict, _ := m.swap(); return verdict })
	add("method", verdicts, func(m *shopMatter) any { return m.method() })
	add("items_in_order", cel.BoolType, func(m *shopMatter) any { return m.order() != nil && m.order().holds(m.list("item_ids")) })
	add("reason_given", cel.BoolType, func(m *shopMatter) any { return m.reasonGiven() })
	add("address_given", cel.BoolType, func(m *shopMatter) any { return m.addressGiven() })
	add("reminded", cel.BoolType, func(m *shopMatter) any { return m.reminded() })
	add("summarised", cel.BoolType, func(m *shopMatter) any { summary, _ := m.agreement(); return summary >= 0 })
	add("agreed", cel.BoolType, func(m *shopMatter) any { _, yes := m.agreement(); return yes >= 0 })
	return out
}

// shopToolOf is the tool that carries out an intent.
func shopToolOf(intent string) string {
	switch intent {
	case "cancel_order":
		return "cancel_pending_order"
	case "change_address":
		return "modify_pending_order_address"
	case "change_payment":
		return "modify_pending_order_payment"
	case "change_items":
		return "modify_pending_order_items"
	case "return_items":
		return "return_delivered_order_items"
	case "exchange_items":
		return "exchange_delivered_order_items"
	case "change_profile":
		return "modify_user_address"
	}
	return ""
}

// shopMatter is one request with what was known about it. If the request was carried out already, that is what was
// known right before, so that a condition which the change itself ends (an order that is no longer pending) does not
// turn against it.
type shopMatter struct {
	*shopScene
	intent, target string
	args           map[string]any // grounded values
	verb           *regexp.Regexp // how agents speak of the change
}

func newShopMatter(t *guide.Trace, request map[string]any) *shopMatter {
	m := &shopMatter{intent: shopText(request["intent"]), target: shopText(request["target"])}
	if v, ok := request["grounded_values"].(ref.Val); ok {
		m.args = shopObject(v.Value())
	} else {
		m.args = shopObject(request["grounded_values"])
	}
	until := t.Len()
	for _, c := range t.CallsOf(shopToolOf(m.intent)) {
		if c.OK && m.carriedOutBy(c) {
			until = c.Index
		}
	}
	m.shopScene = derived(t, shopSceneKey(until), func() *shopScene { return newShopScene(t, until) })
	return m
}

// shopScene is what was known and said before some message.
type shopScene struct {
	*shop
	user, agent []guide.Said // texts; the agent's only where the customer saw them
}

// shopSceneKey is the index of that message.
type shopSceneKey int

func newShopScene(t *guide.Trace, until int) *shopScene {
	m := &shopScene{shop: newShop(t, until)}
	hidden := map[int]bool{}
	for _, c := range t.Calls {
		hidden[c.Index] = true
	}
	for _, s := range t.User {
		if s.Index < until {
			m.user = append(m.user, s)
		}
	}
	for _, s := range t.Agent {
		if s.Index < until && !hidden[s.Index] {
			m.agent = append(m.agent, s)
		}
	}
	return m
}

// carriedOutBy reports whether a call made the change: it has the arguments that are known, or else the target.
func (m *shopMatter) carriedOutBy(c *guide.Call) bool {
	if len(m.args) == 0 {
		return m.target != "" && (c.Arg("order_id") == m.target || c.Arg("user_id") == m.target)
	}
	for key, want := range m.args {
		v, ok := c.Args.Get(key)
		if !ok || types.DefaultTypeAdapter.NativeToValue(guide.Native(v)).Equal(types.DefaultTypeAdapter.NativeToValue(want)) != types.True {
			return false
		}
	}
	return true
}

// list reads an argument that is a list of ids; anything else in it makes it empty.
func (m *shopMatter) list(key string) []string {
	var out []string
	for _, v := range shopList(m.args[key]) {
		id, ok := v.(string)
		if !ok {
			return nil
		}
		out = append(out, id)
	}
	return out
}

// order is the order that the request is about: the one of its arguments, else its target, else the only one that was
// looked at; nil while it was not read.
func (m *shopMatter) order() *shopOrder {
	if id := shopText(m.args["order_id"]); id != "" {
		return m.orders[id]
	}
	if m.target != "" {
		return m.orders[m.target]
	}
	if len(m.orders) == 1 {
		for _, o := range m.orders {
			return o
		}
	}
	return nil
}

// swap judges the items of the request against the variants that are to replace them; difference is what the new ones
// cost more, in dollars.
func (m *shopMatter) swap() (verdict map[string]bool, difference float64) {
	olds, news, o := m.list("item_ids"), m.list("new_item_ids"), m.order()
	verdict = map[string]bool{"paired": false, "products_read": false, "same_product": false, "other_option": false, "available": false}
	if o == nil || !o.holds(olds) || len(olds) != len(news) {
		return verdict, 0
	}
	for name := range verdict {
		verdict[name] = true
	}
	for i, id := range olds {
		old, _ := o.item(id)
		_, read := m.products[old.product]
		v, listed := m.products[old.product][news[i]]
		verdict["products_read"] = verdict["products_read"] && read
		verdict["same_product"] = verdict["same_product"] && listed
		verdict["other_option"] = verdict["other_option"] && listed && v.id != old.id && !maps.Equal(v.options, old.options)
		verdict["available"] = verdict["available"] && v.available
		difference += v.price - old.price
	}
	return verdict, difference
}

// methods are the customer's payment methods as far as they are known: those of the profile, and before it was read
// the one that the order was paid with, its kind guessed from its id.
func (m *shopMatter) methods() map[string]shopMethod {
	if p := m.profile(); p != nil {
		return p.methods
	}
	id := m.order().original()
	if id == "" || !m.own(m.order()) {
		return nil
	}
	kind := strings.TrimRight(strings.ToLower(id), "0123456789_-")
	return map[string]shopMethod{id: {id: id, source: strings.ReplaceAll(kind, "-", "_")}}
}

// method judges the payment method of the request.
func (m *shopMatter) method() map[string]bool {
	verdict := map[string]bool{"on_file": false, "gift_card": false, "original": false, "used_before": false, "chosen": false,
		"covers_total": false, "covers_difference": false}
	id, o := shopText(m.args["payment_method_id"]), m.order()
	if o == nil || id == "" {
		return verdict
	}
	x, onFile := m.methods()[id]
	_, difference := m.swap()
	gift := m.profile() != nil && x.source == "gift_card"
	covers := func(dollars float64) bool {
		return onFile && m.profile() != nil && (!gift || shopCents(x.balance) >= shopCents(dollars))
	}
	verdict["on_file"], verdict["gift_card"] = onFile, onFile && gift
	verdict["original"], verdict["used_before"] = id == o.original(), slices.Contains(o.paidWith(), id)
	verdict["chosen"] = m.methodChosen(id)
	verdict["covers_total"], verdict["covers_difference"] = covers(o.total()), covers(difference)
	return verdict
}

// methodChosen reports whether the customer named the method, or said yes to a text that did.
func (m *shopMatter) methodChosen(id string) bool {
	for i, a := range m.agent {
		if answer := m.answerTo(i); answer.Affirms() && m.namesMethod(shopWordsOf(a.Text), shopWordsOf(answer.Text)) {
			return true
		}
	}
	return slices.ContainsFunc(m.user, func(s guide.Said) bool { return m.tells(shopWordsOf(s.Text), id) })
}

func shopCents(dollars float64) int64 { return int64(math.Round(dollars * 100)) }
