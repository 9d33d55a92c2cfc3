// Package telecom is the hotline of a phone company: customers have no service, no mobile data or no picture messages,
// and the agent talks them through mending it on a simulated phone, which only the user can touch
// (docs/reference/domains.md#telecom). Both sides have tools; a sync links their databases.
package telecom

import (
	"embed"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
)

//go:embed data
var embedded embed.FS

// Domain returns the telecom domain.
func Domain() domains.Domain {
	return domains.Domain{Name: "telecom", Summary: "a phone company's hotline: mend service, mobile data and picture messages on the user's phone", Open: open}
}

func open(d domains.Data, o domains.Options) (*domains.World, error) {
	f, err := d.Domain("telecom", embedded)
	if err != nil {
		return nil, err
	}
	w := &domains.World{Name: "telecom", Options: o, SyncFunc: syncSides}
	if err := readPolicy(f, w); err != nil {
		return nil, err
	}
	accounts, err := domains.Load(f, "db.toml", accountsType.Load)
	if err != nil {
		return nil, err
	}
	handset, err := domains.Load(f, "user_db.toml", handsetType.Load)
	if err != nil {
		return nil, err
	}
	profile := usualVPN()
	w.Fresh = func() (domains.Database, domains.Database) {
		return newAgentDB(&accounts), newUserDB(&handset, profile)
	}
	agent := toolkit.Bind(toolkit.Class{Name: "TelecomTools", Attribute: "customers"}, agentTools, agentFuncs)
	user := toolkit.Bind(toolkit.Class{Name: "TelecomUserTools", Attribute: "device"}, userTools, userFuncs)
	return w, f.Complete(w, agent, user)
}
