package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// mishap is what goes wrong in some conversations of the mixed run, and what is to come of it. Each answer that has a usage
// is billed a cent.
type mishap struct {
	name        string
	add, finish int // trials of task add_task, and of finish_task
	model       string
	from, to    int // the requests of that model, counted from 0 within a conversation, that go wrong: from ≤ n < to
	reply       faultserver.Reply
	ending      sim.Reason
	reward      float64 // of a trial that counts
	billed      int     // answers
}

// tokens and the bill of every answer.
const billed = `"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110,"cost":0.01}`

// mixture has 50 trials. The due course of a conversation is four answers: the user asks, the agent calls, the agent
// reports, the user stops.
func mixture() []mishap {
	answer := func(message, finish string) faultserver.Reply {
		return faultserver.Raw(fmt.Sprintf(`{"choices":[{"message":{"role":"assistant",%s},"finish_reason":%q}],%s}`, message, finish, billed))
	}
	overflow := faultserver.Status(400, `{"error":{"message":"These are 9001 tokens, more than the context length of 8192."}}`)
	moderated := faultserver.Status(403, `{"error":{"message":"The prompt violates our usage policy."}}`)
	return []mishap{
		{"nothing", 9, 9, "", 0, 0, faultserver.Reply{}, sim.UserStop, 1, 4},
		{"the agent's context is full", 2, 3, "a", 1, 9, overflow, sim.ContextWindow, 0, 2},
		{"the agent's prompt is moderated", 2, 1, "a", 0, 9, moderated, sim.AgentError, 0, 1},
		{"the agent's limit is spent before a word", 1, 1, "a", 0, 9, answer(`"content":""`, "length"), sim.ContextWindow, 0, 2},
		{"the agent's report is cut off", 3, 2, "a", 1, 2, answer(`"content":"Done, created as task_2 and so"`, "length"), sim.UserStop, 1, 4},
		{"the agent's call is left in its text", 2, 2, "a", 0, 9, answer(`"content":"<tool_call>{\"name\":\"create_task\"}</tool_call>"`, "stop"), sim.UserStop, 0, 3},
		{"the agent refuses", 1, 1, "a", 0, 9, answer(`"content":null,"refusal":"I can't assist with that."`, "stop"), sim.AgentError, 0, 2},
		{"the user's context is full", 2, 2, "u", 1, 9, overflow, sim.UserFault, 0, 3},
		{"the user's prompt is moderated", 1, 2, "u", 0, 9, moderated, sim.UserFault, 0, 0},
		{"the user is cut off, again and again", 1, 1, "u", 0, 9, answer(`"content":"Please create a ta"`, "length"), sim.UserFault, 0, 3},
		{"a reply without an answer, then one with", 1, 1, "a", 0, 1, faultserver.Raw(`{"choices":[],` + billed + `}`), sim.UserStop, 1, 5},
	}
}

// TestMixedFaults runs 50 trials against a server that mixes faults of both sides, and compares endings, Pass^1, coverage,
// counts and cost with the figures by hand; the resume makes up for what was void.
func TestMixedFaults(t *testing.T) {
	t.Parallel()
	// By hand. add_task: 25 trials, 4 of them void; of 21, 9+3+1 = 13 are solved. finish_task: 25, 5 void; of 20, 9+2+1 = 12.
	const (
		counted    = 41
		void       = 4 + 3 + 2 // by faults of the user's model
		passOne    = (13.0/21 + 12.0/20) / 2
		strictPass = (13.0/25 + 12.0/25) / 2
		cutOffs    = 5 + 2             // reports, and answers whose limit was spent before a word, which are failed calls too
		failed     = 5 + 3 + 2 + 4 + 3 // calls that ended in an error
		callsLeft  = 4
		refusals   = 2
		cents      = 18*4 + 5*2 + 3*1 + 2*2 + 5*4 + 4*3 + 2*2 + 4*3 + 3*0 + 2*3 + 2*5
		wasted     = 2*1 + 2*1 // of these, for answers of no use
	)
	mishaps := map[string]mishap{} // by task and seed
	var calm atomic.Bool
	var mu sync.Mutex
	asked := map[string]int{}
	srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		var q struct {
			Model    string
			Seed     json.Number
			Messages []any
		}
		if err := json.Unmarshal(r.Body, &q); err != nil {
			t.Error(err)
		}
		task := "finish_task"
		if strings.Contains(string(r.Body), "Buy bread") { // the scenario, or the user's words
			task = "add_task"
		}
		id := task + q.Seed.String()
		mu.Lock()
		n := asked[q.Model+id]
		asked[q.Model+id]++
		mu.Unlock()
		if m := mishaps[id]; m.model == q.Model && m.from <= n && n < m.to && !calm.Load() {
			return m.reply
		}
		return due(task, string(r.Body), q.Model, len(q.Messages))
	})
	text := fmt.Sprintf("note: mixed faults\ntrials: 25\nlimits: {concurrency: 4}\nmodels:\n  a: {base_url: %[1]q, key: k-test-123456, retry: {first_wait: 1ms}}\n  u: {base_url: %[1]q, key: k-test-123456}\n"+
		"user: {model: u}\ndomains: [{name: mock, tasks: [add_task, finish_task]}]\nsystems: [{name: R, agent: react, model: a}]\n", srv.URL)
	dir := filepath.Join(t.TempDir(), "run")
	next := map[string][]mishap{}
	for _, m := range mixture() {
		next["add_task"] = append(next["add_task"], slices.Repeat([]mishap{m}, m.add)...)
		next["finish_task"] = append(next["finish_task"], slices.Repeat([]mishap{m}, m.finish)...)
	}
	for _, p := range runtest.Resolve(t, text, config.Options{Out: dir}).Trials {
		mishaps[p.Task+fmt.Sprint(p.Seed)] = next[p.Task][p.Trial]
	}
	if len(mishaps) != 50 {
		t.Fatalf("%d mishaps, want one for each trial", len(mishaps))
	}
	s := runtest.Execute(t, text, config.Options{Out: dir})
	if s.Planned != 50 || s.Evaluable != counted || s.Missing != 0 || s.Stopped != "" || s.Terminations[sim.UserFault] != void {
		t.Errorf("%+v", s)
	}
	src, err := report.FromRun(runtest.Open(t, dir), runtest.NoEnv)
	if err != nil {
		t.Fatal(err)
	}
	table := build(t, "pass", report.Input{Sources: []report.Source{src}})
	for column, want := range map[string]float64{"evaluable": counted, "planned": 50, "pass^1": passOne, "strict_pass^1": strictPass} {
		got, err := strconv.ParseFloat(fmt.Sprint(find(t, table, column, "mock", "R", "all").Value), 64)
		if err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v (%v), want %v", column, got, err, want)
		}
	}
	var sum store.RoleUsage
	for _, e := range runtest.Open(t, dir).Index() {
		m := mishaps[e.Task+fmt.Sprint(e.Seed)]
		if e.Termination != m.ending || e.Termination.Evaluable() && (e.Reward == nil || *e.Reward != m.reward) {
			t.Errorf("%s, %s: ended %s with %v, want %s with %v", e.Key.String(), m.name, e.Termination, e.Reward, m.ending, m.reward)
		}
		if cost := 0.01 * float64(m.billed); e.Cost == nil || math.Abs(*e.Cost-cost) > 1e-9 || *e.Tokens != int64(110*m.billed) {
			t.Errorf("%s, %s: cost %v, tokens %v, want %.2f", e.Key.String(), m.name, e.Cost, e.Tokens, cost)
		}
		for _, u := range e.Usage {
			sum.Refusals += u.Refusals
			sum.Failed += u.Failed
			sum.CallsInText += u.CallsInText
			sum.Cost += u.Cost
			sum.FailedCost += u.FailedCost
			if u.Role == config.RoleAgent {
				sum.CutOff += u.CutOff
			}
		}
	}
	if sum.CutOff != cutOffs || sum.CallsInText != callsLeft || sum.Refusals != refusals || sum.Failed != failed || math.Abs(sum.Cost-0.01*cents) > 1e-9 || math.Abs(sum.FailedCost-0.01*wasted) > 1e-9 {
		t.Errorf("sums %+v", sum)
	}
	calm.Store(true)
	if s := runtest.Execute(t, text, config.Options{Out: dir, Resume: true}); s.Executed != void || s.Evaluable != 50 {
		t.Errorf("resumed: %+v", s)
	}
	runtest.Consistent(t, dir)
}

// due is the reply that moves a conversation on: the user asks for the task and stops, the agent does it and says so.
func due(task, body, model string, messages int) faultserver.Reply {
	message := `"content":"Done, created as task_2."`
	switch {
	case model == "u" && messages <= 2:
		message = `"content":"I have watered the plants, that task is done."`
		if task == "add_task" {
			message = `"content":"Please put Buy bread on my list."`
		}
	case model == "u":
		message = `"content":"###STOP###"`
	case !strings.Contains(body, `"role":"tool"`):
		call := `"name":"create_task","arguments":"{\"user_id\":\"user_1\",\"title\":\"Buy bread\"}"`
		if task == "finish_task" {
			call = `"name":"update_task_status","arguments":"{\"task_id\":\"task_1\",\"status\":\"completed\"}"`
		}
		message = `"content":null,"tool_calls":[{"id":"c1","type":"function","function":{` + call + `}}]`
	}
	return faultserver.Raw(`{"choices":[{"message":{"role":"assistant",` + message + `},"finish_reason":"stop"}],` + billed + `}`)
}
