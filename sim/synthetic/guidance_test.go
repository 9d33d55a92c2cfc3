package synthetic_test

import (
	"context"
	"slices"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// advise shows the agent a developer message before each of its turns.
func advise(inner sim.Participant) sim.Participant {
	return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
		v.Messages = append(slices.Clone(v.Messages), sim.Message{Role: domains.RoleDeveloper, Content: domains.Text("Keep to the policy.")})
		return inner.Next(ctx, v)
	})
}

// guard refuses every change that the user has not said yes to just before, as a private failure of the call.
func guard(w *domains.World) func(sim.Participant) sim.Participant {
	return func(inner sim.Participant) sim.Participant {
		return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
			var out sim.Turn
			for {
				turn, err := inner.Next(ctx, v)
				if err != nil {
					return sim.Turn{}, err
				}
				out.Message, out.Calls = turn.Message, append(out.Calls, turn.Calls...)
				m := turn.Message
				last := v.Messages[len(v.Messages)-1]
				if !m.IsToolCall() || !w.Agent.Mutates(m.ToolCalls[0].Name) || (last.Role == domains.RoleUser && last.TextOf() == "Yes, I confirm. Please go ahead.") {
					return out, nil
				}
				refused := domains.ResultMessage(m.ToolCalls[0], domains.ToolResult{Content: "Error: ask for consent first", Error: true})
				private := []sim.Message{m, refused}
				out.Private, out.Steps = append(out.Private, private...), out.Steps+1
				v.Messages = append(slices.Clone(v.Messages), private...)
			}
		})
	}
}

func TestGuidanceThatIsFollowedPreventsMistakes(t *testing.T) {
	all := synthetic.Mistakes{SkipIdentify: 1, ActBeforeConsent: 1, WrongOrder: 1, GrantForbidden: 1, GiveUp: 1}
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	for _, c := range []struct {
		name     string
		follows  float64
		min, max int // tasks solved
	}{
		{"always followed", 1, len(w.Tasks), len(w.Tasks)},
		{"never followed", 0, 0, 0},
		{"followed now and then", 0.5, 0, len(w.Tasks) - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(w, synthetic.Config{Mistakes: all, FollowsGuidance: c.follows})
			solved := 0
			for i := range w.Tasks {
				tr := trial{"guided", &w.Tasks[i], 0}
				rec := s.held(t, tr, advise)
				if rec.Termination != sim.UserStop {
					t.Errorf("%s: %s", tr.task.ID, transcript(rec))
				}
				if *s.score(t, tr, rec).Reward == 1 {
					solved++
				}
			}
			t.Logf("%d of %d tasks solved", solved, len(w.Tasks))
			if solved < c.min || solved > c.max {
				t.Errorf("%d tasks solved, want %d to %d", solved, c.min, c.max)
			}
		})
	}
}

// TestRefusedChangesAreMadeProperly: an agent whose hasty change a guard refuses asks first if it follows that, and
// goes on without the change if not; it never runs into the guard for ever.
func TestRefusedChangesAreMadeProperly(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	hasty := synthetic.Mistakes{ActBeforeConsent: 1}
	for _, c := range []struct {
		name    string
		follows float64
		all     bool
	}{{"heeded", 1, true}, {"ignored", 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(w, synthetic.Config{Mistakes: hasty, FollowsGuidance: c.follows})
			for i := range w.Tasks {
				tr := trial{"guarded", &w.Tasks[i], 0}
				if !tr.task.Mutating(w) {
					continue
				}
				rec := s.held(t, tr, guard(w))
				if rec.Termination != sim.UserStop || rec.ToolErrors > 0 {
					t.Errorf("%s: %s", tr.task.ID, transcript(rec))
				}
				if won := *s.score(t, tr, rec).Reward == 1; won != c.all {
					t.Errorf("%s: solved %v\n%s", tr.task.ID, won, transcript(rec))
				}
			}
		})
	}
}
