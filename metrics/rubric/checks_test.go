package rubric_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/rubric"
	"github.com/tauguide/tauguide/metrics/trace"
)

// example is a written-down conversation with what a check says of it.
type example struct {
	check string
	line  int
	task  *domains.Task
	want  rubric.State
	text  strings.Builder
}

// examples reads a file of conversations: testdata/telecom.txt says how it is written.
func examples(t *testing.T, domain string) []*example {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", domain+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*example
	var check string
	var task *domains.Task
	for i, line := range strings.Split(string(file), "\n") {
		switch {
		case strings.HasPrefix(line, "== "):
			words := strings.Fields(line[3:])
			check, task = words[0], taskOf(t, words[1:])
		case line == "+" || line == "-":
			e := &example{check: check, line: i + 1, task: task, want: rubric.Satisfied}
			if line == "-" {
				e.want = rubric.Failed
			}
			out = append(out, e)
		case len(out) > 0:
			out[len(out)-1].text.WriteString(line + "\n")
		}
	}
	return out
}

// taskOf makes a task whose plan has the tools of gold= and whose end state is asserted by the functions of asserts=.
func taskOf(t *testing.T, words []string) *domains.Task {
	t.Helper()
	task := &domains.Task{ID: "example", Criteria: &domains.Criteria{}}
	for _, w := range words {
		key, list, _ := strings.Cut(w, "=")
		for _, name := range strings.Split(list, ",") {
			switch key {
			case "gold":
				task.Criteria.Actions = append(task.Criteria.Actions, domains.Action{Name: name})
			case "asserts":
				task.Criteria.EnvAssertions = append(task.Criteria.EnvAssertions, domains.EnvAssertion{EnvCall: domains.EnvCall{Func: name}})
			default:
				t.Fatalf("%q: write gold= or asserts=", w)
			}
		}
	}
	return task
}

// Every check of every rubric has a conversation that satisfies it and one that fails it, and failing ones say where.
func TestChecks(t *testing.T) {
	for _, domain := range rubric.Domains() {
		r := load(t, domain)
		seen := map[string]map[rubric.State]int{}
		for _, e := range examples(t, domain) {
			t.Run(fmt.Sprintf("%s/%s/%d", domain, e.check, e.line), func(t *testing.T) {
				msgs, err := trace.Parse(e.text.String())
				if err != nil {
					t.Fatal(err)
				}
				got := result(t, r.Judge(msgs, e.task), e.check)
				if got.State != e.want || got.Why == "" {
					t.Fatalf("%s: %s (message %d), want %s", got.State, got.Why, got.At, e.want)
				}
				if got.State == rubric.Failed && (got.At < 0 || got.At >= len(msgs)) {
					t.Errorf("failed at message %d of %d", got.At, len(msgs))
				}
			})
			if seen[e.check] == nil {
				seen[e.check] = map[rubric.State]int{}
			}
			seen[e.check][e.want]++
		}
		for _, c := range r.Checks {
			if seen[c.ID][rubric.Satisfied] == 0 || seen[c.ID][rubric.Failed] == 0 {
				t.Errorf("%s: %s lacks a passing or a failing example", domain, c.ID)
			}
		}
	}
}

func result(t *testing.T, v rubric.Verdict, id string) rubric.Result {
	t.Helper()
	for _, r := range v.Results {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("there is no check %s", id)
	return rubric.Result{}
}
