package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tauguide/tauguide/sim"
)

// Outline is what lists say of a run: Run without the look at every planned trial and every record.
type Outline struct {
	Dir      string
	Manifest Manifest
	Planned  int
	Counting map[sim.Key]Entry // of each trial that has a record, the attempt that counts
	Attempts map[Ref]Entry
	Writing  bool // some process is writing
}

// Glance reads the outline of a run from its manifest and its index alone. Where these do not say all, as in runs of older
// programs, or the plan is not theirs, the run is opened as Open does.
func Glance(dir string) (Outline, error) {
	m, err := readManifest(dir)
	if err != nil {
		return Outline{}, err
	}
	o := Outline{Dir: dir, Manifest: m}
	if o.Writing, err = Writing(dir); err != nil {
		return o, err
	}
	index := filepath.Join(dir, indexName)
	x, err := readEntries(index)
	if err != nil {
		return o, err
	}
	_, absent := os.Lstat(index)
	if m.Plan == nil || !m.Plan.begins(filepath.Join(dir, planName)) || x.rebuilt || len(x.edits) > 0 || errors.Is(absent, fs.ErrNotExist) {
		r, err := Open(dir)
		if err != nil {
			return o, err
		}
		o.Planned, o.Attempts = len(r.plan), r.entries
	} else {
		o.Planned, o.Attempts = m.Plan.Trials, x.entries
	}
	o.Counting = Latest(o.Attempts)
	return o, nil
}

// HasRecords reports whether a run has records, by its index; what cannot be read has as well, until somebody opens it.
func HasRecords(dir string) bool {
	if st, err := os.Stat(filepath.Join(dir, indexName)); err == nil && st.Size() > 0 {
		return true
	}
	o, err := Glance(dir)
	return err != nil || len(o.Counting) > 0
}

// Outline is that of a run which is open already; writing tells whether some process is.
func (r *Run) Outline(writing bool) Outline {
	return Outline{Dir: r.dir, Manifest: r.manifest, Planned: len(r.plan), Counting: Latest(r.entries), Attempts: r.entries, Writing: writing}
}

// Folders lists the runs in a folder, by name: the folders in it that have a manifest.
func Folders(dir string) ([]string, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range list {
		if path := filepath.Join(dir, d.Name()); IsRun(path) {
			out = append(out, path)
		}
	}
	return out, nil
}

// IsRun reports whether a folder holds a manifest, as every run does.
func IsRun(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, manifestName))
	return err == nil && !st.IsDir()
}
