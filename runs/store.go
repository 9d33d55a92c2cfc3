package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/sim"
)

// Run is a run directory, read at one moment. Reading changes nothing, also while another process is writing. Safe for
// concurrent use.
type Run struct {
	dir      string
	manifest Manifest
	plan     []Planned
	entries  map[Ref]Entry
	counting map[sim.Key]Entry
	broken   []error
}

// Open reads a run directory: what it is, what was planned, and the summary of what is there. Records and scores are
// read when asked for.
func Open(dir string) (*Run, error) {
	r := &Run{dir: dir}
	var err error
	if r.manifest, err = readManifest(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open run %s: there is no %s: name the folder of a run, as in results/quickstart: %w", dir, manifestName, err)
		}
		return nil, fmt.Errorf("open run: %w", err)
	}
	if r.plan, err = readPlan(dir); err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	x, err := readIndex(dir)
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	r.entries, r.broken, r.counting = x.entries, x.broken, latest(x.entries)
	return r, nil
}

// Dir returns the run directory.
func (r *Run) Dir() string { return r.dir }

// Manifest returns what the run is.
func (r *Run) Manifest() Manifest { return r.manifest }

// Plan returns the planned trials in the order of running.
func (r *Run) Plan() []Planned { return slices.Clone(r.plan) }

// Index returns one entry for each trial that has a record: its latest attempt that counts. They come in the order of
// the plan; trials outside of it, which only foreign files can bring, come last.
func (r *Run) Index() []Entry {
	out := make([]Entry, 0, len(r.counting))
	planned := make(map[sim.Key]bool, len(r.plan))
	for _, p := range r.plan {
		planned[p.Key] = true
		if e, ok := r.counting[p.Key]; ok {
			out = append(out, e)
		}
	}
	var rest []Entry
	for k, e := range r.counting {
		if !planned[k] {
			rest = append(rest, e)
		}
	}
	slices.SortFunc(rest, byRef)
	return append(out, rest...)
}

// Attempts returns the entries of all attempts, sorted by key and attempt.
func (r *Run) Attempts() []Entry {
	out := make([]Entry, 0, len(r.entries))
	for _, e := range r.entries {
		out = append(out, e)
	}
	slices.SortFunc(out, byRef)
	return out
}

func byRef(a, b Entry) int {
	for _, c := range []int{strings.Compare(a.Domain, b.Domain), strings.Compare(a.System, b.System), strings.Compare(a.Task, b.Task),
		a.Trial - b.Trial, a.Attempt - b.Attempt} {
		if c != 0 {
			return c
		}
	}
	return 0
}

// Broken returns the errors of records that cannot be read, beyond those that the index knows.
func (r *Run) Broken() []error { return slices.Clone(r.broken) }

// Record reads the latest attempt at a trial that counts.
func (r *Run) Record(k sim.Key) (sim.Record, error) {
	e, ok := r.counting[k]
	if !ok {
		return sim.Record{}, fmt.Errorf("run %s has no record of %s: it was not run yet, or its file is damaged: resume the run", r.dir, KeyString(k))
	}
	return readRecord(r.dir, e.File)
}

// Attempt reads the record of one attempt.
func (r *Run) Attempt(ref Ref) (sim.Record, error) {
	if _, ok := r.entries[ref]; !ok {
		return sim.Record{}, fmt.Errorf("run %s has no record of %s", r.dir, ref)
	}
	return readRecord(r.dir, recordFile(ref))
}

// Records streams the records of Index, one at a time. One that cannot be read is an error in its place, with the
// record's key filled in, and the rest follow.
func (r *Run) Records() iter.Seq2[sim.Record, error] {
	return func(yield func(sim.Record, error) bool) {
		for _, e := range r.Index() {
			rec, err := readRecord(r.dir, e.File)
			if err != nil {
				rec = sim.Record{Key: e.Key, Attempt: e.Attempt}
			}
			if !yield(rec, err) {
				return
			}
		}
		for _, err := range r.broken {
			if !yield(sim.Record{}, err) {
				return
			}
		}
	}
}

// Scores reads the scores of all attempts: of each the highest version, and of these the last.
func (r *Run) Scores() (map[Ref]sim.Score, error) { return readScores(r.dir) }

// AppendScores adds scores to the run, for which it takes the run's lock. The Run itself stays as it was opened.
func (r *Run) AppendScores(scores ...sim.Score) error {
	w, err := openWriter(r.dir, newRedactor(nil), time.Now())
	if err != nil {
		return err
	}
	for _, s := range scores {
		ref := Ref{s.Key, s.Attempt}
		e, ok := w.entries[ref]
		if !ok {
			return errors.Join(fmt.Errorf("score of %s: the run %s has no such record", ref, r.dir), w.close())
		}
		if err := w.addScore(e, s); err != nil {
			return errors.Join(err, w.close())
		}
	}
	return w.close()
}
