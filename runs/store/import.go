package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Importer writes the run directory of trials that ran elsewhere. Everything goes into a hidden folder beside the
// wanted one, which takes its name when Finish is called: there is a whole run or none. Records are not synced one by
// one, since what was imported can be imported again.
type Importer struct {
	dir, temp string
	plan      []config.Planned
	planned   map[sim.Key]bool
	folders   map[string]bool
	index     *appender
	scores    *appender
	kept      map[string]string
}

// NewImporter begins a run directory. Close must be called in the end; without Finish before, it leaves nothing behind.
func NewImporter(dir string) (*Importer, error) {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("%s exists\nhint: give another folder with --out, or move it away", dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	temp, err := os.MkdirTemp(parent, tempPrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	f := &Importer{dir: dir, temp: temp, planned: map[sim.Key]bool{}, folders: map[string]bool{}, kept: map[string]string{}}
	if f.index, err = openAppender(filepath.Join(temp, indexName), llm.Redactor{}); err == nil {
		f.scores, err = openAppender(filepath.Join(temp, scoresName), llm.Redactor{})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("run directory: %w", err), f.Close())
	}
	return f, nil
}

// Add stores a trial: its record, and its score if there is one. Records of the same trial differ in their attempt.
func (f *Importer) Add(p config.Planned, r sim.Record, s *sim.Score) error {
	e := summarise(r, s)
	path := filepath.Join(f.temp, filepath.FromSlash(e.File))
	if folder := filepath.Dir(path); !f.folders[folder] {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("record of %s: %w", e.Ref, err)
		}
		f.folders[folder] = true
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("record of %s: there are two of it", e.Ref)
	}
	text, err := encodeLine(r)
	if err != nil {
		return fmt.Errorf("record of %s: %w", e.Ref, err)
	}
	e.SHA256 = sha256Hex(text)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("record of %s: %w", e.Ref, err)
	}
	e.Stamp = stampOf(f.temp, e.File) // taking its name does not touch the file
	if s != nil {
		err := consistent(*s)
		if err == nil {
			err = f.scores.append(scored{Score: *s, Record: e.SHA256})
		}
		if err != nil {
			return fmt.Errorf("score of %s: %w", e.Ref, err)
		}
	}
	f.Plan(p)
	return f.index.append(e)
}

// Plan adds a trial to the plan, with a record or without, unless it is planned already.
func (f *Importer) Plan(p config.Planned) {
	if !f.planned[p.Key] {
		f.planned[p.Key] = true
		f.plan = append(f.plan, p)
	}
}

// Planned is the number of planned trials.
func (f *Importer) Planned() int { return len(f.plan) }

// Keep stores a file of the importer's own beside the others, as indented JSON.
func (f *Importer) Keep(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text = append(text, '\n')
	f.kept[name] = sha256Hex(text)
	return os.WriteFile(filepath.Join(f.temp, name), text, 0o644)
}

// Finish writes plan and manifest and puts the directory into its place. Format, versions and time are filled in.
func (f *Importer) Finish(m Manifest, now time.Time) error {
	m.Format, m.Created, m.Kept = Format, now.UTC().Format(time.RFC3339), f.kept
	m.Versions = Versions{Program: programVersion(), Go: runtime.Version(), Record: sim.RecordVersion, Score: sim.ScoreVersion}
	err := errors.Join(f.index.close(), f.scores.close())
	f.index, f.scores = nil, nil
	if err == nil {
		m.Plan, err = writePlan(f.temp, f.plan)
	}
	if err == nil {
		err = writeManifest(f.temp, m, llm.Redactor{})
	}
	if err == nil {
		err = os.Chmod(f.temp, 0o755)
	}
	if err == nil {
		err = os.Rename(f.temp, f.dir)
	}
	if err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	f.temp = ""
	return syncDir(filepath.Dir(f.dir))
}

// Close removes what was not finished.
func (f *Importer) Close() error {
	var errs []error
	for _, a := range []*appender{f.index, f.scores} {
		if a != nil {
			errs = append(errs, a.close())
		}
	}
	f.index, f.scores = nil, nil
	if f.temp != "" {
		errs = append(errs, os.RemoveAll(f.temp))
	}
	return errors.Join(errs...)
}
