package store

import (
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

// AcceptEdits takes over what was edited of a run: records with the checksums that they have now, manifest and plan as
// they can be read. It returns the files. The run's log keeps what they were. Scores of other records than are there
// count no longer; an edited score is never taken over.
func AcceptEdits(dir string, now time.Time) (files []string, err error) {
	m, edited := readManifest(dir)
	if edited != nil && !errors.Is(edited, llm.ErrEdited) {
		return nil, edited
	}
	w, err := openWriter(dir, llm.Redactor{}, now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	log := slog.New(slog.NewJSONHandler(w.Log, nil))
	for _, file := range slices.Sorted(maps.Keys(w.edits)) {
		e := w.edits[file]
		if e.now.File == "" {
			continue // damaged
		}
		log.Warn("edited record taken over", "file", file, "was", e.was.SHA256, "now", e.now.SHA256)
		if err := w.AddUnscored(e.now); err != nil {
			return files, err
		}
		files = append(files, file)
	}
	plan, damage := readPlan(dir, m.Plan)
	switch {
	case len(plan) == 0:
		return files, damage
	case damage == nil && edited == nil:
		return files, nil
	}
	log.Warn("edited manifest or plan taken over", "error", errors.Join(edited, damage).Error(), "was", m.Plan, "trials", len(plan))
	for name := range m.Kept {
		m.Kept[name] = fileSum(filepath.Join(dir, name))
	}
	return append(files, "plan and manifest"), w.found(plan, m)
}
