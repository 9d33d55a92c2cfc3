package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim"
)

// slicesOfTasks are all tasks and the two slices.
func slicesOfTasks() []metrics.Slice { return []metrics.Slice{metrics.All, metrics.PV, metrics.Mut} }

// passBySlice are columns of Pass^k for all tasks and the two slices; paper is the path above all, pv and mut.
func passBySlice(k int, paper string) []column[row] {
	var out []column[row]
	for _, s := range slicesOfTasks() {
		out = append(out, column[row]{fmt.Sprintf("pass^%d_%s", k, s), fmt.Sprintf("Pass^%d|%s", k, s), 3, paper + "." + strings.ToLower(string(s)),
			func(r row) Cell { return slicePass(r, s, k) }})
	}
	return out
}

// slicePass is Pass^k of a slice.
func slicePass(r row, s metrics.Slice, k int) Cell {
	parts := r.parts(s)
	if slices.ContainsFunc(parts, func(part []metrics.Outcome) bool { return len(part) == 0 }) {
		return Dash(fmt.Sprintf("no %s tasks", s))
	}
	return ofSlice(passOf(parts, k), s)
}

// ofSlice says of which slice a figure is undefined.
func ofSlice(c Cell, s metrics.Slice) Cell {
	if c.Why != "" && s != metrics.All {
		c.Why = fmt.Sprintf("%s: %s", s, c.Why)
	}
	return c
}

// passOf is Pass^k, the mean over domains.
func passOf(domains [][]metrics.Outcome, k int) Cell {
	of := func(domains [][]metrics.Outcome) metrics.Estimate { return metrics.MeanPassHat(domains, k) }
	return share(of(domains)).within(domains, of)
}

// passByK are the columns of Table 10.
func passByK() []column[row] {
	var out []column[row]
	for k := 1; k <= paperTrials; k++ {
		out = append(out, column[row]{fmt.Sprintf("pass^%d", k), fmt.Sprintf("Pass|^%d|Pass^%[1]d", k), 3, fmt.Sprintf("table10.$domain.$kind.pass.%d", k),
			func(r row) Cell { return passOf(r.parts(metrics.All), k) }})
	}
	out = append(out, column[row]{"consistency", "Pass^4/Pass^1", 2, "table10.$domain.$kind.consistency",
		func(r row) Cell { return estimate(metrics.Consistency(r.outcomes, paperTrials), 2) }})
	for k := 2; k <= paperTrials; k++ {
		out = append(out, column[row]{fmt.Sprintf("pass@%d", k), fmt.Sprintf("pass|@%d|pass@%[1]d", k), 3, "",
			func(r row) Cell {
				return rate(r.outcomes, func(all []metrics.Outcome) metrics.Estimate { return metrics.PassAt(all, k) })
			}})
	}
	return out
}

// passByTrial is Table 11. It has a column for each trial of the run with the most, and the paper's four at least.
func passByTrial(in Input, t *Table) error {
	const most = 16 // columns that fit on a page
	n := max(paperTrials, in.maxTrials())
	notes := []string{"pstd: population standard deviation over the trials; T1 is the trial that is called 0 in keys"}
	if n > most {
		notes = append(notes, fmt.Sprintf("the first %d of %d trials are shown; mean and pstd are of all", most, n))
	}
	var cols []column[row]
	for i := range min(n, most) {
		cols = append(cols, column[row]{fmt.Sprintf("trial_%d", i), fmt.Sprintf("T%d", i+1), 3, fmt.Sprintf("table11.$domain.$kind.pass.%d", i+1), func(r row) Cell {
			for _, x := range metrics.PerTrial(r.outcomes).Trials {
				if x.Trial == i {
					return share(x.Pass)
				}
			}
			return Dash(fmt.Sprintf("no trial %d", i))
		}})
	}
	cols = append(cols,
		column[row]{"mean", "Mean", 3, "", func(r row) Cell { return share(metrics.PerTrial(r.outcomes).Mean) }},
		column[row]{"deviation", "pstd", 3, "table11.$domain.$kind.deviation", func(r row) Cell { return share(metrics.PerTrial(r.outcomes).Deviation) }})
	return bySystem(mainSystems(), cols, notes...)(in, t)
}

func (in Input) maxTrials() int {
	n := 0
	for _, s := range in.Sources {
		n = max(n, metrics.MaxTrials(s.Outcomes))
	}
	return n
}

// sliceRow is a slice of the tasks of a system on a domain.
type sliceRow struct {
	row
	slice metrics.Slice
}

// boundsOf says between which bounds Pass^1 and the largest Pass^k are, whatever became of the trials that are missing; "" where
// none is.
func boundsOf(all []metrics.Outcome) string {
	c := metrics.Cover(all)
	if c.Evaluable == c.Planned {
		return ""
	}
	var out []string
	for _, k := range slices.Compact([]int{1, min(paperTrials, metrics.MaxTrials(all))}) {
		if worst, best := metrics.Bounds(all, k); worst.Defined {
			out = append(out, fmt.Sprintf("Pass^%d between %.3f and %.3f", k, worst.Value, best.Value))
		}
	}
	return fmt.Sprintf("%s, with the %d missing trials all failed or all passed", strings.Join(out, ", "), c.Planned-c.Evaluable)
}

// passWithCoverage is the table of Pass^k, overall and for PV and Mut tasks, with the coverage beside each row.
func passWithCoverage(in Input, t *Table) error {
	var rows []sliceRow
	for i := range in.Sources {
		for _, r := range in.Sources[i].rows() {
			faulty := 0
			for _, x := range r.source.Trials {
				if x.Domain == r.domain && x.System == r.system.Name && x.Ending == sim.UserFault {
					faulty++
				}
			}
			if faulty > 0 {
				t.Notes = append(t.Notes, fmt.Sprintf("%s: %d void by faults of the simulated user's model (user_fault)", r.place(len(in.Sources) > 1), faulty))
			}
			if bounds := boundsOf(r.outcomes); bounds != "" {
				t.Notes = append(t.Notes, r.place(len(in.Sources) > 1)+": "+bounds)
			}
			all := r.outcomes
			for _, s := range slicesOfTasks() {
				if r.outcomes = metrics.Select(all, s); len(r.outcomes) > 0 {
					rows = append(rows, sliceRow{r, s})
				}
			}
		}
	}
	base := func(r sliceRow) row { return r.row }
	n := remarks{in: in}
	cols := slices.Concat(lift(whose(len(in.Sources) > 1, false), base),
		[]column[sliceRow]{{"slice", "Tasks", words, "", func(r sliceRow) Cell { return Label(string(r.slice)) }}}, lift(coverage(), base))
	t.Notes = append(t.Notes, "strict Pass^1 counts every void or pending trial as a failure; the other columns leave them out")
	for _, k := range shownK(in.maxTrials()) {
		cols = append(cols, column[sliceRow]{fmt.Sprintf("pass^%d", k), fmt.Sprintf("Pass|^%d|Pass^%[1]d", k), 3, "", func(r sliceRow) Cell {
			c := ofSlice(passOf(r.parts(metrics.All), k), r.slice) // the row has the slice's outcomes alone
			n.undefined(r.row, c)
			return c
		}})
	}
	cols = append(cols, column[sliceRow]{"strict_pass^1", "strict Pass^1", 3, "", func(r sliceRow) Cell { return share(metrics.StrictPass(r.outcomes)) }})
	fill(t, cols, rows, nil)
	t.Notes = append(t.Notes, n.lines()...)
	return nil
}

// shownK picks the k to print: all up to eight, then doubling, and the largest.
func shownK(n int) []int {
	var ks []int
	for k := 1; k < n; {
		ks = append(ks, k)
		if k < 8 {
			k++
		} else {
			k *= 2
		}
	}
	if n > 0 {
		ks = append(ks, n)
	}
	return ks
}
