package view

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tauguide/tauguide/runs/store"
)

// shelved is a run that was given, with its last snapshot. Safe for concurrent use.
type shelved struct {
	dir  string // as it was given
	slug string
	env  func(string) string
	// frozen is what a copy is made of, whatever happens to the folder meanwhile; nil for a server.
	frozen *snapshot

	mu    sync.Mutex
	taken *snapshot
	mark  fingerprint // of the folder when that was taken
	began time.Time   // when its reading began
}

// linkError means that a run's folder holds something that leads out of it.
type linkError struct{ path, why string }

func (e *linkError) Error() string {
	return fmt.Sprintf("%s %s: put the file itself there, as cp -RL does for a whole folder", e.path, e.why)
}

// snapshot returns the run as it is now. The last one is used again as long as the folder did not change.
func (s *shelved) snapshot() (*snapshot, error) {
	if s.frozen != nil {
		return s.frozen, nil
	}
	came := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken != nil && s.began.After(came) { // read while this one waited
		return s.taken, nil
	}
	// A file that changed a moment before it was looked at may have changed again within the same tick of its clock.
	if s.taken != nil && s.mark.newest.Before(s.began.Add(-settled)) && s.mark.holds() {
		live, err := store.Writing(s.dir)
		if err != nil || live == s.taken.live {
			return s.taken, err
		}
	}
	s.taken = nil // frees the old one before the new one grows
	began := time.Now()
	mark, err := look(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no run in %s any more: %w", s.dir, err)
	}
	if err != nil {
		return nil, err
	}
	taken, err := take(s.dir, s.env)
	if err != nil {
		return nil, err
	}
	s.taken, s.mark, s.began = taken, mark, began
	return taken, nil
}

// settled is more than the coarsest clock of a file system in use, apart from FAT's.
const settled = 50 * time.Millisecond

// fingerprint tells one state of a run's folder from another: by its files of lines, and by the folders of records, whose
// times change with every record that comes or goes.
type fingerprint struct {
	at     map[string]os.FileInfo // by path; nil for a file that is not there
	newest time.Time
}

// lineFiles are what a run is read from, apart from its records.
func lineFiles() []string {
	return []string{"manifest.json", "plan.jsonl", "index.jsonl", "scores.jsonl", "tau2.json", "lock"}
}

// look takes the fingerprint of a folder, and refuses one that holds anything that leads out of it.
func look(dir string) (fingerprint, error) {
	f := fingerprint{at: map[string]os.FileInfo{}}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return f, err
	}
	for _, name := range lineFiles() {
		path := filepath.Join(dir, name)
		st, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != "manifest.json":
			f.at[path] = nil
			continue
		case err != nil:
			return f, err
		}
		if err := inside(real, path, st.Mode()); err != nil {
			return f, err
		}
		if st, err = os.Stat(path); err != nil {
			return f, err
		}
		f.note(path, st)
	}
	root := filepath.Join(dir, "trials")
	return f, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.at[path] = nil
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return inside(real, path, d.Type())
		}
		st, err := d.Info()
		if err == nil {
			f.note(path, st)
		}
		return err
	})
}

func (f *fingerprint) note(path string, st os.FileInfo) {
	f.at[path] = st
	if st.ModTime().After(f.newest) {
		f.newest = st.ModTime()
	}
}

// holds reports whether the folder is still as it was. A folder within that is new has changed the time of its own.
func (f fingerprint) holds() bool {
	for path, was := range f.at {
		now, err := os.Stat(path)
		if was == nil {
			if !errors.Is(err, fs.ErrNotExist) {
				return false
			}
			continue
		}
		if err != nil || !os.SameFile(was, now) || !was.ModTime().Equal(now.ModTime()) || was.Size() != now.Size() {
			return false
		}
	}
	return true
}

// inside refuses what is no file, and links that lead out of the run's folder.
func inside(real, path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode&fs.ModeSymlink == 0:
		return &linkError{path, "is no file"}
	}
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return &linkError{path, "is a link that leads nowhere"}
	}
	rel, err := filepath.Rel(real, to)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return &linkError{path, "is a link out of the run's folder"}
	}
	if st, err := os.Stat(to); err != nil || !st.Mode().IsRegular() {
		return &linkError{path, "is a link to what is no file"}
	}
	return nil
}
