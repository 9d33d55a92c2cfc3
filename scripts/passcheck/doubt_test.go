package main

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// close holds a figure against the second way; one that is not a number must be undefined.
func (c *checker) close(name string, got any, want float64) {
	c.Helper()
	c.figures++
	v, ok := got.(float64)
	if ok == math.IsNaN(want) || ok && math.Abs(v-want) > 1e-6*(1+math.Abs(want)) {
		c.Errorf("%s is %v; by hand %v", name, got, want)
	}
}

// exact is a fraction as a number, which is none for none.
func exact(r *big.Rat) float64 {
	if r == nil {
		return math.NaN()
	}
	return float(r)
}

// shareOf is a part of a whole, which is no number for nothing.
func shareOf(part, whole *big.Rat) float64 {
	if part == nil || whole.Sign() == 0 {
		return math.NaN()
	}
	return float(over(part, whole))
}

// variation compares what varies, how systems go together, the bounds of Pass^k and the power of plans like the run.
func (c *checker) variation(s report.Source, mine recorded) {
	by := map[string]map[string]counts{} // by domain and system; under pooled all
	for _, at := range mine.places() {
		if by[at.domain] == nil {
			by[at.domain] = map[string]counts{}
		}
		by[at.domain][at.system] = count(mine.outcomes[at], "all")
	}
	alone, pairs, bounds := cells(c.T, s, "variance", "domain", "system"), cells(c.T, s, "correlation", "domain", "system", "other"), cells(c.T, s, "pass", "domain", "system", "slice")
	domains := slices.Sorted(maps.Keys(by))
	systems := slices.Sorted(maps.Keys(by[domains[0]]))
	over := map[string][]string{"pooled": domains}
	for _, d := range domains {
		over[d] = []string{d}
	}
	for name, of := range over {
		for _, one := range systems {
			var tasks []map[string]moments
			for _, d := range of {
				tasks = append(tasks, by[d][one].repeated())
			}
			row := alone[name+" "+one]
			between, within := split(tasks...)
			c.close(name+" "+one+": between tasks", row["between_tasks"], exact(between))
			c.close(name+" "+one+": within tasks", row["within_tasks"], exact(within))
			c.close(name+" "+one+": intraclass", row["intraclass"], shareOf(between, plus(between, within)))
			for k := 1; name != "pooled" && k <= 4; k++ {
				worst, best := by[name][one].bounds(k)
				c.close(fmt.Sprint(name, " ", one, ": least Pass^", k), bounds[name+" "+one+" all"][fmt.Sprintf("pass^%d_min", k)], exact(worst))
				c.close(fmt.Sprint(name, " ", one, ": most Pass^", k), bounds[name+" "+one+" all"][fmt.Sprintf("pass^%d_max", k)], exact(best))
			}
			for _, two := range systems {
				row, ok := pairs[name+" "+one+" "+two]
				if !ok {
					continue
				}
				var both [][2]counts
				var difference []map[string]moments
				for _, d := range of {
					both = append(both, [2]counts{by[d][one], by[d][two]})
					difference = append(difference, less(by[d][one].repeated(), by[d][two].repeated()))
				}
				correlation, discordance := together(both...)
				between, within := split(difference...)
				at := name + " " + one + " and " + two
				c.close(at+": correlation", row["correlation"], correlation)
				c.close(at+": discordance", row["discordance"], exact(discordance))
				c.close(at+": between tasks", row["between_tasks"], exact(between))
				c.close(at+": within tasks", row["within_tasks"], exact(within))
			}
		}
	}
	c.planned(s, by, systems)
}

// planned compares the power of experiments like the run, by Pass^1 and by Pass^4.
func (c *checker) planned(s report.Source, by map[string]map[string]counts, systems []string) {
	for _, k := range []int{1, 4} {
		p, err := report.MeasuredPower(&s, k)
		if err != nil {
			c.Fatal(err)
		}
		var plans []plan
		for _, d := range slices.Sorted(maps.Keys(by)) {
			between, added, n := 0.0, 0.0, 0.0
			for _, x := range systems {
				if x == "PolicyGuide" {
					continue
				}
				if one := contested(by[d]["PolicyGuide"], by[d][x]); one != nil {
					b, a := one.varies(k, 4)
					between, added, n = between+b, added+a, n+1
				}
			}
			plans = append(plans, plan{len(by[d]["PolicyGuide"]), (between + added) / n})
		}
		for _, effect := range []float64{0.1, 0.2, 0.4} {
			table := p.Table(effect)
			c.close(fmt.Sprintf("power for %v in Pass^%d", effect, k), value(table, "power"), power(effect, len(systems)-1, plans...))
			found, _ := value(table, "detectable").(float64)
			if power(found, len(systems)-1, plans...) < 0.8-1e-9 || power(found-2e-4, len(systems)-1, plans...) >= 0.8 {
				c.Errorf("found in 80 of 100 in Pass^%d is %v; by hand that is found in %v", k, found, power(found, len(systems)-1, plans...))
			}
		}
	}
}

// value is that of a column in the first row.
func value(t report.Table, key string) any {
	for i, col := range t.Columns {
		if col.Key == key {
			return t.Rows[0][i].Value
		}
	}
	return nil
}

// judged compares the agreement of two judges: the run's, and one that contradicts it now and then.
func (c *checker) judged(dir string) {
	r, err := store.Open(dir)
	if err != nil {
		c.Fatal(err)
	}
	scores, err := r.Scores()
	if err != nil {
		c.Fatal(err)
	}
	var other []sim.Score
	for _, e := range r.Index() {
		x, ok := scores[e.Ref]
		if !ok || len(x.Info.NLAssertions) == 0 {
			continue
		}
		x.Info.NLAssertions = slices.Clone(x.Info.NLAssertions)
		for i := range x.Info.NLAssertions {
			if (len(e.Task)+e.Trial+i)%5 == 0 {
				x.Info.NLAssertions[i].Met = !x.Info.NLAssertions[i].Met
			}
		}
		other = append(other, x)
	}
	if err := r.AppendOpinions("contrary", other...); err != nil {
		c.Fatal(err)
	}
	s, err := report.FromRun(r, os.Getenv)
	if err != nil {
		c.Fatal(err)
	}
	mine := [2]map[string][]bool{verdicts(c.T, dir, "scores.jsonl"), verdicts(c.T, dir, "opinions.jsonl")}
	var criteria, trials []answer
	for key, second := range mine[1] {
		first, whole := mine[0][key], answer{"", true, true}
		whole.task = filepath.Dir(key)
		for i := range first {
			criteria = append(criteria, answer{whole.task, first[i], second[i]})
			whole.first, whole.second = whole.first && first[i], whole.second && second[i]
		}
		trials = append(trials, whole)
	}
	row := cells(c.T, s, "judges", "domain", "system")["all all"]
	for name, list := range map[string][]answer{"criteria": criteria, "trials": trials} {
		alike := map[string][2]int{}
		for _, x := range list {
			n := alike[x.task]
			if n[1]++; x.first == x.second {
				n[0]++
			}
			alike[x.task] = n
		}
		c.figure("judges", row, name+"_agree", 1, share([][]part{tallied(alike).parts()}, 0, 2))
		c.figure("judges", row, name+"_kappa", 1, kappa(list))
	}
}

// verdicts are those of a file of scores, by domain, task and what else tells the trial.
func verdicts(t *testing.T, dir, name string) map[string][]bool {
	t.Helper()
	var all []struct {
		Domain, System, Task string
		Trial                int
		Info                 struct {
			Assertions []struct{ Met bool } `json:"nl_assertions"`
		} `json:"reward_info"`
	}
	if err := lines(filepath.Join(dir, name), &all); err != nil {
		t.Fatal(err)
	}
	out := map[string][]bool{}
	for _, x := range all {
		for _, v := range x.Info.Assertions {
			key := fmt.Sprintf("%s %s/%s %d", x.Domain, x.Task, x.System, x.Trial)
			out[key] = append(out[key], v.Met)
		}
	}
	return out
}

// rivals compares two systems of recorded results by what knows no run: odds, what varies, kappa of their first simulations.
func rivals(t *testing.T, mine, theirs []metrics.Outcome, a, b counts) (figures int) {
	t.Helper()
	c := &checker{T: t}
	both := metrics.Both{First: mine, Second: theirs}
	estimate := func(e metrics.Estimate) any {
		if !e.Defined {
			return nil
		}
		return e.Value
	}
	correlation, discordance := together([2]counts{a, b})
	x := metrics.AssociationOf(both)
	c.close("correlation", estimate(x.Correlation), correlation)
	c.close("discordance", estimate(x.Discordance), exact(discordance))
	between, within := split(less(a.repeated(), b.repeated()))
	if v, ok := metrics.VariationOf(both); ok != (between != nil) {
		t.Errorf("variation %v, by hand %v", v, between)
	} else if ok {
		c.close("between tasks", v.Between, exact(between))
		c.close("within tasks", v.Within, exact(within))
	}
	first, second := 0, 0
	var rated []metrics.Rated
	var answers []answer
	for task, p := range a {
		q := b[task]
		if q == nil || p.success+p.failure == 0 || q.success+q.failure == 0 {
			continue
		}
		one, two := p.success > p.failure, q.success > q.failure // some yes or no of each task
		rated = append(rated, metrics.Rated{Task: task, First: one, Second: two})
		answers = append(answers, answer{task, one, two})
		switch {
		case one && !two:
			first++
		case two && !one:
			second++
		}
	}
	test := metrics.McNemarTest(metrics.Discordant{First: first, Second: second})
	c.close("exact p", test.Exact, coins(first, second))
	if e, want := test.Odds(), odds(first, second); e.Defined != want.ok {
		t.Errorf("odds %+v, by hand %+v", e, want)
	} else if want.ok {
		same(t, "odds", e, want)
		c.figures++
	}
	if e, want := metrics.AgreementOf(rated).Kappa, kappa(answers); e.Defined {
		same(t, "kappa", e, want)
		c.figures++
	} else if !math.IsNaN(want.value) {
		t.Errorf("kappa %+v, by hand %+v", e, want)
	}
	return c.figures
}

// TestHolm corrects some lists of p both ways.
func TestHolm(t *testing.T) {
	for _, ps := range [][]float64{nil, {0.3}, {0.01, 0.04, 0.03, 0.005}, {0.02, 0.02, 0.02}, {0.9, 0.0001, 0.5, 0.5, 0.04}, {1, 1, 0}} {
		for i, want := range holm(ps) {
			if got := metrics.Holm(ps)[i]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: %v of %d, by hand %v", ps, got, i, want)
			}
		}
	}
}
