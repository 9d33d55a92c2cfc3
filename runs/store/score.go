package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// scored is a line of scores.jsonl.
type scored struct {
	sim.Score
	Sent     Place  `json:"sent,omitzero"`           // where the judge's requests are
	Requests int    `json:"requests,omitempty"`      // number of the file of them that an older program wrote, from 1
	Record   string `json:"record_sha256,omitempty"` // checksum of the record that was scored; "" in the lines of older programs
}

func (s scored) ref() Ref { return Ref{s.Key, s.Attempt} }

// Score returns the score of one attempt: of the highest version, and of these the last. It is nil where there is none;
// an error says that there was one and that it was edited. It is that of when the run was opened, unless the file was
// written anew since.
func (r *Run) Score(ref Ref) (*sim.Score, error) {
	g, err := r.grading(ref, decodeScore)
	if err != nil {
		return nil, err
	}
	e, ok := r.entries[ref]
	if !ok {
		return nil, nil
	}
	if s, ok := g.of(e); ok {
		return &s, nil
	}
	return nil, errors.Join(g.lost(map[Ref]Entry{ref: e})...)
}

// scorePlace is where in scores.jsonl a score is.
type scorePlace struct {
	at      int64 // byte at which its line begins
	version int   // of the scoring
}

// grading reads the score of one attempt, from its place if that is known, else from the whole file.
func (r *Run) grading(ref Ref, decode func(line []byte) (scored, error)) (gradings, error) {
	switch p, ok := r.scores[ref]; {
	case ok:
		line, err := readLineAt(filepath.Join(r.dir, scoresName), maxFile, p.at)
		if s, broken := decode(line); err == nil && broken == nil && s.ref() == ref {
			return gradings{counting: map[Ref]scored{ref: s}}, nil
		}
	case r.scores != nil && r.entries[ref].Pending != notScored: // as damage may be why
		return gradings{}, nil
	}
	return readGradings(r.dir, only(ref), decode)
}

// gradings are what scores.jsonl holds.
type gradings struct {
	counting map[Ref]scored          // of each attempt the score of the highest version, of these the last
	earlier  map[Ref][]sim.ModelCall // the judge's calls for the others, which were paid for too
	records  map[Ref][]string        // checksums of all records that were scored
	edited   map[Ref]error           // scores that nothing made up for
	damaged  []error                 // lines that do not even say whose score they were
}

// refOf is the attempt that a line names.
func refOf(line []byte) Ref {
	at := gjson.GetManyBytes(line, "task", "trial", "system", "domain", "attempt")
	return Ref{sim.Key{Task: at[0].Str, Trial: int(at[1].Int()), System: at[2].Str, Domain: at[3].Str}, int(at[4].Int())}
}

// isOf tells whether a line names an attempt.
func isOf(line []byte, ref Ref) bool { return refOf(line) == ref }

func only(ref Ref) func(Ref) bool { return func(r Ref) bool { return r == ref } }

// decodeScore reads a line of scores.jsonl.
func decodeScore(line []byte) (scored, error) {
	s, err := decode[scored](line)
	return s, cmp.Or(err, consistent(s.Score))
}

// decodeResult is decodeScore without what led to the reward, which is most of the line.
func decodeResult(line []byte) (scored, error) {
	type result struct {
		scored
		Info struct {
			Reward          float64                        `json:"reward"`
			RewardBreakdown map[domains.RewardType]float64 `json:"reward_breakdown"`
		} `json:"reward_info"`
		Diff skipped `json:"db_diff"`
	}
	s, err := decode[result](line)
	s.Score.Info = sim.RewardInfo{Reward: s.Info.Reward, RewardBreakdown: s.Info.RewardBreakdown}
	err = cmp.Or(err, consistent(s.Score))
	s.Score.Info, s.Components = sim.RewardInfo{}, nil
	return s.scored, err
}

// skipped is a value that is not looked at.
type skipped struct{}

func (skipped) UnmarshalJSON([]byte) error                  { return nil }
func (skipped) UnmarshalJSONFrom(d *jsontext.Decoder) error { return d.SkipValue() }

// readGradings reads the scores of those attempts that are wanted, or of all if want is nil.
func readGradings(dir string, want func(Ref) bool, decode func(line []byte) (scored, error)) (gradings, error) {
	g := gradings{map[Ref]scored{}, map[Ref][]sim.ModelCall{}, map[Ref][]string{}, map[Ref]error{}, nil}
	path := filepath.Join(dir, scoresName)
	err := readLines(path, maxFile, func(_ int, _ int64, line []byte) error {
		if want != nil && !want(refOf(line)) && gjson.ValidBytes(line) {
			return nil
		}
		s, err := decode(line)
		if err == nil {
			g.add(s)
		}
		return err
	}, func(n int, line []byte, err error) {
		if err == nil {
			return // torn while it was written
		}
		err = fmt.Errorf("%s:%d: %w", path, n, err)
		var s scored
		if json.Unmarshal(line, &s) != nil {
			g.damaged = append(g.damaged, err)
			return
		}
		g.drop(s.ref())
		g.edited[s.ref()] = err
	})
	return g, err
}

func (g *gradings) add(s scored) {
	ref := s.ref()
	old, ok := g.counting[ref]
	if ok && s.Version < old.Version {
		old, s = s, old
	}
	g.counting[ref] = s
	if calls := old.JudgeCalls; len(calls) > 0 {
		g.earlier[ref] = append(g.earlier[ref], calls...)
	}
	if s.Record != "" {
		g.records[ref] = append(g.records[ref], s.Record)
	}
	delete(g.edited, ref)
}

// drop makes an attempt one without a score; what its score cost stays known.
func (g *gradings) drop(ref Ref) {
	if old, ok := g.counting[ref]; ok {
		g.earlier[ref] = append(g.earlier[ref], old.JudgeCalls...)
		delete(g.counting, ref)
	}
}

// of is the score of an entry's record, as it is now.
func (g gradings) of(e Entry) (sim.Score, bool) {
	s, ok := g.counting[e.Ref]
	return s.Score, ok && (s.Record == "" || s.Record == e.SHA256)
}

// lost says which of the entries lack a score because a line was edited.
func (g gradings) lost(entries map[Ref]Entry) (out []error) {
	if len(g.edited)+len(g.damaged) == 0 {
		return nil
	}
	const cure = "the score counts as missing\nhint: `tauguide score DIR` scores the record again"
	unscored := false
	for _, ref := range slices.SortedFunc(maps.Keys(entries), CompareRefs) {
		unscored = unscored || entries[ref].Pending == notScored
		if err := g.edited[ref]; err != nil {
			out = append(out, fmt.Errorf("score of %s: %w: %s", ref, err, cure))
		}
	}
	if unscored {
		for _, err := range g.damaged {
			out = append(out, fmt.Errorf("%w: %s", err, cure))
		}
	}
	return out
}

// consistent refuses a reward that no scoring gives.
func consistent(s sim.Score) error {
	if s.Reward == nil {
		return nil
	}
	reward, product := *s.Reward, 1.0
	if reward < 0 || reward > 1+1e-6 {
		return fmt.Errorf("reward %g is not within 0 and 1", reward)
	}
	if s.Origin != "" {
		return nil // the parts are what another program wrote
	}
	for _, part := range s.Info.RewardBreakdown {
		product *= part
	}
	if reward != s.Info.Reward || len(s.Info.RewardBreakdown) > 0 && math.Abs(product-reward) > 1e-6 {
		return fmt.Errorf("reward %g is not that of reward_info", reward)
	}
	for _, c := range s.Components {
		if c.Counted && c.State == sim.Fail && reward > 0 {
			return fmt.Errorf("reward %g does not fit the component %s, which failed", reward, c.Type)
		}
	}
	return nil
}
