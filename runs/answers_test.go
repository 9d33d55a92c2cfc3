package runs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// asked is what a run's index says of a role, over all attempts.
func asked(r *store.Run, role string) (sum store.RoleUsage) {
	for e := range r.Entries() {
		for _, u := range e.Usage {
			if u.Role == role {
				sum.Add(u.Usage)
				sum.Replayed, sum.ReplayedTokens, sum.ReplayedCost = sum.Replayed+u.Replayed, sum.ReplayedTokens+u.ReplayedTokens, sum.ReplayedCost+u.ReplayedCost
			}
		}
	}
	return sum
}

// one is the only record of a run.
func one(t *testing.T, r *store.Run) sim.Record {
	t.Helper()
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	t.Fatal("no record")
	return sim.Record{}
}

// body is a reply of an endpoint.
func body(text string) *runtest.Reply { return &runtest.Reply{Body: json.RawMessage(text)} }

// costing is an answer with a finish reason and what it cost.
func costing(finish, message, usage string) *runtest.Reply {
	return body(`{"id":"c","model":"x","choices":[{"index":0,"finish_reason":"` + finish + `","message":{"role":"assistant",` + message + `}}],"usage":` + usage + `}`)
}

const little = `{"prompt_tokens":100,"completion_tokens":10,"cost":0.25}`

// TestRefusalIsTheLastWord: an answer that is nothing but a refusal is kept, told, and not drawn again.
func TestRefusalIsTheLastWord(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, s runtest.Situation) {
		_, r := played(t, s.Config(t, 1))
		rec := one(t, r)
		if rec.Termination != sim.AgentError || rec.Fault.Kind != "refusal" || !strings.Contains(rec.Fault.Text, "I can't assist with that request.") {
			t.Errorf("ended %s, fault %+v", rec.Termination, rec.Fault)
		}
		if last := rec.Calls[len(rec.Calls)-1]; last.Refusal != "I can't assist with that request." || len(rec.Events) != 0 {
			t.Errorf("last call %+v, events %+v", last, rec.Events)
		}
		if u := asked(r, "agent"); u.Calls != 1 || u.Refusals != 1 || u.Failed != 0 {
			t.Errorf("index %+v", u)
		}
	}
	t.Run("field", func(t *testing.T) { check(t, runtest.Field(t, domaintest.Shared(t), "07-refusal-field")) })
	t.Run("own", func(t *testing.T) {
		check(t, runtest.Own(map[string][]*runtest.Reply{"a": {costing("stop", `"content":null,"refusal":"I can't assist with that request."`, little)}}))
	})
}

// TestAnswersAreMarked: what an answer is beside its text is in record and index, whatever rebuilds the index.
func TestAnswersAreMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		of    func(t *testing.T) runtest.Situation
		count func(store.RoleUsage) int
		says  string // of the summary
	}{
		{"field: cut off", func(t *testing.T) runtest.Situation {
			return runtest.Field(t, domaintest.Shared(t), "11-cut-off-answer")
		},
			func(u store.RoleUsage) int { return u.CutOff }, "1 cut off by the output limit"},
		{"cut off", own("a", costing("max_tokens", `"content":"Your task has been crea"`, little)), func(u store.RoleUsage) int { return u.CutOff }, "1 cut off by the output limit"},
		{"filtered", own("a", costing("content_filter", `"content":"Your task"`, little)), func(u store.RoleUsage) int { return u.Refusals }, "1 refused or filtered"},
		{"refused in words", own("a", costing("stop", `"content":"No.","refusal":"No."`, little)), func(u store.RoleUsage) int { return u.Refusals }, "1 refused or filtered"},
		{"a call in the text", own("a", costing("stop", `"content":"<tool_call>{}</tool_call>"`, little)), func(u store.RoleUsage) int { return u.CallsInText }, "1 given with a tool call left in the text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			var printed strings.Builder
			runtest.Execute(t, c.of(t).Config(t, 1), config.Options{Out: dir}).Print(&printed)
			if text := printed.String(); !strings.Contains(text, "agent of R: 2 answers, "+c.says) || !strings.Contains(text, "\nwarning: more than 2 % of the answers of the agent of R were ") {
				t.Errorf("summary without %q:\n%s", c.says, text)
			}
			u := asked(runtest.Open(t, dir), "agent")
			if n := c.count(u); n != 1 || u.Answers() != u.Calls {
				t.Errorf("%d of %+v", n, u)
			}
			runtest.Remove(t, filepath.Join(dir, "index.jsonl"))
			if again := asked(runtest.Open(t, dir), "agent"); again != u {
				t.Errorf("index %+v, rebuilt %+v", u, again)
			}
		})
	}
}

// own is a situation on the embedded data in which a model's second answer is this one, and the others are due.
func own(model string, second *runtest.Reply) func(*testing.T) runtest.Situation {
	return func(*testing.T) runtest.Situation {
		return runtest.Own(map[string][]*runtest.Reply{model: {nil, second, nil}})
	}
}

// TestFailuresAreBilled: what a call cost that ended in an error, and an attempt before the one that was answered, is in
// record, index and budget, also after a resume and when the index is rebuilt.
func TestFailuresAreBilled(t *testing.T) {
	t.Parallel()
	none := body(`{"id":"c","usage":` + little + `}`)
	for _, c := range []struct {
		name    string
		replies []*runtest.Reply
		ending  sim.Reason
		failed  int   // calls
		tokens  int64 // of what failed
	}{
		{"empty at the limit", []*runtest.Reply{nil, costing("length", `"content":""`, little)}, sim.ContextWindow, 1, 110},
		{"filtered", []*runtest.Reply{nil, costing("content_filter", `"content":null`, little)}, sim.AgentError, 1, 110},
		{"no choices for ever", []*runtest.Reply{nil, none}, sim.Infra, 1, 220},
		{"no choices once", []*runtest.Reply{nil, none, nil}, sim.UserStop, 0, 110},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			text := strings.ReplaceAll(runtest.Own(map[string][]*runtest.Reply{"a": c.replies}).Config(t, 1), "key: k-test-123456", "key: k-test-123456, retry: {attempts: 2, first_wait: 1ms}")
			var printed strings.Builder
			runtest.Execute(t, text, config.Options{Out: dir, Cassette: "record"}).Print(&printed)
			if want := fmt.Sprintf("what failed cost %d tokens, $%g\n", c.tokens, float64(c.tokens)/110*0.25); !strings.Contains(printed.String(), want) || strings.Contains(printed.String(), "warning: more than 2 % of the answers of the agent of R were cut off") != (c.name == "empty at the limit") {
				t.Errorf("summary without %q:\n%s", want, printed.String())
			}
			r := runtest.Open(t, dir)
			if rec := one(t, r); rec.Termination != c.ending || (rec.Calls[len(rec.Calls)-1].Error != "") != (c.failed == 1) {
				t.Fatalf("ended %s, calls %+v", rec.Termination, rec.Calls)
			}
			u := asked(r, "agent")
			if cost := float64(c.tokens) / 110 * 0.25; u.Failed != c.failed || u.FailedPrompt+u.FailedCompletion != c.tokens || u.FailedCost != cost || u.Prompt+u.Completion < c.tokens || u.Cost < cost {
				t.Errorf("index %+v, want %d calls of %d tokens", u, c.failed, c.tokens)
			}
			runtest.Remove(t, filepath.Join(dir, "index.jsonl"))
			if again := asked(runtest.Open(t, dir), "agent"); again != u {
				t.Errorf("index %+v, rebuilt %+v", u, again)
			}
			// The user's two answers are as long.
			spent := asked(r, "user")
			all := u.Prompt + u.Completion + spent.Prompt + spent.Completion
			bound := strings.Replace(text, "limits: {", "limits: {max_tokens: "+strconv.FormatInt(all, 10)+", ", 1)
			if err := os.RemoveAll(filepath.Join(dir, "trials")); err != nil { // as a process leaves it that is killed before it can store
				t.Fatal(err)
			}
			if s := runtest.Execute(t, bound, config.Options{Out: dir, Cassette: "record", Resume: true}); c.ending != sim.Infra && (s.Executed != 0 || !strings.Contains(s.Stopped, "max_tokens")) {
				t.Errorf("resumed with no more than was spent: %+v", s)
			}
			if s := runtest.Execute(t, text, config.Options{Out: dir, Cassette: "record", Resume: true}); c.ending == sim.Infra && s.Executed != 1 {
				t.Errorf("resumed: %+v", s)
			}
			if again := one(t, runtest.Open(t, dir)); c.ending != sim.Infra {
				played := asked(runtest.Open(t, dir), "agent")
				if played.Replayed == 0 || played.Usage.FailedPrompt != u.FailedPrompt || played.Paid() != (store.Spending{}) {
					t.Errorf("replayed %+v of %+v: calls %+v", played, u, again.Calls)
				}
			}
		})
	}
}

// TestBilledCost: what a provider bills is the cost where no price is known, in record, index and budget.
func TestBilledCost(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, s runtest.Situation) {
		_, r := played(t, s.Config(t, 1))
		u := asked(r, "agent")
		if u.Calls == 0 || u.Cost != 0.25*float64(u.Calls) || u.Billed != u.Calls || u.UnknownCost != 0 {
			t.Errorf("index %+v, want 0.25 for each call, billed", u)
		}
		if rec := one(t, r); !rec.Calls[1].Billed() || *rec.Calls[1].Cost != 0.25 {
			t.Errorf("call %+v", rec.Calls[1])
		}
	}
	t.Run("field", func(t *testing.T) { check(t, runtest.Field(t, domaintest.Shared(t), "08-reported-cost-dropped")) })
	t.Run("own", func(t *testing.T) {
		check(t, runtest.Own(map[string][]*runtest.Reply{"a": {costing("stop", `"content":"Hello."`, little)}}))
	})
}

// TestDollarsNeedAPriceOrABill: a bound on dollars holds for a model without a price as long as its provider bills each
// answer; the first that is not billed ends the run, which says so and loses nothing.
func TestDollarsNeedAPriceOrABill(t *testing.T) {
	t.Parallel()
	billed := func(message string) *runtest.Reply { return costing("stop", message, little) }
	replies := map[string][]*runtest.Reply{"a": {billed(`"content":"Hello."`)}, "u": {billed(`"content":"Hm."`), billed(`"content":"###STOP###"`)}}
	run := func(t *testing.T, limits string, replies map[string][]*runtest.Reply, trials int) (stopped string, evaluable int, warned bool) {
		s, _ := played(t, strings.Replace(runtest.Own(replies).Config(t, trials), "limits: {", "limits: {"+limits+", ", 1))
		return s.Stopped, s.Evaluable, len(s.Warnings) > 0 && strings.Contains(s.Warnings[0], "the price of model a is not known")
	}
	// The first conversation costs three quarters, any other one.
	if stopped, n, warned := run(t, "max_cost: 1", replies, 9); n != 2 || !warned || !strings.Contains(stopped, "limits.max_cost of 1 dollars is reached") {
		t.Errorf("billed: %d trials, stopped by %q, warned %t", n, stopped, warned)
	}
	for _, limits := range []string{"max_cost: 1", "conversation: {max_cost: 1}"} {
		stopped, n, warned := run(t, limits, nil, 9)
		if n != 1 || !warned || !strings.Contains(stopped, "max_cost cannot be kept: model a ") || !strings.Contains(stopped, "\nhint: ") {
			t.Errorf("%s, not billed: %d trials, stopped by %q, warned %t", limits, n, stopped, warned)
		}
	}
}
