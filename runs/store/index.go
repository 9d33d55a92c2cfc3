package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim"
)

// index is what a run directory knows of its attempts.
type index struct {
	entries map[Ref]Entry
	broken  []damage
	rebuilt bool // the file is not what the entries say
}

// damage is a record that cannot be read.
type damage struct {
	trial string // see trialOf
	err   error
}

// trialOf is a record's file without the number of the attempt.
func trialOf(file string) string {
	file = strings.TrimSuffix(file, ".json")
	return strings.TrimSuffix(file, path.Ext(file))
}

// readEntries reads the lines of an index. One that is damaged is passed over: its record is there to be read.
func readEntries(path string) (*index, error) {
	x := &index{entries: map[Ref]Entry{}}
	err := readLines(path, func(_ int, line []byte) error {
		e, err := decodeEntry(line)
		if err == nil {
			x.entries[e.Ref] = e
		}
		return err
	}, func(int, error) { x.rebuilt = true })
	return x, err
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
	stale := scoresNewer(dir)
	for ref, e := range x.entries {
		stamp, there := files[e.File]
		if !there || !e.intact(dir, stamp, hash) {
			delete(x.entries, ref)
			x.rebuilt = true
			continue
		}
		delete(files, e.File)
		stale = stale || e.Pending == notScored
	}
	x.add(dir, files)
	if len(files) == 0 && !stale {
		return x, nil
	}
	g, err := readGradings(dir)
	if err != nil {
		return nil, err
	}
	x.regrade(g)
	return x, nil
}

// add reads the records that have no entry.
func (x *index) add(dir string, files map[string]Stamp) {
	for _, f := range slices.Sorted(maps.Keys(files)) {
		x.rebuilt = true
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f)))
		var r sim.Record
		if err == nil {
			r, err = decodeFile(dir, f, text)
		}
		if err != nil {
			x.broken = append(x.broken, damage{trialOf(f), err})
			continue
		}
		e := summarise(r, nil)
		e.SHA256, e.Stamp = sha256Hex(text), files[f]
		x.entries[e.Ref] = e
	}
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
	if a.Reward == nil || b.Reward == nil {
		return a.Reward == b.Reward && a.Pending == b.Pending
	}
	return *a.Reward == *b.Reward && a.Pending == b.Pending
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
func listRecords(dir string) (map[string]Stamp, error) {
	root := filepath.Join(dir, trialsDir)
	if st, err := os.Stat(root); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("%s is no folder\nhint: move it away and put the run's folder of records there; without it, %s runs all trials again", root, resumes)
	}
	out := map[string]Stamp{}
	err := fs.WalkDir(os.DirFS(dir), trialsDir, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") && path.Ext(file) == ".json" {
			out[file] = stampOf(dir, file)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return out, nil
}

// counting returns, of each trial's attempts, the number of the one that counts: the last that is evaluable, else the last.
func counting(entries map[Ref]Entry) map[sim.Key]int {
	out := make(map[sim.Key]int, len(entries))
	for ref, e := range entries {
		n, ok := out[ref.Key]
		best, now := entries[Ref{ref.Key, n}].Termination.Evaluable(), e.Termination.Evaluable()
		if !ok || now && !best || now == best && ref.Attempt > n {
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
