package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/metrics/rubric"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// quickstart runs a part of the quickstart.
func quickstart(t *testing.T) string {
	t.Helper()
	cfg, err := config.Load("quickstart", os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	plan, err := config.Resolve(t.Context(), cfg, config.Options{Out: dir, Only: []string{"system=ReAct,ToolGuard,PolicyGuide"}, Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Execute(t.Context(), plan, runs.Options{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// withHoles loses every 40th trial of a run, of one task two.
func withHoles(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "index.jsonl")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); n++ {
		if n%40 != 7 {
			kept.Write(append(s.Bytes(), '\n'))
			continue
		}
		var e struct{ File string }
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(e.File))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name, kept.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cells are the figures of a table by a name of their row.
func cells(t *testing.T, s report.Source, table string, of ...string) map[string]map[string]any {
	t.Helper()
	x, err := report.Build(table, report.Input{Sources: []report.Source{s}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := x.Write(&b, report.JSON); err != nil {
		t.Fatal(err)
	}
	var out struct{ Rows []map[string]any }
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]any{}
	for _, r := range out.Rows {
		var name []string
		for _, key := range of {
			name = append(name, fmt.Sprint(r[key]))
		}
		rows[strings.Join(name, " ")] = r
	}
	return rows
}

// checker counts what it compares.
type checker struct {
	*testing.T
	figures int
}

// figure holds a figure of a row, each unit of which is so many of the second way's, and its interval against that.
func (c *checker) figure(name string, row map[string]any, key string, scale float64, b bar) {
	c.Helper()
	c.figures++
	close := func(of string, want float64, there bool) {
		got, ok := row[key+of].(float64)
		if ok != there || ok && math.Abs(got-scale*want) > 1e-6*(1+math.Abs(scale*want)) {
			c.Errorf("%s: %s%s is %v; by hand %v, %v", name, key, of, row[key+of], scale*want, there)
		}
	}
	close("", b.value, true)
	close("_se", b.se, b.ok && b.se > 0)
	close("_lo", b.lo, b.ok)
	close("_hi", b.hi, b.ok)
}

// TestRuns compares every figure with an interval of a run's tables both ways: of a whole run, and of one with holes.
func TestRuns(t *testing.T) {
	for _, holes := range []bool{false, true} {
		t.Run(fmt.Sprintf("holes %v", holes), func(t *testing.T) {
			dir := quickstart(t)
			if holes {
				withHoles(t, dir)
			}
			r, err := store.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			s, err := report.FromRun(r, os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			mine, err := readRun(dir)
			if err != nil {
				t.Fatal(err)
			}
			c := &checker{T: t}
			c.passes(s, mine)
			c.spending(s, mine)
			c.conversations(s)
			c.difference(s, mine)
			c.variation(s, mine)
			c.judged(dir)
			t.Logf("%d figures agree", c.figures)
			if c.figures < 150 {
				t.Errorf("only %d figures were compared", c.figures)
			}
		})
	}
}

// passes compares Pass^k by slice, and the means over domains.
func (c *checker) passes(s report.Source, mine recorded) {
	rows, means := cells(c.T, s, "pass", "domain", "system", "slice"), cells(c.T, s, "main", "domain", "system")
	strata := map[string][][]part{}
	for _, at := range mine.places() {
		for _, kind := range []string{"all", "PV", "Mut"} {
			name := at.domain + " " + at.system + " " + kind
			for k := 1; k <= 4; k++ {
				parts := count(mine.outcomes[at], kind).passes(k)
				key := fmt.Sprintf("pass^%d", k)
				if parts == nil {
					if rows[name][key] != nil {
						c.Errorf("%s: %s is %v; by hand there is none", name, key, rows[name][key])
					}
					continue
				}
				c.figure(name, rows[name], key, 1, share([][]part{parts}, 0, 2))
				mean := at.system + " " + key + "_" + kind
				strata[mean] = append(strata[mean], parts)
			}
		}
	}
	for name, parts := range strata {
		system, key, _ := strings.Cut(name, " ")
		if row := means["mean "+system]; row[key] != nil || len(parts) == 3 && (strings.HasPrefix(key, "pass^1") || strings.HasPrefix(key, "pass^4")) {
			c.figure("mean of "+system, row, key, 1, share(parts, 0, 2))
		}
	}
}

// spending compares calls, tokens and dollars for a trial.
func (c *checker) spending(s report.Source, mine recorded) {
	rows := cells(c.T, s, "calls", "domain", "system", "role")
	for at, roles := range mine.use {
		for role, tasks := range roles {
			var calls, tokens, dollars []part
			known := true
			for _, x := range tasks {
				n := ratio(x.trials)
				calls, tokens, dollars = append(calls, part{ratio(x.calls), n}), append(tokens, part{ratio(x.tokens), n}), append(dollars, part{x.dollars, n})
				known = known && !x.unknown
			}
			name := at.domain + " " + at.system + " " + role
			c.figure(name, rows[name], "calls_per_trial", 1, amount(calls))
			c.figure(name, rows[name], "tokens_per_trial", 1, amount(tokens))
			if known {
				c.figure(name, rows[name], "cost_per_trial", 1, amount(dollars))
			}
		}
	}
}

// conversations compares rubric scores and Call-NMR: the verdicts are the program's, what is made of them is not.
func (c *checker) conversations(s report.Source) {
	traces, misses := cells(c.T, s, "traces", "domain", "system"), cells(c.T, s, "nmr", "domain", "system")
	groups, by := metrics.ByGroup(s.Outcomes)
	for _, g := range groups {
		name := g.Domain + " " + g.System
		rules, err := rubric.Load(g.Domain)
		if err != nil {
			c.Fatal(err)
		}
		table, err := nmr.Load(g.Domain)
		if err != nil {
			c.Fatal(err)
		}
		w, err := s.World(g.Domain)
		if err != nil {
			c.Fatal(err)
		}
		steps, valid, pairs, calls := tallied{}, tallied{}, tallied{}, tallied{}
		for _, o := range by[g] {
			if o.State == metrics.Void {
				continue
			}
			pairs.add(o.Task, 0, 1)
			if o.State != metrics.Success {
				continue
			}
			rec, err := s.Record(sim.Key{Domain: o.Domain, System: o.System, Task: o.Task, Trial: o.Trial})
			if err != nil {
				c.Fatal(err)
			}
			task, _ := w.Task(o.Task)
			applicable, satisfied := rules.Judge(rec.Messages, task).Count()
			steps.add(o.Task, satisfied, applicable)
			whole := 0
			if applicable == satisfied {
				whole = 1
			}
			valid.add(o.Task, whole, 1)
			pairs.add(o.Task, whole, 0)
			if !o.Mut {
				continue
			}
			for _, call := range table.Audit(rec.Messages) {
				calls.add(o.Task, min(1, len(call.Missing)), 1)
			}
		}
		for key, parts := range map[string]tallied{"step_tcr_percent": steps, "trace_tcr_percent": valid, "process_valid_percent": pairs} {
			if row := traces[name]; row != nil && len(parts.parts()) > 0 {
				c.figure(name, row, key, 100, share([][]part{parts.parts()}, 0, 2))
			}
		}
		if row := misses[name]; row != nil && len(calls.parts()) > 0 {
			c.figure(name, row, "nmr_percent", 100, share([][]part{calls.parts()}, 0, 2))
		}
	}
}

// tallied are part and whole by task.
type tallied map[string][2]int

func (x tallied) add(task string, part, whole int) {
	x[task] = [2]int{x[task][0] + part, x[task][1] + whole}
}

func (x tallied) parts() (out []part) {
	for _, v := range x {
		if v[1] > 0 {
			out = append(out, part{ratio(v[0]), ratio(v[1])})
		}
	}
	return out
}

// difference compares two systems by domain and over them.
func (c *checker) difference(s report.Source, mine recorded) {
	got, err := report.Compare(0, report.Side{Source: &s, System: "PolicyGuide"}, report.Side{Source: &s, System: "ReAct"})
	if err != nil {
		c.Fatal(err)
	}
	hold := func(d report.DomainComparison, strata [][]part) {
		if d.Delta == nil {
			return
		}
		row := map[string]any{"delta": *d.Delta, "delta_lo": *d.Low, "delta_hi": *d.High}
		if d.SE != nil {
			row["delta_se"] = *d.SE
		}
		c.figure("difference on "+d.Domain, row, "delta", 1, share(strata, -1, 1))
	}
	var all [][]part
	only := [2]int{}
	for _, d := range got.Domains {
		a, b := count(mine.outcomes[place{d.Domain, "PolicyGuide"}], "all"), count(mine.outcomes[place{d.Domain, "ReAct"}], "all")
		var parts, single []part
		for task := range a {
			share := func(x *tally) *big.Rat { return over(ratio(x.success), ratio(x.success+x.failure)) }
			if a[task].success+a[task].failure > 0 && b[task].success+b[task].failure > 0 {
				single = append(single, part{minus(share(a[task]), share(b[task])), ratio(1)})
			}
			whole := func(x *tally) int {
				if x.success == 4 {
					return 1
				}
				return 0
			}
			parts = append(parts, part{ratio(whole(a[task]) - whole(b[task])), ratio(1)})
		}
		hold(d, [][]part{parts})
		if d.Single.Delta != nil {
			c.figure("Pass^1 on "+d.Domain, map[string]any{"delta": *d.Single.Delta, "delta_lo": *d.Single.Low, "delta_hi": *d.Single.High, "delta_se": *d.Single.SE}, "delta", 1, share([][]part{single}, -1, 1))
		}
		if d.P != nil {
			tested := [2]int{}
			for _, p := range parts {
				if sign := p.sum.Sign(); sign != 0 {
					tested[(1-sign)/2]++
				}
			}
			only[0], only[1] = only[0]+tested[0], only[1]+tested[1]
			if want := coins(tested[0], tested[1]); math.Abs(*d.P-want) > 1e-12 || d.OnlyA != tested[0] || d.OnlyB != tested[1] {
				c.Errorf("%s: exact p %v of %d against %d, want %v of %v", d.Domain, *d.P, d.OnlyA, d.OnlyB, want, tested)
			}
			if want := odds(tested[0], tested[1]); want.ok != (d.Odds != nil) {
				c.Errorf("%s: odds %v; by hand %+v", d.Domain, d.Odds, want)
			} else if want.ok {
				c.close(d.Domain+": odds", *d.Odds, want.value)
				c.close(d.Domain+": odds, low", *d.OddsLow, want.lo)
				c.close(d.Domain+": odds, high", *d.OddsHigh, want.hi)
			}
		}
		all = append(all, parts)
	}
	if got.Mean == nil {
		c.Fatal("no mean over domains")
	}
	hold(*got.Mean, all)
	if p := got.Pooled; p != nil && math.Abs(p.P-coins(only[0], only[1])) > 1e-12 {
		c.Errorf("over all domains: exact p %v, want that of %v", p.P, only)
	}
}

// coins is the share of sequences of fair coins that are at least as uneven as so many of either side: a two-sided exact p.
func coins(a, b int) float64 {
	sum := new(big.Int)
	for i := range int64(min(a, b)) + 1 {
		sum.Add(sum, new(big.Int).Binomial(int64(a+b), i))
	}
	return min(1, 2*float(new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(a+b)))))
}
