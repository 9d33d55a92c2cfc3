package main

import (
	"fmt"
	"strings"
)

// draft is a task together with what the generator needs to prove it sound.
type draft struct {
	id       string
	test     bool // belongs to the test split
	pv       bool // the right outcome leaves the database alone
	who      *user
	purpose  string
	policies string
	notes    string

	persona string
	reason  string
	known   string
	unknown string
	conduct string

	plan        []call
	demands     []call // asked for by the user and to be refused
	temptations []temptation
	figures     func(*database) []float64 // amounts the agent has to tell, read after the plan
	assertions  []string
}

// temptation is a wrong call that the tools would carry out. breaksRule tells
// a call that the policy forbids as such from one that stands in for a refused
// request and that the user never asked for.
type temptation struct {
	call       call
	breaksRule bool
}

type task struct {
	ID          string      `json:"id"`
	Description description `json:"description"`
	Scenario    scenario    `json:"user_scenario"`
	Initial     *struct{}   `json:"initial_state"`
	Criteria    criteria    `json:"evaluation_criteria"`
	Temptation  []call      `json:"temptation,omitempty"`
}

type description struct {
	Purpose  string  `json:"purpose"`
	Policies string  `json:"relevant_policies"`
	Notes    *string `json:"notes"`
}

type scenario struct {
	Persona      *string      `json:"persona"`
	Instructions instructions `json:"instructions"`
}

type instructions struct {
	Domain  string  `json:"domain"`
	Reason  string  `json:"reason_for_call"`
	Known   string  `json:"known_info"`
	Unknown *string `json:"unknown_info"`
	Conduct string  `json:"task_instructions"`
}

type criteria struct {
	Actions     []action `json:"actions"`
	Communicate []string `json:"communicate_info"`
	Assertions  []string `json:"nl_assertions"`
	Basis       []string `json:"reward_basis"`
}

type action struct {
	ID string `json:"action_id"`
	call
	Info      *string `json:"info"`
	Requestor string  `json:"requestor"`
}

// task renders the draft with the figures that the agent must state.
func (d draft) task(figures []string) task {
	t := task{
		ID:          d.id,
		Description: description{d.purpose, d.policies, orNull(d.notes)},
		Scenario: scenario{orNull(d.persona), instructions{
			Domain: "retail", Reason: d.reason, Known: d.known, Unknown: orNull(d.unknown), Conduct: d.conduct,
		}},
		Criteria: criteria{Communicate: figures, Assertions: d.assertions, Basis: []string{"DB", "COMMUNICATE"}},
	}
	if len(d.assertions) > 0 {
		t.Criteria.Basis = []string{"DB", "NL_ASSERTION"}
	}
	for n, c := range d.plan {
		t.Criteria.Actions = append(t.Criteria.Actions, action{ID: fmt.Sprintf("%s/%d", d.id, n), call: c, Requestor: "assistant"})
	}
	for _, c := range d.temptations {
		t.Temptation = append(t.Temptation, c.call)
	}
	return t
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// spell writes the figures of the task as an agent would. Amounts that end in
// a zero cent are refused, since 12.50 and 12.5 would both be right.
func spell(d draft, db *database) ([]string, error) {
	out := []string{}
	if d.figures == nil {
		return out, nil
	}
	for _, f := range d.figures(db) {
		s := fmt.Sprintf("%.2f", f)
		if f <= 0 || strings.HasSuffix(s, "0") {
			return nil, fmt.Errorf("the figure %s can be spelt in two ways: change the amounts", s)
		}
		out = append(out, s)
	}
	return out, nil
}

// stories adds the tasks and the customers and orders they are about. The two
// kinds alternate, so that any prefix of the list holds both.
func (g *generator) stories() {
	g.cancelGiftCardOrder()
	g.cancelShippedOrder()
	g.switchPaymentAndRedirect()
	g.returnFromCancelledOrder()
	g.changeTwoItemsThenAddress()
	g.kettleForToaster()
	g.exchangeWithFallback()
	g.orderOfSpouse()
	g.returnBothCopies()
	g.giftCardTooSmall()
	g.returnToGiftCardAndMove()
	g.priceMatch()
	g.cancelOneReturnOne()
	g.cancelFoundCheaper()
	g.upgradeOnGiftCard()
	g.resizeAndDropDuplicate()
}

func (g *generator) add(d draft) { g.drafts = append(g.drafts, d) }

func byMail(u *user) call { return do("find_user_id_by_email", "email", u.Email) }

func byName(u *user) call {
	return do("find_user_id_by_name_zip", "first_name", u.Name.First, "last_name", u.Name.Last, "zip", u.Address.Zip)
}

func readUser(u *user) call { return do("get_user_details", "user_id", u.UserID) }

func readOrder(o *order) call { return do("get_order_details", "order_id", o.OrderID) }

func readProduct(it orderItem) call { return do("get_product_details", "product_id", it.ProductID) }

func cancelCall(o *order, reason string) call {
	return do("cancel_pending_order", "order_id", o.OrderID, "reason", reason)
}

func returnCall(o *order, methodID string, items ...orderItem) call {
	return do("return_delivered_order_items", "order_id", o.OrderID, "item_ids", idsOf(items), "payment_method_id", methodID)
}

func payCall(o *order, methodID string) call {
	return do("modify_pending_order_payment", "order_id", o.OrderID, "payment_method_id", methodID)
}

func exchangeCall(o *order, methodID string, old, fresh []orderItem) call {
	return do("exchange_delivered_order_items", "order_id", o.OrderID,
		"item_ids", idsOf(old), "new_item_ids", idsOf(fresh), "payment_method_id", methodID)
}

func modifyCall(o *order, methodID string, old, fresh []orderItem) call {
	return do("modify_pending_order_items", "order_id", o.OrderID,
		"item_ids", idsOf(old), "new_item_ids", idsOf(fresh), "payment_method_id", methodID)
}

// addressCall is an address change of an order or of a user's profile.
func addressCall(tool, key, id string, a address) call {
	return do(tool, key, id, "address1", a.Address1, "address2", a.Address2,
		"city", a.City, "state", a.State, "country", a.Country, "zip", a.Zip)
}

func idsOf(items []orderItem) []string {
	ids := make([]string, 0, len(items))
	for _, it := range items {
		ids = append(ids, it.ItemID)
	}
	return ids
}

func sum(items ...orderItem) float64 {
	total := 0.0
	for _, it := range items {
		total += it.Price
	}
	return cents(total)
}

// introduce states what the customer knows about themselves by name.
func introduce(u *user) string {
	return fmt.Sprintf("Your name is %s %s and your zip code is %s.", u.Name.First, u.Name.Last, u.Address.Zip)
}

// introduceByMail adds the e-mail address instead of the zip code.
func introduceByMail(u *user) string {
	return fmt.Sprintf("Your name is %s %s and your e-mail address is %s.", u.Name.First, u.Name.Last, u.Email)
}

// spoken writes an address as a customer would say it.
func (a address) spoken() string {
	parts := []string{a.Address1}
	if a.Address2 != "" {
		parts = append(parts, a.Address2)
	}
	return strings.Join(append(parts, a.City, a.State+" "+a.Zip, a.Country), ", ")
}
