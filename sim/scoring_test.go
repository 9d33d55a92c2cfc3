package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
)

// The tests Edge11 to Edge19 are named by the list of must-match behaviours (docs/reference/tau2.md#edge-behaviours).
// Number 20 is about Pass^k and belongs to package metrics.

const (
	addBread = `{"action_id":"a","name":"create_task","arguments":{"user_id":"user_1","title":"Buy bread"}}`
	finish   = `{"action_id":"b","name":"update_task_status","arguments":{"task_id":"task_1","status":"completed"}}`
)

var (
	breadCall  = call("c1", "create_task", `{"user_id":"user_1","title":"Buy bread"}`)
	finishCall = call("c2", "update_task_status", `{"task_id":"task_1","status":"completed"}`)
)

// talk holds a conversation in which the agent makes calls and says words, then the user stops.
func talk(t testing.TB, words string, c ...sim.ToolCall) sim.Record {
	t.Helper()
	turns := []sim.Turn{says(words)}
	if len(c) > 0 {
		turns = []sim.Turn{calls(c...), says(words)}
	}
	rec := run(t, scripted(turns...), scripted(says("hi"), says(stop)))
	ended(t, rec, sim.UserStop)
	return rec
}

func TestEdge11PrematureEndings(t *testing.T) {
	w := mockWorld(t)
	rec := talk(t, "done", breadCall)
	task := criteria(t, `"actions":[`+addBread+`],"nl_assertions":["polite"],"reward_basis":["DB","NL_ASSERTION"]`)
	for _, reason := range []sim.Reason{sim.MaxSteps, sim.TooManyErrors, sim.AgentError, sim.UserError, sim.Timeout, sim.ContextWindow, sim.Infra, "unexpected_error"} {
		t.Run(string(reason), func(t *testing.T) {
			rec.Termination = reason
			s := score(t, w, task, rec, judged(noJudge{t}))
			rewarded(t, s, 0)
			if s.Info.RewardBasis != nil || s.Info.DBCheck != nil || s.Info.ActionChecks != nil {
				t.Errorf("info %+v, want nothing but the note", s.Info)
			}
			same(t, "note", map[string]any{"note": "Simulation terminated prematurely. Termination reason: " + string(reason)}, s.Info.Info)
			// The components are there for readers, and count for nothing.
			for _, c := range s.Components {
				if c.Counted {
					t.Errorf("%s is counted", c.Type)
				}
				if c.Type == domains.RewardDB && c.State != sim.Pass || c.Type == domains.RewardNL && c.State != sim.NA {
					t.Errorf("%s is %s", c.Type, c.State)
				}
			}
			if len(s.Components) != 5 {
				t.Errorf("%d components, want 5", len(s.Components))
			}
		})
	}
	t.Run("without a message", func(t *testing.T) {
		s := score(t, w, task, sim.Record{Termination: sim.Infra})
		rewarded(t, s, 0)
	})
	t.Run("in the middle of a batch", func(t *testing.T) {
		cut := rec
		cut.Termination, cut.Messages = sim.AgentError, rec.Messages[:3]
		rewarded(t, score(t, w, task, cut), 0)
	})
	t.Run("before missing criteria", func(t *testing.T) {
		rec.Termination = sim.MaxSteps
		rewarded(t, score(t, w, plainTask(t), rec), 0)
	})
}

func TestNoCriteria(t *testing.T) {
	s := score(t, mockWorld(t), plainTask(t), talk(t, "done", breadCall))
	rewarded(t, s, 1)
	same(t, "note", map[string]any{"note": "No evaluation criteria"}, s.Info.Info)
	if s.Info.RewardBasis != nil {
		t.Errorf("basis %v, want null", s.Info.RewardBasis)
	}
}

func TestEdge12EmptyAndNullActions(t *testing.T) {
	w := mockWorld(t)
	idle, busy := talk(t, "done"), talk(t, "done", breadCall)
	for _, c := range []struct {
		name       string
		criteria   string
		idle, busy float64
		db         sim.State // of the busy conversation
	}{
		{"empty actions: the database must be unchanged", `"actions":[],"reward_basis":["DB"]`, 1, 0, sim.Fail},
		{"null actions and null assertions pass trivially", `"actions":null,"env_assertions":null,"reward_basis":["DB"]`, 1, 1, sim.NA},
		{"no keys at all", `"reward_basis":["DB"]`, 1, 1, sim.NA},
		{"null actions with assertions: the database must be unchanged", `"env_assertions":[],"reward_basis":["DB"]`, 1, 0, sim.Fail},
		{"null actions outside of the basis", `"reward_basis":["COMMUNICATE"]`, 1, 1, sim.NA},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := criteria(t, c.criteria)
			rewarded(t, score(t, w, task, idle), c.idle)
			s := score(t, w, task, busy)
			rewarded(t, s, c.busy)
			if s.Components[0].Type != domains.RewardDB || s.Components[0].State != c.db {
				t.Errorf("component %+v, want %s", s.Components[0], c.db)
			}
			if (len(s.Diff) > 0) != (c.db == sim.Fail) {
				t.Errorf("difference %v", s.Diff)
			}
		})
	}
}

func TestEdge13Replay(t *testing.T) {
	w := mockWorld(t)
	task := criteria(t, `"actions":[`+addBread+`],"reward_basis":["DB"]`)
	held := talk(t, "done", unknownTool, call("r", "get_users", `{}`), breadCall)
	change := func(f func(m []sim.Message) []sim.Message) sim.Record {
		rec := held
		rec.Messages = f(append([]sim.Message(nil), held.Messages...))
		return rec
	}
	for _, c := range []struct {
		name   string
		rec    sim.Record
		reward float64 // -1 if it cannot be scored
		drift  int
	}{
		{"as it ran", held, 1, 0},
		{"a made-up result of a made-up tool", change(func(m []sim.Message) []sim.Message { m[3].Content = domains.Text("whatever"); return m }), 1, 0},
		{"another result of a read", change(func(m []sim.Message) []sim.Message { m[4].Content = domains.Text("[]"); return m }), 1, 0},
		{"a write with its result in other spelling", change(func(m []sim.Message) []sim.Message {
			m[5].Content = domains.Text(`{"status":"pending","description":null,"title":"Buy bread","task_id":"task_2"}`)
			return m
		}), 1, 0},
		{"another result of a write", change(func(m []sim.Message) []sim.Message { m[5].Content = domains.Text("{}"); return m }), -1, 1},
		{"another id on the result of a read", change(func(m []sim.Message) []sim.Message { m[4].ID = "z"; return m }), -1, -1},
		{"a result is missing", change(func(m []sim.Message) []sim.Message { return append(m[:4], m[5:]...) }), -1, -1},
		{"a result too many", change(func(m []sim.Message) []sim.Message { return append(m[:6], append([]sim.Message{m[5]}, m[6:]...)...) }), -1, -1},
		{"a null result of a write", change(func(m []sim.Message) []sim.Message { m[5].Content = nil; return m }), -1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := sim.ScoreRecord(context.Background(), w, task, c.rec, sim.ScoreOptions{})
			if (err != nil) != (c.reward < 0) {
				t.Fatalf("strict: error %v", err)
			}
			if err == nil {
				rewarded(t, s, c.reward)
			} else if drift := new(domains.DriftError); errors.As(err, &drift) != (c.drift > 0) {
				t.Errorf("strict: error %v of type %T", err, err)
			}
			s, err = sim.ScoreRecord(context.Background(), w, task, c.rec, sim.ScoreOptions{Lenient: true})
			if (err != nil) != (c.drift < 0) {
				t.Fatalf("lenient: error %v", err)
			}
			if err == nil && s.Drift != c.drift {
				t.Errorf("lenient: drift %d, want %d", s.Drift, c.drift)
			}
		})
	}
}

// counted is a world that counts its syncs.
func counted(w *domains.World) (*domains.World, *int) {
	n, out := new(int), *w
	out.SyncFunc = func(domains.Database, domains.Database) error { *n++; return nil }
	return &out, n
}

func TestEdge14GoldReplay(t *testing.T) {
	bad := `{"action_id":"x","name":"no_such_tool","arguments":{}},{"action_id":"y","name":"create_task","arguments":{"title":"no user"}},`
	note := `{"action_id":"u","requestor":"user","name":"dismiss_notification","arguments":{"notification_id":"note_1"}}`
	t.Run("errors are passed over", func(t *testing.T) {
		task := criteria(t, `"actions":[`+bad+addBread+`],"reward_basis":["DB"]`)
		rewarded(t, score(t, mockWorld(t), task, talk(t, "done", breadCall)), 1)
	})
	t.Run("no sync after gold actions", func(t *testing.T) {
		var syncs []int
		for _, actions := range []string{"", addBread, addBread + "," + finish + "," + note} {
			w, n := counted(mockWorld(t))
			score(t, w, criteria(t, `"actions":[`+actions+`]`), talk(t, "done"))
			syncs = append(syncs, *n)
		}
		same(t, "syncs", []int{syncs[0], syncs[0], syncs[0]}, syncs)
	})
	t.Run("a sync after each replayed write", func(t *testing.T) {
		var syncs []int
		for _, made := range [][]sim.ToolCall{nil, {breadCall}, {breadCall, finishCall}, {breadCall, call("r", "get_users", `{}`), finishCall}} {
			w, n := counted(mockWorld(t))
			score(t, w, criteria(t, `"actions":[]`), talk(t, "done", made...))
			syncs = append(syncs, *n)
		}
		same(t, "syncs", []int{syncs[0], syncs[0] + 1, syncs[0] + 2, syncs[0] + 2}, syncs)
	})
	t.Run("never solo", func(t *testing.T) {
		solo := domaintest.Embedded(t, mock.Domain(), domains.Options{Solo: true})
		task := criteria(t, `"actions":[`+note+`],"reward_basis":["DB"]`)
		done := says(stop)
		done.Stop = true
		rec := run(t, scripted(calls(call("a", "dismiss_notification", `{"notification_id":"note_1"}`)), done), nil,
			func(tr *sim.Trial) { tr.World = solo })
		ended(t, rec, sim.AgentStop)
		rewarded(t, score(t, solo, task, rec), 1)
	})
}

func TestEdge15ActionComparison(t *testing.T) {
	gold := func(compare string) domains.Action {
		task := criteria(t, `"actions":[{"action_id":"a","name":"f","arguments":{"id":"P","n":1,"list":["a","b"]}`+compare+`}]`)
		return task.Criteria.Actions[0]
	}
	malformed := sim.ToolCall{Name: "f", Malformed: `{"id": "P"`, Reason: "unexpected end"}
	for _, c := range []struct {
		name    string
		compare string
		call    sim.ToolCall
		want    bool
	}{
		{"equal", "", call("", "f", `{"id":"P","n":1,"list":["a","b"]}`), true},
		{"other order of keys", "", call("", "f", `{"list":["a","b"],"n":1,"id":"P"}`), true},
		{"1.0 and true equal 1", "", call("", "f", `{"n":1.0}`), true},
		{"true equals 1", "", call("", "f", `{"n":true}`), true},
		{"order in a list matters", "", call("", "f", `{"list":["b","a"]}`), false},
		{"another name", "", call("", "g", `{"id":"P","n":1,"list":["a","b"]}`), false},
		{"missing arguments never fail", "", call("", "f", `{"id":"P"}`), true},
		{"no arguments at all", "", call("", "f", `{}`), true},
		{"extra arguments fail", "", call("", "f", `{"id":"P","more":1}`), false},
		{"null is not missing", "", call("", "f", `{"id":null}`), false},
		{"a text is not a number", "", call("", "f", `{"n":"1"}`), false},
		{"compare one", `,"compare_args":["id"]`, call("", "f", `{"id":"P","n":2,"more":3}`), true},
		{"compare one that is missing", `,"compare_args":["id"]`, call("", "f", `{"n":1}`), false},
		{"compare one that both lack", `,"compare_args":["other"]`, call("", "f", `{"n":9}`), true},
		{"compare none", `,"compare_args":[]`, call("", "f", `{"n":9}`), true},
		{"malformed arguments never match", "", malformed, false},
		{"malformed arguments do not match on the name alone", `,"compare_args":[]`, malformed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sim.Matches(gold(c.compare), c.call); got != c.want {
				t.Errorf("matches %v, want %v", got, c.want)
			}
		})
	}
	t.Run("ignores the requestor and uses a call twice", func(t *testing.T) {
		task := criteria(t, `"actions":[`+addBread+","+strings.Replace(addBread, `"name"`, `"requestor":"user","name"`, 1)+`],"reward_basis":["ACTION"]`)
		s := score(t, mockWorld(t), task, talk(t, "done", breadCall))
		rewarded(t, s, 1)
		if k := s.Info.ActionChecks[0].ToolType; k == nil || *k != domains.Write {
			t.Errorf("tool type %v, want write", k)
		}
	})
	t.Run("each action must be met", func(t *testing.T) {
		task := criteria(t, `"actions":[`+addBread+","+finish+`,{"action_id":"z","name":"gone","arguments":{}}],"reward_basis":["ACTION"]`)
		s := score(t, mockWorld(t), task, talk(t, "done", breadCall))
		rewarded(t, s, 0)
		var got []string
		for _, c := range s.Info.ActionChecks {
			got = append(got, fmt.Sprintf("%s %v %v", c.Action.Name, c.Match, c.ToolType != nil))
		}
		same(t, "checks", []string{"create_task true true", "update_task_status false true", "gone false false"}, got)
	})
}

func TestEdge16Communicate(t *testing.T) {
	w := mockWorld(t)
	for _, c := range []struct {
		name   string
		words  string
		info   string
		reward float64
	}{
		{"found", "It costs 20 dollars", `["20"]`, 1},
		{"case does not matter", "TASK two", `["Task TWO"]`, 1},
		{"nor does a sigma that ends a word", "ΟΔΟΣ", `["οδος"]`, 1},
		{"commas go from the message", "It costs 1,000 dollars", `["1000"]`, 1},
		{"but not from the fact", "It costs 1,000 dollars", `["1,000"]`, 0},
		{"part of a number", "110", `["10"]`, 1},
		{"not found", "nothing", `["20"]`, 0},
		{"one of two", "20", `["20","30"]`, 0},
		{"an empty fact is in any text", "x", `[""]`, 1},
		{"what the user says does not count", "x", `["###stop###"]`, 0},
		{"results do not count", "x", `["robin"]`, 0},
		{"none", "x", `[]`, 1},
		{"null", "x", `null`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := criteria(t, `"communicate_info":`+c.info+`,"reward_basis":["COMMUNICATE"]`)
			s := score(t, w, task, talk(t, c.words, call("r", "get_users", `{}`)))
			rewarded(t, s, c.reward)
			for _, check := range s.Info.CommunicateChecks {
				if check.Met && !strings.Contains(check.Justification, "said by the agent: ") {
					t.Errorf("justification %q", check.Justification)
				}
			}
		})
	}
	t.Run("text beside calls counts", func(t *testing.T) {
		mixed := calls(call("r", "get_users", `{}`))
		mixed.Message.Content = domains.Text("the code is 77")
		rec := run(t, scripted(mixed, says("bye")), scripted(says("hi"), says(stop)))
		rewarded(t, score(t, w, criteria(t, `"communicate_info":["77"],"reward_basis":["COMMUNICATE"]`), rec), 1)
	})
}

func TestEdge18MissingRewardBasis(t *testing.T) {
	w := mockWorld(t)
	task := criteria(t, `"actions":[],"communicate_info":["20"]`)
	same(t, "basis", []domains.RewardType{domains.RewardDB, domains.RewardCommunicate}, task.Criteria.RewardBasis)
	rec := talk(t, "20")
	s := score(t, w, task, rec)
	rewarded(t, s, 1)
	same(t, "basis of the outcome", task.Criteria.RewardBasis, s.Info.RewardBasis)
	same(t, "breakdown", map[domains.RewardType]float64{domains.RewardDB: 1, domains.RewardCommunicate: 1}, s.Info.RewardBreakdown)
	for _, e := range []sim.Evaluation{sim.EvalAction, sim.EvalCommunicate, sim.EvalNL} {
		s := score(t, w, task, rec, func(o *sim.ScoreOptions) { o.Evaluation = e })
		same(t, string(e)+": basis", []domains.RewardType{domains.RewardDB}, s.Info.RewardBasis)
	}
	if _, err := domains.ParseTasks([]byte(`[{"id":"t","user_scenario":{"instructions":""},"evaluation_criteria":{"reward_basis":null}}]`)); err == nil ||
		!strings.Contains(err.Error(), "reward_basis is null") {
		t.Errorf("an explicit null: error %v", err)
	}
}

// TestEdge19NumbersBecomeTexts: bare numbers and truth values in plain results turn into texts, in records they stay.
func TestEdge19NumbersBecomeTexts(t *testing.T) {
	for text, want := range map[string]string{
		`5`: `"5"`, `2.50`: `"2.5"`, `true`: `"True"`, `null`: `null`, `"x"`: `"x"`,
		`[1,false,"a",null]`:    `["1", "False", "a", null]`,
		`{"a":{"b":[12.0,{}]}}`: `{"a": {"b": ["12.0", {}]}}`,
	} {
		r, err := toolkit.Plain(args(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if got := r(); got != want {
			t.Errorf("%s prints as %s, want %s", text, got, want)
		}
	}
	w := retailWorld(t)
	e := mustEnv(t, w, plainTask(t))
	res := e.Call(sim.AgentSide, sim.ToolCall{Name: "get_order_details", Arguments: value.OfMap(value.MapOf(value.Pair{Key: "order_id", Value: value.OfString(firstOrder(t, w))}))})
	if res.Error || !strings.Contains(res.Content, `"amount": `) || strings.Contains(res.Content, `"amount": "`) {
		t.Errorf("amounts in a record must stay numbers: %s", res.Content)
	}
}
