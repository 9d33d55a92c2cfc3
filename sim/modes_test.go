package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// TestEveryEvaluation pins, for each way to evaluate, what comes of conversations that fulfil all of a task's criteria, some and
// none of them: reward, basis, breakdown, notes, checks, components and differences.
func TestEveryEvaluation(t *testing.T) {
	w := mockWorld(t)
	const (
		dismiss = `{"action_id":"d","requestor":"user","name":"dismiss_notification","arguments":{"notification_id":"note_1"}}`
		lookUp  = `{"action_id":"r","name":"get_users","arguments":{}}`
		look    = `{"action_id":"l","requestor":"user","name":"check_notifications","arguments":{}}`
		done    = `{"env_type":"assistant","func_name":"assert_task_status","arguments":{"task_id":"task_1","expected_status":"completed"},"message":"task_1 is done"}`
		pends   = `{"env_type":"assistant","func_name":"assert_task_status","arguments":{"task_id":"task_1","expected_status":"pending"}}`
	)
	talkOf := func(words string, agents []sim.ToolCall, users ...sim.ToolCall) sim.Record {
		turns, answers := []sim.Turn{}, []sim.Turn{says("hi")}
		if len(agents) > 0 {
			turns = append(turns, calls(agents...))
		}
		turns = append(turns, says(words))
		if len(users) > 0 {
			answers = append(answers, calls(users...))
		}
		return run(t, scripted(turns...), scripted(append(answers, says(stop))...))
	}
	dismissCall := call("u1", "dismiss_notification", `{"notification_id":"note_1"}`)
	tasks := []struct{ name, criteria string }{
		{"all criteria, all in the basis", `"actions":[` + lookUp + `,` + addBread + `,` + look + `,` + dismiss + `],"env_assertions":[` + pends + `],"communicate_info":["1200","Bread"],"nl_assertions":["polite"],"reward_basis":["DB","ENV_ASSERTION","ACTION","NL_ASSERTION","COMMUNICATE"]`},
		{"all criteria, the database in the basis", `"actions":[` + addBread + `],"env_assertions":[` + done + `,` + pends + `],"communicate_info":["bread"],"nl_assertions":["polite"],"reward_basis":["DB"]`},
		{"nothing asked", `"actions":[],"communicate_info":[],"nl_assertions":[],"reward_basis":["DB","COMMUNICATE"]`},
		{"no actions and assertions at all", `"communicate_info":["bread"]`},
	}
	records := []struct {
		name string
		rec  sim.Record
	}{
		{"all is done", talkOf("I added bread, for 1,200 coins.", []sim.ToolCall{call("r", "get_users", `{}`), breadCall}, call("u0", "check_notifications", `{}`), dismissCall)},
		{"the agent's part", talkOf("Added.", []sim.ToolCall{breadCall})},
		{"another change", talkOf("Done with bread.", []sim.ToolCall{finishCall})},
	}
	cut := records[1].rec
	cut.Termination = sim.MaxSteps
	records = append(records, struct {
		name string
		rec  sim.Record
	}{"the agent's part, out of steps", cut})
	var out strings.Builder
	for _, task := range tasks {
		for _, r := range records {
			for _, kind := range []sim.Evaluation{sim.EvalAll, sim.EvalEnv, sim.EvalAction, sim.EvalCommunicate, sim.EvalNL, sim.EvalAllNL, sim.EvalAllIgnore, sim.EvalAllNLIgnore} {
				if r.rec.Termination == sim.MaxSteps && kind != sim.EvalAll {
					continue // says the same whatever is evaluated
				}
				s := score(t, w, criteria(t, task.criteria), r.rec, judged(sim.Recorded{{Assertion: "polite", Met: r.name != "another change"}}), func(o *sim.ScoreOptions) { o.Evaluation = kind })
				fmt.Fprintf(&out, "== %s; %s; %s: %s of %v %s\n", task.name, r.name, kind, asJSON(t, s.Reward), s.Info.RewardBasis, s.Pending)
				fmt.Fprintf(&out, "  breakdown %v, notes %s\n", s.Info.RewardBreakdown, asJSON(t, s.Info.Info))
				if c := s.Info.DBCheck; c != nil {
					fmt.Fprintf(&out, "  database %v: %v, assertions %s\n", c.Match, c.Reward, asJSON(t, s.Info.EnvAssertions))
				}
				for _, c := range s.Info.ActionChecks {
					fmt.Fprintf(&out, "  action %s %v: %v, %v\n", c.Action.Name, c.Match, c.Reward, *c.ToolType)
				}
				for _, c := range s.Info.CommunicateChecks {
					fmt.Fprintf(&out, "  %s %v: %s\n", c.Info, c.Met, c.Justification)
				}
				fmt.Fprintf(&out, "  outcomes %s\n", asJSON(t, s.Info.NLAssertions))
				for _, c := range s.Components {
					fmt.Fprintf(&out, "  %s %s, counted %v: %s\n", c.Type, c.State, c.Counted, c.Why)
				}
				for _, d := range s.Diff {
					fmt.Fprintf(&out, "  differs at %s\n", d.Path)
				}
			}
		}
	}
	golden(t, "evaluations.golden", out.String())
	if _, err := sim.ScoreRecord(t.Context(), w, criteria(t, tasks[0].criteria), records[0].rec, sim.ScoreOptions{Evaluation: "some"}); err == nil || !strings.Contains(err.Error(), `unknown evaluation "some"`) {
		t.Errorf("error %v", err)
	}
}

// TestScoresOfBrokenTasks: what a task cannot be evaluated by is an error, also where the components are only shown.
func TestScoresOfBrokenTasks(t *testing.T) {
	w := mockWorld(t)
	rec := talk(t, "done", breadCall)
	for name, fields := range map[string]string{
		"initial state":   `"initial_state":{"initialization_actions":[{"env_type":"assistant","func_name":"no_such","arguments":{}}]},"evaluation_criteria":{"actions":[]}`,
		"env_assertions":  `"evaluation_criteria":{"env_assertions":[{"env_type":"assistant","func_name":"no_such","arguments":{}}],"reward_basis":["ENV_ASSERTION"]}`,
		"message_history": `"initial_state":{"message_history":[{"role":"assistant","tool_calls":[{"id":"h","name":"create_task","arguments":{"user_id":"user_1","title":"x"}}]},{"role":"tool","id":"h","content":"another result","requestor":"assistant"}]},"evaluation_criteria":{"actions":[]}`,
	} {
		task := taskOf(t, fields)
		for _, kind := range []sim.Evaluation{sim.EvalAll, sim.EvalEnv} {
			if _, err := sim.ScoreRecord(t.Context(), w, task, rec, sim.ScoreOptions{Evaluation: kind}); err == nil {
				t.Errorf("%s, %s: no error", name, kind)
			}
		}
		early := rec
		early.Termination = sim.MaxSteps
		if s, err := sim.ScoreRecord(t.Context(), w, task, early, sim.ScoreOptions{}); err != nil || *s.Reward != 0 || s.Components[0].State != sim.NA {
			t.Errorf("%s, out of steps: %v, components %+v", name, err, s.Components)
		}
	}
}

// TestHistoriesBelongToTheGoldState: what the history of a task changed is no difference.
func TestHistoriesBelongToTheGoldState(t *testing.T) {
	w := mockWorld(t)
	env, err := w.New(plainTask(t))
	if err != nil {
		t.Fatal(err)
	}
	result := env.Call(domains.AgentSide, breadCall)
	task := taskOf(t, `"initial_state":{"message_history":[{"role":"user","content":"bread"},{"role":"assistant","tool_calls":[{"id":"c1","name":"create_task","arguments":{"user_id":"user_1","title":"Buy bread"}}]},{"role":"tool","id":"c1","content":`+
		string(asJSON(t, result.Content))+`,"requestor":"assistant"},{"role":"assistant","content":"Added."}]},"evaluation_criteria":{"actions":[`+finish+`],"reward_basis":["DB"]}`)
	rec := run(t, scripted(calls(finishCall), says("done")), scripted(says("hi"), says(stop)), func(tr *sim.Trial) { tr.Task = task })
	s := score(t, w, task, rec)
	if *s.Reward != 1 || len(s.Diff) != 0 {
		t.Errorf("reward %v, differences %v", *s.Reward, s.Diff)
	}
}

func TestSuccess(t *testing.T) {
	for reward, want := range map[float64]bool{1: true, 1 - 9e-7: true, 1 + 9e-7: true, 1 - 2e-6: false, 1 + 2e-6: false, 0: false, 2: false} {
		if got := sim.Success(reward); got != want {
			t.Errorf("%v: %t", reward, got)
		}
	}
}

// TestBills: what calls came to, and what is worth a word about each.
func TestBills(t *testing.T) {
	dollars := func(v float64) *float64 { return &v }
	usage := func(read, written int64) llm.Usage {
		return llm.Usage{PromptTokens: llm.Known(read), CompletionTokens: llm.Known(written)}
	}
	plain := sim.ModelCall{Usage: usage(100, 10), Cost: dollars(0.25)}
	failed := sim.ModelCall{Error: "timeout"}
	costly := sim.ModelCall{Error: "context_window", Usage: usage(7, 0)}
	again := plain
	again.Transport.Failed = &llm.Spent{Usage: usage(20, 3), Cost: dollars(0.5)}
	kept := plain
	kept.Transport.Replayed = true
	billed := plain
	billed.Quirks = []string{llm.QuirkBilled}
	odd := sim.ModelCall{Refusal: "no", Finish: "safety", CutOff: true, CallInText: "<tool_call>"}
	for _, c := range []struct {
		name    string
		calls   []sim.ModelCall
		bill    string
		remarks string // of the last
	}{
		{"none", nil, "0 model calls, 0 tokens read, 0 written, $ 0.00", ""},
		{"two", []sim.ModelCall{plain, plain}, "2 model calls, 200 tokens read, 20 written, $ 0.50", ""},
		{"one failed for nothing", []sim.ModelCall{plain, failed}, "2 model calls, 100 tokens read, 10 written, $ 0.25; 1 of them failed", "failed: timeout"},
		{"one failed at an unknown price", []sim.ModelCall{plain, costly}, "2 model calls, 107 tokens read, 10 written, $ ?; 1 of them failed", "failed: context_window"},
		{"attempts before", []sim.ModelCall{again}, "1 model calls, 120 tokens read, 13 written, $ 0.75", "failed attempts took 23 tokens"},
		{"kept", []sim.ModelCall{plain, kept}, "1 model calls, 100 tokens read, 10 written, $ 0.25; 1 answers were kept from an earlier attempt", ""},
		{"billed", []sim.ModelCall{plain, billed}, "2 model calls, 200 tokens read, 20 written, $ 0.50 (billed)", ""},
		{"unknown", []sim.ModelCall{plain, odd}, "2 model calls, 100 tokens read, 10 written, $ ?",
			"refusal: no|the provider's filter ended the answer (safety)|the output limit cut the answer off|a call was left in the text (<tool_call>), which nobody carries out"},
	} {
		if got := sim.Bill(c.calls); got != c.bill {
			t.Errorf("%s: %q, want %q", c.name, got, c.bill)
		}
		if len(c.calls) == 0 {
			continue
		}
		last := c.calls[len(c.calls)-1]
		if got := strings.Join(last.Remarks(), "|"); got != c.remarks || last.Refused() != (c.name == "unknown") || last.WasCutOff() != (c.name == "unknown") {
			t.Errorf("%s: remarks %q, want %q; refused %t, cut off %t", c.name, got, c.remarks, last.Refused(), last.WasCutOff())
		}
	}
	if !(sim.ModelCall{Finish: "length"}).WasCutOff() || !(sim.ModelCall{Refusal: "no"}).Refused() || !(sim.ModelCall{Finish: "content_filter"}).Refused() {
		t.Error("an answer that was cut off or refused is taken for whole")
	}
}
