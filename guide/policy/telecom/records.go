// Package telecom holds the facts and rules of the carrier's policy: what its tools have shown (Known), what customer and
// agent have said, what the customer has reported of the phone, and what the policy allows.
package telecom

import (
	"time"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Now is the hour that the policy gives; its zone is left out, as dates are compared only.
func Now() time.Time { return time.Date(2025, 2, 25, 12, 8, 0, 0, time.UTC) }

// States of a bill that the policy speaks of.
const (
	Overdue  = "Overdue"
	Awaiting = "Awaiting Payment"
)

// MaxRefuel is how many gigabytes are added to a line in a month at most.
const MaxRefuel = 2

// Ended reports whether a contract's last day is before a moment's.
func Ended(date string, now time.Time) bool {
	end, err := guide.ParseDate(date)
	return err == nil && end.AddDate(0, 0, 1).Before(now)
}

// Line is a line as far as results have shown it. What is not known is -1 or "".
type Line struct {
	ID, Status            string
	Roaming               string // on, off
	Own                   bool   // it is the identified customer's
	Given                 bool   // the customer gave its number, or said yes when the agent named it
	Ended                 bool   // its contract
	Used, Limit, Refueled float64
	Price                 float64 // of a gigabyte, by the line's plan
}

// Exceeded says whether the line's data are used up: yes, no or "".
func (l Line) Exceeded() string {
	if l.Used < 0 || l.Limit < 0 || l.Refueled < 0 {
		return ""
	}
	return yesNo(l.Used >= l.Limit+l.Refueled)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Bill is a bill as far as results have shown it.
type Bill struct {
	ID, Status string
	Own        bool    // it is the identified customer's
	Total      float64 // in dollars, -1 while it is not known
}

// quantity is a number of a record, -1 if it is not known.
func quantity(r policy.Record, key string) float64 {
	if n, ok := r.Quantity(key); ok {
		return n
	}
	return -1
}
