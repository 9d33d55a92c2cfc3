package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// judgesOf connects to the judge's model. A run that is scored again has its own seed and recordings.
func (s *scoring) judgesOf(w *domains.World, r *store.Run) (*runs.Judges, error) {
	c, o := s.judges, config.Options{Cassette: s.flags.cassette}
	if r != nil {
		c, o.Out = runs.ForRun(c, r.Manifest()), r.Dir()
	}
	return runs.NewJudges(c, s.flags.judge, map[string]*domains.World{w.Name: w}, o, nil, func(text string) {
		fmt.Fprintln(s.p.stderr, "warning: "+text)
	})
}

// told says on stderr where verdicts came from that nobody was asked for now.
func (s *scoring) told(g group, j *runs.Judges) {
	if u := j.Usage(); u.Replayed > 0 {
		fmt.Fprintf(s.p.stderr, "%s: %d answers of the judge were replayed from recordings, %d were asked for\n", g.Path, u.Replayed, u.Calls)
	}
}

// judgeFailures notes the judge's calls that failed. A reward may stand without the verdict, so that no outcome shows it.
type judgeFailures struct {
	mu    sync.Mutex
	n     int
	first error
}

// watch notes the failures of a judge.
func (f *judgeFailures) watch(next sim.Judge) sim.Judge { return watchedJudge{next, f} }

type watchedJudge struct {
	next sim.Judge
	note *judgeFailures
}

// Grade asks the judge.
func (j watchedJudge) Grade(ctx context.Context, msgs []sim.Message, assertions []string) ([]sim.Verdict, []sim.ModelCall, error) {
	verdicts, calls, err := j.next.Grade(ctx, msgs, assertions)
	if err != nil && ctx.Err() == nil {
		j.note.mu.Lock()
		defer j.note.mu.Unlock()
		if j.note.n++; j.note.first == nil {
			j.note.first = err
		}
	}
	return verdicts, calls, err
}
