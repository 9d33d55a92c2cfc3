package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim"
	"golang.org/x/sync/errgroup"
)

// Ref names one attempt at a trial.
type Ref struct {
	sim.Key
	Attempt int `json:"attempt"`
}

// String is the key with the attempt after it.
func (r Ref) String() string { return fmt.Sprintf("%s attempt %d", r.Key.String(), r.Attempt) }

// Entry is the summary of one attempt, a line of index.jsonl. It repeats what record and score say; they are the truth.
type Entry struct {
	Ref
	Seed        int64      `json:"seed"`
	Synthetic   bool       `json:"synthetic,omitempty"`
	Termination sim.Reason `json:"termination_reason"`
	Reward      *float64   `json:"reward"`
	Pending     string     `json:"pending,omitempty"` // what the score still lacks, and why; a reward of 0 may stand already
	Steps       int        `json:"steps"`
	ToolErrors  int        `json:"tool_errors"`
	Seconds     float64    `json:"seconds"`
	Tokens      *int64     `json:"tokens"` // of the conversation and its grading; null if unknown
	Cost        *float64   `json:"cost"`   // dollars likewise
	Fault       string     `json:"fault,omitempty"`
	File        string     `json:"file"`             // of the record, below the run directory
	SHA256      string     `json:"sha256,omitempty"` // of that file; an entry that does not have it is not believed
	Stamp
	Attack *Attacked   `json:"attack,omitempty"` // of a user that attacks; the entries of a mended index do not have it
	Usage  []RoleUsage `json:"usage"`            // by role, sorted; null in the lines of older programs
}

// notScored is why a record without a line in scores.jsonl has no reward.
const notScored = "not scored yet: resume the run"

// summarise makes the entry of a record and its score, which may be nil.
func summarise(r sim.Record, s *sim.Score) Entry {
	e := Entry{Ref: Ref{r.Key, r.Attempt}, Seed: r.Seed, Synthetic: r.Synthetic, Termination: r.Termination, Steps: r.Steps,
		ToolErrors: r.ToolErrors, Seconds: r.Times.Seconds, Tokens: new(int64), Cost: new(float64)}
	e.File = recordFile(e.Ref)
	if r.Fault != nil {
		e.Fault = r.Fault.Kind
	}
	e.spend(r.Calls)
	e.grade(s)
	return e
}

// grade puts a score into the entry.
func (e *Entry) grade(s *sim.Score) {
	e.Reward, e.Pending = nil, ""
	switch {
	case s != nil:
		e.Reward, e.Pending = s.Reward, s.Pending
		e.spend(s.JudgeCalls)
	case e.Termination.Evaluable():
		e.Pending = notScored
	}
}

// spend adds calls to the totals; one unknown figure makes a total unknown.
func (e *Entry) spend(calls []sim.ModelCall) {
	tokens, cost := e.Tokens, e.Cost
	e.Usage = addUsage(e.Usage, calls)
	for _, c := range calls {
		u := c.Usage
		if tokens != nil && u.PromptTokens.Known && u.CompletionTokens.Known {
			n := *tokens + u.PromptTokens.N + u.CompletionTokens.N
			tokens = &n
		} else {
			tokens = nil
		}
		if cost != nil && c.Cost != nil {
			n := *cost + *c.Cost
			cost = &n
		} else {
			cost = nil
		}
	}
	e.Tokens, e.Cost = tokens, cost // new values: copies of an entry share the old ones
}

// index is what a run directory knows of its attempts.
type index struct {
	entries map[Ref]Entry
	broken  []damage
	rebuilt bool // the file is not what the entries say
}

// readEntries reads the lines of an index. A line that is damaged, or that names another file than that of its attempt, is
// passed over: its record is there to be read.
func readEntries(path string) (*index, error) {
	x := &index{entries: map[Ref]Entry{}}
	err := readLines(path, func(_ int, line []byte) error {
		e, err := decodeEntry(line)
		if err == nil && e.File != recordFile(e.Ref) {
			err = fmt.Errorf("entry of %s names the file %s", e.Ref, e.File)
		}
		if err == nil {
			x.entries[e.Ref] = e
		}
		return err
	}, func(int, error) { x.rebuilt = true })
	return x, err
}

// stale returns the entries whose record is not there as it was stored. Asking for so many files takes time, so
// that several goroutines ask.
func (x *index) stale(dir string, files map[string]bool, hash bool) []Ref {
	refs := slices.Collect(maps.Keys(x.entries))
	workers := runtime.GOMAXPROCS(0)
	found := make([][]Ref, workers)
	var asking errgroup.Group
	for w := range workers {
		asking.Go(func() error {
			for i := w; i < len(refs); i += workers {
				if e := x.entries[refs[i]]; !files[e.File] || !e.stands(dir, hash) {
					found[w] = append(found[w], refs[i])
				}
			}
			return nil
		})
	}
	_ = asking.Wait() // none of them fails
	return slices.Concat(found...)
}

// readIndex reads index.jsonl and makes it agree with the records: entries without a record go, as do those of another
// file than is there; records without an entry are read. If scores are newer than the index, the entries' rewards are read again too.
// With hash, every record is read and compared by its checksum; without, those whose size or time of modification is
// not the one that was noted.
func readIndex(dir string, hash bool) (*index, error) {
	x, err := readEntries(filepath.Join(dir, indexName))
	if err != nil {
		return nil, err
	}
	files, err := listRecords(dir) // after the lines: a record that is written meanwhile comes before its line
	if err != nil {
		return nil, err
	}
	for _, ref := range x.stale(dir, files, hash) {
		delete(x.entries, ref)
		x.rebuilt = true
	}
	for _, e := range x.entries {
		delete(files, e.File)
	}
	fresh := x.add(dir, files)
	if len(fresh) > 0 || scoresNewer(dir) || x.unscored() {
		g, err := readGradings(dir)
		if err != nil {
			return nil, err
		}
		x.regrade(g)
	}
	return x, nil
}

// add reads the records that have no entry.
func (x *index) add(dir string, files map[string]bool) (fresh []Ref) {
	names := make([]string, 0, len(files))
	for f := range files {
		names = append(names, f)
	}
	slices.Sort(names)
	for _, f := range names {
		x.rebuilt = true
		r, sha, err := loadRecord(dir, f)
		if err != nil {
			x.broken = append(x.broken, damage{trialOf(f), err})
			continue
		}
		e := summarise(r, nil)
		e.SHA256, e.Stamp = sha, stampOf(dir, f)
		x.entries[e.Ref] = e
		fresh = append(fresh, e.Ref)
	}
	return fresh
}

// damage is a record that cannot be read.
type damage struct {
	trial string // see trialOf
	err   error
}

// trialOf is a record's file without the number of the attempt.
func trialOf(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, ".json"), path.Ext(strings.TrimSuffix(file, ".json")))
}

// missed returns the damage that no other attempt at the same trial makes up for.
func (x *index) missed() []damage {
	good := map[string]bool{}
	for _, e := range x.entries {
		if len(x.broken) > 0 && e.Termination.Evaluable() {
			good[trialOf(e.File)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(x.broken), func(d damage) bool { return good[d.trial] })
}

func (x *index) unscored() bool {
	for _, e := range x.entries {
		if e.Pending == notScored {
			return true
		}
	}
	return false
}

// regrade takes the rewards from the scores.
func (x *index) regrade(g gradings) {
	for ref, e := range x.entries {
		s, ok := g.counting[ref]
		before := e
		switch {
		case ok && e.Pending == notScored: // its gradings are not in the totals yet
			e.spend(g.earlier[ref])
			e.grade(&s)
		case ok:
			e.Reward, e.Pending = s.Reward, s.Pending
		default:
			e.grade(nil)
		}
		if !sameGrade(before, e) {
			x.rebuilt = true
			x.entries[ref] = e
		}
	}
}

func sameGrade(a, b Entry) bool {
	if (a.Reward == nil) != (b.Reward == nil) || a.Pending != b.Pending {
		return false
	}
	return a.Reward == nil || *a.Reward == *b.Reward
}

// scoresNewer reports whether scores were added after the last entry.
func scoresNewer(dir string) bool {
	s, err := os.Stat(filepath.Join(dir, scoresName))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	i, err := os.Stat(filepath.Join(dir, indexName))
	return err != nil || s.ModTime().After(i.ModTime())
}

// listRecords returns the record files below a run directory, by slash path.
func listRecords(dir string) (map[string]bool, error) {
	out := map[string]bool{}
	root := filepath.Join(dir, trialsDir)
	if st, err := os.Stat(root); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("%s is no folder\nhint: move it away and put the run's folder of records there; without it, %s runs all trials again", root, resumes)
	}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		if name := d.Name(); d.IsDir() || strings.HasPrefix(name, ".") || path.Ext(name) != ".json" {
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err == nil {
			out[filepath.ToSlash(rel)] = true
		}
		return err
	})
	return out, err
}

// counting returns, of each trial's attempts, the number of the one that counts: the last that is evaluable, else the last.
func counting(entries map[Ref]Entry) map[sim.Key]int {
	out := make(map[sim.Key]int, len(entries))
	for ref, e := range entries {
		n, ok := out[ref.Key]
		better := !ok || ref.Attempt > n
		if ok {
			if best := entries[Ref{ref.Key, n}]; e.Termination.Evaluable() != best.Termination.Evaluable() {
				better = e.Termination.Evaluable()
			}
		}
		if better {
			out[ref.Key] = ref.Attempt
		}
	}
	return out
}

// Latest returns the entries of the attempts that count.
func Latest(entries map[Ref]Entry) map[sim.Key]Entry {
	out := make(map[sim.Key]Entry, len(entries))
	for k, n := range counting(entries) {
		out[k] = entries[Ref{k, n}]
	}
	return out
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

// readRecord reads one record file. The error names the file and, where it is damaged, the place.
func readRecord(dir, file string) (sim.Record, error) {
	r, _, err := loadRecord(dir, file)
	return r, err
}

// resumes is the command that mends a run.
const resumes = "`tauguide run CONFIG --resume`"

// loadRecord is readRecord, with the file's checksum.
func loadRecord(dir, file string) (sim.Record, string, error) {
	full := filepath.Join(dir, filepath.FromSlash(file))
	text, err := os.ReadFile(full)
	if err != nil {
		return sim.Record{}, "", err
	}
	r, err := decodeRecord(text)
	switch {
	case errors.Is(err, errNewer):
		return sim.Record{}, "", fmt.Errorf("record %s: %w", full, err)
	case err != nil:
		return sim.Record{}, "", fmt.Errorf("record %s: %w\nhint: %s runs the trial again", full, err, resumes)
	}
	if want := recordFile(Ref{r.Key, r.Attempt}); want != file {
		return sim.Record{}, "", fmt.Errorf("record %s: it is the record of %s\nhint: move it to %s", full, Ref{r.Key, r.Attempt}, want)
	}
	return r, sha256Hex(text), nil
}

// fileSum is the checksum of a record file; of one that cannot be read, a word that no entry has.
func fileSum(dir, file string) string {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return "unreadable"
	}
	return sha256Hex(text)
}

var errNewer = errors.New("use a newer program")

func decodeRecord(text []byte) (sim.Record, error) {
	var r sim.Record
	if err := json.Unmarshal(text, &r); err != nil {
		return sim.Record{}, atOffset(text, err)
	}
	switch {
	case r.Version < 1 || r.Termination == "":
		return sim.Record{}, errors.New("this is no record: version or termination_reason is missing")
	case r.Version > sim.RecordVersion:
		return sim.Record{}, fmt.Errorf("version %d is newer than this program's %d: %w", r.Version, sim.RecordVersion, errNewer)
	case r.Trial < 0 || r.Attempt < 0:
		return sim.Record{}, fmt.Errorf("trial %d, attempt %d: both count from 0", r.Trial, r.Attempt)
	}
	return r, nil
}

// atOffset adds to an error of JSON where in the text it is.
func atOffset(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := syntax.Offset
		if at > int64(len(text)) || strings.Contains(err.Error(), "unexpected end") {
			at = int64(len(text))
		}
		return fmt.Errorf("damaged at byte %d of %d: %w", at, len(text), err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("field %s holds a %s, which does not fit", strings.TrimPrefix(kind.Field, "Key."), kind.Value)
	}
	return err
}
