package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
)

// standing is a system of a run over all domains.
type standing struct {
	source   *Source
	system   System
	outcomes []metrics.Outcome
	by       [][]metrics.Outcome  // by domain
	pass     [][]metrics.Estimate // by domain, the mean over domains last; then by k
}

// on are the outcomes of a domain, or behind the last those of all.
func (s standing) on(domain int) [][]metrics.Outcome {
	if domain < len(s.by) {
		return s.by[domain : domain+1]
	}
	return s.by
}

// last is the figure that systems are ranked by.
func (s standing) last() metrics.Estimate {
	mean := s.pass[len(s.pass)-1]
	return mean[len(mean)-1]
}

// bound reports whether a system is no contestant but shows what is possible: one knows the solution, one never acts.
func (s System) bound() bool { return s.Kind == "oracle" || s.Kind == "noop" }

// overview is the table of what runs have found: systems by domains, in percent.
func overview(in Input, t *Table) error {
	domains := slices.DeleteFunc(mainSystems().shown(in.Sources), func(d string) bool { return len(systemsOn(in.Sources, d)) == 0 })
	ks := slices.Compact([]int{1, min(paperTrials, max(1, in.maxTrials()))})
	rows := in.standings(domains, ks)
	undefined := remarks{in: in}
	var cols []column[standing]
	if len(in.Sources) > 1 {
		cols = append(cols, column[standing]{"run", "Run", words, "", func(s standing) Cell { return Label(s.source.Name) }})
	}
	cols = append(cols, column[standing]{"system", "System", words, "", func(s standing) Cell { return Label(s.system.Name) }})
	for at, group := range append(slices.Clone(domains), "mean") {
		for i, k := range ks {
			cols = append(cols, column[standing]{fmt.Sprintf("pass^%d_%s", k, group), fmt.Sprintf("%s|^%d", group, k), 0, "", func(s standing) Cell {
				c := wholePercent(s.pass[at][i]).within(s.on(at), func(on [][]metrics.Outcome) metrics.Estimate { return metrics.MeanPassHat(on, k) })
				if at < len(domains) {
					undefined.undefined(row{source: s.source, system: s.system, domain: group}, c)
				}
				return c
			}})
		}
	}
	covered := metrics.Coverage{}
	for _, s := range rows {
		c := metrics.Cover(s.outcomes)
		covered.Planned, covered.Evaluable = covered.Planned+c.Planned, covered.Evaluable+c.Evaluable
	}
	if covered.Evaluable < covered.Planned {
		cols = append(cols, column[standing]{"evaluable", "evaluable", 0, "", func(s standing) Cell {
			c := metrics.Cover(s.outcomes)
			return Label(fmt.Sprintf("%d/%d", c.Evaluable, c.Planned))
		}})
	}
	fill(t, cols, rows, nil)
	t.markBest(func(int) string { return "" }, func(row int) bool { return !rows[row].system.bound() })
	k := ks[len(ks)-1]
	t.Title = fmt.Sprintf("Pass^1 and Pass^%d in %% of tasks, %d of %d trials evaluable", k, covered.Evaluable, covered.Planned)
	if k == 1 {
		t.Title = strings.Replace(t.Title, "Pass^1 and ", "", 1)
	}
	if best, plain := leaders(rows); len(best) > 0 {
		t.Finding = in.finding(rows, best, plain, k, len(domains))
		if plain != nil {
			t.Rivals = []string{plain.system.Name, best[0].system.Name}
		}
	}
	t.Notes = append(append(t.Notes, undefined.lines()...),
		fmt.Sprintf("^%d: share of tasks that pass in %s%s; mean: over domains, each of which counts the same, intervals stratified by domain", k, in.allTrials(k), in.choice(k)))
	return nil
}

// standings computes the figures of every system.
func (in Input) standings(domains []string, ks []int) (out []standing) {
	for i := range in.Sources {
		source := &in.Sources[i]
		for _, system := range source.Systems {
			s := standing{source: source, system: system}
			for _, d := range domains {
				var on []metrics.Outcome
				for _, o := range source.Outcomes {
					if o.System == system.Name && o.Domain == d {
						on = append(on, o)
					}
				}
				s.by, s.outcomes = append(s.by, on), append(s.outcomes, on...)
			}
			for _, on := range s.by {
				each := make([]metrics.Estimate, len(ks))
				for i, k := range ks {
					each[i] = metrics.PassHat(on, k)
				}
				s.pass = append(s.pass, each)
			}
			mean := make([]metrics.Estimate, len(ks))
			for i, k := range ks {
				mean[i] = metrics.MeanPassHat(s.by, k)
			}
			s.pass = append(s.pass, mean)
			out = append(out, s)
		}
	}
	return out
}

// wholePercent is a share in whole percents; its value, and its interval for programs, stay shares.
func wholePercent(e metrics.Estimate) Cell {
	c := scaled(e, 100, 0)
	if c.Value != nil {
		c.Value = e.Value
	}
	c.Bar.Interval = e.Interval
	return c
}

// markBest marks the best values of each column among the rows of a contest that compete, unless all are equal.
func (t *Table) markBest(contest func(row int) string, competes func(row int) bool) {
	for col, c := range t.Columns {
		if !c.bars {
			continue
		}
		values := map[string][]float64{}
		for n, r := range t.Rows {
			if v, ok := r[col].number(); ok && competes(n) {
				values[contest(n)] = append(values[contest(n)], v)
			}
		}
		for n, r := range t.Rows {
			all := values[contest(n)]
			v, ok := r[col].number()
			t.Rows[n][col].Best = ok && competes(n) && v == slices.Max(all) && v > slices.Min(all)
		}
	}
}

// leaders are the systems with the best figure, and the ReAct of the same run that is behind them, nil if none is.
func leaders(rows []standing) (best []standing, plain *standing) {
	for _, s := range rows {
		if !s.last().Defined || s.system.bound() {
			continue
		}
		if len(best) > 0 && s.last().Value > best[0].last().Value {
			best = nil
		}
		if len(best) == 0 || s.last().Value == best[0].last().Value {
			best = append(best, s)
		}
	}
	for i, s := range rows {
		if plain == nil && s.system.is(ReAct) && s.last().Defined && s.source == best[0].source && s.last().Value < best[0].last().Value {
			plain = &rows[i]
		}
	}
	return best, plain
}

// finding says in a sentence which systems are best, what ReAct comes to, and for which there is no figure to compare.
func (in Input) finding(rows, best []standing, plain *standing, k, domains int) string {
	verb, of := "passes", ""
	if len(best) > 1 {
		verb = "pass"
	}
	if k > 1 {
		of = " " + in.allTrials(k) + " of"
	}
	out := fmt.Sprintf("%s %s%s %.0f %% of tasks", in.names(best), verb, of, 100*best[0].last().Value)
	shown := best
	if plain != nil {
		shown = append(slices.Clone(best), *plain)
		out += fmt.Sprintf(", %s%s %.0f %%", plain.system.Name, of[max(0, len(of)-len(" of")):], 100*plain.last().Value)
	}
	if domains > 1 {
		out += fmt.Sprintf(" (mean of %d domains)", domains)
	}
	if lacking := slices.DeleteFunc(slices.Clone(rows), func(s standing) bool { return s.last().Defined || s.system.bound() }); len(lacking) > 0 {
		out += "; no such figure for " + in.names(lacking)
	}
	var runs []Provenance
	for _, s := range shown {
		runs = append(runs, s.source.Provenance)
	}
	switch scripted := markOf(runs...); scripted {
	case "":
	case config.AllScripted:
		out += "; scripted models"
	default:
		out += "; " + scripted
	}
	return out
}

// names lists systems, each with its run where there are several.
func (in Input) names(systems []standing) string {
	names := make([]string, len(systems))
	for i, s := range systems {
		names[i] = s.system.Name
		if len(in.Sources) > 1 {
			names[i] += " of " + s.source.Name
		}
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// allTrials is k trials of a task in words; of more trials, k are any.
func (in Input) allTrials(k int) string {
	if in.maxTrials() > k && k > 1 {
		return [...]string{"two", "three", "four"}[k-2] + " trials"
	}
	return [...]string{"", "a trial", "both trials", "all three trials", "all four trials"}[k]
}

// choice says what k trials are where there are more.
func (in Input) choice(k int) string {
	if in.maxTrials() > k && k > 1 {
		return ", on average over all choices of them"
	}
	return ""
}
