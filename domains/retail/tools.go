package retail

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

var (
	orderID   = toolkit.Text("order_id", "Order id with its leading '#', such as '#W0000000'")
	userID    = toolkit.Text("user_id", "User id, such as 'first_last_0000'")
	oldItems  = toolkit.Texts("item_ids", "Ids of the ordered items, such as '1008292230'; an item that occurs twice is listed twice")
	newItems  = toolkit.Texts("new_item_ids", "Ids of the variants to get instead, in the order of item_ids; each of the same product as the item that it replaces")
	payMethod = toolkit.Text("payment_method_id", "Id of a payment method in the user's profile, such as 'gift_card_0000000'")
)

// tools are the agent's tools in the reference's listing order (docs/reference/domains.md#retail).
var tools = []toolkit.Tool[*DB]{
	toolkit.Calculator[*DB](),
	{
		Name: "cancel_pending_order", Kind: domains.Write,
		Doc: "Cancel an order that is still pending. Explain the consequences and get the user's explicit yes first. " +
			"The order becomes 'cancelled' and every payment is refunded: at once to a gift card, within 5 to 7 business days otherwise.",
		Params: []toolkit.Param{orderID, toolkit.Text("reason", "Why the user cancels: 'no longer needed' or 'ordered by mistake'")},
		Run:    cancelOrder,
	},
	{
		Name: "exchange_delivered_order_items", Kind: domains.Write,
		Doc: "Request an exchange of delivered items for other variants of the same products. Possible once per order; explain it and get the " +
			"user's explicit yes first. The order becomes 'exchange requested'.",
		Params: []toolkit.Param{orderID, oldItems, newItems, payMethod},
		Run:    exchangeItems,
	},
	{
		Name: "find_user_id_by_name_zip", Kind: domains.Read,
		Doc: "Find a user's id by name and postal code. Fails if there is no such user; ask for the email address only if the user " +
			"cannot remember these.",
		Params: []toolkit.Param{toolkit.Text("first_name", "First name, such as 'Ada'"), toolkit.Text("last_name", "Last name, such as 'Byron'"),
			toolkit.Text("zip", "Postal code of the profile's address, such as '12345'")},
		Run: findByNameZip,
	},
	{
		Name: "find_user_id_by_email", Kind: domains.Read, Doc: "Find a user's id by email address. Fails if no user has it.",
		Params: []toolkit.Param{toolkit.Text("email", "Email address, such as 'name@example.com'")},
		Run:    findByEmail,
	},
	toolkit.Details("get_order_details", "Show an order: items, status, address, shipments and payments.", orderID, orderType, findOrder),
	toolkit.Details("get_product_details", "Show a product with all its variants, their options, prices and availability.", toolkit.Text("product_id", "Product id, such as '6086499569'; not an item id"), productType, findProduct),
	{
		Name: "get_item_details", Kind: domains.Read, Doc: "Show one variant: its options, price and availability.",
		Params: []toolkit.Param{toolkit.Text("item_id", "Item id, such as '1008292230'; not a product id")},
		Run:    getItem,
	},
	toolkit.Details("get_user_details", "Show a user's profile: address, payment methods and order ids.", userID, userType, findUser),
	{
		Name: "list_all_product_types", Kind: domains.Read, Doc: "List the name and product id of every product; there are 50 of them at most.",
		Run: listProducts,
	},
	{
		Name: "modify_pending_order_address", Kind: domains.Write,
		Doc:    "Change the shipping address of an order that is still pending. Explain it and get the user's explicit yes first.",
		Params: addressParams(orderID), Run: modifyOrderAddress,
	},
	{
		Name: "modify_pending_order_items", Kind: domains.Write,
		Doc: "Replace items of a pending order by other variants of the same products. Possible once per order; explain it and get the user's " +
			"explicit yes first. Afterwards the order can neither be changed in its items nor cancelled.",
		Params: []toolkit.Param{orderID, oldItems, newItems, payMethod},
		Run:    modifyItems,
	},
	{
		Name: "modify_pending_order_payment", Kind: domains.Write,
		Doc:    "Pay a pending order by another method; the old one is refunded. Explain it and get the user's explicit yes first.",
		Params: []toolkit.Param{orderID, payMethod},
		Run:    modifyPayment,
	},
	{
		Name: "modify_user_address", Kind: domains.Write,
		Doc:    "Change the default address in a user's profile. Explain it and get the user's explicit yes first.",
		Params: addressParams(userID), Run: modifyUserAddress,
	},
	{
		Name: "return_delivered_order_items", Kind: domains.Write,
		Doc: "Request the return of delivered items. Explain it and get the user's explicit yes first. The refund goes to the original payment " +
			"method or to a gift card; the order becomes 'return requested'.",
		Params: []toolkit.Param{orderID, oldItems, payMethod},
		Run:    returnItems,
	},
	toolkit.Transfer[*DB]("user"),
}

func findByNameZip(db *DB, a toolkit.Args) (toolkit.Result, error) {
	for id, u := range db.Users.All() {
		first, err := toolkit.Lower(a.Get("first_name"))
		if err != nil {
			return nil, err
		}
		if value.Lower(u.Name.First) != first {
			continue
		}
		last, err := toolkit.Lower(a.Get("last_name"))
		if err != nil {
			return nil, err
		}
		if value.Lower(u.Name.Last) == last && value.Equal(a.Get("zip"), value.OfString(u.Address.Zip)) {
			return toolkit.Say(id)
		}
	}
	return nil, domains.Refusal("User not found")
}

func findByEmail(db *DB, a toolkit.Args) (toolkit.Result, error) {
	for id, u := range db.Users.All() {
		email, err := toolkit.Lower(a.Get("email"))
		if err != nil {
			return nil, err
		}
		if value.Lower(u.Email) == email {
			return toolkit.Say(id)
		}
	}
	return nil, domains.Refusal("User not found")
}

func getItem(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, ok, err := toolkit.Key(a.Get("item_id"))
	if err != nil {
		return nil, err
	}
	if ok {
		for _, p := range db.Products.All() {
			if v := p.Variants.Get(key); v != nil {
				return toolkit.Show(variantType, v)
			}
		}
	}
	return nil, domains.Refusal("Item not found")
}

func listProducts(db *DB, _ toolkit.Args) (toolkit.Result, error) {
	type entry struct{ name, id string }
	var all []entry
	for _, p := range db.Products.All() {
		all = append(all, entry{p.Name, p.ProductID})
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	m := &value.Map{}
	for _, e := range all {
		m.Set(e.name, value.OfString(e.id))
	}
	return toolkit.Say(string(value.AppendDump(nil, value.OfMap(m), value.Declared)))
}

func modifyUserAddress(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, _, err := findUser(db, a.Get("user_id"))
	if err != nil {
		return nil, err
	}
	addr, err := address(a)
	if err != nil {
		return nil, err
	}
	u := db.Users.Edit(key)
	u.Address = addr
	return toolkit.Show(userType, u)
}
