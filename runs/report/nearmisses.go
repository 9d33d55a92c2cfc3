package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/runs/nearmiss"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// nearMisses is Table 17: the figure by the frozen tables, and that by the reads of the guards at work.
func nearMisses(in Input) (Table, error) {
	f := frame{config: "table17", domains: paperDomains(), splits: test(), kinds: []Kind{ReAct, PolicyGuard, PolicyGuide}}
	audits := map[seat]*audited{}
	for i := range in.Sources {
		if err := in.Sources[i].audit(audits); err != nil {
			return Table{}, err
		}
	}
	of := func(pick func(*audited) ([]nmr.Trace, string), value func(nmr.Figure) Cell) func(row) Cell {
		return func(r row) Cell {
			a := audits[seat{r.source, r.domain, r.system.Name}]
			if a == nil {
				return Dash(fmt.Sprintf("run %s has no records at hand", r.source.Name))
			}
			all, why := pick(a)
			if why != "" {
				return Dash(why)
			}
			return value(nmr.Rate(all))
		}
	}
	table := func(a *audited) ([]nmr.Trace, string) { return a.table, a.noTable }
	path := func(a *audited) ([]nmr.Trace, string) { return a.path, a.noPath }
	rate := func(f nmr.Figure) Cell { return hundredth(f.Rate) }
	missing := func(f nmr.Figure) Cell { return Whole(f.Missing) }
	cols := []metric{
		{Column{"nmr_percent", "Call-NMR %", true}, 1, of(table, rate), in.paper17},
		{Column{"missing", "Lacking a read", true}, 0, of(table, missing), nil},
		{Column{"path_nmr_percent", "by guards %", true}, 1, of(path, rate), nil},
		{Column{"path_missing", "lacking by guards", true}, 0, of(path, missing), nil},
		{Column{"mutations", "Mutations", true}, 0, of(table, func(f nmr.Figure) Cell { return Whole(f.Mutations) }), nil},
		{Column{"trajectories", "Passing Mut", true}, 0, of(table, func(f nmr.Figure) Cell { return Whole(f.Trajectories) }), nil},
	}
	t := in.layoutOf(Table{Number: 17, Name: "nmr", Title: "Call-level near misses"}, f, cols)
	t.Notes = append(t.Notes, "of the agent's mutations that were carried out in passing trajectories of Mut tasks, those before which a read is missing: Call-NMR, one that the guard table of the domain wants (metrics/nmr); by guards, one that ToolGuard's guard of the tool makes on its way to a verdict, in the state before the call",
		"the guard tables are ours, and so are the guards of retail and telecom; those of airline are the released ones; telecom counts the agent's side only")
	return t, nil
}

// audited is what a system's passing records on a domain lack by both readings.
type audited struct {
	table, path     []nmr.Trace
	noTable, noPath string // why there is no figure; "" where there is one
}

// auditor audits the records of one domain.
type auditor struct {
	table   *nmr.Table // nil if the domain has none
	guards  toolguard.Set
	world   *domains.World
	noGuard string // why the guards cannot run

	mu    sync.Mutex
	drift map[string]string // by system, why its figure by guards is undefined
}

// auditor prepares a domain. Only what the program itself gets wrong is an error.
func (s *Source) auditor(domain string) (*auditor, error) {
	a := &auditor{drift: map[string]string{}}
	var err error
	if slices.Contains(nmr.Domains(), domain) {
		if a.table, err = nmr.Load(domain); err != nil {
			return nil, err
		}
	}
	switch {
	case !slices.Contains(toolguard.Domains(), domain):
		a.noGuard = "there are no guards for " + domain
		return a, nil
	case s.World == nil:
		a.noGuard = fmt.Sprintf("the data of %s is not at hand", domain)
		return a, nil
	}
	if a.guards, err = nearmiss.Guards(domain); err != nil {
		return nil, err
	}
	a.world, err = s.World(domain)
	if errors.Is(err, store.ErrData) {
		a.noGuard, err = fmt.Sprintf("the guards need the data of %s: %v", domain, err), nil
	}
	return a, err
}

// both are the calls of a record by the two readings.
type both struct{ table, path []nmr.Call }

// audit looks at a record. What keeps the guards from it is no error: it is kept for the cells.
func (a *auditor) audit(rec sim.Record) (both, error) {
	var out both
	if a.table != nil {
		out.table = a.table.Audit(rec.Messages)
	}
	if a.noGuard != "" {
		return out, nil
	}
	task, ok := a.world.Task(rec.Task)
	if !ok {
		a.drifted(rec, "the data has no such task")
		return out, nil
	}
	var err error
	out.path, err = nearmiss.Audit(context.Background(), a.guards, a.world, task, rec.Messages)
	if errors.Is(err, nearmiss.ErrDrift) {
		a.drifted(rec, err.Error())
		return out, nil
	}
	return out, err
}

// drifted keeps, of the records of a system that the guards cannot look at, the first by its name.
func (a *auditor) drifted(rec sim.Record, why string) {
	text := fmt.Sprintf("%s: %s", rec.Key.String(), why)
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.drift[rec.System]; !ok || text < old {
		a.drift[rec.System] = text
	}
}

// audit looks for missing reads in the passing records of a run.
func (s *Source) audit(out map[seat]*audited) error {
	if s.Record == nil {
		return nil
	}
	by := map[string]*auditor{}
	for _, d := range s.Domains {
		a, err := s.auditor(d.Name)
		if err != nil {
			return err
		}
		if a.table != nil || a.noGuard == "" {
			by[d.Name] = a
		}
	}
	passing := func(o metrics.Outcome) bool { return by[o.Domain] != nil && o.Mut && o.State == metrics.Success }
	calls, err := read(s, passing, func(rec sim.Record) (both, error) { return by[rec.Domain].audit(rec) })
	if err != nil {
		return err
	}
	for _, o := range s.Outcomes {
		a := by[o.Domain]
		if a == nil {
			a = &auditor{noGuard: "there are no guards for " + o.Domain}
		}
		at := seat{s, o.Domain, o.System}
		x := out[at]
		if x == nil {
			x = &audited{noPath: a.noGuard}
			if a.table == nil {
				x.noTable = "there is no guard table for " + o.Domain
			}
			if x.noPath == "" {
				x.noPath = a.drift[o.System]
			}
			out[at] = x
		}
		c := calls[key(o)]
		trace := nmr.Trace{Domain: o.Domain, System: o.System, Task: o.Task, Trial: o.Trial, Mut: o.Mut, State: o.State, Calls: c.table}
		x.table = append(x.table, trace)
		trace.Calls = c.path
		x.path = append(x.path, trace)
	}
	return nil
}
