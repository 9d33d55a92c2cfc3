package author_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/agents/checklist/author"
	scripts "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

func embedded(t testing.TB, name string) *domains.World {
	t.Helper()
	d, err := all.Domain(name)
	if err != nil {
		t.Fatal(err)
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

// served is a scripted model over HTTP. meddle may change an answer; it gets the ordinal of the call.
func served(t *testing.T, w *domains.World, meddle func(n int, answer string) string) (*sim.Model, *[]llm.Request) {
	t.Helper()
	server := httptest.NewServer(synthetic.NewServer(synthetic.New(map[string]*domains.World{w.Name: w}, synthetic.Config{Scripts: scripts.Scripts()})))
	t.Cleanup(server.Close)
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	dialer := &llm.Dialer{Models: table, Transport: llm.NewTransport()}
	client, err := dialer.Dial(llm.Endpoint{Name: "writer", BaseURL: server.URL + "/v1", Model: "writer", Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	var asked []llm.Request
	watched := llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		asked = append(asked, req)
		resp, err := client.Complete(ctx, req)
		if err == nil && meddle != nil {
			text := meddle(len(asked)-1, resp.Message.Text())
			resp.Message.Content = &text
		}
		return resp, err
	})
	return &sim.Model{Client: watched, Name: "writer", Tag: llm.Tag{Domain: w.Name, System: "author", Task: w.Tasks[0].ID}}, &asked
}

// TestWrite writes the checklists of every domain with the scripted model over HTTP: N tools give N+3 calls, and the
// result is the built-in set, labelled synthetic.
func TestWrite(t *testing.T) {
	for _, name := range checklist.Shipped() {
		t.Run(name, func(t *testing.T) {
			w := embedded(t, name)
			m, asked := served(t, w, nil)
			var log []string
			draft, err := author.Write(context.Background(), author.Job{World: w, Model: m, Synthetic: true, Log: func(s string) { log = append(log, s) }})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(checklist.Guarded(w)) + 3; len(*asked) != n || len(draft.Calls) != n || len(log) != n {
				t.Errorf("%d requests, %d calls, %d lines of log, want %d of each", len(*asked), len(draft.Calls), len(log), n)
			}
			for _, req := range *asked {
				if req.Tag.Role != author.Role || req.Temperature == nil || *req.Temperature != 0.2 || req.Seed != nil || req.Messages[0].Text() != (*asked)[0].Messages[0].Text() {
					t.Errorf("role %s, temperature %v, seed %v", req.Tag.Role, req.Temperature, req.Seed)
				}
			}
			dir := filepath.Join(t.TempDir(), "new", "set")
			if err := draft.Save(dir, false); err != nil {
				t.Fatal(err)
			}
			got, err := checklist.For(w, dir)
			if err != nil {
				t.Fatal(err)
			}
			want, err := checklist.LoadShipped(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-built in +written):\n%s", diff)
			}
			for file, text := range draft.Files {
				if !strings.Contains(text, "# SYNTHETIC: ") || !strings.HasPrefix(text, "# ") || !strings.Contains(text, "Written by the model writer") {
					t.Errorf("%s is not labelled:\n%s", file, text)
				}
			}
		})
	}
}

// TestRepair spoils one answer after another: once is mended by asking again with the complaint, twice is an error that
// names stage and complaint.
func TestRepair(t *testing.T) {
	// The calls of a domain with two tools: classify 0, create_task 1, update_task_status 2, rules 3, review 4.
	swap := func(old, with string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, old, with) }
	}
	drop := func(from, to string) func(string) string {
		return func(s string) string {
			i := strings.Index(s, from)
			j := strings.Index(s[i:], to)
			return s[:i] + s[i+j+len(to):]
		}
	}
	for _, c := range []struct {
		name  string
		at    int
		spoil func(string) string
		stage string
		want  string
	}{
		{"no JSON", 0, swap("{", "("), "stage classify: ", "there is no JSON object"},
		{"a tool left out", 0, swap(`"get_users",`, ""), "stage classify: ", "get_users is listed 0 times"},
		{"a tool twice", 0, swap(`"get_users"`, `"get_users","get_users"`), "stage classify: ", "get_users is listed 2 times"},
		{"an invented tool", 0, swap(`"get_users"`, `"get_users","guess"`), "stage classify: ", `the agent has no tool "guess"`},
		{"a mutating tool that reads", 0, swap(`"mutating":["create_task",`, `"mutating":[`), "stage classify: ", "create_task is listed 0 times"},
		{"no YAML", 1, func(string) string { return "I would rather not." }, "stage tool, create_task: ", "create_task.yaml:1:1: error: "},
		{"nothing", 1, func(string) string { return "" }, "stage tool, create_task: ", "the file is empty"},
		{"the wrong tool", 2, swap("tool: update_task_status", "tool: create_task"), "stage tool, update_task_status: ", `it is "create_task"; write update_task_status`},
		{"a requirement without verification", 1, drop("    verification:", "\n"), "stage tool, create_task: ", "requirements[0].verification: error: it is missing"},
		{"an unknown key", 1, swap("details:", "detail:"), "stage tool, create_task: ", "requirements[1]: error: unknown key \"detail\""},
		{"rules with another key", 3, swap("facts:", "truths:"), "stage rules: ", "error: unknown key \"truths\""},
		{"review drops a file", 4, drop(`<file name="create_task.yaml">`, "</file>\n"), "stage review: ", "create_task.yaml is missing"},
		{"review drops the rules", 4, drop(`<file name="general_rules.yaml">`, "</file>\n"), "stage review: ", "general_rules.yaml is missing"},
		{"review adds a file", 4, func(s string) string { return s + "\n<file name=\"notes.yaml\">\na: b\n</file>\n" }, "stage review: ", "there is no file notes.yaml"},
		{"review doubles a file", 4, func(s string) string { return s + s }, "stage review: ", "create_task.yaml is there twice"},
		{"review spoils a file", 4, swap("logic:", "reason:"), "stage review: ", "requirements[0]: error: unknown key \"reason\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := embedded(t, "mock")
			m, asked := served(t, w, func(n int, answer string) string {
				if n == c.at {
					return c.spoil(answer)
				}
				return answer
			})
			draft, err := author.Write(context.Background(), author.Job{World: w, Model: m})
			if err != nil || len(*asked) != 6 || len(draft.Files) != 3 {
				t.Fatalf("one bad answer: %d requests, error %v", len(*asked), err)
			}
			if again := (*asked)[c.at+1].Messages; len(again) != 4 || !strings.Contains(again[3].Text(), c.want) || again[2].Text() == "" {
				t.Errorf("asked again without the complaint %q: %d messages, %q", c.want, len(again), again[len(again)-1].Text())
			}
			m, asked = served(t, w, func(n int, answer string) string {
				if n == c.at || n == c.at+1 {
					return c.spoil(answer)
				}
				return answer
			})
			draft, err = author.Write(context.Background(), author.Job{World: w, Model: m})
			if err == nil || !strings.HasPrefix(err.Error(), c.stage) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("two bad answers: error %v, want %q and %q", err, c.stage, c.want)
			}
			if len(draft.Files) != 0 || len(draft.Calls) != c.at+2 || len(*asked) != c.at+2 {
				t.Errorf("%d files, %d calls after an error", len(draft.Files), len(draft.Calls))
			}
		})
	}
}

// TestOddAnswersAreUsed has the same content in many forms.
func TestOddAnswersAreUsed(t *testing.T) {
	bare := func(s string) string {
		_, s, _ = strings.Cut(s, "```yaml\n")
		s, _, _ = strings.Cut(s, "```")
		return s
	}
	for _, c := range []struct {
		name string
		form func(string) string
	}{
		{"no fence", bare},
		{"prose before, no fence", func(s string) string { return "Here it is.\n\n" + bare(s) }},
		{"fence without a language", func(s string) string { return strings.Replace(s, "```yaml", "```", 1) }},
		{"fence in capitals", func(s string) string { return strings.Replace(s, "```yaml", "```YAML", 1) }},
		{"fence never closed", func(s string) string { return "```yml\n" + bare(s) }},
		{"a sketch in a fence first", func(s string) string { return "```yaml\ntool: [sketch\n```\n" + s }},
		{"a remark in a fence last", func(s string) string { return s + "\n```\nall done\n```\n" }},
		{"carriage returns", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := embedded(t, "mock")
			m, asked := served(t, w, func(n int, answer string) string {
				if n == 1 || n == 2 {
					return c.form(answer)
				}
				return answer
			})
			if _, err := author.Write(context.Background(), author.Job{World: w, Model: m}); err != nil || len(*asked) != 5 {
				t.Errorf("%d requests, error %v", len(*asked), err)
			}
		})
	}
}

func TestWriteStopsOnFailure(t *testing.T) {
	w := embedded(t, "mock")
	failing := &sim.Model{Name: "m", Client: llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.KindAuth, Status: 401, Message: "no such key"}
	})}
	if _, err := author.Write(context.Background(), author.Job{World: w, Model: failing}); err == nil || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("error %v", err)
	}
}

// TestSave writes all or nothing, and destroys nothing that is not its own.
func TestSave(t *testing.T) {
	draft := &author.Draft{Files: map[string]string{"a.yaml": "a: 1\n", "b.yaml": "b: 2\n"}}
	content := func(dir string) string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			out = append(out, fmt.Sprintf("%s %q %v", e.Name(), text, err))
		}
		return strings.Join(out, "\n")
	}
	const want = `a.yaml "a: 1\n" <nil>` + "\n" + `b.yaml "b: 2\n" <nil>`
	for _, c := range []struct {
		name    string
		before  map[string]string // nil for no folder
		force   bool
		refusal string
	}{
		{"no folder", nil, false, ""},
		{"empty folder", map[string]string{}, false, ""},
		{"other checklists", map[string]string{"old.yaml": "x"}, false, "is not empty\nhint: give another folder, or --force"},
		{"other checklists, by force", map[string]string{"old.yaml": "x", "a.yaml": "y"}, true, ""},
		{"other files, by force", map[string]string{"old.yaml": "x", "thesis.md": "y"}, true, "holds thesis.md, which is no checklist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "set")
			if c.before != nil {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range c.before {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := content(dir)
			err := draft.Save(dir, c.force)
			if c.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), c.refusal) || content(dir) != before {
					t.Errorf("error %v, want %q; folder %s", err, c.refusal, content(dir))
				}
			} else if err != nil || content(dir) != want {
				t.Errorf("error %v, folder:\n%s", err, content(dir))
			}
			left, err := os.ReadDir(parent)
			if err != nil || len(left) != 1 {
				t.Errorf("left beside it: %v, error %v", left, err)
			}
		})
	}
	t.Run("a file in the way", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "set")
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := draft.Save(file, true); err == nil || !strings.Contains(err.Error(), "give a folder that is new or empty") {
			t.Errorf("error %v", err)
		}
	})
}

// FuzzAnswers has a model say anything at every stage: no panic, and a draft only without errors.
func FuzzAnswers(f *testing.F) {
	w := embedded(f, "mock")
	for _, s := range []string{"", "```yaml\na: b\n```", `{"mutating":[],"read_only":[]}`, "<file name=\"a\">\nx\n</file>", "tool: create_task\ndescription: d\nrequirements:\n  - {name: n, rule: r, verification: v}\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		client := llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
			return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &answer}}, nil
		})
		draft, err := author.Write(context.Background(), author.Job{World: w, Model: &sim.Model{Name: "m", Client: client}})
		if err == nil && draft.Findings.Errors() != nil {
			t.Errorf("a draft with errors: %v", draft.Findings)
		}
	})
}
