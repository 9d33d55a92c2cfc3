package report

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim"
)

// eachRow computes something for each row of a table that a run has, and returns it by row.
func eachRow[T any](rows []row, compute func(row) (T, error)) (func(row) T, error) {
	type key struct {
		source         *Source
		domain, system string
	}
	all := map[key]T{}
	for _, r := range rows {
		if r.source == nil {
			continue
		}
		v, err := compute(r)
		if err != nil {
			return nil, err
		}
		all[key{r.source, r.domain, r.system.Name}] = v
	}
	return func(r row) T { return all[key{r.source, r.domain, r.system.Name}] }, nil
}

// key is the trial that an outcome is of.
func key(o metrics.Outcome) sim.Key {
	return sim.Key{Domain: o.Domain, System: o.System, Task: o.Task, Trial: o.Trial}
}

// readRecords reads the records of those outcomes of a row that are wanted, on all processors, and returns what comes of
// each by its trial.
func readRecords[T any](r row, wanted func(metrics.Outcome) bool, do func(sim.Record) (T, error)) (map[sim.Key]T, error) {
	var keys []sim.Key
	for _, o := range r.outcomes {
		if wanted(o) {
			keys = append(keys, key(o))
		}
	}
	results := make([]T, len(keys))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, k := range keys {
		g.Go(func() error {
			rec, err := r.source.Record(k)
			if err != nil {
				return err
			}
			results[i], err = do(rec)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := make(map[sim.Key]T, len(keys))
	for i, k := range keys {
		out[k] = results[i]
	}
	return out, nil
}
