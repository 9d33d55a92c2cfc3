package main

import (
	"fmt"
	"math"
	"slices"
)

// world is a carrier and one customer's phone.
type world struct {
	*database
	*phone
}

// do makes a call on its side and carries its effects over to the other one.
// Set-up functions are accepted as well as tools.
func (w *world) do(c call) error {
	var err error
	switch c.side {
	case agentSide:
		err = w.serve(c)
	case userSide:
		err = w.prepare(c)
	default:
		err = fmt.Errorf("there is no side %q", c.side)
	}
	if err != nil {
		return err
	}
	return w.sync()
}

// sync tells the phone what the carrier did with its line, and settles a paid
// request. It never searches for a network: the phone notices that later.
func (w *world) sync() error {
	if w.phone.number == "" {
		return nil
	}
	l, err := w.lineByNumber(w.phone.number)
	if err != nil {
		return err
	}
	p, err := w.plan(l.planID)
	if err != nil {
		return err
	}
	w.lineActive, w.roamingAllowed = l.status == "Active", l.roaming
	w.exceeded = l.used >= p.limit+l.refuelled
	if w.request != nil && w.request.paid {
		b, err := w.bill(w.request.billID)
		if err != nil {
			return err
		}
		b.status, w.request = "Paid", nil
	}
	if w.request == nil {
		owner, err := w.byNumber(w.phone.number)
		if err != nil {
			return err
		}
		if waiting := w.billsOf(owner, "Awaiting Payment"); len(waiting) > 0 {
			w.request = &request{billID: waiting[0].id}
		}
	}
	return nil
}

// assertion is a statement about the end of a conversation.
type assertion struct {
	call
	want    bool
	message string
}

// holds evaluates an assertion. Functions that fail instead of answering are
// not offered: one of those would end an evaluation.
func (w *world) holds(a assertion) (bool, error) {
	got, err := w.ask(a.call)
	return got == a.want, err
}

func (w *world) ask(c call) (bool, error) {
	expected, _ := c.args.rows["expected_status"].(bool)
	switch c.side + "." + c.name {
	case "user.assert_service_status":
		return w.phone.status == c.text("expected_status"), nil
	case "user.assert_mobile_data_status":
		return w.online() == expected, nil
	case "user.assert_mobile_data_saver_mode_status":
		return w.saver == expected, nil
	case "user.assert_mobile_roaming_status":
		return w.phone.roaming == expected, nil
	case "user.assert_airplane_mode_status":
		return w.airplane == expected, nil
	case "user.assert_can_send_mms":
		return w.sendsMMS() == expected, nil
	case "user.assert_mobile_data_usage_exceeded":
		return w.exceeded == expected, nil
	case "user.assert_internet_speed":
		if c.text("expected_desc") != "excellent" {
			return false, fmt.Errorf("only the grade excellent is known, not %q", c.text("expected_desc"))
		}
		s := w.speed()
		return s >= c.number("expected_speed") && s >= 100, nil
	case "assistant.assert_no_overdue_bill":
		b, err := w.bill(c.text("overdue_bill_id"))
		return err != nil || b.status == "Paid", nil
	}
	_, l, err := w.target(c)
	if err != nil {
		return false, err
	}
	switch c.side + "." + c.name {
	case "assistant.assert_line_status":
		return l.status == c.text("expected_status"), nil
	case "assistant.assert_data_refueling_amount":
		return math.Abs(l.refuelled-c.number("expected_amount")) < 1e-6, nil
	}
	return false, fmt.Errorf("no assertion is called %s on the side %s", c.name, c.side)
}

// unmet returns the names of the assertions that do not hold.
func (w *world) unmet(as []assertion) ([]string, error) {
	var out []string
	for _, a := range as {
		ok, err := w.holds(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		if !ok {
			out = append(out, a.name)
		}
	}
	return out, nil
}

// snapshot renders what tools can change, to tell whether they did.
func (w *world) snapshot() string {
	p := *w.phone
	owed := ""
	if p.request != nil {
		owed, p.request = p.request.billID, nil
	}
	return string(w.database.toml()) + fmt.Sprintf("%+v %s", p, owed)
}

// mutating tells whether the tool changes something when it succeeds.
func mutating(c call) bool {
	if c.side == agentSide {
		return slices.Contains(carrierWrites(), c.name)
	}
	return slices.Contains(phoneWrites(), c.name)
}
