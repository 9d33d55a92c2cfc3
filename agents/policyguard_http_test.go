package agents_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/checklist"
	scripts "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// served connects to scripted models of all roles over HTTP, as a run does.
func served(t *testing.T, w *domains.World, m synthetic.Mistakes) func(task, role string, trial int) *sim.Model {
	t.Helper()
	server := httptest.NewServer(synthetic.NewServer(synthetic.New(map[string]*domains.World{w.Name: w},
		synthetic.Config{Mistakes: m, FollowsGuidance: 1, Scripts: scripts.Scripts()})))
	t.Cleanup(server.Close)
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	dialer := &llm.Dialer{Models: table, Transport: llm.NewTransport()}
	client, err := dialer.Dial(llm.Endpoint{Name: "scripted", BaseURL: server.URL + "/v1", Model: "scripted", Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	return func(task, role string, trial int) *sim.Model {
		return &sim.Model{Client: client, Name: "scripted", Tag: llm.Tag{Domain: w.Name, System: "s", Task: task, Trial: trial, Role: role, RunSeed: 300}}
	}
}

// guardedRun is what the conversations of one agent came to.
type guardedRun struct{ solved, verdicts, blocked, open int }

// hold holds one conversation about each task with an agent of that name.
func hold(t *testing.T, w *domains.World, name string, tasks []*domains.Task, m synthetic.Mistakes) guardedRun {
	t.Helper()
	model := served(t, w, m)
	e, err := agents.FindAgent(name)
	if err != nil {
		t.Fatal(err)
	}
	cache := &agents.Cache{}
	var out guardedRun
	for _, task := range tasks {
		agent, err := e.New(agents.Setup{World: w, Task: task, Model: model(task.ID, "agent", 0), Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := sim.Run(context.Background(), sim.Trial{Key: sim.Key{Domain: w.Name, Task: task.ID}, World: w, Task: task,
			Limits: sim.DefaultLimits(), Agent: agent, User: sim.NewUser(w, task, model(task.ID, "user", 0))})
		if err != nil || rec.Fault != nil || !rec.Termination.Completed() {
			t.Errorf("%s %s: error %v, ended %s: %+v", name, task.ID, err, rec.Termination, rec.Fault)
			continue
		}
		for _, e := range rec.Events {
			switch e.Kind {
			case agents.EventGuard:
				out.verdicts++
				if by := e.Data["by"]; by != checklist.ByPass && by != checklist.ByBlock {
					t.Errorf("%s %s: the verdict was read by %v: %v", name, task.ID, by, e.Data["raw"])
				}
				if items, ok := e.Data["items"].([]checklist.Item); name == "policyguard" && (!ok || len(items) < 2) {
					t.Errorf("%s %s: items %v of %v", name, task.ID, e.Data["items"], e.Data["raw"])
				}
			case agents.EventBlock:
				out.blocked++
			case agents.EventFailOpen:
				out.open++
			}
		}
		score, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{
			Judge: sim.ModelJudge{Model: model(task.ID, "judge", 0)}})
		if err != nil {
			t.Errorf("%s %s: %v", name, task.ID, err)
		} else if score.Reward != nil && *score.Reward == 1 {
			out.solved++
		}
	}
	return out
}

// hasty makes the mistakes that a guard of calls can see.
var hasty = synthetic.Mistakes{SkipIdentify: 0.3, ActBeforeConsent: 0.6, GrantForbidden: 0.6}

// TestPolicyGuardOverHTTP holds a conversation about every embedded task of the three domains, over HTTP with scripted
// models: no fault, hasty agents are blocked and do better for it.
func TestPolicyGuardOverHTTP(t *testing.T) {
	for _, name := range []string{"airline", "retail", "telecom"} {
		t.Run(name, func(t *testing.T) {
			d, err := all.Domain(name)
			if err != nil {
				t.Fatal(err)
			}
			w := domaintest.Embedded(t, d, domains.Options{})
			tasks, err := w.Select("")
			if err != nil {
				t.Fatal(err)
			}
			bare := hold(t, w, "react", tasks, hasty)
			guarded := hold(t, w, "policyguard", tasks, hasty)
			half := tasks[:len(tasks)/2] // the raw variant differs in the prompt alone
			raw := hold(t, w, "policyguard-raw", half, hasty)
			t.Logf("synthetic: %d tasks; react %+v, policyguard %+v; %d tasks, policyguard-raw %+v", len(tasks), bare, guarded, len(half), raw)
			if guarded.blocked == 0 || raw.blocked == 0 || guarded.open+raw.open > 0 {
				t.Errorf("policyguard %+v, policyguard-raw %+v", guarded, raw)
			}
			if guarded.solved <= bare.solved {
				t.Errorf("%d tasks are solved with the guard, %d without", guarded.solved, bare.solved)
			}
		})
	}
}

// TestPolicyGuardOnRealTasks does the same with some tasks of the reference's data.
func TestPolicyGuardOnRealTasks(t *testing.T) {
	const some = 6
	for _, name := range []string{"airline", "retail", "telecom"} {
		t.Run(name, func(t *testing.T) {
			d, err := all.Domain(name)
			if err != nil {
				t.Fatal(err)
			}
			w := domaintest.Real(t, d, domains.Options{})
			list, err := w.Select("")
			if err != nil {
				t.Fatal(err)
			}
			var tasks []*domains.Task
			for i := 0; i < len(list); i += max(1, len(list)/some) {
				tasks = append(tasks, list[i])
			}
			for _, variant := range []string{"policyguard", "policyguard-raw"} {
				got := hold(t, w, variant, tasks, hasty)
				t.Logf("synthetic: %d tasks, %s %+v", len(tasks), variant, got)
				if got.verdicts == 0 || got.open > 0 {
					t.Errorf("%s %+v", variant, got)
				}
			}
		})
	}
}
