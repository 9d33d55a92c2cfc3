package checks

import (
	"regexp"
	"time"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

var memberID = regexp.MustCompile(`\buser_\d+\b`)

// mockVocabulary is the vocabulary of the task list.
func mockVocabulary() guide.Vocabulary {
	return guide.Vocabulary{
		Facts:   mockFacts,
		Targets: map[string]string{"create_task": "title", "update_task_status": "task_id"},
		Now:     time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC),
	}
}

// mockFacts offers member, the id that the user stated and the latest get_users lists ("" before that), and tasks, the
// ids on that member's list.
func mockFacts(t *guide.Trace) map[string]any {
	facts := map[string]any{"member": "", "tasks": []any{}}
	users := t.LastOK("get_users")
	if users == nil {
		return facts
	}
	stated := map[string]bool{}
	for _, s := range t.User {
		for _, id := range memberID.FindAllString(s.Text, -1) {
			stated[id] = true
		}
	}
	list, _ := users.Result.Items()
	for _, u := range list {
		m, _ := u.Map()
		id, _ := m.Get("user_id")
		if name, _ := id.Text(); stated[name] {
			tasks, _ := m.Get("tasks")
			facts["member"], facts["tasks"] = name, guide.Native(orEmpty(tasks))
		}
	}
	return facts
}

func orEmpty(v value.Value) value.Value {
	if v.Kind() != value.List {
		return value.OfList(nil)
	}
	return v
}
