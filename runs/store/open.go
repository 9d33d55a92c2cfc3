package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
)

// Begin takes over the folder of a plan, makes it if need be, and returns its writer. The plan on disk is that of earlier
// executions and this one's.
func Begin(p *config.Plan, now time.Time) (*Writer, error) {
	exists, err := isRun(p.Dir)
	if err != nil {
		return nil, domains.Usage(err)
	}
	moved := ""
	switch {
	case exists && p.Options.Fresh:
		if moved, err = moveAside(p.Dir, now); err != nil {
			return nil, err
		}
	case exists && !p.Options.Resume:
		return nil, errExists(p)
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("run directory: %w\nhint: give a folder that can be written with --out", err)
	}
	w, err := openWriter(p.Dir, config.Secrets(p.Models), now)
	if err != nil {
		return nil, err
	}
	w.MovedTo = moved
	if err := w.settle(p, now); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// settle compares the plan with what the directory holds, now that nobody else can write to it.
func (w *Writer) settle(p *config.Plan, now time.Time) error {
	old, err := readManifest(p.Dir)
	if err == nil && p.Options.Resume {
		p.AsBegun(old.Setup)
	}
	m := newManifest(p, now)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(w.entries) > 0 {
			return fmt.Errorf("run %s has records but no %s\nhint: put it back, or give another folder with --out", p.Dir, manifestName)
		}
		return w.found(p.Trials, m)
	case err != nil:
		return err
	case !p.Options.Resume: // another process began the run since we looked
		return errExists(p)
	}
	setup, judgeNew := withJudge(old.Setup, p.Identity)
	if changed := config.Difference(setup, p.Identity); len(changed) > 0 {
		return errChanged(p, changed)
	}
	planned, damage := readPlan(p.Dir, old.Plan)
	w.RunID, w.Plan = old.RunID(), union(planned, p.Trials)
	if damage != nil {
		w.Plan = union(w.Plan, recorded(p, w.entries))
		if n := len(w.Plan); old.Plan != nil && n < old.Plan.Trials {
			return fmt.Errorf("the run had %d planned trials; records, the config and the flags of now give %d: %w", old.Plan.Trials, n, damage)
		}
	}
	if damage == nil && len(w.Plan) == len(planned) && !judgeNew && (old.Plan == nil || old.Plan.Trials == len(planned)) {
		return nil
	}
	m.Created, m.ID = old.Created, old.RunID()
	m.Command = m.Command.After(old.Command)
	m.Synthetic = m.Synthetic || old.Synthetic
	return w.found(w.Plan, m)
}

// withJudge is an old setup as if it had the judge that is new: what ran without one can still be judged.
func withJudge(old, now config.Identity) (_ config.Identity, added bool) {
	const judge = "judge.model"
	if old.Fields[judge] != `""` || now.Fields[judge] == `""` || now.Fields[judge] == "" {
		return old, false
	}
	old.Fields = maps.Clone(old.Fields)
	old.Fields[judge] = now.Fields[judge]
	var name string
	if err := json.Unmarshal([]byte(now.Fields[judge]), &name); err != nil {
		return old, true
	}
	at := "models." + name + "."
	if _, used := old.Fields[at+"model"]; used {
		return old, true
	}
	for path, value := range now.Fields {
		if strings.HasPrefix(path, at) {
			old.Fields[path] = value
		}
	}
	return old, true
}

// recorded is the plan that records show, for one that was lost.
func recorded(plan *config.Plan, entries map[Ref]Entry) []config.Planned {
	var out []config.Planned
	for _, e := range slices.SortedFunc(maps.Values(Latest(entries)), byRef) {
		p := config.Planned{Key: e.Key, Seed: e.Seed}
		if w, ok := plan.Worlds[e.Domain]; ok {
			if t, ok := w.Task(e.Task); ok {
				p.Mut = t.Mutating(w)
			}
		}
		out = append(out, p)
	}
	return out
}

// found writes what the run is. The manifest comes last: where it is, the plan is too.
func (w *Writer) found(plan []config.Planned, m Manifest) error {
	w.RunID, w.Plan = m.RunID(), plan
	var err error
	if m.Plan, err = writePlan(w.dir, plan); err == nil {
		err = writeManifest(w.dir, m, w.Hide)
	}
	if err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	return syncDir(filepath.Dir(filepath.Clean(w.dir)))
}

// errExists says that the run directory holds a run, and that nobody said what to do about it.
func errExists(p *config.Plan) error {
	planned, finished := 0, 0
	if r, err := Open(p.Dir); err == nil {
		planned = len(r.plan)
		for _, e := range Latest(r.entries) {
			if e.Termination.Evaluable() {
				finished++
			}
		}
	}
	return domains.Usage(fmt.Errorf("run %s exists, with %d of %d trials finished\nhint: continue it with %q, or move it aside with %q",
		p.Dir, finished, planned, p.Command("--resume"), p.Command("--fresh")))
}

// errChanged says that a run cannot be continued, because the config or the data would give other results now.
func errChanged(p *config.Plan, fields []string) error {
	const most = 8
	if n := len(fields) - most; n > 0 {
		fields = append(fields[:most:most], fmt.Sprintf("and %d more", n))
	}
	return domains.Usage(fmt.Errorf("run %s was made with another setup, and results must not be mixed: %s\nhint: undo the change, give another folder with --out, or start over with %q",
		p.Dir, strings.Join(fields, "; "), p.Command("--fresh")))
}

// isRun reports whether a folder is a run. One that is absent, empty, or was left by a run that was killed before it had a
// manifest is not; one that holds anything else is an error.
func isRun(dir string) (bool, error) {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("run directory: %w\nhint: give another folder with --out", err)
	}
	foreign := ""
	for _, d := range list {
		switch name := d.Name(); {
		case name == manifestName:
			return true, nil
		case name == lockName, name == planName, name == indexName, name == scoresName, name == LogName, strings.HasPrefix(name, tempPrefix):
		case foreign == "":
			foreign = name
		}
	}
	if foreign != "" {
		return false, fmt.Errorf("folder %s is no run, and holds %s\nhint: give another folder with --out", dir, foreign)
	}
	return false, nil
}

// moveAside renames a run directory, unless some process is writing to it.
func moveAside(dir string, now time.Time) (string, error) {
	l, err := acquireLock(dir, now)
	if err != nil {
		return "", err
	}
	base := filepath.Clean(dir) + ".old-" + now.UTC().Format("20060102-150405")
	to := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = fmt.Sprintf("%s-%d", base, n)
	}
	return to, errors.Join(os.Rename(dir, to), l.Unlock())
}

// union adds the trials of b that a does not have to the end of a.
func union(a, b []config.Planned) []config.Planned {
	have := make(map[sim.Key]bool, len(a))
	for _, p := range a {
		have[p.Key] = true
	}
	return append(slices.Clip(a), slices.DeleteFunc(slices.Clone(b), func(p config.Planned) bool { return have[p.Key] })...)
}
