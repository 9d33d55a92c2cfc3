package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Writer is the one writer of a run directory; it holds the run's lock. Records may be stored from many goroutines.
//
// The order of writing makes every moment a good one to be killed: record (temporary name, sync, rename, sync of the
// folder), then score, then index line. What is missing of the latter two is found and made up for at the next start.
type Writer struct {
	dir  string
	lock *flock.Flock
	mark os.FileInfo // of the lock's file, which tells this folder from another of its name
	hide llm.Redactor

	MovedTo string // where a run that was here before is now; empty for none
	plan    []config.Planned
	runID   string

	mu      sync.Mutex
	entries map[Ref]Entry // of the index
	damaged []damage      // records that count as missing
	folders map[string]bool
	index   *appender
	scores  *appender
	log     *appender

	queue   sync.Mutex
	waiting []*grading // for the scores to be stored
}

// grading is a score on its way to the disk.
type grading struct {
	entry  Entry
	score  sim.Score
	line   []byte
	stored bool // or failed; with writer.mu held
	err    error
}

// openWriter takes over a run directory: it drops what a killed process left half-written and makes the index agree
// with records and scores.
func openWriter(dir string, hide llm.Redactor, now time.Time) (w *Writer, err error) {
	w = &Writer{dir: dir, hide: hide, folders: map[string]bool{}}
	if w.lock, err = acquireLock(dir, now); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
			w = nil
		}
	}()
	if w.mark, err = os.Stat(filepath.Join(dir, lockName)); err != nil {
		return w, err
	}
	if err = dropTemporary(dir); err != nil {
		return w, err
	}
	// Opening mends torn ends, which must come before reading.
	if w.scores, err = openAppender(filepath.Join(dir, scoresName), true, hide); err != nil {
		return w, err
	}
	if w.log, err = openAppender(filepath.Join(dir, LogName), false, hide); err != nil {
		return w, err
	}
	if w.index, err = openAppender(filepath.Join(dir, indexName), false, hide); err != nil {
		return w, err
	}
	return w, w.reconcile()
}

// reconcile makes index.jsonl say what records and scores say.
func (w *Writer) reconcile() error {
	x, err := readIndex(w.dir, true)
	if err != nil {
		return err
	}
	g, err := readGradings(w.dir)
	if err != nil {
		return err
	}
	x.regrade(g)
	w.entries, w.damaged = x.entries, x.missed()
	if !x.rebuilt {
		return nil
	}
	list := make([]Entry, 0, len(x.entries))
	for _, e := range x.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, byRef)
	var b bytes.Buffer
	for _, e := range list {
		line, err := encodeLine(e)
		if err != nil {
			return fmt.Errorf("%s: %w", indexName, err)
		}
		b.Write(line)
	}
	path := filepath.Join(w.dir, indexName)
	if err := errors.Join(w.index.close(), writeFile(path, b.Bytes())); err != nil {
		return err
	}
	w.index, err = openAppender(path, false, w.hide)
	return err
}

// dropTemporary removes files that a killed process did not finish.
func dropTemporary(dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), tempPrefix) {
			return err
		}
		return os.Remove(p)
	})
}

// LostError means that a run directory was deleted, moved or replaced while it was written to. Without this error, records
// would go on into files that nobody can find any more, or into a folder that is no run.
type LostError struct{ Dir string }

func (e *LostError) Error() string {
	return fmt.Sprintf("run %s was deleted or moved while it was being written\nhint: put it back and resume the run; what it holds is not run again", e.Dir)
}

// there returns a LostError if the run directory is not the one that was opened.
func (w *Writer) there() error {
	now, err := os.Stat(filepath.Join(w.dir, lockName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, w.mark) {
		return &LostError{w.dir}
	}
	return err
}

// AddRecord stores a record for good. It never replaces one.
func (w *Writer) AddRecord(r sim.Record) (Entry, error) {
	e := summarise(r, nil)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(r); err != nil {
		return e, fmt.Errorf("record of %s: %w", e.Ref, err)
	}
	if err := w.there(); err != nil {
		return e, fmt.Errorf("record of %s: %w", e.Ref, err)
	}
	path := filepath.Join(w.dir, filepath.FromSlash(e.File))
	if err := w.folder(filepath.Dir(path)); err != nil {
		return e, fmt.Errorf("record of %s: %w", e.Ref, err)
	}
	if _, err := os.Lstat(path); err == nil {
		return e, fmt.Errorf("record of %s: %s is there already and is never overwritten", e.Ref, path)
	}
	text := w.hide.Redact(b.Bytes())
	e.SHA256 = sha256Hex(text)
	if err := writeFile(path, text); err != nil {
		return e, fmt.Errorf("record of %s: %w", e.Ref, err)
	}
	e.Stamp = stampOf(w.dir, e.File)
	return e, nil
}

// folder makes a folder below the run directory, and its name lasting.
func (w *Writer) folder(dir string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.folders[dir] {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for at := dir; at != w.dir && len(at) > len(w.dir); {
		at = filepath.Dir(at)
		if err := syncDir(at); err != nil {
			return err
		}
	}
	w.folders[dir] = true
	return nil
}

// AddScore stores a score, and the entry with it in the index. Waiting for the disk takes as long for many scores as for
// one: whoever's turn it is stores those of all who came meanwhile.
func (w *Writer) AddScore(e Entry, s sim.Score) error {
	line, err := encodeLine(s)
	if err != nil {
		return fmt.Errorf("score of %s: %w", e.Ref, err)
	}
	g := &grading{entry: e, score: s, line: line}
	w.queue.Lock()
	w.waiting = append(w.waiting, g)
	w.queue.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !g.stored {
		w.queue.Lock()
		all := w.waiting
		w.waiting = nil
		w.queue.Unlock()
		w.storeScores(all)
	}
	return g.err
}

// storeScores stores scores, and then their entries. With mu held.
func (w *Writer) storeScores(all []*grading) {
	lines := make([][]byte, len(all))
	for i, g := range all {
		lines[i] = g.line
	}
	err := w.there()
	if err == nil {
		err = w.scores.write(lines...)
	}
	for _, g := range all {
		g.stored = true
		if err != nil {
			g.err = fmt.Errorf("score of %s: %w", g.entry.Ref, err)
			continue
		}
		g.entry.grade(&g.score)
		g.err = w.addEntry(g.entry)
	}
}

// AddUnscored enters a record that has no score into the index.
func (w *Writer) AddUnscored(e Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.addEntry(e)
}

func (w *Writer) addEntry(e Entry) error {
	if err := w.index.append(e); err != nil {
		return err
	}
	w.entries[e.Ref] = e
	return nil
}

// Entries returns the entries as they are now.
func (w *Writer) Entries() map[Ref]Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[Ref]Entry, len(w.entries))
	for k, v := range w.entries {
		out[k] = v
	}
	return out
}

// Close frees the lock; it may be called on a writer that was opened in part.
func (w *Writer) Close() error {
	var errs []error
	for _, a := range []*appender{w.index, w.scores, w.log} {
		if a != nil {
			errs = append(errs, a.close())
		}
	}
	if w.lock != nil {
		errs = append(errs, w.lock.Unlock())
	}
	return errors.Join(errs...)
}

// Plan is the plan of the run, which earlier executions may have added to.
func (w *Writer) Plan() []config.Planned { return w.plan }

// RunID tells the run from every other.
func (w *Writer) RunID() string { return w.runID }

// Log is the run's log.
func (w *Writer) Log() io.Writer { return w.log }

// Hide masks the secrets of the run.
func (w *Writer) Hide() llm.Redactor { return w.hide }

// Damaged says which records count as missing because they cannot be read.
func (w *Writer) Damaged() []error {
	out := make([]error, len(w.damaged))
	for i, d := range w.damaged {
		out[i] = d.err
	}
	return out
}

// FreeAttempt returns the number of a trial's first attempt, from n on, of which there is no file. It passes over records
// that cannot be read: they are never overwritten.
func (w *Writer) FreeAttempt(k sim.Key, n int) int {
	for ; ; n++ {
		if _, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(recordFile(Ref{k, n})))); err != nil {
			return n // if it is there and cannot be seen, storing the record will say so
		}
	}
}

// Record reads the record of an entry.
func (w *Writer) Record(e Entry) (sim.Record, error) { return readRecord(w.dir, e.File) }
