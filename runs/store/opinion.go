package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// opinion is a line of opinions.jsonl: a score by another judge, or by the same once more, that counts nowhere.
type opinion struct {
	Name string `json:"opinion"` // whose it is
	scored
}

// AppendOpinions keeps scores beside those of the run under a name, for which it takes the run's lock. Scores that count, and
// what was kept before, stay.
func (r *Run) AppendOpinions(name string, scores ...sim.Score) (err error) {
	w, err := openWriter(r.dir, llm.Redactor{}, time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	to, err := openAppender(filepath.Join(r.dir, opinionsName), w.Hide)
	if err != nil {
		return err
	}
	for _, s := range scores {
		e, ok := w.entries[Ref{s.Key, s.Attempt}]
		if !ok {
			return errors.Join(fmt.Errorf("opinion on %s: the run %s has no such record", Ref{s.Key, s.Attempt}, r.dir), to.close())
		}
		if err := to.append(opinion{name, scored{Score: s, Record: e.SHA256}}); err != nil {
			return errors.Join(err, to.close())
		}
	}
	return errors.Join(to.file.Sync(), to.close())
}

// Opinions reads what other judges made of the records, by name: of each the last. Those on records that were edited since are
// left out, as are lines that were edited or are damaged, which broken names.
func (r *Run) Opinions() (by map[string]map[Ref]sim.Score, broken []error, err error) {
	by, path := map[string]map[Ref]sim.Score{}, filepath.Join(r.dir, opinionsName)
	err = readLines(path, maxFile, func(_ int, _ int64, line []byte) error {
		o, err := decode[opinion](line)
		if err == nil {
			err = consistent(o.Score)
		}
		if err != nil {
			return err
		}
		if e, ok := r.entries[o.ref()]; ok && e.SHA256 == o.Record {
			if by[o.Name] == nil {
				by[o.Name] = map[Ref]sim.Score{}
			}
			by[o.Name][o.ref()] = o.Score
		}
		return nil
	}, func(n int, _ []byte, err error) {
		if err != nil {
			broken = append(broken, fmt.Errorf("%s:%d: %w: the opinion is left out", path, n, err))
		}
	})
	return by, broken, err
}
