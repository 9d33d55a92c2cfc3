package store_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

func TestNames(t *testing.T) {
	long := "[mms_issue]" + strings.Repeat("airplane_mode_on|bad_network_preference|", 5) + "[PERSONA:None]"
	tests := []struct{ why, id, want string }{
		{"plain", "cancel-one", "cancel-one"},
		{"a number", "17", "17"},
		{"a dot inside", "v1.2", "v1.2"},
		{"path", "../../etc/passwd", "%2e./../etc/passwd"},
		{"upper case is told apart by a hash", "Cancel", "Cancel~"},
		{"empty", "", "%"},
		{"reserved on Windows", "nul", "%6eul"},
		{"reserved on Windows with an ending", "con.x", "%63on.x"},
		{"separators and signs", "a|b:c d", "a%7cb%3ac%20d"},
		{"the mark of a hash", "a~b", "a%7eb"},
		{"not ASCII", "τ²", "%cf%84%c2%b2"},
		{"long", long, "%5bmms_issue%5dairplane"},
	}
	for _, tt := range tests {
		got := store.TaskName(tt.id)
		want := strings.ReplaceAll(tt.want, "/", "%2f")
		if got != want && !(strings.HasPrefix(got, want) && strings.Contains(got, "~")) {
			t.Errorf("%s: %q becomes %q, want %q", tt.why, tt.id, got, want)
		}
		if len(got) > 120+1+12 {
			t.Errorf("%s: %q has %d bytes", tt.why, got, len(got))
		}
	}
}

// nearby draws ids that are easily mixed up: of few characters, some differing by case only, some too long.
func nearby() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("aAbB.%~/é|\x00 0")), 0, 5, -1).Draw(t, "s")
		if rapid.Bool().Draw(t, "long") {
			s = strings.Repeat("x", rapid.IntRange(110, 125).Draw(t, "n")) + s
		}
		return s
	})
}

func TestNamesAreDistinctWhereCaseIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := nearby().Draw(t, "a"), nearby().Draw(t, "b")
		if a != b && strings.EqualFold(store.TaskName(a), store.TaskName(b)) {
			t.Errorf("ids %q and %q share the name %q", a, b, store.TaskName(a))
		}
		ref := func(task string, trial, attempt int) store.Ref {
			return store.Ref{Key: sim.Key{Domain: "d", System: "s", Task: task, Trial: trial}, Attempt: attempt}
		}
		m, n := rapid.IntRange(0, 2).Draw(t, "m"), rapid.IntRange(0, 2).Draw(t, "n")
		x, y := ref(a, m, n), ref(b, n, m)
		if x != y && strings.EqualFold(store.RecordFile(x), store.RecordFile(y)) {
			t.Errorf("%v and %v share the file %s", x, y, store.RecordFile(x))
		}
	})
}

func TestNamesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(nearby(), rapid.String()).Draw(t, "id")
		for _, name := range []string{store.TaskName(id), store.FolderName(id)} {
			if name == "" || len(name) > 133 || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") ||
				strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.%~") != "" {
				t.Errorf("%q becomes %q, which is not safe", id, name)
			}
		}
	})
}
