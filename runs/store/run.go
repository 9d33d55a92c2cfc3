package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Run is a run directory, read at one moment. Reading changes nothing, also while another process is writing. Safe for
// concurrent use.
type Run struct {
	dir      string
	manifest Manifest
	plan     []config.Planned
	entries  map[Ref]Entry
	counting map[sim.Key]int // attempts that count
	broken   []damage
	notes    []error
	scores   map[Ref]scorePlace // of entries; nil if not known
}

// Open reads a run directory: what it is, what was planned, and the summary of what is there. Records and scores are
// read when asked for.
func Open(dir string) (*Run, error) {
	if err := checkFolder(dir); err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	m, err := readManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open run %s: %w\nhint: name the folder of a run, as in results/quickstart", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	plan, err := readPlan(dir, m.Plan)
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	x, err := readIndex(dir, false)
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	return &Run{dir: dir, manifest: m, plan: plan, entries: x.entries, broken: x.missed(), notes: x.notes, counting: counting(x.entries),
		scores: x.scores}, nil
}

// Dir returns the run directory.
func (r *Run) Dir() string { return r.dir }

// Manifest returns what the run is.
func (r *Run) Manifest() Manifest { return r.manifest }

// Scripted says what of the run is scripted, as config.Config.Scripted does.
func (r *Run) Scripted() string {
	planned := map[string]bool{}
	for _, p := range r.plan {
		planned[p.System] = true
	}
	systems := slices.DeleteFunc(slices.Clone(r.manifest.Config.Systems), func(s config.System) bool { return !planned[s.Name] })
	if out := r.manifest.Config.Scripted(systems); out != "" || !r.manifest.Synthetic {
		return out
	}
	return config.AllScripted // an imported run, whose models are not known
}

// Plan returns the planned trials in the order of running.
func (r *Run) Plan() []config.Planned { return slices.Clone(r.plan) }

// Index returns one entry for each trial that has a record: its latest attempt that counts. They come in the order of
// the plan; trials outside of it, which only foreign files can bring, come last.
func (r *Run) Index() []Entry {
	out := make([]Entry, 0, len(r.counting))
	planned := make(map[sim.Key]bool, len(r.plan))
	for _, p := range r.plan {
		planned[p.Key] = true
		if e, ok := r.Counting(p.Key); ok {
			out = append(out, e)
		}
	}
	var rest []Entry
	for k, n := range r.counting {
		if !planned[k] {
			rest = append(rest, r.entries[Ref{k, n}])
		}
	}
	slices.SortFunc(rest, byRef)
	return append(out, rest...)
}

// Attempts returns the entries of all attempts, sorted by key and attempt.
func (r *Run) Attempts() []Entry {
	return slices.SortedFunc(r.Entries(), byRef)
}

func byRef(a, b Entry) int { return CompareRefs(a.Ref, b.Ref) }

// CompareRefs orders attempts by key and number.
func CompareRefs(a, b Ref) int {
	return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.System, b.System), cmp.Compare(a.Task, b.Task),
		cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Attempt, b.Attempt))
}

// Broken says what of the run is damaged or was edited, each with its file and the remedy: first the records that cannot
// be read or are not what was stored, unless another attempt makes up for one, then lines. The records' trials are not in
// Index and Records, and so count as void.
func (r *Run) Broken() []error {
	out := make([]error, 0, len(r.broken)+len(r.notes))
	for _, d := range r.broken {
		out = append(out, d.err)
	}
	return append(out, r.notes...)
}

// Unreadable is the number of records that count as missing because they are damaged or were edited.
func (r *Run) Unreadable() int { return len(r.broken) }

// Record reads the latest attempt at a trial that counts.
func (r *Run) Record(k sim.Key) (sim.Record, error) {
	if e, ok := r.Counting(k); ok {
		return r.read(e)
	}
	if err := r.Damaged(k); err != nil {
		return sim.Record{}, fmt.Errorf("run %s has no readable record of %s: %w", r.dir, k.String(), err)
	}
	return sim.Record{}, fmt.Errorf("run %s has no record of %s: it was not run yet\nhint: resume the run", r.dir, k.String())
}

func (r *Run) read(e Entry) (sim.Record, error) {
	text, err := readFile(filepath.Join(r.dir, filepath.FromSlash(e.File)))
	if err != nil {
		return sim.Record{}, err
	}
	return r.stored(e, text)
}

// Attempt reads the record of one attempt.
func (r *Run) Attempt(ref Ref) (sim.Record, error) {
	e, ok := r.entries[ref]
	if !ok {
		return sim.Record{}, fmt.Errorf("run %s has no record of %s", r.dir, ref)
	}
	return r.read(e)
}

// Records streams the records of Index, one at a time. One that was damaged since the run was opened is an error in its
// place, with the record's key filled in, and the rest follow; what was damaged before is in Broken alone.
func (r *Run) Records() iter.Seq2[sim.Record, error] {
	return func(yield func(sim.Record, error) bool) {
		for _, e := range r.Index() {
			rec, err := r.read(e)
			if err != nil {
				rec = sim.Record{Key: e.Key, Attempt: e.Attempt}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// Scores reads the scores of all attempts that have a record: of each the highest version, and of these the last.
func (r *Run) Scores() (map[Ref]sim.Score, error) { return r.ScoresOf(nil) }

// ScoresOf reads those of the attempts that are wanted, and keeps no others in memory.
func (r *Run) ScoresOf(want func(Ref) bool) (map[Ref]sim.Score, error) {
	g, err := readGradings(r.dir, want, decodeScore)
	out := make(map[Ref]sim.Score, len(g.counting))
	for ref := range g.counting {
		if s, ok := g.of(r.entries[ref]); ok {
			out[ref] = s
		}
	}
	return out, err
}

// Grading is a score with what the judge was sent for it, nil for nothing.
type Grading struct {
	sim.Score
	Requests *Ledger
}

// AppendScores adds scores to the run, for which it takes the run's lock. The Run itself stays as it was opened.
func (r *Run) AppendScores(scores ...Grading) error {
	w, err := openWriter(r.dir, llm.Redactor{}, time.Now())
	if err != nil {
		return err
	}
	for _, s := range scores {
		ref := Ref{s.Key, s.Attempt}
		e, ok := w.entries[ref]
		if !ok {
			return errors.Join(fmt.Errorf("score of %s: the run %s has no such record", ref, r.dir), w.Close())
		}
		if err := w.AddScore(e, s.Score, s.Requests); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

// Damaged is what is wrong with the record of a trial that has no readable one; nil where none was written.
func (r *Run) Damaged(k sim.Key) error {
	trial := trialOf(recordFile(Ref{Key: k}))
	for _, d := range r.broken {
		if d.trial == trial {
			return d.err
		}
	}
	return nil
}

// Counting returns the entry of a trial's latest attempt that counts; ok is false where the trial has no record.
func (r *Run) Counting(k sim.Key) (e Entry, ok bool) {
	n, ok := r.counting[k]
	return r.entries[Ref{k, n}], ok
}

// Trials is the number of trials that have a record.
func (r *Run) Trials() int { return len(r.counting) }

// Entries returns the entries of all attempts, in no order.
func (r *Run) Entries() iter.Seq[Entry] { return maps.Values(r.entries) }
