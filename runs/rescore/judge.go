package rescore

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

// judges connects to the judge's model. A run that is scored again has its own seed and recordings.
func (s *scoring) judges(w *domains.World, r *store.Run) (*runs.Judges, error) {
	c, o := s.Config, config.Options{Cassette: s.Cassette}
	if r != nil {
		c, o.Out = runs.ForRun(c, r.Manifest()), r.Dir()
	}
	return runs.NewJudges(c, s.Judge, map[string]*domains.World{w.Name: w}, o, nil, func(text string) { s.Note("warning: " + text) })
}

// tellReplayed notes the verdicts that nobody was asked for now.
func (s *scoring) tellReplayed(g Group, j *runs.Judges) {
	if u := j.Usage(); u.Replayed > 0 {
		s.Note(fmt.Sprintf("%s: %d answers of the judge were replayed from recordings, %d were asked for", g.Path, u.Replayed, u.Calls))
	}
}

// judgeFailures notes the judge's calls that failed. A reward may be certain without the verdict, so that no outcome
// shows it.
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
