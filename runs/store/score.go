package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tauguide/tauguide/sim"
	"github.com/tidwall/gjson"
)

// Score returns the score of one attempt: of the highest version, and of these the last. It is nil where there is none.
// The scores of the others are passed over unread, so that it costs no memory.
func (r *Run) Score(ref Ref) (*sim.Score, error) {
	f, err := os.Open(filepath.Join(r.dir, scoresName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var found *sim.Score
	in, long := bufio.NewReaderSize(f, 1<<17), []byte(nil)
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read %s: %w", f.Name(), err)
		}
		if len(long) > 0 {
			line, long = append(long, line...), nil
		}
		if s := scoreOf(line, ref); s != nil && (found == nil || s.Version >= found.Version) {
			found = s
		}
		if err != nil {
			return found, nil
		}
	}
}

// scoreOf reads a line if it is a score of the attempt. A damaged score is a missing one, as for readScores.
func scoreOf(line []byte, ref Ref) *sim.Score {
	if gjson.GetBytes(line, "task").Str != ref.Task || gjson.GetBytes(line, "system").Str != ref.System ||
		gjson.GetBytes(line, "trial").Int() != int64(ref.Trial) {
		return nil
	}
	var s sim.Score
	if err := json.Unmarshal(line, &s); err != nil || s.Key != ref.Key || s.Attempt != ref.Attempt {
		return nil
	}
	return &s
}

// readScores reads the scores that count.
func readScores(dir string) (map[Ref]sim.Score, error) {
	g, err := readGradings(dir)
	return g.counting, err
}

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
	}, func(int, error) {}) // a damaged score is a missing one: the record is there to be scored again
	return g, err
}
