package retail

import (
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Product is a type of product with its variants.
type Product struct {
	Name, ProductID string
	Variants        record.Dict[Variant]
}

// Variant is one thing that can be bought.
type Variant struct {
	ItemID    string
	Options   record.Dict[string]
	Available bool
	Price     float64
}

// User is a customer.
type User struct {
	UserID         string
	Name           Name
	Address        Address
	Email          string
	PaymentMethods record.Dict[PaymentMethod]
	Orders         []string
}

// Name is a customer's name.
type Name struct{ First, Last string }

// Address is a postal address.
type Address struct{ Address1, Address2, City, Country, State, Zip string }

// PaymentMethod is a credit card, a gift card or a PayPal account, by Source; the fields that its source does not
// have are zero.
type PaymentMethod struct {
	Source, ID      string
	Brand, LastFour string
	Balance         float64
}

// Order is one order. The last seven fields record what was asked for; null until then.
type Order struct {
	OrderID, UserID string
	Address         Address
	Items           []OrderItem
	Status          string
	Fulfillments    []Fulfillment
	Payments        []Payment

	CancelReason            *string
	ExchangeItems           *[]string
	ExchangeNewItems        *[]string
	ExchangePaymentMethodID *string
	ExchangePriceDifference *value.Value // an integer 0 for an exchange of nothing, else a float
	ReturnItems             *[]string
	ReturnPaymentMethodID   *string
}

// OrderItem is one ordered item.
type OrderItem struct {
	Name, ProductID, ItemID string
	Price                   float64
	Options                 record.Dict[string]
}

// Fulfillment is one shipment.
type Fulfillment struct{ TrackingID, ItemIDs []string }

// Payment is one entry of a payment history; Kind is payment or refund.
type Payment struct {
	Kind     string
	Amount   float64
	MethodID string
}

var options = record.DictOf(record.String)

var variantType = record.Struct(record.Model{Name: "Variant"},
	record.F("item_id", record.String, func(v *Variant) *string { return &v.ItemID }),
	record.F("options", options, func(v *Variant) *record.Dict[string] { return &v.Options }),
	record.F("available", record.Bool, func(v *Variant) *bool { return &v.Available }),
	record.F("price", record.Float, func(v *Variant) *float64 { return &v.Price }),
)

var productType = record.Struct(record.Model{Name: "Product"},
	record.F("name", record.String, func(p *Product) *string { return &p.Name }),
	record.F("product_id", record.String, func(p *Product) *string { return &p.ProductID }),
	record.F("variants", record.DictOf(variantType), func(p *Product) *record.Dict[Variant] { return &p.Variants }),
)

var addressType = record.Struct(record.Model{Name: "UserAddress"},
	record.F("address1", record.String, func(a *Address) *string { return &a.Address1 }),
	record.F("address2", record.String, func(a *Address) *string { return &a.Address2 }),
	record.F("city", record.String, func(a *Address) *string { return &a.City }),
	record.F("country", record.String, func(a *Address) *string { return &a.Country }),
	record.F("state", record.String, func(a *Address) *string { return &a.State }),
	record.F("zip", record.String, func(a *Address) *string { return &a.Zip }),
)

var nameType = record.Struct(record.Model{Name: "UserName"},
	record.F("first_name", record.String, func(n *Name) *string { return &n.First }),
	record.F("last_name", record.String, func(n *Name) *string { return &n.Last }),
)

func sourceField(source string) record.Field[PaymentMethod] {
	return record.F("source", record.Enum(source), func(m *PaymentMethod) *string { return &m.Source })
}

var methodID = record.F("id", record.String, func(m *PaymentMethod) *string { return &m.ID })

var methodType = record.Union("source", func(m *PaymentMethod) string { return m.Source },
	record.Variant[PaymentMethod]{Tag: "credit_card", Type: record.Struct(record.Model{Name: "CreditCard"}, sourceField("credit_card"), methodID,
		record.F("brand", record.String, func(m *PaymentMethod) *string { return &m.Brand }),
		record.F("last_four", record.String, func(m *PaymentMethod) *string { return &m.LastFour }))},
	record.Variant[PaymentMethod]{Tag: "gift_card", Type: record.Struct(record.Model{Name: "GiftCard"}, sourceField("gift_card"), methodID,
		record.F("balance", record.Float, func(m *PaymentMethod) *float64 { return &m.Balance }))},
	record.Variant[PaymentMethod]{Tag: "paypal", Type: record.Struct(record.Model{Name: "Paypal"}, sourceField("paypal"), methodID)},
)

var userType = record.Struct(record.Model{Name: "User"},
	record.F("user_id", record.String, func(u *User) *string { return &u.UserID }),
	record.F("name", nameType, func(u *User) *Name { return &u.Name }),
	record.F("address", addressType, func(u *User) *Address { return &u.Address }),
	record.F("email", record.String, func(u *User) *string { return &u.Email }),
	record.F("payment_methods", record.DictOf(methodType), func(u *User) *record.Dict[PaymentMethod] { return &u.PaymentMethods }),
	record.F("orders", record.ListOf(record.String), func(u *User) *[]string { return &u.Orders }),
)

var itemType = record.Struct(record.Model{Name: "OrderItem"},
	record.F("name", record.String, func(i *OrderItem) *string { return &i.Name }),
	record.F("product_id", record.String, func(i *OrderItem) *string { return &i.ProductID }),
	record.F("item_id", record.String, func(i *OrderItem) *string { return &i.ItemID }),
	record.F("price", record.Float, func(i *OrderItem) *float64 { return &i.Price }),
	record.F("options", options, func(i *OrderItem) *record.Dict[string] { return &i.Options }),
)

var fulfillmentType = record.Struct(record.Model{Name: "OrderFullfilment"},
	record.F("tracking_id", record.ListOf(record.String), func(f *Fulfillment) *[]string { return &f.TrackingID }),
	record.F("item_ids", record.ListOf(record.String), func(f *Fulfillment) *[]string { return &f.ItemIDs }),
)

var paymentType = record.Struct(record.Model{Name: "OrderPayment"},
	record.F("transaction_type", record.Enum("payment", "refund"), func(p *Payment) *string { return &p.Kind }),
	record.F("amount", record.Float, func(p *Payment) *float64 { return &p.Amount }),
	record.F("payment_method_id", record.String, func(p *Payment) *string { return &p.MethodID }),
)

var orderType = record.Struct(record.Model{Name: "Order"},
	record.F("order_id", record.String, func(o *Order) *string { return &o.OrderID }),
	record.F("user_id", record.String, func(o *Order) *string { return &o.UserID }),
	record.F("address", addressType, func(o *Order) *Address { return &o.Address }),
	record.F("items", record.ListOf(itemType), func(o *Order) *[]OrderItem { return &o.Items }),
	record.F("status", record.Enum("processed", "pending", "pending (item modified)", "delivered", "cancelled",
		"exchange requested", "return requested"), func(o *Order) *string { return &o.Status }),
	record.F("fulfillments", record.ListOf(fulfillmentType), func(o *Order) *[]Fulfillment { return &o.Fulfillments }),
	record.F("payment_history", record.ListOf(paymentType), func(o *Order) *[]Payment { return &o.Payments }),
	record.OrNull("cancel_reason", record.Enum("no longer needed", "ordered by mistake"), func(o *Order) **string { return &o.CancelReason }),
	record.OrNull("exchange_items", record.ListOf(record.String), func(o *Order) **[]string { return &o.ExchangeItems }),
	record.OrNull("exchange_new_items", record.ListOf(record.String), func(o *Order) **[]string { return &o.ExchangeNewItems }),
	record.OrNull("exchange_payment_method_id", record.String, func(o *Order) **string { return &o.ExchangePaymentMethodID }),
	record.OrNull("exchange_price_difference", record.Raw(record.Float), func(o *Order) **value.Value { return &o.ExchangePriceDifference }),
	record.OrNull("return_items", record.ListOf(record.String), func(o *Order) **[]string { return &o.ReturnItems }),
	record.OrNull("return_payment_method_id", record.String, func(o *Order) **string { return &o.ReturnPaymentMethodID }),
)

// DB is a trial's view of the database: what all trials share, and what this one changed.
type DB struct {
	record.Store
	Products *record.Table[Product]
	Users    *record.Table[User]
	Orders   *record.Table[Order]
}

func newDB() *DB {
	db := &DB{
		Products: record.NewTable("products", productType),
		Users:    record.NewTable("users", userType),
		Orders:   record.NewTable("orders", orderType),
	}
	db.Store = record.NewStore("RetailDB", db.Products, db.Users, db.Orders)
	return db
}

func loadDB(v value.Value) (*DB, error) {
	db := newDB()
	return db, db.Load(v)
}
