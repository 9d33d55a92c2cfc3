// Package mock is the smallest domain: a to-do list on the agent's side, an inbox on the user's
// (docs/reference/domains.md#mock). It exists to exercise every feature of the harness cheaply.
package mock

import (
	"embed"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/toolkit"
)

//go:embed data
var embedded embed.FS

// Domain returns the mock domain.
func Domain() domains.Domain {
	return domains.Domain{Name: "mock", Summary: "a to-do list: the smallest domain, for trying things out", Open: open}
}

func open(d domains.Data, o domains.Options) (*domains.World, error) {
	f, err := d.Domain("mock", embedded)
	if err != nil {
		return nil, err
	}
	w := &domains.World{Name: "mock", Options: o}
	policy := "policy.md"
	if o.Solo {
		policy = "policy_solo.md"
	}
	if w.Policy, err = f.Text(policy); err != nil {
		return nil, err
	}
	w.Documents = []domains.Document{{Name: policy, Text: w.Policy}}
	board, err := domains.Load(f, "db.json", boardType.Load)
	if err != nil {
		return nil, err
	}
	inbox, err := domains.Load(f, "user_db.json", inboxType.Load)
	if err != nil {
		return nil, err
	}
	w.Fresh = func() (domains.Database, domains.Database) {
		agent, user := record.NewTree(boardType, &board), record.NewTree(inboxType, &inbox)
		return &agent, &user
	}
	agent := toolkit.Bind(toolkit.Class{Name: "MockTools", Attribute: "users"}, agentTools, agentFuncs)
	user := toolkit.Bind(toolkit.Class{Name: "MockUserTools", Attribute: "notifications"}, userTools, userFuncs)
	return w, f.Complete(w, agent, user)
}
