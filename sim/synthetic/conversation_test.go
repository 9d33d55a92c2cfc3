package synthetic_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// runSeed is the seed of all test trials.
const runSeed = 300

// stage is one domain with models for it.
type stage struct {
	world  *domains.World
	client llm.Client
}

func newStage(w *domains.World, cfg synthetic.Config) stage {
	return stage{w, synthetic.New(map[string]*domains.World{w.Name: w}, cfg)}
}

// trial names one conversation.
type trial struct {
	system string
	task   *domains.Task
	n      int
}

// model is the synthetic model for a trial, without a role.
func (s stage) model(tr trial) sim.Model {
	return sim.Model{Client: s.client, Name: synthetic.Name, Tag: llm.Tag{
		Domain: s.world.Name, System: tr.system, Task: tr.task.ID, Trial: tr.n, RunSeed: runSeed,
	}}
}

// talk holds the conversation of a trial.
func (s stage) talk(t testing.TB, tr trial) sim.Record {
	t.Helper()
	m := s.model(tr)
	entry, err := agents.FindAgent(tr.system)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := entry.New(agents.Setup{World: s.world, Task: tr.task, Model: m.With("agent")})
	if err != nil {
		t.Fatal(err)
	}
	run := sim.Trial{
		Key:       sim.Key{Domain: s.world.Name, System: tr.system, Task: tr.task.ID, Trial: tr.n},
		Synthetic: true, World: s.world, Task: tr.task, Agent: agent, Limits: sim.DefaultLimits(),
	}
	if !s.world.Options.Solo {
		run.User = sim.NewUser(s.world, tr.task, m.With("user"))
	}
	rec, err := sim.Run(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// score scores a record with the synthetic judge.
func (s stage) score(t testing.TB, tr trial, rec sim.Record) sim.Score {
	t.Helper()
	m := s.model(tr)
	sc, err := sim.ScoreRecord(context.Background(), s.world, tr.task, rec, sim.ScoreOptions{Judge: sim.ModelJudge{Model: m.With("judge")}})
	if err != nil {
		t.Fatal(err)
	}
	if sc.Reward == nil {
		t.Fatalf("task %s: pending: %s", tr.task.ID, sc.Pending)
	}
	return sc
}

// transcript prints a conversation for failures.
func transcript(rec sim.Record) string {
	var b strings.Builder
	b.WriteString(string(rec.Termination))
	if rec.Fault != nil {
		b.WriteString(" " + rec.Fault.Text)
	}
	for _, m := range rec.Messages {
		b.WriteString("\n" + string(m.Role) + ": " + clip(m.TextOf()))
		for _, c := range m.ToolCalls {
			args, _ := c.Arguments.MarshalJSON()
			b.WriteString(" -> " + c.Name + clip(string(args)))
		}
	}
	return b.String()
}

func clip(s string) string {
	if len(s) > 160 {
		return s[:160] + "..."
	}
	return s
}

// catalogue lists the domains that the scripts know.
func catalogue() []domains.Domain {
	return []domains.Domain{airline.Domain(), mock.Domain(), retail.Domain(), telecom.Domain()}
}

func embedded(t testing.TB) []*domains.World {
	t.Helper()
	var out []*domains.World
	for _, d := range catalogue() {
		out = append(out, domaintest.Embedded(t, d, domains.Options{}))
	}
	return out
}
