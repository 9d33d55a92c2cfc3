package agents_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

var (
	create = llm.ToolCall{ID: "c1", Name: "create_task", Arguments: `{"user_id":"user_1","title":"Buy bread"}`}
	done   = llm.ToolCall{ID: "d", Name: "done", Arguments: "{}"}
)

// solo lets the plain agent work through a ticket.
func solo(t *testing.T, task string, answers ...llm.Message) (sim.Record, *model, agents.Setup) {
	t.Helper()
	w := world(t, domains.Options{Solo: true})
	s, m := setup(t, w, task, answers...)
	agent, err := agents.NewReAct(s)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Agent: agent, Limits: sim.Limits{MaxSteps: 20, MaxErrors: 5}})
	if err != nil {
		t.Fatal(err)
	}
	return rec, m, s
}

func TestSolo(t *testing.T) {
	talking := calls(create, done)
	talking.Content = domains.Text("all done")
	for _, c := range []struct {
		name     string
		answers  []llm.Message
		want     sim.Reason
		reward   float64
		messages int
	}{
		{"works, then is done", []llm.Message{calls(create), calls(done)}, sim.AgentStop, 1, 3},
		{"the user's tools are the agent's", []llm.Message{calls(create, llm.ToolCall{ID: "n", Name: "check_notifications"}), calls(done)}, sim.AgentStop, 1, 4},
		{"done at once", []llm.Message{calls(done)}, sim.AgentStop, 0, 1},
		{"done drops the calls and the text beside it", []llm.Message{talking}, sim.AgentStop, 0, 1},
		{"done with arguments", []llm.Message{calls(create), calls(llm.ToolCall{ID: "d", Name: "done", Arguments: "not JSON"})}, sim.AgentStop, 1, 3},
		{"text", []llm.Message{calls(create), says("I have added it.")}, sim.AgentError, 0, 3},
		{"the stop token as text", []llm.Message{calls(create), says("###STOP###")}, sim.AgentError, 0, 3},
		{"nothing", []llm.Message{{}, {}, {}}, sim.AgentError, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, m, s := solo(t, "add_task", c.answers...)
			if rec.Termination != c.want || len(rec.Messages) != c.messages || !rec.Solo {
				t.Fatalf("ended as %s after %d messages (fault %+v), want %s after %d", rec.Termination, len(rec.Messages), rec.Fault, c.want, c.messages)
			}
			// The ticket does not make the agent tell anybody anything.
			task := *s.Task
			criteria := *task.Criteria
			criteria.RewardBasis = []domains.RewardType{domains.RewardDB}
			task.Criteria = &criteria
			score, err := sim.ScoreRecord(context.Background(), s.World, &task, rec, sim.ScoreOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if score.Reward == nil || *score.Reward != c.reward {
				t.Errorf("reward %v, want %v: %v", score.Info.Reward, c.reward, score.Diff)
			}
			for _, r := range m.requests {
				if r.ToolChoice != "required" || r.Tools[len(r.Tools)-1].Name != "done" || len(r.Tools) != 7 {
					t.Errorf("%d tools, choice %q", len(r.Tools), r.ToolChoice)
				}
			}
			for _, msg := range rec.Messages {
				if slices.ContainsFunc(msg.ToolCalls, func(c sim.ToolCall) bool { return c.Name == "done" }) {
					t.Error("a call of done reached the trajectory")
				}
			}
			if c.want == sim.AgentStop && rec.Messages[len(rec.Messages)-1].TextOf() != "###STOP###" {
				t.Errorf("the last message is %q", rec.Messages[len(rec.Messages)-1].TextOf())
			}
		})
	}
}

func TestSoloPrompt(t *testing.T) {
	w := *world(t, domains.Options{Solo: true})
	w.Policy = "# Policy\n"
	s, m := setup(t, &w, "add_task", calls(done))
	speak(t, agents.NewReAct, s)
	golden(t, "solo.golden", m.requests[0].Messages[0].Text())
}

func TestSoloIsRefused(t *testing.T) {
	w := world(t, domains.Options{Solo: true})
	s, _ := setup(t, w, "dismiss_note")
	if _, err := agents.NewReAct(s); err == nil || !strings.Contains(err.Error(), "task dismiss_note has no ticket") {
		t.Errorf("without a ticket: error %v", err)
	}
	s, _ = setup(t, w, "add_task")
	if _, err := agents.NewOracle(s); err == nil || !strings.Contains(err.Error(), "use react for solo runs") {
		t.Errorf("oracle: error %v", err)
	}
}
