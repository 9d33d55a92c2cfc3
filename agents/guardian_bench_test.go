package agents_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/tauguide/tauguide/agents"
	scripts "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// BenchmarkFiring measures what PolicyGuide itself costs per firing on the real telecom workflow: reading the
// conversation, writing the prompt, reading the answer, state and gate. The answers of the verifier are canned; the
// time of the scripted model that made them is not in it. The limits are 1 ms and 200 kB.
func BenchmarkFiring(b *testing.B) {
	w := domaintest.Real(b, telecom.Domain(), domains.Options{})
	models := synthetic.New(map[string]*domains.World{w.Name: w}, synthetic.Config{FollowsGuidance: 1, Scripts: scripts.Scripts()})
	task := &w.Tasks[len(w.Tasks)-1]
	for _, params := range []string{`{}`, `{"verifier":"deterministic","gate":"strict"}`} {
		b.Run(params, func(b *testing.B) {
			model := func(client llm.Client, role string) *sim.Model {
				return &sim.Model{Client: client, Name: "s", Tag: llm.Tag{Domain: w.Name, System: "s", Task: task.ID, Role: role, RunSeed: 300}}
			}
			var answers []llm.Response
			recorder := llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
				resp, err := models.Complete(ctx, req)
				if req.Tag.Role == verify.Role {
					answers = append(answers, resp)
				}
				return resp, err
			})
			s := agents.Setup{World: w, Task: task, Cache: &agents.Cache{}, Model: model(recorder, "agent"), Params: agents.Params(params)}
			var turns []sim.Turn
			var views []sim.View
			react, err := agents.NewReAct(agents.Setup{World: w, Task: task, Model: s.Model})
			if err != nil {
				b.Fatal(err)
			}
			overlay, err := agents.NewPolicyGuideOverlay(s)
			if err != nil {
				b.Fatal(err)
			}
			inner := overlay(sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
				turn, err := react.Next(ctx, v)
				turns = append(turns, turn)
				return turn, err
			}))
			outer := sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
				views = append(views, v)
				return inner.Next(ctx, v)
			})
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: task, Limits: sim.DefaultLimits(), Agent: outer,
				User: sim.NewUser(w, task, model(models, "user"))})
			if err != nil || rec.Fault != nil {
				b.Fatalf("error %v, fault %+v", err, rec.Fault)
			}
			firings := 0
			for _, e := range rec.Events {
				if e.Kind == agents.EventFiring {
					firings++
				}
			}
			next := 0
			canned := llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
				next++
				return answers[next-1], nil
			})
			s.Model = model(canned, "agent")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				next = 0
				again, err := agents.NewPolicyGuideOverlay(s)
				if err != nil {
					b.Fatal(err)
				}
				k := 0
				replayed := again(sim.ParticipantFunc(func(context.Context, sim.View) (sim.Turn, error) {
					k++
					return turns[k-1], nil
				}))
				for _, v := range views {
					if _, err := replayed.Next(context.Background(), v); err != nil {
						b.Fatal(err)
					}
				}
			}
			runtime.ReadMemStats(&after)
			n := float64(b.N * firings)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/firing")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "B/firing")
			b.ReportMetric(float64(firings), "firings/op")
			b.ReportMetric(float64(len(rec.Messages)), "messages")
		})
	}
}
