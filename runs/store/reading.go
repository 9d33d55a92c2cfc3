package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/tidwall/gjson"

	"github.com/tauguide/tauguide/sim"
)

// Writing reports whether some process is writing to a run directory at the moment. It changes nothing there: the lock
// is held for the moment that the question takes, which acquireLock allows for.
func Writing(dir string) (bool, error) {
	path := filepath.Join(dir, lockName)
	switch st, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("lock of %s: %w", dir, err)
	case !st.Mode().IsRegular():
		return false, fmt.Errorf("lock of %s: %s is no file\nhint: move it away", dir, path)
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock of %s: %w", dir, err)
	}
	return !free, l.Unlock()
}

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

// RecordInside is Attempt for a folder that may come from anybody: whatever links it holds, nothing outside of it is read.
// raw is the file as it stands there, also where it is not the record that was stored and err says so; it is nil where
// there is no such file.
func (r *Run) RecordInside(ref Ref) (rec sim.Record, raw []byte, err error) {
	file := recordFile(ref)
	full := filepath.Join(r.dir, filepath.FromSlash(file))
	if raw, err = readInside(r.dir, file); err != nil {
		return rec, nil, err
	}
	e, indexed := r.entries[ref]
	if rec, err = decodeRecord(raw); err != nil {
		return sim.Record{}, raw, fmt.Errorf("record %s: %w\nhint: without it, %s runs the trial again", full, err, resumes)
	}
	if got := (Ref{rec.Key, rec.Attempt}); got != ref {
		return sim.Record{}, raw, fmt.Errorf("record %s: it is the record of %s\nhint: bring back that of %s", full, got, ref)
	}
	if indexed && sha256Hex(raw) != e.SHA256 {
		return sim.Record{}, raw, fmt.Errorf("record %s is not the one that was stored, by its checksum\nhint: bring that back; without it, %s runs the trial again", full, resumes)
	}
	return rec, raw, nil
}

// readInside reads a file of a run directory, following no link that leaves it, and nothing that is no file.
func readInside(dir, file string) (text []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(file)
	st, err := root.Stat(name)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	defer f.Close()
	return io.ReadAll(f)
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
