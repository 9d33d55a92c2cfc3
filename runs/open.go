package runs

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
)

// ExistsError means that the run directory holds a run, and that nobody said what to do about it.
type ExistsError struct {
	Dir            string
	Finished, Plan int
	resume, fresh  string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("run %s exists, with %d of %d trials finished: continue it with %q, or move it aside with %q",
		e.Dir, e.Finished, e.Plan, e.resume, e.fresh)
}

// Is makes it a fault of what was asked for.
func (e *ExistsError) Is(target error) bool { return target == ErrConfig }

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
	return fmt.Sprintf("run %s was made with another setup, and results must not be mixed: %s; undo the change, give another folder with --out, or start anew with %q",
		e.Dir, strings.Join(shown, "; "), e.fresh)
}

// Is makes it a fault of what was asked for.
func (e *ChangedError) Is(target error) bool { return target == ErrConfig }

// open takes over the run directory for this job, makes it if need be, and returns the plan on disk: that of earlier
// executions and the job's.
func (j *Job) open(now time.Time) (w *writer, plan []Planned, moved string, err error) {
	state, err := lookAt(j.Dir)
	if err != nil {
		return nil, nil, "", configFault(err)
	}
	if state == isRun && j.options.Fresh {
		if moved, err = moveAside(j.Dir, now); err != nil {
			return nil, nil, "", err
		}
		state = isNew
	}
	if state == isNew {
		if err := os.MkdirAll(j.Dir, 0o755); err != nil {
			return nil, nil, "", fmt.Errorf("run directory: %w", err)
		}
	} else if !j.options.Resume {
		return nil, nil, "", j.exists()
	}
	w, err = openWriter(j.Dir, newRedactor(j.models), now)
	if err != nil {
		return nil, nil, "", err
	}
	plan, err = j.settle(w, now)
	if err != nil {
		return nil, nil, "", errors.Join(err, w.close())
	}
	return w, plan, moved, nil
}

// settle compares the job with what the directory holds, now that nobody else can write to it.
func (j *Job) settle(w *writer, now time.Time) ([]Planned, error) {
	old, err := readManifest(j.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(w.entries) > 0 {
			return nil, fmt.Errorf("run %s has records but no %s: put it back, or give another folder with --out", j.Dir, manifestName)
		}
		return j.Plan, j.found(w, j.Plan, newManifest(j, now))
	case err != nil:
		return nil, err
	case !j.options.Resume: // another process began the run since we looked
		return nil, j.exists()
	}
	setup, judgeNew := withJudge(old.Setup, j.identity)
	if changed := Difference(setup, j.identity); len(changed) > 0 {
		return nil, &ChangedError{Dir: j.Dir, Fields: changed, fresh: j.command("--fresh")}
	}
	planned, damage := readPlan(j.Dir)
	plan := union(planned, j.Plan)
	if damage != nil || len(planned) == 0 {
		plan = union(plan, j.recorded(w.entries))
	}
	if damage == nil && len(plan) == len(planned) && !judgeNew {
		return plan, nil
	}
	m := newManifest(j, now)
	m.Created, m.ID = old.Created, old.id()
	m.Command = m.Command.after(old.Command)
	m.Synthetic = m.Synthetic || old.Synthetic
	return plan, j.found(w, plan, m)
}

// withJudge is an old setup as if it had the judge that is new: what was held without one can still be judged.
func withJudge(old, now Identity) (_ Identity, added bool) {
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
	at := join("models", name) + "."
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
func (j *Job) recorded(entries map[Ref]Entry) []Planned {
	var out []Planned
	for _, e := range latest(entries) {
		p := Planned{Key: e.Key, Seed: e.Seed}
		if w, ok := j.Worlds[e.Domain]; ok {
			if t, ok := w.Task(e.Task); ok {
				p.Mut = t.Mutating(w)
			}
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Planned) int { return byRef(Entry{Ref: Ref{Key: a.Key}}, Entry{Ref: Ref{Key: b.Key}}) })
	return out
}

// found writes what a run is. The manifest comes last: where it is, the plan is too.
func (j *Job) found(w *writer, plan []Planned, m Manifest) error {
	if err := writePlan(j.Dir, plan); err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	if err := writeManifest(j.Dir, m, w.hide); err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	return syncDir(filepath.Dir(filepath.Clean(j.Dir)))
}

func (j *Job) exists() error {
	e := &ExistsError{Dir: j.Dir, resume: j.command("--resume"), fresh: j.command("--fresh")}
	if r, err := Open(j.Dir); err == nil {
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
		case name == lockName, name == planName, name == indexName, name == scoresName, name == logName, strings.HasPrefix(name, tempPrefix):
		default:
			return isNew, fmt.Errorf("folder %s is no run, and holds %s: give another folder with --out", dir, name)
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
