package answers_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/answers"
)

// open opens the answers beside out.
func open(t *testing.T, out string) (k *answers.File, close func()) {
	t.Helper()
	k, err := answers.Open(out, "writer", func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	return k, k.Close
}

// ask puts a question, and tells whether the model was asked.
func ask(t *testing.T, k *answers.File, question string) (asked bool) {
	t.Helper()
	client := k.Client(llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
		asked = true
		said := "to " + question
		return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &said}}, nil
	}))
	resp, err := client.Complete(context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: &question}}})
	if err != nil || resp.Message.Text() != "to "+question {
		t.Errorf("%s: %q, %v", question, resp.Message.Text(), err)
	}
	return asked
}

// TestAnswersAfterHalfALine: what comes after a line that a killed process or a full disk cut off is kept.
func TestAnswersAfterHalfALine(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	k, closed := open(t, out)
	ask(t, k, "first")
	ask(t, k, "second")
	closed()
	file := filepath.Join(filepath.Dir(out), ".out.answers.jsonl")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, text[:len(text)-20], 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range []bool{true, false} {
		k, closed := open(t, out)
		if ask(t, k, "first") || ask(t, k, "second") != second {
			t.Errorf("want the second asked: %t; the file has %s", second, text)
		}
		closed()
	}
}

// TestForgetLosesNothing: forgetting adds to what is there, so that whatever ends it, the other answers stay.
func TestForgetLosesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	file := filepath.Join(filepath.Dir(out), ".out.answers.jsonl")
	k, closed := open(t, out)
	for _, question := range []string{"first", "second", "third"} {
		ask(t, k, question)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Forget(2); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(after), string(before)) {
		t.Errorf("%v, before:\n%s\nafter:\n%s", err, before, after)
	}
	closed()
	k, closed = open(t, out)
	if ask(t, k, "first") || !ask(t, k, "second") || !ask(t, k, "third") {
		t.Error("want the last two asked for again, and no other")
	}
	if err := k.Forget(3); err != nil {
		t.Fatal(err)
	}
	closed()
	if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestOneCommandAtOnce: a second command on the same place is told so, before it asks anybody.
func TestOneCommandAtOnce(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, closed := open(t, out)
	if _, err := answers.Open(out, "writer", nil); err == nil || !strings.Contains(err.Error(), out+" cannot be written, so no model was asked: another command is writing there") {
		t.Errorf("at once: %v", err)
	}
	closed()
	_, closed = open(t, out)
	closed()
	if _, err := os.ReadDir(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// TestAnswersThatCannotBeKept are used, told of, and not counted among those that are kept.
func TestAnswersThatCannotBeKept(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	told := ""
	k, err := answers.Open(out, "writer", func(text string) { told += text })
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if err := os.Mkdir(filepath.Join(filepath.Dir(out), ".out.answers.jsonl"), 0o755); err != nil { // nothing can be written to it
		t.Fatal(err)
	}
	if !ask(t, k, "first") || !strings.Contains(told, "an answer was used but not kept: ") || strings.Contains(k.HowToResume(), "are kept") {
		t.Errorf("%q, %q", told, k.HowToResume())
	}
}
