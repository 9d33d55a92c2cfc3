package telecom

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// syncSides carries what the company knows of the user's line to the user's surroundings, and payments back
// (docs/reference/domains.md#sync). It never touches the phone: only a network search makes the phone notice. It
// looks at a dozen records and dumps nothing.
func syncSides(agent, user domains.Database) error {
	u, ok := user.(*UserDB)
	if !ok {
		return domains.Refuse("'%s' object has no attribute 'surroundings'", user.Class())
	}
	s := &u.Root.Surroundings
	if s.Phone.IsNull() {
		return nil
	}
	db, ok := agent.(*AgentDB)
	if !ok {
		return domains.Refuse("'%s' object has no attribute 'lines'", agent.Class())
	}
	l, err := db.lineByPhone(s.Phone)
	if err != nil {
		return err
	}
	s.LineActive = l.Status == lineActive
	s.RoamingAllowed = l.Roaming
	p, err := db.planOf(l)
	if err != nil {
		return err
	}
	if s.UsageExceeded, err = reached(l.DataUsed, p.DataLimit+l.DataRefueled); err != nil {
		return err
	}
	return syncPayments(db, s)
}

// syncPayments settles a request that the user has paid, and passes on the next one.
func syncPayments(db *AgentDB, s *Surroundings) error {
	if r := s.PaymentRequest; r != nil && r.Paid {
		b, err := db.bill(value.OfString(r.BillID))
		if err != nil {
			return err
		}
		b.Status, s.PaymentRequest = billPaid, nil
	}
	if s.PaymentRequest != nil {
		return nil
	}
	c, err := db.customerByPhone(s.Phone)
	if err != nil {
		return err
	}
	b, err := db.firstBill(c, billAwaiting)
	if err != nil || b == nil {
		return err
	}
	s.PaymentRequest = &PaymentRequest{BillID: b.ID, Amount: b.Total}
	return nil
}

// reached reports used >= limit. A float, which it is unless a task has put something else there, is compared without
// the exactness that integers of any size need.
func reached(used value.Value, limit float64) (bool, error) {
	if f, ok := used.Float64(); ok && used.Kind() == value.Float {
		return f >= limit, nil
	}
	c, ok, err := value.Compare(used, value.OfFloat(limit), ">=")
	return ok && c >= 0, err
}
