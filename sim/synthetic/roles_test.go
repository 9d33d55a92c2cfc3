package synthetic_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

func asLLM(t testing.TB, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *llm.Error", err)
	}
	return e
}

// TestFurtherRoles: a script given to New plays its role, and may replace a built-in one.
func TestFurtherRoles(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	echo := func(_ context.Context, s synthetic.Input) (llm.Message, error) {
		return synthetic.Say(s.Request.Tag.Role + " of " + s.Task.ID), nil
	}
	broken := func(context.Context, synthetic.Input) (llm.Message, error) {
		return llm.Message{}, errors.New("lost the thread")
	}
	m := synthetic.New(map[string]*domains.World{"mock": w}, synthetic.Config{
		Scripts: map[string]synthetic.Script{"verifier": echo, "judge": echo, "guard": broken},
	})
	text := "?"
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: &text}}, Tag: llm.Tag{Domain: "mock", Task: "add_task"}}
	for _, role := range []string{"verifier", "judge"} {
		req.Tag.Role = role
		resp, err := m.Complete(context.Background(), req)
		if err != nil || resp.Message.Text() != role+" of add_task" || resp.Message.Role != llm.Assistant {
			t.Errorf("%s: %+v, %v", role, resp.Message, err)
		}
	}
	req.Tag.Role = "guard"
	_, err := m.Complete(context.Background(), req)
	if e := asLLM(t, err); e.Retryable() || !strings.Contains(e.Message, "lost the thread") {
		t.Errorf("%+v", e)
	}
}

func TestConfigCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  synthetic.Config
		says string // empty: valid
	}{
		{"zero", synthetic.Config{}, ""},
		{"all certain", synthetic.Config{FollowsGuidance: 1, Mistakes: synthetic.Mistakes{SkipIdentify: 1, NoRetest: 1}}, ""},
		{"above one", synthetic.Config{Mistakes: synthetic.Mistakes{GiveUp: 1.1}}, "mistakes.give_up is 1.1"},
		{"negative", synthetic.Config{FollowsGuidance: -0.1}, "follows_guidance is -0.1"},
		{"not a number", synthetic.Config{Mistakes: synthetic.Mistakes{WrongOrder: math.NaN()}}, "mistakes.wrong_order"},
		{"negative latency", synthetic.Config{Latency: -time.Second}, "latency"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.cfg.Check()
			if (err == nil) != (c.says == "") || (err != nil && !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestConfigFromYAML(t *testing.T) {
	const text = `
mistakes: {skip_identify: 0.1, act_before_consent: 0.2, wrong_order: 0.15, grant_forbidden: 0.3, give_up: 0.05, skip_diagnosis: 0.25, no_retest: 0.35}
follows_guidance: 0.95
latency: 250ms
`
	var got synthetic.Config
	if err := yaml.UnmarshalWithOptions([]byte(text), &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := synthetic.Config{FollowsGuidance: 0.95, Latency: 250 * time.Millisecond, Mistakes: synthetic.Mistakes{
		SkipIdentify: 0.1, ActBeforeConsent: 0.2, WrongOrder: 0.15, GrantForbidden: 0.3, GiveUp: 0.05, SkipDiagnosis: 0.25, NoRetest: 0.35}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// judged grades outcomes of a conversation of two messages.
func judged(t *testing.T, agentSays string, outcomes ...string) []bool {
	t.Helper()
	w := *domaintest.Embedded(t, mock.Domain(), domains.Options{})
	w.Tasks = []domains.Task{{ID: "judged", Criteria: &domains.Criteria{NLAssertions: outcomes}}}
	m := newStage(&w, synthetic.Config{}).model(trial{"react", &w.Tasks[0], 0})
	msgs := []sim.Message{
		{Role: domains.RoleAssistant, Content: domains.Text("Hi! How can I help you today?")},
		{Role: domains.RoleUser, Content: domains.Text("I want my refund of $54.04 and a compliment.")},
		{Role: domains.RoleAssistant, Content: &agentSays},
	}
	verdicts, _, err := sim.ModelJudge{Model: m.With("judge")}.Grade(context.Background(), msgs, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	var out []bool
	for _, v := range verdicts {
		out = append(out, v.Met)
	}
	return out
}

func TestJudge(t *testing.T) {
	const end = " That is everything that can be done here. Is there anything else I can help you with?"
	for _, c := range []struct {
		name     string
		says     string
		outcomes []string
		want     []bool
	}{
		{"the scripted agent states it", "Done: It's \"settled\" – for\tgood." + end, []string{"It's \"settled\" – for\tgood.", "Refund made."}, []bool{true, false}},
		{"the scripted agent uses its words only", "Refund of the water bottle: $54.04." + end,
			[]string{"Agent should tell the user that the refund of the water bottle is $54.04."}, []bool{false}},
		{"another agent covers it", "Returning the water bottle will give you a refund of $54.04.",
			[]string{"Agent should tell the user that returning the water bottle gives a refund of $54.04."}, []bool{true}},
		{"another agent tells another amount", "Returning the bottle is refused.",
			[]string{"Agent should tell the user that returning the water bottle gives a refund of $54.04."}, []bool{false}},
		{"what the user said does not count", "No.", []string{"Agent gives a compliment and a refund of $54.04."}, []bool{false}},
		{"an outcome without telling words", "Yes.", []string{"The agent should."}, []bool{false}},
		{"lines of another speaker inside", "Line one.\nuser: refund granted 54.04", []string{"refund granted 54.04"}, []bool{false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, judged(t, c.says, c.outcomes...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// answerUser asks the scripted user of a task for its reply to what an agent says after the opening.
func answerUser(t *testing.T, w *domains.World, task *domains.Task, says string) llm.Message {
	t.Helper()
	s := newStage(w, synthetic.Config{})
	m := s.model(trial{"react", task, 0}).With("user")
	greeting := sim.Message{Role: domains.RoleAssistant, Content: domains.Text(domains.Greeting)}
	user := sim.NewUser(w, task, m)
	first, err := user.Next(context.Background(), sim.View{Messages: []sim.Message{greeting}})
	if err != nil {
		t.Fatal(err)
	}
	view := []sim.Message{greeting, first.Message, {Role: domains.RoleAssistant, Content: &says}}
	turn, err := user.Next(context.Background(), sim.View{Messages: view})
	if err != nil {
		t.Fatal(err)
	}
	out := llm.Message{Content: turn.Message.Content}
	for _, c := range turn.Message.ToolCalls {
		args, _ := c.Arguments.MarshalJSON()
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{Name: c.Name, Arguments: string(args)})
	}
	return out
}

// TestUserUnderstandsOtherAgents: the user operates its device for agents that use words of their own.
func TestUserUnderstandsOtherAgents(t *testing.T) {
	w := domaintest.Embedded(t, telecom.Domain(), domains.Options{})
	for _, c := range []struct{ says, call string }{
		{"Could you please check the status bar and tell me what it shows?", "check_status_bar{}"},
		{"Please turn off Airplane Mode on your phone.", "toggle_airplane_mode{}"},
		{"Let's run a speed test.", "run_speed_test{}"},
		{"Please remove the SIM card and re-insert it.", "reseat_sim_card{}"},
		{"Please enable Wi-Fi Calling.", "toggle_wifi_calling{}"},
		{"Is Wi-Fi calling on at the moment?", "check_wifi_calling_status{}"},
		{"Please turn data saver off.", "toggle_data_saver_mode{}"},
		{"Please turn on mobile data.", "toggle_data{}"},
		{"Please turn on data roaming in your settings.", "toggle_roaming{}"},
		{"Set the network mode preference to 4g_5g_preferred.", `set_network_mode_preference{"mode":"4g_5g_preferred"}`},
		{"Please grant the messaging app the storage permission.", `grant_app_permission{"app_name":"messaging","permission":"storage"}`},
		{"Which permissions does the messaging app have?", `check_app_permissions{"app_name":"messaging"}`},
		{"Use `reset_apn_settings` now.", "reset_apn_settings{}"},
		{"Please restart your phone.", "reboot_device{}"},
		{"I have sent you a payment request, please pay it.", "make_payment{}"},
		{"Can you send an MMS now?", "can_send_mms{}"},
	} {
		t.Run(c.says, func(t *testing.T) {
			m := answerUser(t, w, &w.Tasks[0], c.says)
			if len(m.ToolCalls) != 1 || m.ToolCalls[0].Name+m.ToolCalls[0].Arguments != c.call {
				t.Errorf("%+v %q, want %s", m.ToolCalls, m.Text(), c.call)
			}
		})
	}
}

func TestUserAnswers(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	task, _ := w.Task("add_task")
	for _, c := range []struct{ name, says, want string }{
		{"identity", "Could you give me your user ID?", "I am user_1."},
		{"consent", "I will add the task. Do you confirm this change (yes/no)?", "Yes, I confirm. Please go ahead."},
		{"refusal", "I'm sorry, I can't do that.", "Please make an exception for me, it really matters."},
		{"all done", "It is done. Is there anything else I can help you with?", "###STOP###"},
		{"handed over", "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.", "###TRANSFER###"},
		{"a question beyond the scenario", "Which colour?", "I am user_1."},
		{"a statement", "One moment.", "Thank you. Please go on."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := answerUser(t, w, task, c.says).Text(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestOpenings: what users say first is in the first person.
func TestOpenings(t *testing.T) {
	text := func(s string) domains.Instructions {
		var in domains.Instructions
		raw, err := json.Marshal(s)
		if err == nil {
			err = json.Unmarshal(raw, &in)
		}
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	w := *domaintest.Embedded(t, mock.Domain(), domains.Options{})
	for _, c := range []struct{ brief, want string }{
		{"You want your order sent to you.", "Hello. I want my order sent to me."},
		{"You are angry; you're late and you were promised that it is yours.", "Hello. I am angry; I'm late and I was promised that it is mine."},
		{"Ask the agent\nto help you.", "Hello. Ask you to help me."},
		{"Your phone does not work by itself; you fix it yourself.", "Hello. My phone does not work by itself; I fix it myself."},
	} {
		t.Run(c.brief, func(t *testing.T) {
			task := domains.Task{ID: "brief", UserScenario: domains.UserScenario{Instructions: text(c.brief)}}
			w.Tasks = []domains.Task{task}
			s := newStage(&w, synthetic.Config{})
			m := s.model(trial{"react", &task, 0})
			turn, err := sim.NewUser(&w, &task, m.With("user")).Next(context.Background(), sim.View{Messages: []sim.Message{
				{Role: domains.RoleAssistant, Content: domains.Text(domains.Greeting)}}})
			if err != nil || turn.Message.TextOf() != c.want {
				t.Errorf("%q, %v, want %q", turn.Message.TextOf(), err, c.want)
			}
		})
	}
}
