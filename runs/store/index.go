package store

import (
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
				if e := x.entries[refs[i]]; !files[e.File] || !e.intact(dir, hash) {
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
