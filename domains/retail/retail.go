// Package retail is an online shop: customers cancel, change, return and exchange orders
// (docs/reference/domains.md#retail). All tools are the agent's.
package retail

import (
	"embed"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
)

//go:embed data
var embedded embed.FS

// Domain returns the retail domain.
func Domain() domains.Domain {
	return domains.Domain{Name: "retail", Summary: "an online shop: cancel, change, return and exchange orders", Open: open}
}

func open(d domains.Data, o domains.Options) (*domains.World, error) {
	if o.Solo {
		return nil, domains.Refusal("Retail domain does not support solo mode")
	}
	f, err := d.Domain("retail", embedded)
	if err != nil {
		return nil, err
	}
	w := &domains.World{Name: "retail", Options: o}
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
	return w, f.Complete(w, toolkit.Bind(toolkit.Class{Name: "RetailTools", Attribute: "orders"}, tools, nil), nil)
}
