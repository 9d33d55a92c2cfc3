package store

import (
	"encoding/json"
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/tauguide/tauguide/sim"
)

// Score returns the score of one attempt: of the highest version, and of these the last. It is nil where there is none.
// The scores of the others are passed over unread, so that it costs no memory.
func (r *Run) Score(ref Ref) (*sim.Score, error) {
	var found *sim.Score
	err := readLines(filepath.Join(r.dir, scoresName), func(_ int, line []byte) error {
		if gjson.GetBytes(line, "task").Str != ref.Task {
			return nil
		}
		var s sim.Score
		err := json.Unmarshal(line, &s)
		if err == nil && s.Key == ref.Key && s.Attempt == ref.Attempt && (found == nil || s.Version >= found.Version) {
			found = &s
		}
		return err
	}, unscored)
	return found, err
}

// unscored passes over a damaged score, which is a missing one: the record is there to be scored again.
func unscored(int, error) {}

// gradings are what scores.jsonl holds.
type gradings struct {
	counting map[Ref]sim.Score       // of each attempt the score of the highest version, of these the last
	earlier  map[Ref][]sim.ModelCall // the judge's calls for the others, which were paid for too
}

func readGradings(dir string) (gradings, error) {
	g := gradings{map[Ref]sim.Score{}, map[Ref][]sim.ModelCall{}}
	err := readLines(filepath.Join(dir, scoresName), func(_ int, line []byte) error {
		var s sim.Score
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
		ref := Ref{s.Key, s.Attempt}
		old, ok := g.counting[ref]
		if ok && s.Version < old.Version {
			old, s = s, old
		}
		g.counting[ref] = s
		if calls := old.JudgeCalls; len(calls) > 0 {
			g.earlier[ref] = append(g.earlier[ref], calls...)
		}
		return nil
	}, unscored)
	return g, err
}
