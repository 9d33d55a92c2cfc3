package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// refusals are failed replies of one meaning: the field's, or one of our own where the field is not at hand.
func refusals(t *testing.T, folder string, own runtest.Reply) []*runtest.Reply {
	t.Helper()
	out := []*runtest.Reply{&own}
	shared, ok := domaintest.Locate(t)
	if !ok {
		t.Logf("shared reference data not found: our own wording alone is tried")
		return out
	}
	text, err := os.ReadFile(filepath.Join(shared, "field", folder, "wordings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var more []*runtest.Reply
	if err := json.Unmarshal(text, &more); err != nil || len(more) == 0 {
		t.Fatalf("%s: %d wordings, %v", folder, len(more), err)
	}
	return append(out, more...)
}

// TestRefusalsEndAsWhatTheyAre: whatever the wording, a full context and moderation are the agent's failure and count; an
// empty account stops the run at once. None is asked for again.
func TestRefusalsEndAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		folder string
		own    string
		status int
		want   sim.Reason
		kind   llm.Kind
		stops  string // in what the run says
	}{
		{"01-context-overflow-wordings", `{"error":{"message":"9001 tokens were sent, and the context window has room for 8192."}}`, 400, sim.ContextWindow, llm.KindContextWindow, ""},
		{"02-moderation-wordings", `{"error":{"message":"This prompt was blocked by our content policy."}}`, 403, sim.AgentError, llm.KindContentFilter, ""},
		{"03-billing-wordings", `{"error":{"message":"There is not enough credit on this account."}}`, 403, sim.Infra, llm.KindQuota, "add credit"},
	} {
		for i, reply := range refusals(t, tt.folder, runtest.Reply{Status: tt.status, Body: json.RawMessage(tt.own)}) {
			t.Run(fmt.Sprintf("%s/%d", tt.folder, i), func(t *testing.T) {
				t.Parallel()
				s, r := played(t, runtest.Own(map[string][]*runtest.Reply{"a": {reply, nil}}).Config(t, 2))
				begun := 2
				if tt.stops != "" {
					begun = 1
				}
				if s.Executed != begun || !strings.Contains(s.Stopped, tt.stops) || tt.stops == "" && s.Stopped != "" {
					t.Errorf("%d trials begun, want %d; stopped: %s\n%s", s.Executed, begun, s.Stopped, reply.Body)
				}
				first := r.Index()[0]
				if first.Termination != tt.want || first.Fault != string(tt.kind) || first.Termination.Evaluable() != (tt.stops == "") {
					t.Errorf("ended %s (%s), want %s (%s)\n%s", first.Termination, first.Fault, tt.want, tt.kind, reply.Body)
				}
				if tt.stops == "" && (first.Reward == nil || *first.Reward != 0) {
					t.Errorf("reward %v, want 0", first.Reward)
				}
				if log := string(runtest.Text(t, filepath.Join(r.Dir(), "log.jsonl"))); strings.Contains(log, "call retried") {
					t.Error("it was asked for again")
				}
			})
		}
	}
}

// TestOneModeratedPrompt: of eight trials whose first prompt is forbidden by moderation, seven are held and the first counts.
func TestOneModeratedPrompt(t *testing.T) {
	t.Parallel()
	s, r := played(t, runtest.Field(t, domaintest.Shared(t), "02-moderation-wordings").Config(t, 8))
	if s.Executed != 8 || s.Evaluable != 8 || s.Stopped != "" {
		t.Errorf("%+v", s)
	}
	for i, e := range r.Index() {
		want, reward := sim.UserStop, 1.0
		if i == 0 {
			want, reward = sim.AgentError, 0
		}
		if e.Termination != want || e.Reward == nil || *e.Reward != reward {
			t.Errorf("trial %d ended %s with %v, want %s with %v", i, e.Termination, e.Reward, want, reward)
		}
	}
}

// TestTemplateThatRefusesTheHistory: it is asked once, the trial is void and the fault says what to set.
func TestTemplateThatRefusesTheHistory(t *testing.T) {
	t.Parallel()
	s, r := played(t, runtest.Field(t, domaintest.Shared(t), "14-template-500").Config(t, 1))
	e := r.Index()[0]
	if e.Termination != sim.Infra || e.Fault != string(llm.KindTemplate) || len(s.Causes) != 1 || strings.Contains(s.Causes[0].Example, "attempts") {
		t.Errorf("%+v; %+v", e, s.Causes)
	}
	for rec, err := range r.Records() {
		if err != nil || !strings.Contains(rec.Fault.Text, "echo: never") {
			t.Errorf("%v; fault %+v", err, rec.Fault)
		}
	}
}

// TestThoughtsThatMayNotComeBack: a server refuses its own thoughts in the history, and takes it under echo: never.
func TestThoughtsThatMayNotComeBack(t *testing.T) {
	t.Parallel()
	call := map[string]any{"role": "assistant", "content": "Adding it.", "reasoning_content": "a task", "tool_calls": []any{map[string]any{"id": "c1", "type": "function",
		"function": map[string]any{"name": "create_task", "arguments": `{"user_id":"user_1","title":"Buy bread"}`}}}}
	for _, tt := range []struct {
		echo string
		want sim.Reason
	}{{"", sim.Infra}, {"echo: never, ", sim.UserStop}} {
		srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
			switch text := string(r.Body); {
			case r.JSON(t)["model"] == "u" && strings.Contains(text, "is added"):
				return faultserver.Text("###STOP###")
			case r.JSON(t)["model"] == "u":
				return faultserver.Text("Please add a task Buy bread for user_1")
			case strings.Contains(text, "reasoning_content"):
				return faultserver.Status(500, `{"error":{"code":500,"message":"The thinking part of a message must not come back with its content, at row 7, column 9","type":"server_error"}}`)
			case strings.Contains(text, `"role":"tool"`):
				return faultserver.Text("task_2 is added.")
			}
			return faultserver.Raw(string(runtest.Answer("tool_calls", call)))
		})
		_, r := played(t, fmt.Sprintf("note: echo\ntrials: 1\nmodels:\n  a: {%sbase_url: %q, key: k}\n  u: {base_url: %[2]q, key: k}\nuser: {model: u}\n"+
			"domains: [{name: mock, tasks: [add_task]}]\nsystems: [{name: R, agent: react, model: a}]\n", tt.echo, srv.URL))
		if e := r.Index()[0]; e.Termination != tt.want {
			t.Errorf("%q: ended %s (%s), want %s", tt.echo, e.Termination, e.Fault, tt.want)
		}
	}
}

// TestHeadersOfAGateway: the field's config sends its header with every call, and no file of the run has the secret.
func TestHeadersOfAGateway(t *testing.T) {
	t.Parallel()
	const secret = "gateway-0123456789abcdef"
	file := filepath.Join(domaintest.Shared(t), "field", "16-custom-headers", "config.yaml")
	env := func(name string) string {
		return map[string]string{"KEY": "sk-0123456789abcdef", "GATEWAY": secret}[name]
	}
	c, err := config.Load(file, env)
	if err != nil {
		t.Fatal(err)
	}
	srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		if got := r.Header.Get("Ocp-Apim-Subscription-Key"); got != secret {
			return faultserver.Error(http.StatusUnauthorized, "", "", "", "no subscription: "+got)
		}
		return faultserver.Text("###STOP###")
	})
	dir := filepath.Join(t.TempDir(), "run")
	s, err := runtest.Run(context.Background(), c, config.Options{Out: dir, BaseURL: srv.URL})
	if err != nil || !s.Complete() || s.Evaluable == 0 {
		t.Errorf("%v; %+v", err, s)
	}
	for name, text := range runtest.Snapshot(t, dir) {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds the header's value", name)
		}
	}
	if m := string(runtest.Text(t, filepath.Join(dir, "manifest.json"))); !strings.Contains(m, "$GATEWAY") {
		t.Error("the manifest does not name the header's variable")
	}
}

// TestJudgeWithTwoVerdicts: a draft and a final verdict that contradict each other are asked for again, and then the score
// waits, with what the judge said.
func TestJudgeWithTwoVerdicts(t *testing.T) {
	t.Parallel()
	shared := domaintest.Shared(t)
	judged := runtest.Field(t, shared, "05-judge-first-object")
	judged.Data = filepath.Join(t.TempDir(), "tau2")
	if err := os.CopyFS(judged.Data, os.DirFS(filepath.Join(shared, "tau2"))); err != nil {
		t.Fatal(err)
	}
	tasks := filepath.Join(judged.Data, "tau2", "domains", "mock", "tasks.json")
	if err := os.Chmod(tasks, 0o644); err != nil {
		t.Fatal(err)
	}
	const first = `"evaluation_criteria": {`
	runtest.Write(t, tasks, bytes.Replace(runtest.Text(t, tasks), []byte(first), []byte(first+`"reward_basis": ["DB", "NL_ASSERTION"],`), 1))
	s, r := played(t, judged.Config(t, 1))
	scores, err := r.Scores()
	if err != nil || s.Pending != 1 || len(scores) != 1 {
		t.Fatalf("%v; %d scores; %+v", err, len(scores), s)
	}
	for _, score := range scores {
		if score.Reward != nil || len(score.JudgeCalls) != 2 || !strings.Contains(score.JudgeCalls[1].Answer, "My verdict:") {
			t.Errorf("reward %v after %d answers: %+v", score.Reward, len(score.JudgeCalls), score)
		}
	}
}

// fieldTests names the test of each of the field's cases.
var fieldTests = map[string]string{
	"01-context-overflow-wordings": "TestRefusalsEndAsWhatTheyAre",
	"02-moderation-wordings":       "TestOneModeratedPrompt",
	"03-billing-wordings":          "TestRefusalsEndAsWhatTheyAre",
	"04-call-in-second-choice":     "TestOddRepliesAreRead",
	"05-judge-first-object":        "TestJudgeWithTwoVerdicts",
	"06-user-model-overflow":       "TestUsersModelAtFault",
	"07-refusal-field":             "TestRefusalIsTheLastWord",
	"08-reported-cost-dropped":     "TestBilledCost",
	"09-unknown-task-is-PV":        "TestTasksWithoutCriteria",
	"10-crlf-data":                 "TestLineEndsOfData",
	"11-cut-off-answer":            "TestAnswersAreMarked",
	"12-unknown-task-fields":       "TestUnknownFieldsOfTasks",
	"13-json-then-done":            "TestOddRepliesAreRead",
	"14-template-500":              "TestTemplateThatRefusesTheHistory",
	"15-tau-bench-v1-file":         "TestFilesAreNamedForWhatTheyAre",
	"16-custom-headers":            "TestHeadersOfAGateway",
	"17-verifier-slips":            "TestRecordedSlips",
}

// TestEveryFieldCaseIsTested compares the table with the folders of the field and with the tests that there are.
func TestEveryFieldCaseIsTested(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	err := filepath.WalkDir(domaintest.Root(t), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			tests.Write(runtest.Text(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, test := range fieldTests {
		if !strings.Contains(tests.String(), "\nfunc "+test+"(t *testing.T) {") {
			t.Errorf("%s: there is no test %s", folder, test)
		}
	}
	shared, ok := domaintest.Locate(t)
	if !ok {
		t.Skipf("shared reference data not found: the folders of the field are not looked at")
	}
	cases, err := filepath.Glob(filepath.Join(shared, "field", "[0-9]*"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if fieldTests[filepath.Base(c)] == "" {
			t.Errorf("no test for %s", filepath.Base(c))
		}
	}
}
