package metrics_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/metrics"
)

var (
	long   = flag.Bool("long", false, "simulate the cover of intervals as docs/statistics.md has it")
	update = flag.Bool("update", false, "with -long, write the simulated cover into docs/statistics.md")
)

// ids are those of tasks.
var ids = func() (out [600]string) {
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return out
}()

// world is a place of known truth that experiments are drawn from.
type world struct {
	truth float64
	draw  func(r *rand.Rand, n int) metrics.Estimate
}

// simulated is an interval in use with the worlds that it is tried in.
type simulated struct {
	name       string
	prescribed bool // by the paper: it is not held to the bound
	worlds     []world
}

// coin is one that falls on success with a chance that differs from task to task: beta with this mean and correlation of
// a task's trials.
func coin(r *rand.Rand, p, rho float64) float64 {
	if rho == 0 {
		return p
	}
	s := 1/rho - 1
	return distuv.Beta{Alpha: p * s, Beta: (1 - p) * s, Src: r}.Rand()
}

// flips is how often n flips of a coin succeed.
func flips(r *rand.Rand, n int, p float64) (c int) {
	for range n {
		if r.Float64() < p {
			c++
		}
	}
	return c
}

// passes is the expected Pass^k of such tasks.
func passes(p, rho float64, k int) float64 {
	out := 1.0
	for i := range k {
		out *= ((1-rho)*p + rho*float64(i)) / (1 - rho + rho*float64(i))
	}
	return out
}

// drawn are the outcomes of n tasks with m trials each, of which some are void.
func drawn(r *rand.Rand, n, m int, p, rho, void float64) (out []metrics.Outcome) {
	for task := range n {
		chance := coin(r, p, rho)
		for trial := range m {
			o := metrics.Outcome{Task: ids[task], Trial: trial}
			if r.Float64() < chance {
				o.State = metrics.Success
			}
			if r.Float64() < void {
				o.State = metrics.Void
			}
			out = append(out, o)
		}
	}
	return out
}

// checked are n tasks of up to four passing trials, in each of which so many things at least can go wrong, and perhaps do.
func checked(r *rand.Rand, n, least int, p, rho float64) metrics.Parts {
	out := metrics.Parts{}
	for task := range n {
		chance, size := coin(r, p, rho), 0
		for range 1 + flips(r, 3, coin(r, 0.6, 0.4)) {
			size += least + flips(r, 2*least, 0.3)
		}
		out.Add(ids[task], float64(flips(r, size, chance)), float64(size))
	}
	return out
}

// twins are two systems with the same chance of each of n tasks, of which the second has twice as many trials.
func twins(r *rand.Rand, n, m int, p, rho float64) (b metrics.Both) {
	for task := range n {
		chance := coin(r, p, rho)
		for trial := range 3 * m {
			o := metrics.Outcome{Task: ids[task], Trial: trial}
			if r.Float64() < chance {
				o.State = metrics.Success
			}
			if trial < m {
				b.First = append(b.First, o)
			} else {
				b.Second = append(b.Second, o)
			}
		}
	}
	return b
}

// pairs are n pairs of which a and b is the chance that only the first, or only the second passes.
func pairs(r *rand.Rand, n int, a, b float64) metrics.Pairing {
	p := metrics.Pairing{K: 4}
	for task := range n {
		x, u := metrics.Pair{Task: ids[task]}, r.Float64()
		x.First, x.Second = u < a, u >= a && u < a+b
		p.Pairs = append(p.Pairs, x)
	}
	return p
}

// graded are criteria of n tasks, in up to four trials, as two judges see them: met with a chance that differs from task to
// task, and either errs with one that differs too.
func graded(r *rand.Rand, n int, p, rho, wrong float64) (out []metrics.Rated) {
	for task := range n {
		chance, errs := coin(r, p, rho), coin(r, wrong, errorsAlike)
		for range 2 * (1 + flips(r, 3, 0.5)) {
			met := r.Float64() < chance
			out = append(out, metrics.Rated{Task: ids[task], First: met != (r.Float64() < errs), Second: met != (r.Float64() < errs)})
		}
	}
	return out
}

// errorsAlike is the correlation of judges' errors on the criteria of a task.
const errorsAlike = 0.1

// kappaOf is the truth about such judges.
func kappaOf(p, wrong float64) float64 {
	differ := 2 * (wrong - wrong*wrong - errorsAlike*wrong*(1-wrong))
	yes := p*(1-wrong) + (1-p)*wrong
	return 1 - differ/2/yes/(1-yes)
}

// intervals are all in use. The range of chances and of the spread of costs is that of recorded runs and beyond.
func intervals(ps []float64) []simulated {
	var pass, power, asr, mean, checks, nmr, delta, trials, deltas, ratio, kappa, cost, paper simulated
	for _, p := range ps {
		for _, rho := range []float64{0, 0.1, 0.3, 0.6, 0.9} {
			for _, m := range []int{1, 2, 4, 8} {
				pass.add(p, func(r *rand.Rand, n int) metrics.Estimate { return metrics.PassHat(drawn(r, n, m, p, rho, 0), 1) })
				if m > 1 {
					power.add(passes(p, rho, m), func(r *rand.Rand, n int) metrics.Estimate { return metrics.PassHat(drawn(r, n, m, p, rho, 0), m) })
				}
			}
			for _, m := range []int{1, 4} {
				trials.add(0, func(r *rand.Rand, n int) metrics.Estimate { return metrics.PassDifference(1, twins(r, n, m, p, rho)) })
				trials.add(passes(p, rho, m)-passes(1-p, rho, m), func(r *rand.Rand, n int) metrics.Estimate {
					return metrics.PassDifference(m, metrics.Both{First: drawn(r, n, m, p, rho, 0), Second: drawn(r, n, 2*m, 1-p, rho, 0)})
				})
			}
			asr.add(p, func(r *rand.Rand, n int) metrics.Estimate { return metrics.ASR(drawn(r, n, 4, p, rho, 0.2)) })
			mean.add((passes(p, rho, 4)+passes(1-p, rho, 4)+passes(0.9, rho, 4))/3, func(r *rand.Rand, n int) metrics.Estimate {
				return metrics.MeanPassHat([][]metrics.Outcome{drawn(r, n, 4, p, rho, 0), drawn(r, 2*n, 4, 1-p, rho, 0), drawn(r, n, 4, 0.9, rho, 0)}, 4)
			})
			checks.add(p, func(r *rand.Rand, n int) metrics.Estimate { return metrics.Share(checked(r, n, 5, p, rho), "") })
			nmr.add(p, func(r *rand.Rand, n int) metrics.Estimate { return metrics.Share(checked(r, n, 1, p, rho), "") })
		}
		for _, wrong := range []float64{0.05, 0.15} {
			for _, rho := range []float64{0.3, 0.9} {
				kappa.add(kappaOf(p, wrong), func(r *rand.Rand, n int) metrics.Estimate {
					return metrics.AgreementOf(graded(r, n, p, rho, wrong)).Kappa
				})
			}
		}
		for _, q := range []float64{0.02, 0.1, 0.3} {
			a, b := p*(1-q), q*(1-p)
			delta.add(a-b, func(r *rand.Rand, n int) metrics.Estimate { return metrics.Difference(pairs(r, n, a, b)) })
			deltas.add((a-b)/3, func(r *rand.Rand, n int) metrics.Estimate {
				return metrics.Difference(pairs(r, n, a, b), pairs(r, 2*n, b, b), pairs(r, n, a/2, a/2))
			})
			ratio.add(a/b, func(r *rand.Rand, n int) metrics.Estimate { return metrics.McNemarOf(pairs(r, n, a, b)).Odds() })
			paper.add(a-b, func(r *rand.Rand, n int) metrics.Estimate {
				return metrics.Bootstrap{Seed: r.Uint64(), Resamples: 400}.Delta(pairs(r, n, a, b))
			})
		}
	}
	for _, tasks := range []float64{0.2, 0.4, 0.6, 0.75} {
		for _, within := range []float64{0.2, 0.4} {
			for _, m := range []int{1, 4} {
				cost.add(math.Exp((tasks*tasks+within*within)/2), func(r *rand.Rand, n int) metrics.Estimate {
					parts := metrics.Parts{}
					for task := range n {
						usual := math.Exp(tasks * r.NormFloat64())
						for range m {
							parts.Add(ids[task], usual*math.Exp(within*r.NormFloat64()), 1)
						}
					}
					return metrics.Amount(parts, "")
				})
			}
		}
	}
	return []simulated{pass.named("Pass^1"), power.named("Pass^k"), asr.named("ASR, with void trials"), mean.named("Pass^4, mean of domains"),
		checks.named("rubric scores"), nmr.named("Call-NMR"), delta.named("difference"),
		trials.named("difference, all trials"), deltas.named("difference, mean of domains"),
		ratio.named("odds ratio"), kappa.named("kappa of judges"), cost.named("calls, tokens, dollars"), paper.named("Table 13, as the paper")}
}

func (s *simulated) add(truth float64, draw func(*rand.Rand, int) metrics.Estimate) {
	s.worlds = append(s.worlds, world{truth, draw})
}

func (s simulated) named(name string) simulated {
	s.name, s.prescribed = name, strings.Contains(name, "paper")
	return s
}

// cover is the share of experiments of n tasks whose interval holds the truth: in the worst world, and in all of them. One whose
// figure is undefined, such as odds of something against nothing, says nothing false, and counts as holding it.
func (s simulated) cover(n, experiments int) (worst, mean float64) {
	held := make([]float64, len(s.worlds))
	var group sync.WaitGroup
	for i, w := range s.worlds {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			for range experiments {
				e := w.draw(r, n)
				if x := e.Interval; !e.Defined || x.Defined && x.Lo <= w.truth && w.truth <= x.Hi {
					held[i] += 1 / float64(experiments)
				}
			}
		})
	}
	group.Wait()
	worst = 1
	for _, h := range held {
		worst = min(worst, h)
		mean += h / float64(len(held))
	}
	return worst, mean
}

// TestCoverage simulates how often each interval in use holds the truth: nominally in 95 of 100 experiments, in none of the
// worlds in fewer than 92, but for the paper's. The short form has fewer worlds and experiments, whose number its bound
// allows for; -long makes the table of docs/statistics.md.
func TestCoverage(t *testing.T) {
	ps, ns, experiments := []float64{0.02, 0.5, 0.917}, []int{5, 30}, 200
	if *long {
		ps, ns, experiments = []float64{0.02, 0.087, 0.2, 0.5, 0.8, 0.917, 0.98}, []int{5, 10, 20, 50, 100, 300}, 2000
	}
	page := filepath.Join(domaintest.Root(t), "docs", "statistics.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	bound := 0.92
	if !*long {
		bound -= 3 * math.Sqrt(0.08*0.92/float64(experiments))
	}
	below := false
	for _, s := range intervals(ps) {
		row := "| " + s.name
		for _, n := range ns {
			worst, mean := s.cover(n, experiments)
			row += fmt.Sprintf(" | %.0f, %.0f", math.Floor(100*worst), 100*mean)
			below = below || worst < bound && s.prescribed
			if worst < bound && !s.prescribed {
				t.Errorf("%s of %d tasks: %.3f of the intervals hold the truth in the worst world, %.3f in all", s.name, n, worst, mean)
			}
		}
		t.Log(row + " |")
		if before, rest, ok := strings.Cut(string(text), "| "+s.name+" |"); !ok {
			t.Errorf("%s has no line for %s", page, s.name)
		} else if _, after, _ := strings.Cut(rest, "\n"); *long {
			if now := before + row + " |\n" + after; now != string(text) && !*update {
				t.Errorf("%s has another line for %s (-update writes it)", page, s.name)
			} else {
				text = []byte(now)
			}
		}
	}
	if !below {
		t.Error("the bootstrap holds the truth as often as the others: the simulation tells nothing apart")
	}
	if *update && *long {
		if err := os.WriteFile(page, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
