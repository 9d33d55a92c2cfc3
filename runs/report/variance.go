package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
)

// pooled names a row that is over all domains of its run, each set against its own mean.
const pooled = "pooled"

// byDomain are the rows of all runs, and for those systems that have means the pooled ones.
func (in Input) byDomain() (out []row) {
	for i := range in.Sources {
		out = append(out, in.Sources[i].rows()...)
		for _, r := range in.Sources[i].means() {
			r.domain = pooled
			out = append(out, r)
		}
	}
	return out
}

// variance is the table of how much of a system's results differs between tasks, and how much between trials of one.
func variance(in Input, t *Table) error {
	n := remarks{in: in}
	split := func(value func(metrics.Variation) metrics.Estimate) func(row) Cell {
		return func(r row) Cell {
			v, ok := metrics.SplitOf(r.parts(metrics.All)...)
			if !ok {
				c := Dash("it takes two tasks with two usable trials")
				n.undefined(r, c)
				return c
			}
			c := estimate(value(v), 3)
			n.undefined(r, c)
			return c
		}
	}
	known := func(v float64) metrics.Estimate { return metrics.Estimate{Value: v, Defined: true} }
	fill(t, slices.Concat(whose(len(in.Sources) > 1, false), coverage(), []column[row]{
		{"pass^1", "Pass^1", 3, "", func(r row) Cell { return share(plainMean(r)) }},
		{"between_tasks", "Variance|between tasks|Between tasks", 3, "", split(func(v metrics.Variation) metrics.Estimate { return known(v.Between) })},
		{"within_tasks", "Variance|within tasks|Within tasks", 3, "", split(func(v metrics.Variation) metrics.Estimate { return known(v.Within) })},
		{"intraclass", "Intraclass|correlation", 3, "", split(metrics.Variation.Intraclass)},
	}), in.byDomain(), nil)
	t.Notes = append(t.Notes, n.lines()...)
	t.Notes = append(t.Notes, "between tasks: variance of the chance of success over tasks; within: of a trial, the mean over tasks; intraclass correlation: of two trials of a task, the part that is between tasks",
		"pooled: over the domains of a run, each of whose tasks is set against its own mean; Pass^1 there is the mean over domains")
	return nil
}

// plainMean is Pass^1 of a row, without its interval.
func plainMean(r row) metrics.Estimate {
	e := metrics.MeanPassHat(r.parts(metrics.All), 1)
	e.Interval = metrics.Interval{}
	return e
}

// coupled are two systems of a run on a domain, or on all of them.
type coupled struct {
	row
	other row
	metrics.Association
	split metrics.Variation
	known bool // split
}

// correlation is the table of how far systems find the same tasks hard.
func correlation(in Input, t *Table) error {
	var rows []coupled
	all := in.byDomain()
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.source != b.source || a.domain != b.domain {
				continue
			}
			x, y := a.parts(metrics.All), b.parts(metrics.All)
			var both []metrics.Both
			for d := range x {
				both = append(both, metrics.Both{First: x[d], Second: y[d]})
			}
			c := coupled{row: a, other: b, Association: metrics.AssociationOf(both...)}
			c.split, c.known = metrics.VariationOf(both...)
			rows = append(rows, c)
		}
	}
	said := func(value func(coupled) Cell) func(coupled) Cell {
		return func(c coupled) Cell {
			cell := value(c)
			if note := "`-`: " + cell.Why; cell.Why != "" && !slices.Contains(t.Notes, note) {
				t.Notes = append(t.Notes, note)
			}
			return cell
		}
	}
	varied := func(value func(metrics.Variation) float64) func(coupled) Cell {
		return said(func(c coupled) Cell {
			if !c.known {
				return Dash("it takes two tasks of which both have two usable trials")
			}
			return Number(value(c.split), 3)
		})
	}
	fill(t, slices.Concat(lift(whose(len(in.Sources) > 1, false), func(c coupled) row { return c.row }), []column[coupled]{
		{"other", "and", words, "", func(c coupled) Cell { return Label(c.other.system.Name) }},
		{"tasks", "#", 0, "", func(c coupled) Cell { return Whole(c.Tasks) }},
		{"correlation", "Correlation", 3, "", said(func(c coupled) Cell { return estimate(c.Correlation, 3) })},
		{"discordance", "Discordance", 3, "", said(func(c coupled) Cell { return estimate(c.Discordance, 3) })},
		{"between_tasks", "Difference|between tasks|Between tasks", 3, "", varied(func(v metrics.Variation) float64 { return v.Between })},
		{"within_tasks", "Difference|within tasks|Within tasks", 3, "", varied(func(v metrics.Variation) float64 { return v.Within })},
	}), rows, nil)
	t.Notes = append(t.Notes, "correlation: of the shares of passing trials of the tasks that both have; discordance: how often of a trial of each one passes alone",
		fmt.Sprintf("difference: the variance of that of Pass^1, by which comparisons are planned; %s: over the domains of a run, each of whose tasks is set against its own mean", pooled))
	return nil
}
