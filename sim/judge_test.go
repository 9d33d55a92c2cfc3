package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

func judged(j sim.Judge) func(*sim.ScoreOptions) { return func(o *sim.ScoreOptions) { o.Judge = j } }

// noJudge fails the test if it is asked.
type noJudge struct{ t testing.TB }

func (j noJudge) Grade(context.Context, []sim.Message, []string) ([]sim.Verdict, []sim.ModelCall, error) {
	j.t.Error("the judge was asked")
	return nil, nil, errors.New("nobody may ask")
}

// answering is a model that gives its answers in order and remembers the requests.
type answering struct {
	answers  []any // a text, a null, an error or a whole response
	requests []llm.Request
}

func (a *answering) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	a.requests = append(a.requests, req)
	if len(a.requests) > len(a.answers) {
		return llm.Response{}, errScript
	}
	switch x := a.answers[len(a.requests)-1].(type) {
	case error:
		return llm.Response{}, x
	case llm.Response:
		return x, nil
	case string:
		return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &x}, FinishReason: "stop"}, nil
	}
	return llm.Response{Message: llm.Message{Role: llm.Assistant}}, nil
}

// modelOf is the model of a role around a client.
func modelOf(c llm.Client, role string) *sim.Model {
	m := sim.Model{Client: c, Name: "scripted", Tag: llm.Tag{Domain: "mock", Task: "t", RunSeed: 7}}
	return m.With(role)
}

func judge(answers ...any) (sim.ModelJudge, *answering) {
	a := &answering{answers: answers}
	return sim.ModelJudge{Model: modelOf(a, "judge")}, a
}

// verdicts is a well-formed answer; met alternates with its arguments.
func verdicts(pairs ...any) string {
	type result struct {
		Outcome   string `json:"expectedOutcome"`
		Reasoning string `json:"reasoning"`
		Met       bool   `json:"metExpectation"`
	}
	list := []result{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, result{pairs[i].(string), "because", pairs[i+1].(bool)})
	}
	b, err := json.Marshal(map[string]any{"results": list})
	if err != nil {
		panic(err)
	}
	return string(b)
}

var outcomes = []string{"The agent is polite.", `The agent says "20" in the user's words.`}

var conversation = []sim.Message{
	{Role: domains.RoleAssistant, Content: domains.Text("Hi")},
	{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{{ID: "a", Name: "f"}}},
	{Role: domains.RoleTool, Content: domains.Text("result")},
}

// TestJudgeWrappings: whatever a model wraps its JSON in, the verdicts are found.
func TestJudgeWrappings(t *testing.T) {
	good := verdicts(outcomes[0], true, outcomes[1], false)
	indented := strings.ReplaceAll(good, ",", ",\n\t")
	for _, c := range []struct{ name, answer string }{
		{"bare", good},
		{"fenced", "```json\n" + good + "\n```"},
		{"fenced without a language", "```\n" + good + "\n```"},
		{"prose in front", "Here is my assessment:\n\n" + good},
		{"prose behind", good + "\n\nLet me know if {anything} is unclear."},
		{"prose with braces in front", "The set {polite, 20} was checked. " + good},
		{"byte-order mark", "\ufeff" + good},
		{"white space and line breaks", " \r\n\t" + indented + "\r\n"},
		{"in a list", "[" + good + "]"},
		{"within another object", `{"answer":` + good + `}`},
		{"after an object that is something else", `{"note":"thinking"} ` + good},
		{"after a quoted format", `The format is {"results": [{"expectedOutcome": "...", "reasoning": "...", "metExpectation": true}]}. ` + good},
		{"after thoughts", "<think>{\"results\": []} no, wait</think>" + good},
		{"twice the same", good + "\n\n```json\n" + good + "\n```"},
		{"twice the same in another order", good + verdicts(outcomes[1], false, outcomes[0], true)},
		{"a quoted verdict on something else", verdicts("The agent is rude.", true) + good},
		{"a quoted part that agrees", verdicts(outcomes[0], true) + good},
		{"further keys", strings.Replace(good, `{"results"`, `{"summary":{"met":1},"results"`, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, model := judge(c.answer)
			got, calls, err := j.Grade(context.Background(), conversation, outcomes)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "verdicts", []sim.Verdict{{Assertion: outcomes[0], Met: true, Justification: "because"}, {Assertion: outcomes[1], Justification: "because"}}, got)
			if said, _, _ := strings.Cut(c.answer, "<think>"); len(calls) == 1 && !strings.Contains(calls[0].Answer, said) {
				t.Errorf("kept answer %q", calls[0].Answer)
			}
			if len(calls) != 1 || len(model.requests) != 1 || calls[0].Role != "judge" || calls[0].Index != len(conversation) {
				t.Errorf("calls %+v", calls)
			}
		})
	}
}

func TestJudgeIdentity(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		assertions   []string
		want         []bool
	}{
		{"other order", verdicts(outcomes[1], true, outcomes[0], false), outcomes, []bool{false, true}},
		{"curly quotes and spaces", verdicts("The  agent is\npolite.", true, "The agent says “20” in the user’s words.", true), outcomes, []bool{true, true}},
		{"an outcome that occurs twice", verdicts("a", true, "b", true, "a", false), []string{"a", "a", "b"}, []bool{true, false, true}},
		{"escaped quotes", verdicts(outcomes[0], true, `The agent says "20" in the user\'s words.`, true), outcomes, []bool{true, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, _ := judge(c.answer)
			got, _, err := j.Grade(context.Background(), conversation, c.assertions)
			if err != nil {
				t.Fatal(err)
			}
			var met []bool
			for i, v := range got {
				met = append(met, v.Met)
				if v.Assertion != c.assertions[i] {
					t.Errorf("verdict %d is on %q", i, v.Assertion)
				}
			}
			same(t, "met", c.want, met)
		})
	}
}

// unusable are answers that do not grade what was asked, with the reason that the judge is told.
var unusable = []struct {
	name   string
	answer any
	why    string
}{
	{"no results", `{"results":[]}`, "0 verdicts for 2 expected outcomes"},
	{"too few", verdicts(outcomes[0], true), "1 verdicts for 2"},
	{"too many", verdicts(outcomes[0], true, outcomes[1], true, "More.", true), "3 verdicts for 2"},
	{"an outcome that was not asked for", verdicts(outcomes[0], true, "The agent is rude.", true), `no verdict names the expected outcome "The agent says`},
	{"the same outcome twice", verdicts(outcomes[0], true, outcomes[0], true), "no verdict names"},
	{"no flag", `{"results":[{"expectedOutcome":"` + outcomes[0] + `","reasoning":"r"},{"expectedOutcome":"The agent says \"20\" in the user's words.","metExpectation":true}]}`, "metExpectation is missing"},
	{"null flag", strings.Replace(verdicts(outcomes[0], true, outcomes[1], true), "true", "null", 1), "metExpectation is missing"},
	{"flag as a text", strings.ReplaceAll(verdicts(outcomes[0], true, outcomes[1], true), "true", `"true"`), "no usable JSON object"},
	{"flag as a number", strings.ReplaceAll(verdicts(outcomes[0], true, outcomes[1], true), "true", `1`), "no usable JSON object"},
	{"one flag as a text", strings.Replace(verdicts(outcomes[0], true, outcomes[1], true), "true", `"true"`, 1), "no usable JSON object"},
	{"results are no list", `{"results":{"a":true}}`, "no usable JSON object"},
	{"null results", `{"results":null}`, "0 verdicts for 2"},
	{"another object", `{"verdict":"all good"}`, "no usable JSON object"},
	{"prose", "Both outcomes are met.", "no JSON object"},
	{"cut off", verdicts(outcomes[0], true, outcomes[1], true)[:60], "no usable JSON object"},
	{"no text", nil, "no JSON object"},
	{"a draft and another verdict", verdicts(outcomes[0], true, outcomes[1], true) + "\nOn reflection:\n" + verdicts(outcomes[0], true, outcomes[1], false), "contradict each other"},
	{"a fenced draft and another verdict", "```json\n" + verdicts(outcomes[0], true, outcomes[1], true) + "\n```\n" + verdicts(outcomes[1], true, outcomes[0], false),
		`contradict each other on "The agent is polite."`},
	{"a quoted verdict on one outcome", `The agent wrote ` + verdicts(outcomes[0], true) + ` itself. ` + verdicts(outcomes[0], false, outcomes[1], true), "contradict each other"},
	{"a draft without a flag", strings.Replace(verdicts(outcomes[0], true, outcomes[1], true), "true", "null", 1) + verdicts(outcomes[0], true, outcomes[1], true), "contradict each other"},
	{"a verdict that cannot be read beside a draft", verdicts(outcomes[0], true, outcomes[1], true) + strings.Replace(verdicts(outcomes[0], true, outcomes[1], false), "false", `"false"`, 1), "no usable JSON object: results"},
	{"two verdicts within one object", `{"draft":` + verdicts(outcomes[0], true, outcomes[1], true) + `,"final":` + verdicts(outcomes[0], false, outcomes[1], false) + `}`, "contradict each other"},
	{"a verdict of a cut-off answer", cut(verdicts(outcomes[0], true, outcomes[1], true) + " But on second"), "cut off at the output limit"},
	{"only thoughts", "<think>" + verdicts(outcomes[0], true, outcomes[1], true) + "</think>", "no JSON object"},
}

func TestJudgeIsAskedAgain(t *testing.T) {
	good := verdicts(outcomes[0], true, outcomes[1], true)
	for _, c := range unusable {
		t.Run(c.name, func(t *testing.T) {
			j, model := judge(c.answer, good)
			got, calls, err := j.Grade(context.Background(), conversation, outcomes)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 2 || !got[0].Met || !got[1].Met {
				t.Errorf("verdicts %+v", got)
			}
			if len(calls) != 2 || calls[0].Ordinal != 0 || calls[1].Ordinal != 1 {
				t.Errorf("calls %+v", calls)
			}
			again := model.requests[1].Messages
			if last := again[len(again)-1]; last.Role != llm.User || !strings.Contains(last.Text(), c.why) {
				t.Errorf("asked again with %q, want the reason %q", last.Text(), c.why)
			}
			for _, m := range again {
				if strings.TrimSpace(m.Text()) == "" {
					t.Errorf("a %s message without text is sent, which some servers refuse", m.Role)
				}
			}
		})
		t.Run(c.name+", twice", func(t *testing.T) {
			j, model := judge(c.answer, c.answer, good)
			got, calls, err := j.Grade(context.Background(), conversation, outcomes)
			if !errors.Is(err, sim.ErrVerdicts) || got != nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("verdicts %+v, error %v; want %q", got, err, c.why)
			}
			if len(calls) != 2 || len(model.requests) != 2 {
				t.Errorf("%d calls, %d requests; want 2", len(calls), len(model.requests))
			}
		})
	}
}

func TestJudgeQuestion(t *testing.T) {
	j, model := judge(verdicts(outcomes[0], true, outcomes[1], true))
	if _, _, err := j.Grade(context.Background(), conversation, outcomes); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range model.requests[0].Messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, m.Text())
	}
	golden(t, "judge.golden", b.String())
}

const twoOutcomes = `"nl_assertions":["The agent is polite.","The agent says \"20\" in the user's words."]`

// TestEdge17VerdictsMustMatch: scoring deviates from the reference on purpose (docs/decisions/002-live-deviations.md);
// an empty list is not a pass.
func TestEdge17VerdictsMustMatch(t *testing.T) {
	w := mockWorld(t)
	rec := talk(t, "20")
	task := criteria(t, `"actions":[],`+twoOutcomes+`,"reward_basis":["DB","NL_ASSERTION"]`)
	for _, c := range unusable {
		t.Run(c.name, func(t *testing.T) {
			j, _ := judge(c.answer, c.answer)
			pending(t, score(t, w, task, rec, judged(j)), "judge: unusable verdicts", 2)
		})
	}
	t.Run("nothing to grade needs no judge", func(t *testing.T) {
		for _, list := range []string{`"nl_assertions":[],`, `"nl_assertions":null,`, ``} {
			task := criteria(t, `"actions":[],`+list+`"reward_basis":["DB","NL_ASSERTION"]`)
			s := score(t, w, task, rec, judged(noJudge{t}))
			rewarded(t, s, 1)
			if got := string(asJSON(t, s.Info.NLAssertions)); got != "[]" {
				t.Errorf("nl_assertions %s, want []", got)
			}
		}
	})
}

// pending checks that a score waits for a judge that was called n times.
func pending(t *testing.T, s sim.Score, why string, n int) {
	t.Helper()
	if s.Reward != nil || !strings.Contains(s.Pending, why) || len(s.JudgeCalls) != n {
		t.Errorf("reward %s, pending %q, %d judge calls; want pending with %q and %d", asJSON(t, s.Reward), s.Pending, len(s.JudgeCalls), why, n)
	}
	for _, c := range s.Components {
		if (c.State == sim.Pending) != (c.Type == domains.RewardNL) {
			t.Errorf("component %s is %s", c.Type, c.State)
		}
	}
}

func TestJudgeFailuresLeaveTheScorePending(t *testing.T) {
	w := mockWorld(t)
	rec := talk(t, "20")
	task := criteria(t, `"actions":[],`+twoOutcomes+`,"reward_basis":["DB","NL_ASSERTION"]`)
	broken := &llm.Error{Kind: llm.KindAuth, Status: 403, Message: "no access to the model"}
	for _, c := range []struct {
		name    string
		answers []any
		why     string
		calls   int
	}{
		{"refused", []any{broken}, "no access to the model", 1},
		{"refused when asked again", []any{"prose", broken}, "no access to the model", 2},
		{"another error", []any{errScript}, "no further turn", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, _ := judge(c.answers...)
			pending(t, score(t, w, task, rec, judged(j)), "judge: ", c.calls)
			j, _ = judge(c.answers...)
			if s := score(t, w, task, rec, judged(j)); !strings.Contains(s.Pending, c.why) {
				t.Errorf("pending %q does not say why: %q", s.Pending, c.why)
			}
		})
	}
	t.Run("no judge", func(t *testing.T) {
		pending(t, score(t, w, task, rec), "no judge is configured", 0)
	})
	t.Run("alone", func(t *testing.T) {
		s := score(t, w, task, rec, func(o *sim.ScoreOptions) { o.Evaluation = sim.EvalNL })
		if s.Reward != nil || s.Pending == "" {
			t.Errorf("reward %s, pending %q", asJSON(t, s.Reward), s.Pending)
		}
	})
	t.Run("a reward that is zero already does not wait", func(t *testing.T) {
		s := score(t, w, task, talk(t, "20", breadCall))
		rewarded(t, s, 0)
		if s.Components[3].State != sim.Pending {
			t.Errorf("component %+v", s.Components[3])
		}
	})
	t.Run("outcomes outside of the basis are not judged", func(t *testing.T) {
		s := score(t, w, criteria(t, `"actions":[],`+twoOutcomes), rec, judged(noJudge{t}))
		rewarded(t, s, 1)
		if c := s.Components[3]; c.State != sim.NA || c.Counted || !strings.Contains(c.Why, "not judged") || s.Info.NLAssertions != nil {
			t.Errorf("component %+v, checks %v", c, s.Info.NLAssertions)
		}
	})
}

func TestJudgedRewards(t *testing.T) {
	w := mockWorld(t)
	rec := talk(t, "20")
	task := criteria(t, `"actions":[],`+twoOutcomes+`,"reward_basis":["DB","NL_ASSERTION"]`)
	for _, c := range []struct {
		met    [2]bool
		reward float64
	}{{[2]bool{true, true}, 1}, {[2]bool{true, false}, 0}, {[2]bool{false, false}, 0}} {
		t.Run(fmt.Sprint(c.met), func(t *testing.T) {
			j, _ := judge(verdicts(outcomes[0], c.met[0], outcomes[1], c.met[1]))
			s := score(t, w, task, rec, judged(j))
			rewarded(t, s, c.reward)
			if s.Info.RewardBreakdown[domains.RewardNL] != c.reward || len(s.Info.NLAssertions) != 2 || s.Pending != "" {
				t.Errorf("info %+v", s.Info)
			}
			again := score(t, w, task, rec, judged(sim.Recorded(s.Info.NLAssertions)))
			again.JudgeCalls = s.JudgeCalls
			same(t, "the score by the recorded verdicts", string(asJSON(t, s)), string(asJSON(t, again)))
		})
	}
}

func TestRecordedVerdicts(t *testing.T) {
	met := func(names ...string) (out sim.Recorded) {
		for _, n := range names {
			out = append(out, sim.Verdict{Assertion: n, Met: true})
		}
		return out
	}
	for _, c := range []struct {
		name     string
		recorded sim.Recorded
		ok       bool
	}{
		{"as asked", met("a", "b"), true},
		{"too few", met("a"), false},
		{"none", nil, false},
		{"too many", met("a", "b", "c"), false},
		{"other order", met("b", "a"), false},
		{"another text", met("a", "B"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, calls, err := c.recorded.Grade(context.Background(), nil, []string{"a", "b"})
			if (err == nil) != c.ok || err != nil && !errors.Is(err, sim.ErrVerdicts) || calls != nil {
				t.Errorf("verdicts %+v, calls %v, error %v", got, calls, err)
			}
		})
	}
}
