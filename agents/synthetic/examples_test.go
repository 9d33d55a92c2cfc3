package synthetic_test

import (
	"fmt"
	"strings"
	"testing"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/sim"
)

func withExamples(j *author.Job) { j.Examples = true }

func judged(j *author.Job) { j.Examples, j.JudgeExamples = true, true }

// count is how many examples of a kind have an outcome.
func count(list []author.Assessment, compliant bool, o author.Outcome) (n int) {
	for _, a := range list {
		if a.Compliant == compliant && a.Outcome == o {
			n++
		}
	}
	return n
}

// TestExamples: code alone calls nothing right that only a model can judge, and a model, here one that judges as the built-in
// checks do, or these checks themselves, let through all that keeps to the policy and nothing that breaks it.
func TestExamples(t *testing.T) {
	for _, name := range []string{"airline", "retail", "telecom"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, name)
			draft, log, err := d.write(d.client, withExamples)
			if err != nil || strings.Contains(log, "asking again") {
				t.Fatalf("%v\n%s", err, log)
			}
			good, bad := count(draft.Examples, true, author.Undecided), count(draft.Examples, false, author.Withheld)
			if good < 5 || bad < 2 || count(draft.Examples, true, author.Withheld)+count(draft.Examples, false, author.LetThrough) > 0 {
				t.Errorf("by code: %s", author.Tally(draft.Examples))
			}
			for _, a := range draft.Examples {
				text := draft.Files[a.Path()]
				if chats, err := sim.ParseChats(a.Path(), []byte(text)); err != nil || len(chats) != 1 || a.Compliant == strings.Contains(text, `"breaks"`) {
					t.Errorf("%v\n%s", err, text)
				}
				if !strings.Contains(draft.Files[author.ExamplesPage], "["+a.Authorization+" "+a.Name+"]("+a.Path()+")") {
					t.Errorf("%s is not on the page", a.Path())
				}
			}
			for by, change := range map[string]func(*author.Job){"a model": judged, "checks": func(j *author.Job) { j.Examples, j.Checks = true, true }} {
				again, _, err := d.write(d.client, change)
				if err != nil || len(again.Examples) != len(draft.Examples) {
					t.Fatalf("%d examples, %v", len(again.Examples), err)
				}
				if count(again.Examples, true, author.LetThrough)+count(again.Examples, false, author.Withheld) != len(again.Examples) {
					t.Errorf("by %s: %s\n%s", by, author.Tally(again.Examples), again.Files[author.ExamplesPage])
				}
			}
		})
	}
}

// What each defect of examples is called.
var misplayed = map[scripted.Defect]string{
	scripted.PhantomCall: "the agent has no tool ", scripted.LostWrite: " is never called with success",
	scripted.AbsentBreach: "breaks: policy.md:9999: ", scripted.WrongArgument: "do not fit the tool: ",
}

// TestExampleDefects: a mistake that is made once is mended by asking again; what cannot be used the second time either is
// left out and named, and the workflow published. What breaks the policy and is called compliant shows as too strict,
// if not by ids from nowhere.
func TestExampleDefects(t *testing.T) {
	for name, seeds := range map[string]int64{"airline": 3, "retail": 1, "telecom": 1} {
		d := newDesk(t, name)
		plain, _, err := d.write(d.client, withExamples)
		if err != nil {
			t.Fatal(err)
		}
		for defect, words := range misplayed {
			if name == "telecom" && defect == scripted.AbsentBreach {
				words = "breaks: policy.md:9999: there is no document policy.md"
			}
			for seed := range seeds {
				t.Run(fmt.Sprintf("%s/%s/%d", name, defect, seed), func(t *testing.T) {
					draft, log, err := d.write(scripted.Plant(defect, seed, false, d.client), withExamples)
					if err != nil || len(draft.Examples) != len(plain.Examples) || strings.Count(log, "asking again") != 1 || !strings.Contains(log, words) {
						t.Errorf("made once: %d examples of %d, %v\n%s", len(draft.Examples), len(plain.Examples), err, log)
					}
					if seed > 0 {
						return // one place will do
					}
					draft, _, err = d.write(scripted.Plant(defect, seed, true, d.client), withExamples)
					if err != nil || len(draft.Examples) != len(plain.Examples)-1 || !strings.Contains(draft.Files[author.ExamplesPage], words) {
						t.Errorf("made twice: %d examples of %d, %v", len(draft.Examples), len(plain.Examples), err)
					}
				})
			}
		}
		draft, log, err := d.write(scripted.Plant(scripted.FalselyInnocent, 0, false, d.client), judged)
		strict := strings.Contains(draft.Files[author.ExamplesPage], "## Too strict") && count(draft.Examples, true, author.Withheld) == 1
		if ungrounded := strings.Contains(log, "asking again"); err != nil || strict == ungrounded {
			t.Errorf("%s: %v, %s\n%s", name, err, author.Tally(draft.Examples), log)
		}
	}
}

// TestExamplesOfOddModels: whatever is answered for examples, the workflow is published, and what was wrong named.
func TestExamplesOfOddModels(t *testing.T) {
	d := newDesk(t, "mock")
	conversation := func(name, more, messages string) string {
		return name + "\n```json\n{" + more + `"messages": [` + messages + "]}\n```\n"
	}
	user := `{"role":"user","content":"I am user_1"}`
	call := func(title string) string {
		return `,{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"create_task","arguments":"{\"user_id\":\"user_1\",\"title\":\"` + title + `\"}"}}]}`
	}
	done := `,{"role":"tool","tool_call_id":"c","content":"{\"task_id\":\"task_9\"}"}`
	good, bad := conversation("compliant-1.json", "", user+call("Tea")+done), conversation("violating-1.json", `"breaks": ["policy.md:1"], `, user+call("Tea")+done)
	for _, c := range []struct{ name, answer, want string }{
		{"nonsense", "Bananas are a fruit.", "there is no file in the answer"},
		{"no case", "NO_EXAMPLES", ""},
		{"one kind", good, "violating-1.json is missing"},
		{"another name", good + conversation("example.json", "", user), "example.json was not asked for"},
		{"no conversation", good + conversation("violating-1.json", "", ""), "nobody says anything"},
		{"breaks nothing", good + conversation("violating-1.json", "", user+call("Tea")+done), "breaks is missing"},
		{"breaks something", conversation("compliant-1.json", `"breaks": ["policy.md:1"], `, user+call("Tea")+done) + bad, "breaks is of a violating conversation"},
		{"no result", conversation("compliant-1.json", "", user+call("Tea")) + bad, "create_task is never called with success"},
		{"a failed call", conversation("compliant-1.json", "", user+call("Tea")+`,{"role":"tool","tool_call_id":"c","content":"Error: no"}`) + bad, "create_task is never called with success"},
		{"an id from nowhere", conversation("compliant-1.json", "", user+call("task_77")+done) + bad, "neither the user nor a result before the call of create_task has task_77"},
		{"all is well", good + bad, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			draft, log, err := d.write(meddle(d.client, func(stage, file, answer string) string {
				if stage == "examples" && file == "add.authorize_create" {
					return c.answer
				}
				return answer
			}), withExamples)
			if err != nil {
				t.Fatal(err)
			}
			page := draft.Files[author.ExamplesPage]
			if c.want == "" {
				if strings.Contains(log, "asking again") || strings.Contains(page, "Left out") {
					t.Errorf("%s\n%s", log, page)
				}
				return
			}
			if !strings.Contains(page, "- add.authorize_create: ") || !strings.Contains(page, c.want) || !strings.Contains(log, "asking again, because of") {
				t.Errorf("%s\n%s", log, page)
			}
		})
	}
}
