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

// ExistsError means that the run directory holds a run, and that nobody said what to do about it.
type ExistsError struct {
	Dir            string
	Finished, Plan int
	resume, fresh  string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("run %s exists, with %d of %d trials finished\nhint: continue it with %q, or move it aside with %q",
		e.Dir, e.Finished, e.Plan, e.resume, e.fresh)
}

// Is makes it a fault of what was asked for.
func (e *ExistsError) Is(target error) bool { return target == domains.ErrUsage }

// ChangedError means that a run cannot be continued, because the config or the data would give other results now.
type ChangedError struct {
	Dir    string
	Fields []string // what differs, with old and new values
	fresh  string
}

func (e *ChangedError) Error() string {
	const most = 8
	shown := e.Fields
	if len(shown) > most {
		shown = append(shown[:most:most], fmt.Sprintf("and %d more", len(e.Fields)-most))
	}
	return fmt.Sprintf("run %s was made with another setup, and results must not be mixed: %s\nhint: undo the change, give another folder with --out, or start anew with %q",
		e.Dir, strings.Join(shown, "; "), e.fresh)
}

// Is makes it a fault of what was asked for.
func (e *ChangedError) Is(target error) bool { return target == domains.ErrUsage }

// Begin takes over the folder of a plan, makes it if need be, and returns its writer. The plan on disk is that of earlier
// executions and this one's.
func Begin(p *config.Plan, now time.Time) (*Writer, error) {
	found, err := lookAt(p.Dir)
	if err != nil {
		return nil, domains.Usage(err)
	}
	moved := ""
	if found == isRun && p.Options.Fresh {
		if moved, err = moveAside(p.Dir, now); err != nil {
			return nil, err
		}
		found = isNew
	}
	if found == isNew {
		if err := os.MkdirAll(p.Dir, 0o755); err != nil {
			return nil, fmt.Errorf("run directory: %w", err)
		}
	} else if !p.Options.Resume {
		return nil, exists(p)
	}
	w, err := openWriter(p.Dir, config.Secrets(p.Models), now)
	if err != nil {
		return nil, err
	}
	w.MovedTo = moved
	if w.plan, err = w.settle(p, now); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// settle compares the plan with what the directory holds, now that nobody else can write to it.
func (w *Writer) settle(p *config.Plan, now time.Time) ([]config.Planned, error) {
	old, err := readManifest(p.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(w.entries) > 0 {
			return nil, fmt.Errorf("run %s has records but no %s\nhint: put it back, or give another folder with --out", p.Dir, manifestName)
		}
		return p.Trials, w.found(p.Trials, newManifest(p, now))
	case err != nil:
		return nil, err
	case !p.Options.Resume: // another process began the run since we looked
		return nil, exists(p)
	}
	w.runID = old.RunID()
	setup, judgeNew := withJudge(old.Setup, p.Identity)
	if changed := config.Difference(setup, p.Identity); len(changed) > 0 {
		return nil, &ChangedError{Dir: p.Dir, Fields: changed, fresh: p.Command("--fresh")}
	}
	planned, damage := readPlan(p.Dir)
	plan := union(planned, p.Trials)
	if damage != nil || len(planned) == 0 {
		plan = union(plan, recorded(p, w.entries))
	}
	if damage == nil && len(plan) == len(planned) && !judgeNew {
		return plan, nil
	}
	m := newManifest(p, now)
	m.Created, m.ID = old.Created, old.RunID()
	m.Command = m.Command.After(old.Command)
	m.Synthetic = m.Synthetic || old.Synthetic
	return plan, w.found(plan, m)
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
	for _, e := range Latest(entries) {
		p := config.Planned{Key: e.Key, Seed: e.Seed}
		if w, ok := plan.Worlds[e.Domain]; ok {
			if t, ok := w.Task(e.Task); ok {
				p.Mut = t.Mutating(w)
			}
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b config.Planned) int { return byRef(Entry{Ref: Ref{Key: a.Key}}, Entry{Ref: Ref{Key: b.Key}}) })
	return out
}

// found writes what the run is. The manifest comes last: where it is, the plan is too.
func (w *Writer) found(plan []config.Planned, m Manifest) error {
	w.runID = m.RunID()
	if err := writePlan(w.dir, plan); err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	if err := writeManifest(w.dir, m, w.hide); err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	return syncDir(filepath.Dir(filepath.Clean(w.dir)))
}

func exists(p *config.Plan) error {
	e := &ExistsError{Dir: p.Dir, resume: p.Command("--resume"), fresh: p.Command("--fresh")}
	if r, err := Open(p.Dir); err == nil {
		e.Plan = len(r.plan)
		for k, n := range r.counting {
			if r.entries[Ref{k, n}].Termination.Evaluable() {
				e.Finished++
			}
		}
	}
	return e
}

// state is what a folder is to a run that wants it.
type state int

const (
	isNew state = iota // absent, empty, or left by a run that was killed before it had a manifest
	isRun
)

func lookAt(dir string) (state, error) {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return isNew, nil
	case err != nil:
		return isNew, fmt.Errorf("run directory: %w", err)
	}
	for _, d := range list {
		if d.Name() == manifestName {
			return isRun, nil
		}
	}
	for _, d := range list {
		switch name := d.Name(); {
		case name == lockName, name == planName, name == indexName, name == scoresName, name == LogName, strings.HasPrefix(name, tempPrefix):
		default:
			return isNew, fmt.Errorf("folder %s is no run, and holds %s\nhint: give another folder with --out", dir, name)
		}
	}
	return isNew, nil
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
	out := slices.Clone(a)
	for _, p := range b {
		if !have[p.Key] {
			out = append(out, p)
		}
	}
	return out
}
