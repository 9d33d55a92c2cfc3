package metrics

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// TrialPass is Pass^1 within one trial number.
type TrialPass struct {
	Trial int
	Pass  Estimate
}

// Spread is how Pass^1 varies from trial to trial (paper, Table 11).
type Spread struct {
	Trials    []TrialPass // by trial number
	Mean      Estimate    // over the trials
	Deviation Estimate    // population standard deviation: these trials are all there are; undefined for one trial
}

// PerTrial computes Pass^1 within each trial number of one system on one domain. A trial is undefined where some task
// has no usable outcome of that number, and mean and deviation with it.
func PerTrial(all []Outcome) Spread {
	tasks := len(tallies(all))
	by := map[int][]Outcome{}
	for _, o := range all {
		by[o.Trial] = append(by[o.Trial], o)
	}
	var s Spread
	var values []float64
	missing := ""
	for _, trial := range slices.Sorted(maps.Keys(by)) {
		e := trialPass(by[trial], tasks, trial)
		s.Trials = append(s.Trials, TrialPass{trial, e})
		if !e.Defined && missing == "" {
			missing = e.Reason
		}
		values = append(values, e.Value)
	}
	switch {
	case len(values) == 0:
		missing = "no tasks"
		fallthrough
	case missing != "":
		s.Mean, s.Deviation = Estimate{Reason: missing}, Estimate{Reason: missing}
		return s
	}
	s.Mean = of(stat.Mean(values, nil), tasks, "no trials")
	if len(values) == 1 {
		s.Deviation = undefined("one trial has no spread")
		return s
	}
	s.Deviation = of(stat.PopStdDev(values, nil), tasks, "no trials")
	return s
}

// trialPass is Pass^1 over the outcomes of one trial number, of which every task must have a usable one.
func trialPass(part []Outcome, tasks, trial int) Estimate {
	usable := 0
	for _, t := range tallies(part) {
		if t.usable > 0 {
			usable++
		}
	}
	if usable < tasks {
		return undefined("%d of %d tasks have no usable outcome in trial %d", tasks-usable, tasks, trial)
	}
	return PassHat(part, 1)
}
