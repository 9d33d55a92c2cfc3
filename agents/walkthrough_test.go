package agents_test

import (
	"context"
	"crypto/sha256"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tauguide/tauguide/agents"
	scripts "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// booking finds a task whose gold plan books a flight, and the call that does.
func booking(t *testing.T, w *domains.World) (*domains.Task, sim.ToolCall) {
	t.Helper()
	for i := range w.Tasks {
		if w.Tasks[i].Criteria == nil {
			continue
		}
		for _, a := range w.Tasks[i].Criteria.Actions {
			if a.Name == "book_reservation" {
				return &w.Tasks[i], a.Call()
			}
		}
	}
	t.Fatal("no task books a flight")
	return nil, sim.ToolCall{}
}

// scripted connects to scripted models over HTTP, as a run does, and remembers the static parts of the verifier's
// prompts.
func scripted(t *testing.T, w *domains.World) (model func(task, role string) *sim.Model, prefixes func() [][32]byte) {
	t.Helper()
	server := httptest.NewServer(synthetic.NewServer(synthetic.New(map[string]*domains.World{w.Name: w},
		synthetic.Config{FollowsGuidance: 1, Scripts: scripts.Scripts()})))
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
	var mu sync.Mutex
	var seen [][32]byte
	watched := llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if req.Tag.Role == verify.Role {
			mu.Lock()
			seen = append(seen, sha256.Sum256([]byte(req.Messages[0].Text())))
			mu.Unlock()
		}
		return client.Complete(ctx, req)
	})
	return func(task, role string) *sim.Model {
		return &sim.Model{Client: watched, Name: "scripted", Tag: llm.Tag{Domain: w.Name, System: "s", Task: task, Role: role, RunSeed: 300}}
	}, func() [][32]byte { return seen }
}

// TestTurnByTurn is the example of the paper's Appendix H.1: the agent jumps to booking, is stopped at identification,
// is walked through the workflow, and may book only at the authorization node.
func TestTurnByTurn(t *testing.T) {
	for _, params := range []string{`{}`, `{"verifier":"deterministic"}`, `{"verifier":"deterministic","gate":"strict"}`} {
		t.Run(params, func(t *testing.T) {
			w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
			task, call := booking(t, w)
			model, prefixes := scripted(t, w)
			s := agents.Setup{World: w, Task: task, Model: model(task.ID, "agent")}
			react, err := agents.NewReAct(s)
			if err != nil {
				t.Fatal(err)
			}
			jumped := false
			hasty := sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
				if !jumped {
					jumped = true
					call.ID = "jump"
					return sim.Turn{Message: sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{call}}}, nil
				}
				return react.Next(ctx, v)
			})
			s.Params = agents.Params(params)
			overlay, err := agents.NewPolicyGuideOverlay(s)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := sim.Run(context.Background(), sim.Trial{Key: sim.Key{Domain: w.Name, Task: task.ID}, World: w, Task: task,
				Limits: sim.DefaultLimits(), Agent: overlay(hasty), User: sim.NewUser(w, task, model(task.ID, "user"))})
			if err != nil || rec.Termination != sim.UserStop {
				t.Fatalf("error %v, ended %s: %+v", err, rec.Termination, rec.Fault)
			}
			score, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{})
			if err != nil || score.Reward == nil || *score.Reward != 1 {
				t.Errorf("score %+v, error %v", score.Reward, err)
			}
			turnByTurn(t, w, rec)
			samePrefix(t, prefixes(), rec)
		})
	}
}

func turnByTurn(t *testing.T, w *domains.World, rec sim.Record) {
	t.Helper()
	setup, err := verify.Load(w, "")
	if err != nil {
		t.Fatal(err)
	}
	var nodes []string
	stopped := -1
	for _, e := range rec.Events {
		switch e.Kind {
		case agents.EventIntercept:
			if stopped < 0 {
				stopped = len(nodes)
			}
		case agents.EventFiring:
			after, ok := e.Data["after"].(verify.State)
			if !ok {
				t.Fatalf("firing without a state: %v", e.Data)
			}
			for _, q := range after.Requests {
				n, _ := setup.Graph.Node(q.Node)
				if q.Authorize != "" && (n.Type != guide.Authorization || n.Tool() != q.Authorize) {
					t.Errorf("%s is enabled at %s", q.Authorize, q.Node)
				}
				if q.Status == verify.Open {
					nodes = append(nodes, q.Node)
				}
			}
		}
	}
	if stopped < 0 || !strings.HasPrefix(nodes[stopped], "identify") {
		t.Errorf("the jump was not stopped at identification: intercepted at %d of %v", stopped, nodes)
	}
	if len(slices.Compact(slices.Clone(nodes))) < 3 {
		t.Errorf("no walk through the workflow: %v", nodes)
	}
	if n := written(w, rec); n != 1 {
		t.Errorf("%d bookings", n)
	}
	for _, m := range rec.Messages {
		for _, c := range m.ToolCalls {
			if c.ID == "jump" {
				t.Error("the intercepted call is in the scored trajectory")
			}
		}
	}
}

// samePrefix checks that the static part never changes, and that usage shows it as cached.
func samePrefix(t *testing.T, seen [][32]byte, rec sim.Record) {
	t.Helper()
	for _, h := range seen {
		if h != seen[0] {
			t.Error("the static part of the prompt changed between calls")
		}
	}
	var calls, cached int64
	for _, c := range rec.Calls {
		if c.Role == verify.Role {
			calls++
			cached += c.Usage.CachedTokens.N
		}
	}
	if int(calls) != len(seen) || calls > 1 && cached == 0 {
		t.Errorf("%d calls of the verifier, %d prompts, %d cached tokens", calls, len(seen), cached)
	}
}
