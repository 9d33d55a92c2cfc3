package report

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/runs/nearmiss"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// reading is the near misses of a row by one of the two ways to find them.
type reading struct {
	nmr.Figure
	why string // there is no figure; "" if there is
}

// readings are the near misses by the frozen tables, and those by the reads of the guards themselves.
type readings struct{ table, guards reading }

// nearMisses is Table 17.
func nearMisses(in Input, t *Table) error {
	s := others("table17", test, ReAct, PolicyGuard, PolicyGuide)
	of, err := eachRow(s.rows(in.Sources), row.audit)
	if err != nil {
		return err
	}
	cell := func(which func(readings) reading, value func(nmr.Figure) Cell) func(row) Cell {
		return func(r row) Cell {
			x := which(of(r))
			if x.why != "" {
				return Dash(x.why)
			}
			return value(x.Figure)
		}
	}
	table := func(x readings) reading { return x.table }
	guards := func(x readings) reading { return x.guards }
	rate := func(f nmr.Figure) Cell { return percent(f.Rate) }
	missing := func(f nmr.Figure) Cell { return Whole(f.Missing) }
	return bySystem(s, []column[row]{
		{"nmr_percent", "Call-NMR %", 1, "table17.$kind.$domain", cell(table, rate)},
		{"missing", "Lacking a read", 0, "", cell(table, missing)},
		{"path_nmr_percent", "by guards %", 1, "", cell(guards, rate)},
		{"path_missing", "lacking by guards", 0, "", cell(guards, missing)},
		{"mutations", "Mutations", 0, "", cell(table, func(f nmr.Figure) Cell { return Whole(f.Mutations) })},
		{"trajectories", "Passing Mut", 0, "", cell(table, func(f nmr.Figure) Cell { return Whole(f.Trajectories) })},
	}, "of the agent's mutations that were carried out in passing trajectories of Mut tasks, those before which a read is missing: Call-NMR, one that the guard table of the domain wants (metrics/nmr); by guards, one that ToolGuard's guard of the tool makes on its way to a verdict, in the state before the call",
		"the guard tables are ours, and so are the guards of retail and telecom; those of airline are the released ones; telecom counts the agent's side only")(in, t)
}

// auditor looks for missing reads in the records of one domain.
type auditor struct {
	table    *nmr.Table // nil if the domain has none
	guards   toolguard.Set
	world    *domains.World
	noGuards string // why the guards cannot run; "" if they can
}

// auditor prepares a domain. Only what the program itself gets wrong is an error.
func (s *Source) auditor(domain string) (auditor, error) {
	var a auditor
	var err error
	if slices.Contains(nmr.Domains(), domain) {
		if a.table, err = nmr.Load(domain); err != nil {
			return a, err
		}
	}
	switch {
	case !slices.Contains(toolguard.Domains(), domain):
		a.noGuards = "there are no guards for " + domain
		return a, nil
	case s.World == nil:
		a.noGuards = fmt.Sprintf("the data of %s is not at hand", domain)
		return a, nil
	}
	if a.guards, err = nearmiss.Guards(domain); err != nil {
		return a, err
	}
	a.world, err = s.World(domain)
	if errors.Is(err, store.ErrData) {
		a.noGuards, err = fmt.Sprintf("the guards need the data of %s: %v", domain, err), nil
	}
	return a, err
}

// audited is the calls of a record by the two readings.
type audited struct {
	byTable, byGuards []nmr.Call
	drift             string // why the guards cannot look at the record; "" if they can
}

func (a auditor) audit(rec sim.Record) (audited, error) {
	var out audited
	if a.table != nil {
		out.byTable = a.table.Audit(rec.Messages)
	}
	if a.noGuards != "" {
		return out, nil
	}
	task, ok := a.world.Task(rec.Task)
	if !ok {
		out.drift = fmt.Sprintf("%s: the data has no such task", rec.Key)
		return out, nil
	}
	var err error
	out.byGuards, err = nearmiss.Audit(context.Background(), a.guards, a.world, task, rec.Messages)
	if errors.Is(err, nearmiss.ErrDrift) {
		out.drift, err = fmt.Sprintf("%s: %v", rec.Key, err), nil
	}
	return out, err
}

// audit looks for missing reads in the passing Mut records of a row. Where the guards cannot look at one of them, there is
// no figure by guards.
func (r row) audit() (readings, error) {
	var out readings
	if r.source.Record == nil {
		none := reading{why: fmt.Sprintf("run %s has no records at hand", r.source.Name)}
		return readings{none, none}, nil
	}
	a, err := r.source.auditor(r.domain)
	if err != nil {
		return out, err
	}
	calls, err := readRecords(r, func(o metrics.Outcome) bool {
		return o.Mut && o.State == metrics.Success && (a.table != nil || a.noGuards == "")
	}, a.audit)
	if err != nil {
		return out, err
	}
	out.guards.why = a.noGuards
	if a.table == nil {
		out.table.why = "there is no guard table for " + r.domain
	}
	var table, guards []nmr.Trace
	for _, o := range r.outcomes {
		c := calls[key(o)]
		if c.drift != "" && (out.guards.why == "" || c.drift < out.guards.why) {
			out.guards.why = c.drift
		}
		table = append(table, nmr.Trace{Outcome: o, Calls: c.byTable})
		guards = append(guards, nmr.Trace{Outcome: o, Calls: c.byGuards})
	}
	out.table.Figure, out.guards.Figure = nmr.Rate(table), nmr.Rate(guards)
	return out, nil
}
