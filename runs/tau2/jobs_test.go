package tau2_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/runs/tau2"
)

// jobs are n jobs of the mock domain, and then an error if there is one.
func jobs(n int, failure error) iter.Seq2[tau2.Job, error] {
	task := &domains.Task{ID: "t", Criteria: &domains.Criteria{Actions: []domains.Action{}, RewardBasis: []domains.RewardType{domains.RewardDB}}}
	return func(yield func(tau2.Job, error) bool) {
		for i := range n {
			r := plannedRecord("aAtu")
			r.Trial = i
			if !yield(tau2.Job{Record: r, ID: fmt.Sprint(i), Task: task}, nil) {
				return
			}
		}
		if failure != nil {
			yield(tau2.Job{}, failure)
		}
	}
}

// TestCompareAllKeepsOrder checks the order, the error at the end, and that leaving early or cancelling ends all work.
func TestCompareAllKeepsOrder(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	damaged := errors.New("damaged")
	for _, workers := range []int{1, 4} {
		n := 0
		var end error
		for c, err := range tau2.CompareAll(context.Background(), w, jobs(50, damaged), workers, nil, tau2.Options{}) {
			if err != nil {
				end = err
				continue
			}
			if c.Trial != n || c.ID != fmt.Sprint(n) || c.Outcome != tau2.Unrecorded {
				t.Fatalf("%d workers: comparison %d is of trial %d: %s", workers, n, c.Trial, c.Outcome)
			}
			n++
		}
		if n != 50 || !errors.Is(end, damaged) {
			t.Errorf("%d workers: %d comparisons, then %v", workers, n, end)
		}
		for range tau2.CompareAll(context.Background(), w, jobs(50, nil), workers, nil, tau2.Options{}) {
			break
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		end = nil
		for _, err := range tau2.CompareAll(ctx, w, jobs(1000, nil), workers, nil, tau2.Options{}) {
			cancel()
			end = err
		}
		if !errors.Is(end, context.Canceled) {
			t.Errorf("%d workers: cancelled, it ended with %v", workers, end)
		}
	}
}

func TestChoose(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	current := w.Tasks[0]
	task := func(raw string) *tau2.Task {
		list, err := domains.ParseTasks([]byte("[" + raw + "]"))
		if err != nil {
			t.Fatal(err)
		}
		return &tau2.Task{ID: list[0].ID, Raw: list[0].Raw, Task: &list[0]}
	}
	same := task(string(current.Raw))
	other := task(`{"id":"` + current.ID + `","user_scenario":{"instructions":"x"},"evaluation_criteria":{"actions":[]}}`)
	empty := task(`{"id":"` + current.ID + `"}`)
	broken := &tau2.Task{ID: current.ID, Err: errors.New("no scenario")}
	for _, tt := range []struct {
		name     string
		id       string
		recorded *tau2.Task
		choice   tau2.TaskChoice
		want     string // whose task
		other    bool
		note     string
	}{
		{"recorded", current.ID, other, tau2.RecordedTasks, "recorded", false, ""},
		{"current", current.ID, other, tau2.CurrentTasks, "current", true, ""},
		{"current is the recorded", current.ID, same, tau2.CurrentTasks, "current", false, ""},
		{"none recorded", current.ID, nil, tau2.RecordedTasks, "current", false, ""},
		{"recorded cannot be read", current.ID, broken, tau2.RecordedTasks, "current", false, "the recorded task cannot be read: the data's of that id stands in for it"},
		{"recorded has no criteria", current.ID, empty, tau2.RecordedTasks, "current", true, "the recorded task has no criteria: the data's of that id stands in for it"},
		{"no criteria anywhere", "gone", empty, tau2.RecordedTasks, "recorded", false, "the recorded task has no criteria, and the data has no such task: it is scored as one that wants nothing"},
		{"gone from the data", "gone", other, tau2.CurrentTasks, "recorded", false, "the data has no such task: scored with the recorded one"},
		{"nowhere", "gone", nil, tau2.RecordedTasks, "missing", false, ""},
		{"nowhere that can be read", "gone", broken, tau2.RecordedTasks, "missing", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := tau2.Job{Record: plannedRecord("au")}
			j.Record.Task = tt.id
			j.Choose(tt.choice, tt.recorded, w)
			got := "current"
			switch {
			case j.Task == nil && j.Missing != "":
				got = "missing"
			case tt.recorded != nil && j.Task == tt.recorded.Task:
				got = "recorded"
			}
			if got != tt.want || j.Other != tt.other {
				t.Errorf("took the %s task (other: %t), want the %s (%t): %s", got, j.Other, tt.want, tt.other, j.Missing)
			}
			if note := strings.Join(j.Notes, "; "); note != tt.note {
				t.Errorf("note %q, want %q", note, tt.note)
			}
		})
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/results.json": result(task, single("a", "t1", "")), "a/results_reviewed.json": "{", "a/notes.txt": "x",
		"b/deep/b.json": result(task), "b/index.json": `{"tasks":[{"task_id":"1","reward":0}]}`, "run/manifest.json": "{}", "run/trials/x.json": "{",
		".hidden/x.json": "{", "loose/1.json": single("a", "t1", ""), "loose/2.json": single("b", "t1", ""),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expand := func(name string) (string, int, error) {
		list, skipped, err := tau2.Find(filepath.Join(dir, name))
		for i := range list {
			list[i], _ = filepath.Rel(dir, list[i])
		}
		return strings.Join(list, " "), len(skipped), err
	}
	for name, want := range map[string]string{"a": "a", "a/results.json": "a/results.json", "run": "run", "loose": "loose",
		".": "a b/deep/b.json loose/1.json loose/2.json run"} {
		if got, _, err := expand(name); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	if _, skipped, err := expand("."); skipped != 1 || err != nil {
		t.Errorf("%d files passed over, want the index; %v", skipped, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b", "cut.json"), []byte(`{"info":{"a`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, skipped, err := tau2.Find(filepath.Join(dir, "b"))
	if i := slices.IndexFunc(skipped, tau2.Skipped.Damaged); err != nil || i < 0 || filepath.Base(skipped[i].Path) != "cut.json" {
		t.Errorf("a damaged result among others: %v, %v", skipped, err)
	}
	if _, _, err := expand("nowhere"); err == nil {
		t.Error("a path that is not there has results")
	}
}
