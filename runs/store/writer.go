package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
// The order of writing makes every moment a good one to be killed: what was sent, record (temporary name, sync, rename, sync
// of the folder), then score, then index line. What is missing of the latter two is found and made up for at the next start.
// Trials that end at the same time share the syncs of all but their records.
type Writer struct {
	MovedTo string           // where a run that was here before is now; empty for none
	Plan    []config.Planned // of the run, which earlier executions may have added to
	RunID   string           // tells the run from every other
	Hide    llm.Redactor     // masks the secrets of the run
	Log     io.Writer
	Damaged []error // records that count as missing because they cannot be read, or are not what was stored
	Notes   []error // lines that were edited, and what that means

	dir   string
	texts texts
	sent  segment
	lock  *flock.Flock
	mark  os.FileInfo // of the lock's file, which tells this folder from another of its name

	mu      sync.Mutex
	entries map[Ref]Entry // of the index
	edits   map[string]edit
	folders map[string]*syncs
	index   *appender
	scores  *appender
	graded  syncs // of scores
	log     *appender
}

// openWriter takes over a run directory: it drops what a killed process left half-written and makes the index agree
// with records and scores.
func openWriter(dir string, hide llm.Redactor, now time.Time) (w *Writer, err error) {
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	w = &Writer{dir: dir, Hide: hide, texts: texts{hide: hide}, folders: map[string]*syncs{}}
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
	for _, f := range []struct {
		name string
		to   **appender
	}{{scoresName, &w.scores}, {LogName, &w.log}, {indexName, &w.index}} {
		if *f.to, err = openAppender(filepath.Join(dir, f.name), hide); err != nil {
			return w, err
		}
	}
	w.Log = w.log
	return w, w.reconcile()
}

// reconcile makes index.jsonl say what records and scores say.
func (w *Writer) reconcile() error {
	x, err := readIndex(w.dir, true)
	if err != nil {
		return err
	}
	w.entries, w.edits, w.Notes = x.entries, x.edits, x.notes
	for _, d := range x.missed() {
		w.Damaged = append(w.Damaged, d.err)
	}
	if !x.rebuilt {
		return nil
	}
	lines := slices.Collect(maps.Values(x.entries))
	for _, known := range x.edits {
		if known.was.File != "" {
			lines = append(lines, known.was)
		}
	}
	var b bytes.Buffer
	for _, e := range slices.SortedFunc(slices.Values(lines), byRef) {
		line, err := encodeLine(e)
		if err != nil {
			return fmt.Errorf("%s: %w", indexName, err)
		}
		b.Write(llm.Seal(line))
	}
	path := filepath.Join(w.dir, indexName)
	if err := errors.Join(w.index.close(), writeFile(path, b.Bytes())); err != nil {
		return err
	}
	w.index, err = openAppender(path, w.Hide)
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

// there returns an error if the run directory was deleted, moved or replaced since it was opened. Without it, records
// would go on into files that nobody can find any more, or into a folder that is no run.
func (w *Writer) there() error {
	now, err := os.Stat(filepath.Join(w.dir, lockName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, w.mark) {
		return fmt.Errorf("run %s was deleted or moved while it was being written\nhint: put it back and resume the run; what it holds is not run again", w.dir)
	}
	return err
}

// AddRecord stores a record for good, the requests in l before it. It never replaces one. l may be nil.
func (w *Writer) AddRecord(r sim.Record, l *Ledger) (Entry, error) {
	e := summarise(r, nil)
	var b bytes.Buffer
	line, err := encodeLine(r)
	if err == nil {
		err = json.Indent(&b, line, "", " ")
	}
	if err == nil {
		e.Sent, err = w.addRequests(e.Ref, false, l)
	}
	if err == nil {
		text := w.Hide.Redact(b.Bytes())
		e.SHA256 = sha256Hex(text)
		err = w.addFile(filepath.Join(w.dir, filepath.FromSlash(e.File)), text)
	}
	if err != nil {
		return e, fmt.Errorf("record of %s: %w", e.Ref, err)
	}
	e.Stamp = stampOf(w.dir, e.File)
	return e, nil
}

func (w *Writer) addFile(path string, text []byte) error {
	if err := w.there(); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	lasting, err := w.folder(dir)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists and is never overwritten", path)
	}
	if err := putFile(path, text); err != nil {
		return err
	}
	return lasting.do(func() error { return syncDir(dir) })
}

// folder makes a folder below the run directory, its name lasting, and returns what makes lasting what is put there.
func (w *Writer) folder(dir string) (*syncs, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.folders[dir]; s != nil {
		return s, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for at := dir; at != w.dir && len(at) > len(w.dir); {
		at = filepath.Dir(at)
		if err := syncDir(at); err != nil {
			return nil, err
		}
	}
	s := &syncs{}
	w.folders[dir] = s
	return s, nil
}

// AddScore stores a score, the judge's requests in l before it, and then the entry with it in the index. Others may add
// theirs while it waits for the disk. l may be nil.
func (w *Writer) AddScore(e Entry, s sim.Score, l *Ledger) error {
	at, err := w.addRequests(e.Ref, true, l)
	w.mu.Lock()
	if err == nil {
		err = w.there()
	}
	if err == nil {
		err = w.scores.append(scored{Score: s, Sent: at, Record: e.SHA256})
	}
	w.mu.Unlock()
	if err == nil {
		err = w.graded.do(w.scores.file.Sync)
	}
	if err != nil {
		return fmt.Errorf("score of %s: %w", e.Ref, err)
	}
	e.grade(&s)
	return w.AddUnscored(e)
}

// AddUnscored enters a record into the index as its entry is, which is without a score as a rule.
func (w *Writer) AddUnscored(e Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
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
	return maps.Clone(w.entries)
}

// Close frees the lock; it may be called on a writer that was opened in part.
func (w *Writer) Close() error {
	errs := []error{w.sent.close()}
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
func (w *Writer) Record(e Entry) (sim.Record, error) {
	r := Run{dir: w.dir}
	return r.read(e)
}
