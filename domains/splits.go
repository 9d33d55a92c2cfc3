package domains

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

const (
	taskFile  = "tasks.json"
	splitFile = "split_tasks.json"
)

// EverySplit stands for all splits in Options.Split. It is for looking at data; a run has one split.
const EverySplit = "*"

// SplitFile is the name of the task file that a split may have of its own, for tasks that are not in tasks.json.
func SplitFile(split string) string { return "tasks_" + split + ".json" }

// Splits maps the name of a split to task ids.
type Splits map[string][]string

// Names returns the names of the splits, sorted.
func (s Splits) Names() []string {
	out := make([]string, 0, len(s))
	for n := range s {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
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

// fill reads the task files of the splits that are asked for and whose tasks are not all in tasks.json, and notes of
// each split what is missing then. Files that nobody asks for stay unread: they are large, and a run is tied to the
// files that it read.
func (f *Files) fill(w *World) error {
	w.gaps = map[string]error{}
	main := ids(w.Tasks)
	var whole []string
	for _, split := range w.Splits.Names() {
		if len(lacking(w.Splits[split], main)) == 0 {
			whole = append(whole, split)
		}
	}
	for _, split := range w.Splits.Names() {
		if slices.Contains(whole, split) {
			continue
		}
		if asked := w.Options.Split == EverySplit || w.Options.Split == split; !asked {
			w.gaps[split] = fmt.Errorf("the tasks of split %s are not all in %s, and the data was opened without this split: ask for it by name", split, f.Path(taskFile))
			continue
		}
		own, err := f.tasksOf(SplitFile(split))
		there := err == nil
		if !there && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		own = named(own, w.Splits[split])
		if w.Options.Split == split {
			w.Tasks = merged(own, w.Tasks) // a run goes through the split in the order of the split's file
		} else {
			w.Tasks = merged(w.Tasks, own)
		}
		if gone := lacking(w.Splits[split], ids(w.Tasks)); len(gone) > 0 {
			w.gaps[split] = f.gap(split, len(w.Splits[split]), gone, whole, there)
		}
	}
	return nil
}

// gap says which tasks of a split are in no file, and what to do.
func (f *Files) gap(split string, size int, gone, whole []string, there bool) error {
	main, own := f.Path(taskFile), f.Path(SplitFile(split))
	where := fmt.Sprintf("not in %s, and there is no %s: put the file that has them there", main, own)
	if there {
		where = fmt.Sprintf("neither in %s nor in %s: take all files from one version of the data", main, own)
	}
	if len(whole) > 0 {
		where += ", or choose a split that " + main + " holds: " + strings.Join(whole, ", ")
	}
	return fmt.Errorf("%s lists %d tasks for split %s, and %d of them (%q first) are %s", f.Path(splitFile), size, split, len(gone), gone[0], where)
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
