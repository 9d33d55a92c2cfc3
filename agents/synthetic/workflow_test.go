package synthetic_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// desk is a domain with a scripted author of its workflow.
type desk struct {
	world  *domains.World
	src    author.Source
	client llm.Client
	tag    llm.Tag
	want   *guide.Bundle
}

func newDesk(t testing.TB, name string) desk { return openDesk(t, "embedded", "embedded", name) }

// openDesk is the desk of a domain in that data; lines are where the catalog has its lines.
func openDesk(t testing.TB, data, lines, name string) desk {
	t.Helper()
	worlds, err := all.Open(data, []string{name}, "")
	if err != nil {
		t.Fatal(err)
	}
	w := worlds[0]
	src, err := author.Builtin(w, lines)
	if err != nil {
		t.Fatal(err)
	}
	want, err := guide.LoadShipped(name)
	if err != nil {
		t.Fatal(err)
	}
	client := synthetic.New(map[string]*domains.World{name: w}, synthetic.Config{Scripts: scripted.Scripts()})
	return desk{w, src, client, llm.Tag{Domain: name, System: "author", Task: w.Tasks[0].ID}, want}
}

// write has the workflow written; it returns the log too.
func (d desk) write(client llm.Client, change func(*author.Job)) (*author.Draft, string, error) {
	var log strings.Builder
	j := author.Job{Source: d.src, Model: &sim.Model{Client: client, Name: "writer", Tag: d.tag}, Rounds: author.DefaultRounds, Synthetic: true,
		Log: func(s string) { log.WriteString(s + "\n") }}
	if change != nil {
		change(&j)
	}
	draft, err := author.Write(context.Background(), j)
	return draft, log.String(), err
}

// differs compares what models and people read of a draft with the built-in workflow.
func (d desk) differs(draft *author.Draft) string {
	return cmp.Diff(d.want, draft.Bundle, cmpopts.IgnoreFields(guide.Node{}, "Line", "Keys", "Check", "Event"), cmpopts.IgnoreFields(guide.File{}, "Line"),
		cmpopts.IgnoreFields(guide.Edge{}, "Line", "Check"), cmpopts.IgnoreFields(guide.Intent{}, "Line"))
}

// An author without defects writes the built-in workflow, which cites every requirement of the catalog.
func TestWriteWorkflow(t *testing.T) {
	for _, name := range guide.Shipped() {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, name)
			draft, log, err := d.write(d.client, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.differs(draft); diff != "" {
				t.Errorf("(-built in +written):\n%s", diff)
			}
			if strings.Contains(log, "asking again") || !strings.Contains(log, "review 1: 0 errors") || strings.Contains(log, "review 2") {
				t.Errorf("log:\n%s", log)
			}
			if errs := draft.Findings.Errors(); len(errs) > 0 || strings.Contains(draft.Files["coverage.md"], "excluded: |") {
				t.Errorf("%v\n%s", errs, draft.Files["coverage.md"])
			}
		})
	}
}

// So it does out of the reference's policies, whose lines are others.
func TestWriteWorkflowOfReference(t *testing.T) {
	shared := domaintest.Shared(t)
	for _, name := range guide.Shipped() {
		d := openDesk(t, filepath.Join(shared, "tau2"), "tau2", name)
		draft, log, err := d.write(d.client, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := d.differs(draft); diff != "" || strings.Contains(log, "asking again") {
			t.Errorf("%s: (-built in +written):\n%s\n%s", name, diff, log)
		}
	}
}

// What each defect is called where it cannot be mended.
var named = map[scripted.Defect]string{
	scripted.MissingNode: "of the plan is missing", scripted.WrongTarget: "in the plan to", scripted.UnknownTarget: `"nowhere"`,
	scripted.PrematureExit: "in the plan to", scripted.PhantomTool: "_now", scripted.WrongNumber: "number", scripted.LostCitation: "does not cite",
	scripted.AbsentCitation: ":9999", scripted.CutOffAnswer: "cut off", scripted.OtherPath: "was not asked for", scripted.SamePathTwice: "is there twice",
	scripted.Nonsense: "in the answer", scripted.ForgottenTool: "mutating_tools of no intent", scripted.ForgottenLines: "assign these lines",
}

// TestPlantedDefects has each defect planted at five places of each domain: made once, it is mended by asking again; made
// twice, the workflow is not published and the defect named. What is only untidy is read as what it means.
func TestPlantedDefects(t *testing.T) {
	const seeds = 5
	for _, name := range []string{"airline", "retail", "telecom"} {
		d := newDesk(t, name)
		for _, defect := range scripted.Defects() {
			if named[defect] == "" && defect != scripted.Prose {
				continue // of checks, or of the kinds of tools, which are known here
			}
			for seed := range int64(seeds) {
				t.Run(fmt.Sprintf("%s/%s/%d", name, defect, seed), func(t *testing.T) {
					draft, log, err := d.write(scripted.Plant(defect, seed, false, d.client), nil)
					if err != nil {
						t.Fatalf("made once: %v", err)
					}
					if diff := d.differs(draft); diff != "" {
						t.Errorf("made once: (-built in +written):\n%s", diff)
					}
					if again := strings.Count(log, "asking again"); (again == 1) != (defect != scripted.Prose) {
						t.Errorf("made once: asked again %d times\n%s", again, log)
					}
					draft, log, err = d.write(scripted.Plant(defect, seed, true, d.client), nil)
					if defect == scripted.Prose {
						if err != nil || d.differs(draft) != "" {
							t.Errorf("untidy: %v", err)
						}
						return
					}
					if err == nil || !strings.Contains(err.Error(), named[defect]) || !strings.HasPrefix(err.Error(), "stage ") || len(draft.Files) != 0 {
						t.Errorf("made twice: %v, %d files\n%s", err, len(draft.Files), log)
					}
				})
			}
		}
	}
}

// meddle changes answers of a stage.
func meddle(next llm.Client, change func(stage, file, answer string) string) llm.Client {
	between := func(text, mark string) string {
		_, rest, _ := strings.Cut(text, "<"+mark+">")
		inside, _, _ := strings.Cut(rest, "</"+mark+">")
		return inside
	}
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		resp, err := next.Complete(ctx, req)
		if err == nil {
			question := req.Messages[1].Text()
			text := change(between(question, "stage"), between(question, "file"), resp.Message.Text())
			resp.Message.Content = &text
		}
		return resp, err
	})
}

// unverified is a file of the to-do desk in which the authorization leads straight to the exit.
func unverified(t *testing.T, d desk) string {
	t.Helper()
	var file string
	_, _, err := d.write(meddle(d.client, func(stage, path, answer string) string {
		if path == "subflows/set_status.subflow.json" && stage == "subflow" {
			file = strings.Replace(answer, "\"from\": \"authorize_update\",\n      \"to\": \"verify_update\"", "\"from\": \"authorize_update\",\n      \"to\": \"changed\"", 1)
			if file == answer {
				t.Fatalf("nothing was changed in\n%s", answer)
			}
		}
		return answer
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReviews spoils what comes after the files are written.
func TestReviews(t *testing.T) {
	d := newDesk(t, "mock")
	bad := unverified(t, d)
	badPath := func(stage, answer string) string {
		if stage == "paths" {
			return bad
		}
		return answer
	}
	for _, c := range []struct {
		name   string
		change func(stage, file, answer string) string
		log    string // what it has
		err    string
	}{
		{"a review of paths breaks the file, and the review of all mends it", func(stage, _, answer string) string { return badPath(stage, answer) }, "review 1: 1 errors", ""},
		{"a review of paths breaks the file, and no review mends it", func(stage, _, answer string) string {
			if stage == "review" {
				return "NO_CHANGES"
			}
			return badPath(stage, answer)
		}, "review 4: 1 errors", "[no-verify]"},
		{"a review of paths words a node anew", func(stage, _, answer string) string {
			if stage == "paths" {
				return strings.Replace(bad, "Set the status.", "Set it.", 1)
			}
			return answer
		}, "left as it is, because of subflows/set_status.yaml: node", ""},
		{"a review of paths talks", func(stage, _, answer string) string {
			if stage == "paths" {
				return "It looks fine."
			}
			return answer
		}, "left as it is, because of there is no file", ""},
		{"a review of the plan loses an intent's file", func(stage, _, answer string) string {
			if stage == "plan review" {
				return "```json\n{\"intents\": []}\n```"
			}
			return answer
		}, "plan review: left as it is, because of", ""},
		{"a review returns a file of no workflow", func(stage, _, answer string) string {
			if stage == "review" {
				return "../secrets.json\n```json\n{}\n```"
			}
			return answer
		}, "review 2: left out, because of ../secrets.json is no file of a workflow", ""},
		{"a file has a name that no system takes", func(stage, _, answer string) string {
			if stage == "plan" {
				return strings.ReplaceAll(answer, "set_status", strings.Repeat("n", 245))
			}
			return answer
		}, "plan: asking again, because of skeleton", "lower-case letters, digits and _, 60 at most"},
		{"a review talks", func(stage, _, answer string) string {
			if stage == "review" {
				return "It looks fine."
			}
			return answer
		}, "review 1: asking again, because of there is no file", "stage review: review 1: the answer cannot be used"},
		{"a review adds a file that nothing uses", func(stage, _, answer string) string {
			if stage == "review" {
				return strings.ReplaceAll(bad, "set_status", "set_again")
			}
			return answer
		}, "subflows/set_again.subflow.json: dropped, for nothing uses it", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			draft, log, err := d.write(meddle(d.client, c.change), nil)
			if !strings.Contains(log, c.log) {
				t.Errorf("no %q in the log:\n%s", c.log, log)
			}
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || len(draft.Files) != 0 {
					t.Errorf("error %v, want %s; %d files", err, c.err, len(draft.Files))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.differs(draft); diff != "" {
				t.Errorf("(-built in +written):\n%s", diff)
			}
		})
	}
}

// TestMaxCost: the bound is looked at before each call, and an answer without a cost ends the work.
func TestMaxCost(t *testing.T) {
	d := newDesk(t, "mock")
	for _, c := range []struct {
		name  string
		cost  *float64
		bound float64
		calls int
		err   string
	}{
		{"reached", new(0.3), 1, 4, "the bound of 1 dollars is reached"},
		{"kept", new(0.3), 5, 9, ""},
		{"unknown", nil, 5, 1, "cost is not known"},
		{"no bound", nil, 0, 9, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			client := llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
				asked++
				resp, err := d.client.Complete(ctx, req)
				resp.Cost = c.cost
				return resp, err
			})
			_, _, err := d.write(client, func(j *author.Job) { j.MaxCost, j.Synthetic = c.bound, false })
			if asked != c.calls || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%d calls, want %d; error %v, want %q", asked, c.calls, err, c.err)
			}
		})
	}
}

// FuzzWorkflowAnswers has a model say anything from some call on: no panic, and a draft only without errors.
func FuzzWorkflowAnswers(f *testing.F) {
	d := newDesk(f, "mock")
	for _, s := range []string{"", "NO_CHANGES", "```json\n{}\n```", "main.workflow.json\n```json\n{\"kind\": \"main\", \"nodes\": [null]}\n```", "{\"intents\": [{}]}", "subflows/a.subflow.json\n{",
		"NO_EXAMPLES", "compliant-1.json\n```json\n{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}\n```"} {
		for from := range uint8(18) {
			f.Add(s, from)
		}
	}
	f.Fuzz(func(t *testing.T, answer string, from uint8) {
		asked := uint8(0)
		client := llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
			resp, err := d.client.Complete(ctx, req)
			if asked++; asked > from%18 {
				resp.Message.Content = &answer
			}
			return resp, err
		})
		draft, _, err := d.write(client, func(j *author.Job) { j.Checks, j.Examples = true, true })
		if err == nil && draft.Findings.Errors() != nil {
			t.Errorf("a draft with errors: %v", draft.Findings)
		}
	})
}
