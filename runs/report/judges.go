package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// ownJudge names the verdicts that a run's rewards go by.
const ownJudge = "the run's"

// Judgements are the scores of a run's trials that a judge graded: by whose verdicts they are, then by trial.
type Judgements struct {
	By     map[string]map[sim.Key]sim.Score
	Broken []error // lines that are left out
}

// judgementsOf reads those of a run: its own, and the opinions beside them. Without any opinion it has none.
func judgementsOf(r *store.Run) (Judgements, error) {
	opinions, broken, err := r.Opinions()
	out := Judgements{map[string]map[sim.Key]sim.Score{}, broken}
	if err != nil || len(opinions) == 0 {
		return out, err
	}
	if opinions[ownJudge], err = r.Scores(); err != nil {
		return out, err
	}
	for name, scores := range opinions {
		out.By[name] = map[sim.Key]sim.Score{}
		for _, e := range r.Index() {
			if s, ok := scores[e.Ref]; ok && s.Reward != nil && len(s.Info.NLAssertions) > 0 {
				out.By[name][e.Key] = s
			}
		}
	}
	return out, nil
}

// consulted are the trials of a system on a domain, or of all, that two judges graded.
type consulted struct {
	row
	one, two         string // whose verdicts
	criteria, trials metrics.Agreement
	up, down         int // rewards that flip from failure to success with the second, and the other way
	flips            []judgeFlip
	pass             [2]metrics.Estimate // Pass^1 by either
}

// judgeFlip is a trial whose reward hangs on whose verdicts it goes by.
type judgeFlip struct {
	source   *Source
	one, two string
	sim.Key
	first, second metrics.State
	differ        []string // outcomes on which the verdicts differ
}

// judgePairs are the pairs of judges of a run: for each one row for all trials and, below, those of systems on domains.
func judgePairs(s *Source) ([]consulted, error) {
	if s.Judged == nil {
		return nil, nil
	}
	all, err := s.Judged()
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(all.By))
	if i := slices.Index(names, ownJudge); i > 0 {
		names = append([]string{ownJudge}, slices.Delete(names, i, i+1)...)
	}
	var out []consulted
	for i, one := range names {
		for _, two := range names[i+1:] {
			whole := row{domain: "all", source: s, system: System{Name: "all"}, outcomes: s.Outcomes}
			for _, r := range append([]row{whole}, s.rows()...) {
				if j := judgedBy(r, one, two, all.By); j.criteria.Share.Defined {
					out = append(out, j)
				}
			}
		}
	}
	return out, nil
}

// judgedBy compares two judges on the trials of a row.
func judgedBy(r row, one, two string, by map[string]map[sim.Key]sim.Score) consulted {
	j := consulted{row: r, one: one, two: two}
	var criteria, trials []metrics.Rated
	with := [2][]metrics.Outcome{slices.Clone(r.outcomes), slices.Clone(r.outcomes)}
	for i, o := range r.outcomes {
		key := sim.Key{Domain: o.Domain, System: o.System, Task: o.Task, Trial: o.Trial}
		a, ok := by[one][key]
		b, also := by[two][key]
		if !ok || !also || len(a.Info.NLAssertions) != len(b.Info.NLAssertions) {
			continue
		}
		task, met := o.Domain+"/"+o.Task, metrics.Rated{First: true, Second: true}
		var differ []string
		for n, x := range a.Info.NLAssertions {
			y := b.Info.NLAssertions[n]
			criteria = append(criteria, metrics.Rated{Task: task, First: x.Met, Second: y.Met})
			met.First, met.Second = met.First && x.Met, met.Second && y.Met
			if x.Met != y.Met {
				differ = append(differ, x.Assertion)
			}
		}
		met.Task = task
		trials = append(trials, met)
		first, second := succeeded(sim.Success(*a.Reward)), succeeded(sim.Success(*b.Reward))
		with[0][i].State, with[1][i].State = first, second
		switch {
		case first == second:
			continue
		case second == metrics.Success:
			j.up++
		default:
			j.down++
		}
		j.flips = append(j.flips, judgeFlip{r.source, one, two, key, first, second, differ})
	}
	j.criteria, j.trials = metrics.AgreementOf(criteria), metrics.AgreementOf(trials)
	for i, outcomes := range with {
		if r.domain != "all" {
			j.pass[i] = metrics.PassHat(outcomes, 1)
			j.pass[i].Interval = metrics.Interval{}
		}
	}
	return j
}

// allJudged are the rows of all runs; notes say which have the verdicts of one judge alone, and what is left out.
func (in Input) allJudged(t *Table) (out []consulted, err error) {
	for i := range in.Sources {
		s := &in.Sources[i]
		rows, err := judgePairs(s)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("run %s has the verdicts of one judge at most: `tauguide score %s --judge MODEL --config CONFIG --opinion NAME` asks another, or the same once more with --cassette off", s.Name, config.ShellWord(s.Dir)))
		} else if all, _ := s.Judged(); len(all.Broken) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("run %s: %d opinions are left out, such as this: %v", s.Name, len(all.Broken), all.Broken[0]))
		}
		out = append(out, rows...)
	}
	return out, nil
}

// judges is the table of how far judges agree, and what hangs on that.
func judges(in Input, t *Table) error {
	rows, err := in.allJudged(t)
	if err != nil {
		return err
	}
	n := remarks{in: in}
	agreed := func(key, title string, of func(consulted) metrics.Estimate) column[consulted] {
		return column[consulted]{key, title, 3, "", func(j consulted) Cell {
			c := estimate(of(j), 3)
			n.undefined(j.row, c)
			return c
		}}
	}
	passed := func(key, title string, judge int) column[consulted] {
		return column[consulted]{key, title, 3, "", func(j consulted) Cell {
			if j.domain == "all" {
				return Cell{Text: "–"} // of several systems
			}
			return share(j.pass[judge])
		}}
	}
	count := func(key, title string, of func(consulted) int) column[consulted] {
		return column[consulted]{key, title, 0, "", func(j consulted) Cell { return Whole(of(j)) }}
	}
	fill(t, slices.Concat([]column[consulted]{
		{"judge_a", "Judge|A|Judge A", words, "", func(j consulted) Cell { return Label(j.one) }},
		{"judge_b", "Judge|B|Judge B", words, "", func(j consulted) Cell { return Label(j.two) }},
	}, lift(whose(len(in.Sources) > 1, false), func(j consulted) row { return j.row }), []column[consulted]{
		count("criteria", "Criteria|#|Criteria", func(j consulted) int { return j.criteria.Size() }),
		agreed("criteria_agree", "Criteria|agree", func(j consulted) metrics.Estimate { return j.criteria.Share }),
		agreed("criteria_kappa", "Criteria|kappa", func(j consulted) metrics.Estimate { return j.criteria.Kappa }),
		count("trials", "Trials|#|Trials", func(j consulted) int { return j.trials.Size() }),
		agreed("trials_agree", "Trials|agree", func(j consulted) metrics.Estimate { return j.trials.Share }),
		agreed("trials_kappa", "Trials|kappa", func(j consulted) metrics.Estimate { return j.trials.Kappa }),
		count("flips_up", "Flips|up", func(j consulted) int { return j.up }),
		count("flips_down", "Flips|down", func(j consulted) int { return j.down }),
		passed("pass^1_a", "Pass^1|A", 0),
		passed("pass^1_b", "Pass^1|B", 1),
	}), rows, nil)
	for _, j := range rows {
		if j.domain == "all" {
			t.Notes = append(t.Notes, j.finding(rows))
		}
	}
	if len(rows) > 0 {
		t.Notes = append(append(t.Notes, n.lines()...), "criteria: expected outcomes of trials that both graded; trials: whether all of a trial's are met; kappa: agreement beyond chance (Cohen 1960), intervals over tasks",
			"flips: rewards that become a success (up) or a failure (down) if B's verdicts count, which --table judge-flips lists; Pass^1: by the verdicts of either")
	}
	return nil
}

// finding says of a pair of judges what hangs on them.
func (j consulted) finding(all []consulted) string {
	out := fmt.Sprintf("%s and %s: %d of %d rewards flip", j.one, j.two, j.up+j.down, j.trials.Size())
	most, where := 0.0, ""
	for _, x := range all {
		if x.source != j.source || x.one != j.one || x.two != j.two || !x.pass[0].Defined || !x.pass[1].Defined {
			continue
		}
		if d := x.pass[1].Value - x.pass[0].Value; max(d, -d) > max(most, -most) {
			most, where = d, x.place(false)
		}
	}
	if where == "" {
		return out + "; no Pass^1 moves"
	}
	return fmt.Sprintf("%s; Pass^1 moves most for %s, by %+.3f", out, where, most)
}

// judgeFlips is the table of rewards that hang on the judge.
func judgeFlips(in Input, t *Table) error {
	rows, err := in.allJudged(t)
	if err != nil {
		return err
	}
	var flips []judgeFlip
	for _, j := range rows {
		if j.domain != "all" {
			flips = append(flips, j.flips...)
		}
	}
	text := func(key, title string, of func(judgeFlip) string) column[judgeFlip] {
		return column[judgeFlip]{key, title, words, "", func(f judgeFlip) Cell { return Label(of(f)) }}
	}
	cols := []column[judgeFlip]{
		text("judge_a", "Judge|A|Judge A", func(f judgeFlip) string { return f.one }),
		text("judge_b", "Judge|B|Judge B", func(f judgeFlip) string { return f.two }),
		text("key", "Trial", func(f judgeFlip) string { return f.Key.String() }),
		{"with_a", "With|A|With A", words, "", func(f judgeFlip) Cell { return verdict(stateName(f.first)) }},
		{"with_b", "With|B|With B", words, "", func(f judgeFlip) Cell { return verdict(stateName(f.second)) }},
		text("differ", "They differ on", func(f judgeFlip) string { return strings.Join(f.differ, "; ") }),
	}
	if len(in.Sources) > 1 {
		cols = append([]column[judgeFlip]{text("run", "Run", func(f judgeFlip) string { return f.source.Name })}, cols...)
	}
	fill(t, cols, flips, nil)
	if len(flips) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("to look at the first: `tauguide show %s %s`", config.ShellWord(flips[0].source.Dir), config.ShellWord(flips[0].Key.String())))
	}
	return nil
}
