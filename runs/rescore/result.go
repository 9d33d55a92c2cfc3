package rescore

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/tau2"
)

// result is a τ² result that is being scored before its turn to be told.
type result struct {
	ready  chan struct{} // closed once all but trials is there
	src    *tau2.Source
	world  *domains.World
	err    error
	trials chan trial
}

type trial struct {
	tau2.Comparison
	err error
}

// ahead yields paths in their order, and with τ² results what has begun of scoring them: one for each processor before its
// turn, or with a judge none. A run has nil.
func (s *scoring) ahead(ctx context.Context, list []string) iter.Seq2[string, *result] {
	results := make([]*result, len(list))
	for i, path := range list {
		if _, err := os.Stat(filepath.Join(path, "manifest.json")); err != nil {
			// So many comparisons wait for their turn.
			results[i] = &result{ready: make(chan struct{}), trials: make(chan trial, 256)}
		}
	}
	waiting := make(chan struct{}, runtime.GOMAXPROCS(0)+1)
	if s.Config == nil {
		go func() {
			for i, r := range results {
				if r == nil {
					continue
				}
				select {
				case waiting <- struct{}{}:
					go s.begin(ctx, list[i], r)
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	return func(yield func(string, *result) bool) {
		for i, path := range list {
			if r := results[i]; r != nil && s.Config != nil {
				s.begin(ctx, path, r)
			}
			if !yield(path, results[i]) {
				return
			}
			if results[i] != nil && s.Config == nil {
				results[i] = nil // what it holds is told
				<-waiting
			}
		}
	}
}

// begin opens a result and, without a judge, scores it.
func (s *scoring) begin(ctx context.Context, path string, r *result) {
	defer close(r.trials)
	r.src, r.world, r.err = s.openResult(path)
	close(r.ready)
	if r.err != nil || s.Config != nil {
		return
	}
	for c, err := range tau2.CompareAll(ctx, r.world, tau2.Jobs(r.src, r.world, s.Tasks), runtime.GOMAXPROCS(0), nil, s.options()) {
		select {
		case r.trials <- trial{c, err}:
		case <-ctx.Done():
			return
		}
	}
}

func (s *scoring) openResult(path string) (*tau2.Source, *domains.World, error) {
	src, err := tau2.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if err := src.NameAs(s.Domain, "", all.Domains()); err != nil {
		return nil, nil, domains.Usage(err)
	}
	w, err := s.resultWorld(src)
	if err != nil {
		return nil, nil, err
	}
	return src, w.WithTasks(nil), nil // what it remembers of tasks is of this result's
}

// all yields what begin finds.
func (r *result) all() iter.Seq2[tau2.Comparison, error] {
	return func(yield func(tau2.Comparison, error) bool) {
		for t := range r.trials {
			if !yield(t.Comparison, t.err) {
				return
			}
		}
	}
}

// oddity is a deviation with the results that have it.
type oddity struct {
	tau2.Deviation
	first string
	n     int
}

// note counts a deviation of a result.
func (s *scoring) note(path string, d tau2.Deviation) {
	for i := range s.odd {
		if o := &s.odd[i]; o.Kind == d.Kind && o.ReadAs == d.ReadAs {
			o.Count += d.Count
			o.n++
			return
		}
	}
	s.odd = append(s.odd, oddity{d, path, 1})
}

// String is one line, however many results have it: a release of the reference has the same keys in all of its files.
func (o oddity) String() string {
	if o.n == 1 {
		return fmt.Sprintf("%s: %s", o.first, o.Deviation)
	}
	return fmt.Sprintf("%d results, the first %s: %s", o.n, o.first, o.Deviation)
}
