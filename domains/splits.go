package domains

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

const (
	taskFile  = "tasks.json"
	splitFile = "split_tasks.json"
)

// EverySplit means all splits in Options.Split. It is for looking at data; a run has one split.
const EverySplit = "*"

// SplitFile is the name of the task file that a split may have of its own, for tasks that are not in tasks.json.
func SplitFile(split string) string { return "tasks_" + split + ".json" }

// Splits maps the name of a split to task ids.
type Splits map[string][]string

// Names returns the names of the splits, sorted.
func (s Splits) Names() []string {
	return slices.Sorted(maps.Keys(s))
}

// Splits reads split_tasks.json. A domain without the file has the one split base, with every task in it.
func (f *Files) Splits(tasks []Task) (Splits, error) {
	all := make([]string, len(tasks))
	for i, t := range tasks {
		all[i] = t.ID
	}
	b, err := f.Read(splitFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Splits{"base": all}, nil
	}
	if err != nil {
		return nil, err
	}
	var s Splits
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path(splitFile), err)
	}
	return s, nil
}

// fill reads the task files of the splits that are asked for and whose tasks are not all in tasks.json. Files that nobody
// asks for stay unread: they are large, and a run is tied to the files that it read.
func (f *Files) fill(w *World) error {
	main := ids(w.Tasks)
	for _, split := range w.Splits.Names() {
		asked := w.Options.Split == EverySplit || w.Options.Split == split
		if !asked || len(lacking(w.Splits[split], main)) == 0 {
			continue
		}
		own, err := f.tasksOf(SplitFile(split))
		if errors.Is(err, fs.ErrNotExist) {
			continue // Select says what is missing
		}
		if err != nil {
			return err
		}
		own = named(own, w.Splits[split])
		if w.Options.Split == split {
			w.Tasks = merged(own, w.Tasks) // a run goes through the split in the order of the split's file
		} else {
			w.Tasks = merged(w.Tasks, own)
		}
	}
	return nil
}

// gap is the error of a split that lists tasks which are in no file that was read.
func (w *World) gap(split string) error {
	there := ids(w.Tasks)
	gone := lacking(w.Splits[split], there)
	if len(gone) == 0 {
		return nil
	}
	hint := fmt.Sprintf("put them into %s and open the data for this split", SplitFile(split))
	whole := slices.DeleteFunc(w.Splits.Names(), func(s string) bool { return len(lacking(w.Splits[s], there)) > 0 })
	if len(whole) > 0 {
		hint += ", or choose a split that is complete: " + strings.Join(whole, ", ")
	}
	return fmt.Errorf("domain %s: split %s lists %d tasks, and %d of them (%q first) are not in the task files\nhint: %s", w.Name, split,
		len(w.Splits[split]), len(gone), gone[0], hint)
}

func ids(tasks []Task) map[string]bool {
	out := map[string]bool{}
	for _, t := range tasks {
		out[t.ID] = true
	}
	return out
}

// lacking returns the listed ids that are not there, in the order of the list.
func lacking(listed []string, there map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(listed), func(id string) bool { return there[id] })
}

// named returns the tasks that the list names, in their own order.
func named(tasks []Task, list []string) []Task {
	wanted := map[string]bool{}
	for _, id := range list {
		wanted[id] = true
	}
	return slices.DeleteFunc(tasks, func(t Task) bool { return !wanted[t.ID] })
}

// merged returns the first tasks and, after them, those of the second that have other ids.
func merged(first, second []Task) []Task {
	have := ids(first)
	out := slices.Clone(first)
	for _, t := range second {
		if !have[t.ID] {
			out = append(out, t)
		}
	}
	return out
}
