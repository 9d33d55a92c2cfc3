package agents_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

var (
	passes = says("- title: MET; given\nSYNTHESIS: Fine.\n\nVERDICT: PASS")
	blocks = says("- title: MET; given\n- consent: NOT MET; no yes\nSYNTHESIS: No consent.\n\nVERDICT: BLOCK\nMESSAGE: Repeat the change and wait for the member's yes.")
)

// TestPolicyGuardConversations holds conversations with verifiers, agents and users that say what they are given, and
// compares what happened with golden files.
func TestPolicyGuardConversations(t *testing.T) {
	hello := text("Please put 'Water plants' on my list. I am user_1.")
	broken := asks(plants)
	broken.ToolCalls[0].Malformed, broken.ToolCalls[0].Reason = `{"user_id":`, "unexpected end"
	for _, c := range []struct {
		name   string
		params string
		raw    bool
		guard  []llm.Message
		agent  []sim.Message
		user   []sim.Message
		writes int // successful mutating calls
		asked  int // questions to the verifier
	}{
		{"block_then_pass", `{}`, false, []llm.Message{blocks, passes},
			[]sim.Message{asks(look), asks(plants), text("Shall I add 'Water plants'?"), asks(plants), text("Done.")}, []sim.Message{hello, text("Yes")}, 1, 2},
		{"raw", `{}`, true, []llm.Message{blocks, passes},
			[]sim.Message{asks(plants), text("Shall I add 'Water plants'?"), asks(plants), text("Done.")}, []sim.Message{hello, text("Yes")}, 1, 2},
		{"reads_and_transfer_are_not_checked", `{}`, false, nil,
			[]sim.Message{asks(look), asks(pass), text("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.")}, []sim.Message{hello}, 0, 0},
		{"first_block_ends_the_looking", `{}`, false, []llm.Message{blocks},
			[]sim.Message{asks(look, plants, feedCat), text("Shall I?")}, []sim.Message{hello}, 0, 1},
		{"second_call_is_blocked", `{}`, false, []llm.Message{passes, blocks},
			[]sim.Message{asks(plants, feedCat), text("Shall I?")}, []sim.Message{hello}, 0, 2},
		{"all_calls_pass", `{}`, false, []llm.Message{passes, passes},
			[]sim.Message{asks(plants, feedCat), text("Done.")}, []sim.Message{hello}, 2, 2},
		{"limit_of_blocks", `{"max_blocks":2,"max_refusals":4}`, false, []llm.Message{blocks, blocks},
			[]sim.Message{asks(plants), asks(plants), asks(plants), asks(plants), asks(plants), text("Sorry.")}, []sim.Message{hello, text("Do it!")}, 0, 2},
		{"a_pass_resets_the_count", `{"max_blocks":2}`, false, []llm.Message{blocks, passes, blocks, passes},
			[]sim.Message{asks(plants), asks(plants), asks(feedCat), asks(feedCat), text("Done.")}, []sim.Message{hello}, 2, 4},
		{"tools_are_counted_apart", `{"max_blocks":1}`, false, []llm.Message{blocks, passes},
			[]sim.Message{asks(plants), asks(`update_task_status{"task_id":"task_1","status":"completed"}`), asks(plants), text("Sorry.")}, []sim.Message{hello}, 1, 2},
		{"empty_answer_passes", `{}`, false, []llm.Message{says("")}, []sim.Message{asks(plants), text("Done.")}, []sim.Message{hello}, 1, 1},
		{"garbage_blocks", `{}`, false, []llm.Message{says("I would rather not.")}, []sim.Message{asks(plants), text("Sorry.")}, []sim.Message{hello}, 0, 1},
		{"failure_opens", `{}`, false, nil, []sim.Message{asks(plants), text("Done.")}, []sim.Message{hello}, 1, 1},
		{"malformed_calls_are_not_checked", `{}`, false, nil, []sim.Message{broken, text("Sorry.")}, []sim.Message{hello}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t, domains.Options{})
			s, m := setup(t, w, "add_task", c.guard...)
			s.Params = agents.Params(c.params)
			make := agents.NewPolicyGuardOverlay
			if c.raw {
				make = agents.NewPolicyGuardRawOverlay
			}
			overlay, err := make(s)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(),
				Agent: overlay(lines(domains.RoleAssistant, c.agent...)), User: lines(domains.RoleUser, c.user...)})
			if err != nil || rec.Fault != nil {
				t.Fatalf("error %v, fault %+v", err, rec.Fault)
			}
			if len(m.requests) != c.asked {
				t.Errorf("the verifier was asked %d times, want %d", len(m.requests), c.asked)
			}
			for _, req := range m.requests {
				if req.Tag.Role != checklist.Role || req.Temperature == nil || *req.Temperature != 0 || req.Seed != nil || len(req.Tools) > 0 {
					t.Errorf("asked with %+v", req)
				}
				if strings.Contains(req.Messages[0].Text(), "<checklist>") == c.raw {
					t.Errorf("checklist in the prompt: %v", !c.raw)
				}
			}
			if got := written(w, rec); got != c.writes {
				t.Errorf("%d changes were made, want %d", got, c.writes)
			}
			golden(t, "guard/"+c.name+".golden", transcript(t, rec))
		})
	}
}

// TestBlockedCallLeavesNoTrace has a call blocked and looks at every place: the agent sees it again with the remediation,
// the user and the trajectory do not, the environment stays as it was, the step is counted, and the next question to the
// verifier does not show it.
func TestBlockedCallLeavesNoTrace(t *testing.T) {
	w := world(t, domains.Options{})
	s, m := setup(t, w, "add_task", blocks, passes)
	overlay, err := agents.NewPolicyGuardOverlay(s)
	if err != nil {
		t.Fatal(err)
	}
	env, err := w.New(s.Task)
	if err != nil {
		t.Fatal(err)
	}
	var before string
	var agentViews, userViews []sim.View
	script := lines(domains.RoleAssistant, asks(plants, look), text("Shall I add it?"), asks(plants), text("Done."))
	agent := sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
		agentViews = append(agentViews, v)
		if len(agentViews) == 2 {
			if after := hashOf(env); after != before {
				t.Error("the blocked call reached the environment")
			}
		}
		before = hashOf(env)
		return script.Next(ctx, v)
	})
	replies := lines(domains.RoleUser, text("Put 'Water plants' on my list. I am user_1."), text("Yes"))
	user := sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
		userViews = append(userViews, v)
		return replies.Next(ctx, v)
	})
	rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Env: env, Limits: sim.DefaultLimits(), Agent: overlay(agent), User: user})
	if err != nil || rec.Fault != nil {
		t.Fatalf("error %v, fault %+v", err, rec.Fault)
	}
	var seen []string
	for _, x := range agentViews[1].Messages[len(agentViews[1].Messages)-3:] {
		seen = append(seen, string(x.Role)+": "+x.TextOf()+shownCalls(x))
	}
	want := []string{
		`assistant:  → create_task{"user_id":"user_1","title":"Water plants"} → get_users{}`,
		"tool: Error: create_task was not executed. Repeat the change and wait for the member's yes.",
		"tool: Error: get_users was not executed, because another call of the same message was refused.",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("what the agent sees (-want +got):\n%s", diff)
	}
	for _, v := range userViews {
		for _, x := range v.Messages {
			if strings.Contains(x.TextOf(), "Repeat the change") {
				t.Error("the user sees the remediation")
			}
		}
	}
	delivered := 0
	for _, x := range rec.Messages {
		delivered += len(x.ToolCalls)
		if strings.Contains(x.TextOf(), "Repeat the change") {
			t.Error("the remediation is in the trajectory")
		}
	}
	if delivered != 1 {
		t.Errorf("%d calls are in the trajectory, want the one that passed", delivered)
	}
	if second := m.requests[1].Messages[1].Text(); strings.Contains(second, "Repeat the change") || strings.Count(second, `"name":"create_task"`) != 2 {
		t.Errorf("the second question shows the blocked attempt:\n%s", second)
	}
	if m.requests[0].Messages[0].Text() != m.requests[1].Messages[0].Text() {
		t.Error("the static part of the prompt changed")
	}
	unblocked, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(),
		Agent: lines(domains.RoleAssistant, text("Shall I add it?"), asks(plants), text("Done.")),
		User:  lines(domains.RoleUser, text("Put 'Water plants' on my list. I am user_1."), text("Yes"))})
	if err != nil || rec.Steps != unblocked.Steps+1 {
		t.Errorf("%d steps, without the block %d, error %v", rec.Steps, unblocked.Steps, err)
	}
}

func hashOf(e *domains.Env) string {
	agent, _ := e.Hash(sim.AgentSide)
	user, _ := e.Hash(sim.UserSide)
	return agent + " " + user
}

func whole(text string) llm.Response {
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &text}, FinishReason: "stop"}
}

// cutOff is an answer that the output limit cut off.
func cutOff(text string) llm.Response {
	r := whole(text)
	r.FinishReason, r.CutOff = "length", true
	return r
}

// errSpent is an error of a run that may not spend more.
type errSpent struct{}

func (errSpent) Error() string { return "the budget is spent" }
func (errSpent) Budget() bool  { return true }

// TestGuardFailures tells what ends a conversation from what opens the guard.
func TestGuardFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		params string
		fail   func(ctx context.Context) error
		opens  bool
		want   string // in the event
	}{
		{"transport", `{}`, func(context.Context) error { return &llm.Error{Kind: llm.KindServer, Status: 500, Message: "broken"} }, true, "create_task: server (status 500): broken"},
		{"timeout", `{"timeout":"10ms"}`, func(ctx context.Context) error {
			<-ctx.Done()
			return &llm.Error{Kind: llm.KindTimeout, Message: "no answer", Err: ctx.Err()}
		}, true, "the guard has not answered within 10ms"},
		{"refused key", `{}`, func(context.Context) error { return &llm.Error{Kind: llm.KindAuth, Status: 401, Message: "no"} }, true, "create_task: "},
		{"budget", `{}`, func(context.Context) error { return errSpent{} }, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t, domains.Options{})
			s, _ := setup(t, w, "add_task")
			s.Params = agents.Params(c.params)
			s.Model.Client = llm.Func(func(ctx context.Context, _ llm.Request) (llm.Response, error) { return llm.Response{}, c.fail(ctx) })
			overlay, err := agents.NewPolicyGuardOverlay(s)
			if err != nil {
				t.Fatal(err)
			}
			turn, err := overlay(lines(domains.RoleAssistant, asks(plants))).Next(context.Background(), sim.View{StepsLeft: 10})
			if !c.opens {
				if !errors.Is(err, errSpent{}) {
					t.Errorf("error %v, want the budget's", err)
				}
				return
			}
			if err != nil || len(turn.Message.ToolCalls) != 1 || len(turn.Calls) != 1 || turn.Calls[0].Error == "" {
				t.Fatalf("error %v, turn %+v", err, turn)
			}
			if len(turn.Events) != 1 || turn.Events[0].Kind != agents.EventFailOpen || !strings.Contains(turn.Events[0].Text, c.want) {
				t.Errorf("events %+v", turn.Events)
			}
		})
	}
	for _, c := range []struct {
		name    string
		answers []llm.Response
		event   sim.EventKind
		text    string
	}{
		{"cut off, then a verdict", []llm.Response{cutOff("VERDICT: PASS, if"), whole("VERDICT: BLOCK\nMESSAGE: Ask.")}, agents.EventGuard, "create_task: BLOCK"},
		{"cut off twice", []llm.Response{cutOff("VERDICT: BLOCK"), cutOff("VERDICT: BLOCK\nMESSAGE: No.")}, agents.EventFailOpen, "cut off at the output limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := setup(t, world(t, domains.Options{}), "add_task")
			asked := 0
			s.Model.Client = llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
				asked++
				return c.answers[asked-1], nil
			})
			overlay, err := agents.NewPolicyGuardOverlay(s)
			if err != nil {
				t.Fatal(err)
			}
			turn, err := overlay(lines(domains.RoleAssistant, asks(plants), text("Sorry."))).Next(context.Background(), sim.View{StepsLeft: 10})
			if err != nil || asked != 2 || len(turn.Calls) != 2 || !turn.Calls[0].CutOff || turn.Calls[0].Answer == "" {
				t.Fatalf("error %v, %d answers, calls %+v", err, asked, turn.Calls)
			}
			if e := turn.Events[0]; e.Kind != c.event || !strings.Contains(e.Text, c.text) || e.Data["reask"] != "the answer was cut off at the output limit" {
				t.Errorf("event %+v", e)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		w := world(t, domains.Options{})
		s, _ := setup(t, w, "add_task")
		ctx, cancel := context.WithCancel(context.Background())
		s.Model.Client = llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
			cancel()
			return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: "stopped", Err: context.Canceled}
		})
		overlay, err := agents.NewPolicyGuardOverlay(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := overlay(lines(domains.RoleAssistant, asks(plants))).Next(ctx, sim.View{StepsLeft: 10}); err == nil {
			t.Error("a cancelled run goes on")
		}
	})
}

// TestBlocksAreCountedPerTrial holds many trials of one task at once, with all that a run shares between them. Each has
// its five blocks of its own; were the count kept by task, later trials would find it used up.
func TestBlocksAreCountedPerTrial(t *testing.T) {
	const trials = 24
	w := world(t, domains.Options{})
	task, _ := w.Task("add_task")
	cache := &agents.Cache{}
	asked := make([]int, trials)
	var wg sync.WaitGroup
	for i := range trials {
		wg.Go(func() {
			client := llm.Func(func(_ context.Context, req llm.Request) (llm.Response, error) {
				asked[req.Tag.Trial]++
				return llm.Response{Message: blocks}, nil
			})
			s := agents.Setup{World: w, Task: task, Cache: cache, Model: &sim.Model{Client: client, Name: "m", Tag: llm.Tag{Trial: i, Task: task.ID}}}
			overlay, err := agents.NewPolicyGuardOverlay(s)
			if err != nil {
				t.Error(err)
				return
			}
			insists := sim.ParticipantFunc(func(context.Context, sim.View) (sim.Turn, error) {
				m := asks(plants)
				m.Role = domains.RoleAssistant
				return sim.Turn{Message: m}, nil
			})
			rec, err := sim.Run(context.Background(), sim.Trial{Key: sim.Key{Task: task.ID, Trial: i}, World: w, Task: task, Agent: overlay(insists),
				User: lines(domains.RoleUser, text("Do it."), text("Please.")), Limits: sim.DefaultLimits()})
			if err != nil || rec.Fault != nil || written(w, rec) != 0 {
				t.Errorf("trial %d: error %v, fault %+v, %d changes", i, err, rec.Fault, written(w, rec))
			}
			var unasked int
			for _, e := range rec.Events {
				if e.Kind == agents.EventBlock && e.Data["asked"] == false {
					unasked++
					if !strings.Contains(e.Text, "blocked 5 times") || !strings.Contains(e.Text, "transfer_to_human_agents") {
						t.Errorf("trial %d: %s", i, e.Text)
					}
				}
			}
			if unasked != 2*10-5 {
				t.Errorf("trial %d: %d blocks without the verifier, want those beyond the fifth of two turns of ten", i, unasked)
			}
		})
	}
	wg.Wait()
	if want := slices.Repeat([]int{5}, trials); !slices.Equal(asked, want) {
		t.Errorf("questions per trial: %v, want 5 in each", asked)
	}
}

func TestPolicyGuardParams(t *testing.T) {
	for _, c := range []struct {
		name, params string
		raw          bool
		want         string
	}{
		{"defaults", ``, false, ""},
		{"all", `{"max_blocks":3,"timeout":"0s","max_refusals":2}`, false, ""},
		{"no blocks", `{"max_blocks":0}`, false, "max_blocks is 0\nhint: give at least 1"},
		{"no refusals", `{"max_refusals":0}`, false, "max_refusals is 0"},
		{"timeout", `{"timeout":"soon"}`, false, "timeout is \"soon\"\nhint: write it like 90s"},
		{"unknown", `{"gate":"strict"}`, false, `unknown parameter "gate"`},
		{"unknown model", `{"model":"other"}`, false, `model is "other", but there are no models to choose from`},
		{"missing folder", `{"checklists":"nowhere"}`, false, "give the folder that holds general_rules.yaml"},
		{"raw has none", `{"checklists":"mine"}`, true, "judges by the policy alone\nhint: use policyguard"},
		{"raw without its policy", `{"policy":false}`, true, "policy is false, but this variant judges by the policy alone\nhint: use policyguard"},
		{"a word for a switch", `{"dialogue":"no"}`, false, "dialogue does not accept this value (string)\nhint: write true or false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := setup(t, world(t, domains.Options{}), "add_task")
			s.Params = agents.Params(c.params)
			make := agents.Around(agents.NewPolicyGuardOverlay)
			if c.raw {
				make = agents.Around(agents.NewPolicyGuardRawOverlay)
			}
			_, err := make(s)
			if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && !strings.Contains(got, c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	e, err := agents.FindAgent("policyguard")
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Models(agents.Params(`{"model":"judge"}`)); !slices.Equal(got, []string{"judge"}) || e.Models(nil) != nil {
		t.Errorf("models %v", got)
	}
}

// TestPolicyGuardFingerprint wants the identity of a run to change with what the verifier is told, and with nothing else.
func TestPolicyGuardFingerprint(t *testing.T) {
	print := func(make agents.Factory, params string) string {
		s, _ := setup(t, world(t, domains.Options{}), "add_task")
		s.Params = agents.Params(params)
		a, err := make(s)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := a.(interface{ Fingerprint() string })
		if !ok {
			t.Fatal("no fingerprint")
		}
		return f.Fingerprint()
	}
	own := print(agents.Around(agents.NewPolicyGuardOverlay), ``)
	if own != print(agents.Around(agents.NewPolicyGuardOverlay), `{"max_blocks":3}`) {
		t.Error("the fingerprint depends on what the verifier is not told")
	}
	if own != print(agents.Around(agents.NewPolicyGuardOverlay), `{"dialogue":true,"policy":true}`) {
		t.Error("the fingerprint depends on what is usual being said")
	}
	seen := map[string]bool{own: true}
	for _, other := range []string{print(agents.Around(agents.NewPolicyGuardRawOverlay), ``), print(agents.Around(agents.NewPolicyGuardRawOverlay), `{"dialogue":false}`),
		print(agents.Around(agents.NewPolicyGuardOverlay), `{"dialogue":false}`), print(agents.Around(agents.NewPolicyGuardOverlay), `{"policy":false}`)} {
		if seen[other] || len(own) != 64 {
			t.Errorf("two variants have the same fingerprint %s", other)
		}
		seen[other] = true
	}
}
