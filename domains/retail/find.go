package retail

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The lookups that the tools share, with the reference's texts (docs/reference/domains.md#retail).

func findOrder(db *DB, id value.Value) (key string, o *Order, err error) {
	return toolkit.Find(db.Orders, id, "Order not found")
}

func findUser(db *DB, id value.Value) (key string, u *User, err error) {
	return toolkit.Find(db.Users, id, "User not found")
}

func findProduct(db *DB, id value.Value) (key string, p *Product, err error) {
	return toolkit.Find(db.Products, id, "Product not found")
}

// findMethod returns a copy of a payment method of a user.
func findMethod(db *DB, userID string, id value.Value) (PaymentMethod, error) {
	_, u, err := findUser(db, value.OfString(userID))
	if err != nil {
		return PaymentMethod{}, err
	}
	m, err := toolkit.FindIn(&u.PaymentMethods, id, "Payment method not found")
	if err != nil {
		return PaymentMethod{}, err
	}
	return *m, nil
}

func findVariant(db *DB, productID string, id value.Value) (Variant, error) {
	_, p, err := findProduct(db, value.OfString(productID))
	if err != nil {
		return Variant{}, err
	}
	v, err := toolkit.FindIn(&p.Variants, id, "Variant not found")
	if err != nil {
		return Variant{}, err
	}
	return *v, nil
}

// findItem returns the position of the first item of an order with that id.
func findItem(o *Order, id value.Value) (int, error) {
	s, ok := id.Text()
	i := slices.IndexFunc(o.Items, func(it OrderItem) bool { return ok && it.ItemID == s })
	if i < 0 {
		return 0, domains.Refuse("Item %s not found", id.Str())
	}
	return i, nil
}

// enough checks that an order holds each requested item as often as it is requested; text words the failure.
func enough(o *Order, ids []value.Value, text func(id value.Value) string) error {
	for _, id := range ids {
		want, have := 0, 0
		for _, other := range ids {
			if value.Equal(id, other) {
				want++
			}
		}
		for _, it := range o.Items {
			if value.Equal(id, value.OfString(it.ItemID)) {
				have++
			}
		}
		if want > have {
			return domains.Refusal(text(id))
		}
	}
	return nil
}

// credit changes the balance of a user's gift card, rounded to cents; a negative amount is a charge. Other kinds of
// payment methods hold no balance, and nothing happens.
func credit(db *DB, userID, methodID string, amount float64) {
	u := db.Users.Edit(userID)
	if u == nil {
		return
	}
	if m := u.PaymentMethods.Get(methodID); m != nil && m.Source == "gift_card" {
		m.Balance = value.Round2(m.Balance + amount)
	}
}

// sortedTexts returns the strings of a checked list, sorted.
func sortedTexts(ids []value.Value) *[]string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Str()
	}
	slices.Sort(out)
	return &out
}

func pendingish(o *Order) bool { return strings.Contains(o.Status, "pending") }

// address validates the six address arguments of a call.
func address(a toolkit.Args) (Address, error) {
	m := &value.Map{}
	for _, k := range []string{"address1", "address2", "city", "country", "state", "zip"} {
		m.Set(k, a.Get(k))
	}
	return addressType.Load(value.OfMap(m))
}

func addressParams(first toolkit.Param) []toolkit.Param {
	return []toolkit.Param{
		first,
		toolkit.Text("address1", "Street and house number"),
		toolkit.Text("address2", "Apartment, suite or the like; may be empty"),
		toolkit.Text("city", "City"),
		toolkit.Text("state", "State, as its two-letter code"),
		toolkit.Text("country", "Country"),
		toolkit.Text("zip", "Postal code"),
	}
}

func showOrder(o *Order) (toolkit.Result, error) { return toolkit.Show(orderType, o) }
