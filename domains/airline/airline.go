// Package airline is an airline's service desk: customers book flights, change and cancel reservations and are
// compensated (docs/reference/domains.md#airline). All tools are the agent's. What the policy says of prices, free bags,
// compensation and cancellation is the agent's to keep: the tools do not enforce it.
package airline

import (
	"embed"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
)

//go:embed data
var embedded embed.FS

// Domain returns the airline domain.
func Domain() domains.Domain {
	return domains.Domain{Name: "airline", Summary: "an airline: book flights, change and cancel reservations", Open: open}
}

func open(d domains.Data, o domains.Options) (*domains.World, error) {
	if o.Solo {
		return nil, domains.Refusal("Airline domain does not support solo mode")
	}
	f, err := d.Domain("airline", embedded)
	if err != nil {
		return nil, err
	}
	w := &domains.World{Name: "airline", Options: o}
	if w.Policy, err = f.Text("policy.md"); err != nil {
		return nil, err
	}
	shipped, err := domains.Load(f, "db.json", loadDB)
	if err != nil {
		return nil, err
	}
	w.Fresh = func() (domains.Database, domains.Database) {
		db := newDB()
		db.Share(&shipped.Store)
		return db, nil
	}
	return w, f.Complete(w, toolkit.Bind(toolkit.Class{Name: "AirlineTools", Attribute: "reservations"}, tools, nil), nil)
}
