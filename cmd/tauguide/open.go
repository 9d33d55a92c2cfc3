package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

// checkRun refuses what is not a run, and says where runs are.
func checkRun(dir string) error {
	if store.IsRun(dir) {
		return nil
	}
	return usage(notRun(dir))
}

// notRun is the error about a path that is no run.
func notRun(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		runs, _ := store.Folders(filepath.Dir(dir)) // a folder that is not there has none
		hint := "name the folder that tauguide run wrote, such as results/quickstart; tauguide runs lists those of " + config.ResultsDir
		if near := yamlfile.Nearest(dir, runs); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return fmt.Errorf("there is no run %s\nhint: %s", dir, hint)
	case err != nil:
		return err
	case !st.IsDir() && filepath.Base(dir) == "manifest.json":
		return fmt.Errorf("%s is a file of a run\nhint: name its folder, %s", dir, filepath.Dir(dir))
	case !st.IsDir():
		return fmt.Errorf("%s is a file, and a run is a folder\nhint: name the folder that tauguide run wrote, such as results/quickstart; tauguide run CONFIG makes one, "+
			"and tauguide import one of a τ²-bench result", dir)
	}
	if runs, _ := store.Folders(dir); len(runs) > 0 {
		return fmt.Errorf("%s is no run directory but a folder of runs\nhint: name one of them: %s", dir, some(runs, 8))
	}
	return fmt.Errorf("%s is no run directory: it has no manifest.json\nhint: name the folder that tauguide run wrote, such as results/quickstart", dir)
}

// openRun opens a run argument: a directory with a run in it. What is damaged there is told on stderr.
func openRun(p process, arg string) (*store.Run, error) {
	if err := checkRun(arg); err != nil {
		return nil, err
	}
	r, err := store.Open(arg)
	if err != nil {
		return nil, err
	}
	for _, broken := range r.Broken() {
		p.warn(broken.Error())
	}
	if planned, recorded := len(r.Plan()), len(r.Index()); recorded < planned {
		remedy := "run its config again with --resume"
		if r.Manifest().Imported() {
			remedy = "import the result again when it is complete"
		}
		p.warn(fmt.Sprintf("%d of the %d planned trials of %s have no record: they count as void\nhint: %s", planned-recorded, planned, arg, remedy))
	}
	return r, nil
}

// realRun is where a run is, whatever it was called.
func realRun(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if errors.Is(err, os.ErrNotExist) {
		return "", usage(notRun(dir))
	}
	if err != nil {
		return "", usage(err)
	}
	return real, nil
}

// differentRuns refuses the same run twice: every figure would count it twice, and its pages would have two addresses.
func differentRuns(dirs []string) error {
	seen := map[string]string{}
	for _, dir := range dirs {
		real, err := realRun(dir)
		if err != nil {
			return err
		}
		if first, twice := seen[real]; twice {
			return usage(fmt.Errorf("%s and %s are the same run\nhint: name it once", first, dir))
		}
		seen[real] = dir
	}
	return nil
}

// openSources reads runs for tables.
func openSources(p process, dirs []string) ([]report.Source, error) {
	if err := differentRuns(dirs); err != nil {
		return nil, err
	}
	var sources []report.Source
	for _, dir := range dirs {
		r, err := openRun(p, dir)
		if err != nil {
			return nil, err
		}
		s, err := report.FromRun(r, p.env)
		if err != nil {
			return nil, err
		}
		for _, other := range sources {
			if other.Name == s.Name {
				s.Name = dir // runs of one name are told apart by their folders
			}
		}
		sources = append(sources, s)
	}
	return sources, nil
}
