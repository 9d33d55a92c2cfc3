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

	"github.com/tidwall/gjson"
	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// index is what a run directory knows of its attempts.
type index struct {
	entries map[Ref]Entry
	edits   map[string]edit // by file
	broken  []damage
	notes   []error            // lines that were edited, and what that means
	rebuilt bool               // the file is not what the entries say
	scores  map[Ref]scorePlace // where they are; nil if they were not looked at or a line is damaged
}

// edit is a record that is not what was stored.
type edit struct {
	was Entry // of what was stored; its line stays in the index, and is not believed
	now Entry // of what is there
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
	x := &index{entries: map[Ref]Entry{}, edits: map[string]edit{}}
	err := readLines(path, maxLine, func(_ int, _ int64, line []byte) error {
		e, err := decodeEntry(line)
		switch {
		case err == nil:
			x.entries[e.Ref] = e
		case e.SHA256 != "" && e.File == recordFile(e.Ref): // of an older program: the record is read again, and must be the one
			x.edits[e.File] = edit{was: e}
		}
		return err
	}, func(n int, _ []byte, err error) {
		x.rebuilt = true
		if errors.Is(err, llm.ErrEdited) {
			x.notes = append(x.notes, fmt.Errorf("%s:%d: %w: record and scores were read in its place\nhint: %s writes the index again", path, n, err, accepts))
		}
	})
	return x, err
}

// readIndex reads index.jsonl and makes it agree with the records: entries without a record go, records without an entry
// are read, and those that are not what was stored are told apart. If scores are newer than the index, the entries'
// rewards are read again too. With all, they are anyway, and every record is compared by its checksum; without, those
// whose size or time of modification is not the one that was noted.
func readIndex(dir string, all bool) (*index, error) {
	x, err := readEntries(filepath.Join(dir, indexName))
	if err != nil {
		return nil, err
	}
	files, err := listRecords(dir) // after the lines: a record that is written meanwhile comes before its line
	if err != nil {
		return nil, err
	}
	var g gradings
	var reading errgroup.Group
	read := func() (err error) {
		g, err = readGradings(dir, nil, decodeResult)
		return err
	}
	if all {
		reading.Go(read)
	}
	x.compare(dir, files, all)
	if !all {
		stale, err := x.findScores(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range x.entries {
			stale = stale || e.Pending == notScored
		}
		if len(files) == 0 && !stale {
			return x, nil
		}
		reading.Go(read)
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	x.add(dir, files, g)
	x.regrade(g)
	x.notes = append(x.notes, g.lost(x.entries)...)
	return x, nil
}

// compare drops the entries whose record is not there as it was stored, and of the files those whose record is.
func (x *index) compare(dir string, files map[string]Stamp, all bool) {
	refs := slices.Collect(maps.Keys(x.entries))
	intact := make([]bool, len(refs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, ref := range refs {
		e := x.entries[ref]
		stamp, there := files[e.File]
		if intact[i] = there && !all && e.untouched(stamp); there && !intact[i] {
			g.Go(func() error {
				intact[i] = e.intact(dir, stamp)
				return nil
			})
		}
	}
	_ = g.Wait()
	for i, ref := range refs {
		e := x.entries[ref]
		if intact[i] {
			delete(files, e.File)
			continue
		}
		delete(x.entries, ref)
		_, there := files[e.File]
		x.rebuilt = x.rebuilt || !there
		if e.SHA256 != "" {
			x.edits[e.File] = edit{was: e}
		}
	}
	maps.DeleteFunc(x.edits, func(file string, _ edit) bool { _, there := files[file]; return !there })
}

// add reads the records that have no entry. A process that is killed leaves such, so they are believed; but what another
// checksum is known of, by index or scores, is not what was stored.
func (x *index) add(dir string, files map[string]Stamp, g gradings) {
	for _, f := range slices.Sorted(maps.Keys(files)) {
		text, err := readFile(filepath.Join(dir, filepath.FromSlash(f)))
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
		known, stored := x.edits[f], g.records[e.Ref]
		if known.was.SHA256 != "" {
			stored = append(stored, known.was.SHA256) // what the index says may be of another run
		}
		if len(stored) == 0 || slices.Contains(stored, e.SHA256) {
			delete(x.edits, f)
			x.entries[e.Ref], x.rebuilt = e, true
			continue
		}
		e.spend(g.counting[e.Ref].JudgeCalls) // paid for, whatever becomes of the record
		e.spend(g.earlier[e.Ref])
		x.edits[f] = edit{known.was, e}
		x.broken = append(x.broken, damage{trialOf(f), errEdited(dir, f)})
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
		s, ok := g.of(e)
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

// findScores notes where the scores that count are. It reports whether some were added after the last entry, or edited.
func (x *index) findScores(dir string) (stale bool, err error) {
	path := filepath.Join(dir, scoresName)
	found := make(map[Ref]scorePlace, len(x.entries))
	err = readLines(path, maxFile, func(_ int, at int64, line []byte) error {
		ref, p := refOf(line), scorePlace{at, int(gjson.GetBytes(line, "version").Int())}
		if e, ok := x.entries[ref]; ok && p.version >= found[ref].version {
			found[e.Ref] = p // whose texts are in memory already
		}
		return nil
	}, func(int, []byte, error) { stale = true })
	if err != nil || stale {
		return stale, err
	}
	x.scores = found
	s, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist), nil
	}
	i, err := os.Stat(filepath.Join(dir, indexName))
	return err != nil || s.ModTime().After(i.ModTime()), nil
}

// listRecords returns the record files below a run directory, by slash path. A link or a pipe among them is an error:
// what it leads to would count as missing, and be run again.
func listRecords(dir string) (map[string]Stamp, error) {
	root := filepath.Join(dir, trialsDir)
	switch st, err := os.Lstat(root); {
	case err != nil || st.IsDir():
	case st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no folder\nhint: move it away and put the run's folder of records there; without it, %s runs all trials again", root, resumes)
	default:
		return nil, checkMode(root, st.Mode())
	}
	out := map[string]Stamp{}
	err := fs.WalkDir(os.DirFS(dir), trialsDir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			return checkMode(filepath.Join(dir, filepath.FromSlash(file)), d.Type())
		case !strings.HasPrefix(d.Name(), ".") && path.Ext(file) == ".json":
			out[file] = stampOf(dir, file)
		}
		return nil
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
