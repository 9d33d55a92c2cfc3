package main

import (
	"bytes"
	"encoding/json"
	"slices"
)

// table is a JSON object whose members keep the order in which they were put.
type table[T any] struct {
	keys []string
	rows map[string]T
}

func (t *table[T]) put(key string, row T) {
	if t.rows == nil {
		t.rows = map[string]T{}
	}
	if _, ok := t.rows[key]; !ok {
		t.keys = append(t.keys, key)
	}
	t.rows[key] = row
}

func (t *table[T]) get(key string) (T, bool) {
	row, ok := t.rows[key]
	return row, ok
}

// MarshalJSON implements json.Marshaler.
func (t table[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range t.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(key)
		if err != nil {
			return nil, err
		}
		row, err := encode(t.rows[key])
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(row)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without the escapes meant for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

type database struct {
	Products table[*product] `json:"products"`
	Users    table[*user]    `json:"users"`
	Orders   table[*order]   `json:"orders"`
}

type product struct {
	Name      string          `json:"name"`
	ProductID string          `json:"product_id"`
	Variants  table[*variant] `json:"variants"`
}

type variant struct {
	ItemID    string        `json:"item_id"`
	Options   table[string] `json:"options"`
	Available bool          `json:"available"`
	Price     float64       `json:"price"`
}

type user struct {
	UserID         string         `json:"user_id"`
	Name           fullName       `json:"name"`
	Address        address        `json:"address"`
	Email          string         `json:"email"`
	PaymentMethods table[*method] `json:"payment_methods"`
	Orders         []string       `json:"orders"`
}

type fullName struct {
	First string `json:"first_name"`
	Last  string `json:"last_name"`
}

type address struct {
	Address1 string `json:"address1"`
	Address2 string `json:"address2"`
	City     string `json:"city"`
	Country  string `json:"country"`
	State    string `json:"state"`
	Zip      string `json:"zip"`
}

// method is a payment method. Brand and LastFour belong to credit cards,
// Balance (US dollars) to gift cards.
type method struct {
	Source   string   `json:"source"`
	ID       string   `json:"id"`
	Brand    string   `json:"brand,omitempty"`
	LastFour string   `json:"last_four,omitempty"`
	Balance  *float64 `json:"balance,omitempty"`
}

type order struct {
	OrderID                 string        `json:"order_id"`
	UserID                  string        `json:"user_id"`
	Address                 address       `json:"address"`
	Items                   []orderItem   `json:"items"`
	Status                  string        `json:"status"`
	Fulfillments            []fulfillment `json:"fulfillments"`
	PaymentHistory          []payment     `json:"payment_history"`
	CancelReason            string        `json:"cancel_reason,omitempty"`
	ExchangeItems           []string      `json:"exchange_items,omitempty"`
	ExchangeNewItems        []string      `json:"exchange_new_items,omitempty"`
	ExchangePaymentMethodID string        `json:"exchange_payment_method_id,omitempty"`
	ExchangePriceDifference *float64      `json:"exchange_price_difference,omitempty"`
	ReturnItems             []string      `json:"return_items,omitempty"`
	ReturnPaymentMethodID   string        `json:"return_payment_method_id,omitempty"`
}

type orderItem struct {
	Name      string        `json:"name"`
	ProductID string        `json:"product_id"`
	ItemID    string        `json:"item_id"`
	Price     float64       `json:"price"`
	Options   table[string] `json:"options"`
}

type fulfillment struct {
	TrackingID []string `json:"tracking_id"`
	ItemIDs    []string `json:"item_ids"`
}

type payment struct {
	TransactionType string  `json:"transaction_type"`
	Amount          float64 `json:"amount"`
	PaymentMethodID string  `json:"payment_method_id"`
}

// call is a tool call with its arguments in the order of the tool's parameters.
type call struct {
	Name      string     `json:"name"`
	Arguments table[any] `json:"arguments"`
}

// do builds a call from a tool name and alternating parameter names and values.
func do(name string, pairs ...any) call {
	c := call{Name: name}
	for i := 0; i+1 < len(pairs); i += 2 {
		c.Arguments.put(pairs[i].(string), pairs[i+1])
	}
	return c
}

func (c call) text(parameter string) string {
	v, _ := c.Arguments.get(parameter)
	s, _ := v.(string)
	return s
}

func (c call) list(parameter string) []string {
	v, _ := c.Arguments.get(parameter)
	s, _ := v.([]string)
	return s
}

func (c call) same(other call) bool {
	a, errA := encode(c)
	b, errB := encode(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

func (o *order) total() float64 {
	sum := 0.0
	for _, it := range o.Items {
		sum += it.Price
	}
	return cents(sum)
}

func (o *order) itemIDs() []string {
	ids := make([]string, 0, len(o.Items))
	for _, it := range o.Items {
		ids = append(ids, it.ItemID)
	}
	return ids
}

func (o *order) count(itemID string) int {
	n := 0
	for _, it := range o.Items {
		if it.ItemID == itemID {
			n++
		}
	}
	return n
}

// find returns the position of the first item with the id, -1 if there is none.
func (o *order) find(itemID string) int {
	return slices.IndexFunc(o.Items, func(it orderItem) bool { return it.ItemID == itemID })
}
