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
	"github.com/tauguide/tauguide/sim/llm"
)

// judges connects to the judge's model. A run that is scored again has its own seed and recordings.
func (s *scoring) judges(w *domains.World, r *store.Run) (*runs.Judges, error) {
	c, o := s.Config, config.Options{Cassette: s.Cassette}
	if r != nil {
		c, o.Out = runs.ForRun(c, r.Manifest()), r.Dir()
	}
	return runs.NewJudges(c, s.Judge, map[string]*domains.World{w.Name: w}, o, nil, func(text string) { s.Note("warning: " + text) })
}

// watch returns what makes the judge of a record: one whose failures are noted, and that is sent nothing that is not kept,
// where the config and r, the run, want that.
func (s *scoring) watch(judges *runs.Judges, r *store.Run) func(sim.Record) sim.Judge {
	ledger := store.Ledgers(judges.Hide)
	s.sent = &ledgers{of: map[store.Ref]*store.Ledger{}}
	return func(rec sim.Record) sim.Judge {
		j := watchedJudge{next: judges.Of(rec), note: &s.unjudged}
		if r != nil && s.Config.KeepRequests {
			j.kept = ledger()
			s.sent.put(store.Ref{Key: rec.Key, Attempt: rec.Attempt}, j.kept)
		}
		return j
	}
}

// ledgers are what was sent to the judge, by trial; nil for none.
type ledgers struct {
	mu sync.Mutex
	of map[store.Ref]*store.Ledger
}

func (l *ledgers) put(ref store.Ref, kept *store.Ledger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of[ref] = kept
}

func (l *ledgers) get(ref store.Ref) *store.Ledger {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[ref]
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

// watchedJudge notes the failures of a judge, and what it is sent unless kept is nil.
type watchedJudge struct {
	next sim.Judge
	note *judgeFailures
	kept *store.Ledger
}

// Grade asks the judge.
func (j watchedJudge) Grade(ctx context.Context, msgs []sim.Message, assertions []string) ([]sim.Verdict, []sim.ModelCall, error) {
	if j.kept != nil {
		ctx = llm.WithExchanges(ctx, j.kept.Add)
	}
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
