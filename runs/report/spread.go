package report

import (
	"fmt"

	"github.com/tauguide/tauguide/metrics"
)

// mainFrame is the rows of Table 1, and of those that break it down.
func mainFrame() frame {
	return frame{config: "table1", domains: paperDomains(), splits: base(), kinds: []Kind{ReAct, ToolGuard, PolicyGuard, PolicyGuide},
		scope: map[Kind]string{ToolGuard: "airline", FlowAgent: "telecom"}}
}

// breakdown is Table 10.
func breakdown(in Input) Table {
	var cols []metric
	for k := 1; k <= paperTrials; k++ {
		cols = append(cols, metric{Column{fmt.Sprintf("pass^%d", k), fmt.Sprintf("Pass^%d", k), true}, 3,
			func(r row) Cell { return estimate(metrics.PassHat(r.own, k)) }, func(r row) *float64 { return in.paper10(r, k-1) }})
	}
	cols = append(cols, metric{Column{"consistency", "Pass^4/Pass^1", true}, 2, func(r row) Cell {
		e := metrics.Consistency(r.own, paperTrials)
		if !e.Defined {
			return Dash(e.Reason)
		}
		return Number(e.Value, 2)
	}, func(r row) *float64 { return in.paper10(r, paperTrials) }})
	for k := 2; k <= paperTrials; k++ {
		cols = append(cols, metric{Column{fmt.Sprintf("pass@%d", k), fmt.Sprintf("pass@%d", k), true}, 3,
			func(r row) Cell { return estimate(metrics.PassAt(r.own, k)) }, nil})
	}
	t := in.layoutOf(Table{Number: 10, Name: "pass-k", Title: "Pass^k by k"}, mainFrame(), cols)
	t.Notes = append(t.Notes, "Pass^k: all of k trials succeed; pass@k: any of them does")
	return t
}

// perTrial is Table 11. It has a column for each trial of the run with the most, and the paper's four at least.
func perTrial(in Input) Table {
	n := paperTrials
	for _, s := range in.Sources {
		n = max(n, metrics.MaxTrials(s.Outcomes))
	}
	const most = 16 // columns that a page bears
	shown := min(n, most)
	// The spread of a row is computed once for all of its columns.
	spreads := map[*metrics.Outcome]metrics.Spread{}
	spread := func(r row) metrics.Spread {
		s, ok := spreads[&r.own[0]]
		if !ok {
			s = metrics.PerTrial(r.own)
			spreads[&r.own[0]] = s
		}
		return s
	}
	var cols []metric
	for i := range shown {
		cols = append(cols, metric{Column{fmt.Sprintf("trial_%d", i), fmt.Sprintf("T%d", i+1), true}, 3, func(r row) Cell {
			for _, x := range spread(r).Trials {
				if x.Trial == i {
					return estimate(x.Pass)
				}
			}
			return Dash(fmt.Sprintf("no trial %d", i))
		}, func(r row) *float64 { return in.paper11(r, i) }})
	}
	cols = append(cols, metric{Column{"mean", "Mean", true}, 3, func(r row) Cell { return estimate(spread(r).Mean) }, nil},
		metric{Column{"deviation", "pstd", true}, 3, func(r row) Cell { return estimate(spread(r).Deviation) }, func(r row) *float64 { return in.paper11(r, paperTrials) }})
	t := in.layoutOf(Table{Number: 11, Name: "trials", Title: "Pass^1 of each trial"}, mainFrame(), cols)
	t.Notes = append(t.Notes, "pstd: population standard deviation over the trials; T1 is the trial that is called 0 in keys")
	if n > shown {
		t.Notes = append(t.Notes, fmt.Sprintf("the first %d of %d trials are shown; mean and pstd are of all", shown, n))
	}
	return t
}
