package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
)

// chance generates scripted conversations in one world: calls of both sides that are valid, nearly valid or junk, with
// ids that are missing or repeated, texts of every kind, empty answers.
type chance struct {
	t     testing.TB
	w     *domains.World
	valid map[sim.Side][]sim.ToolCall
}

// rarely is true about once in fifty draws. The low numbers of a drawn range come up more often than the others.
func rarely(rt *rapid.T, what string) bool { return rapid.IntRange(0, 19).Draw(rt, what) == 15 }

// oddities are argument values, most of them of the wrong kind for any tool.
var oddities = []string{`null`, `true`, `0`, `-0.0`, `25`, `25.0`, `2.50`, `1e300`, `12345678901234567890`, `""`, `"2"`, `"completed"`,
	`"<&> é 👩‍👩‍👧 \u202e \u0000 \u2028"`, `[]`, `["a",1]`, `{}`, `{"a":{"b":[1.0,1]}}`}

var words = []string{"hello", "", " \n", "<b>&amp;</b>", "one, two and 1,000", "שלום \u202e \u2028"}

func newChance(t testing.TB, w *domains.World) *chance {
	c := &chance{t: t, w: w, valid: map[sim.Side][]sim.ToolCall{}}
	for i := range w.Tasks {
		if w.Tasks[i].Criteria == nil {
			continue
		}
		for _, a := range slices.Concat(w.Tasks[i].Criteria.Actions, w.Tasks[i].Temptation) {
			c.valid[a.Requestor] = append(c.valid[a.Requestor], a.Call())
		}
	}
	if len(c.valid[sim.AgentSide]) == 0 {
		t.Fatal("the tasks have no actions to draw from")
	}
	return c
}

func (c *chance) call(rt *rapid.T, side sim.Side) sim.ToolCall {
	id := rapid.SampledFrom([]string{"", "a", "b", "call_2_0", "c 9"}).Draw(rt, "id")
	if rarely(rt, "malformed") {
		return sim.ToolCall{ID: id, Name: "create_task", Malformed: `{"user_id": "us`, Reason: "unexpected EOF"}
	}
	from := c.valid[side]
	if len(from) == 0 || rarely(rt, "other side's") {
		from = c.valid[sim.AgentSide]
	}
	out := rapid.SampledFrom(from).Draw(rt, "call")
	m, _ := out.Arguments.Map()
	changed := &value.Map{}
	for k, v := range m.All() {
		switch {
		case rarely(rt, "left out"):
			continue
		case rarely(rt, "wrong case"):
			k = strings.ToUpper(k)
		case rarely(rt, "odd"):
			v = c.oddity(rt)
		}
		changed.Set(k, v)
	}
	if rarely(rt, "extra") {
		changed.Set("extra", c.oddity(rt))
	}
	if rarely(rt, "unknown") {
		out.Name = "functions." + out.Name
	}
	out.ID, out.Requestor, out.Arguments = id, "", value.OfMap(changed)
	return out
}

func (c *chance) oddity(rt *rapid.T) value.Value {
	return args(c.t, rapid.SampledFrom(oddities).Draw(rt, "oddity"))
}

func (c *chance) turn(rt *rapid.T, side sim.Side) sim.Turn {
	var turn sim.Turn
	kind := rapid.IntRange(0, 9).Draw(rt, "kind")
	if kind < 8 && len(c.valid[side]) == 0 {
		kind %= 3 // a side without tools speaks, and tries a call now and then
	}
	if kind < 3 || kind == 9 {
		turn.Message.Content = domains.Text(rapid.SampledFrom(words).Draw(rt, "words"))
	}
	if kind >= 3 {
		n := rapid.IntRange(1, 4).Draw(rt, "calls")
		for range n {
			turn.Message.ToolCalls = append(turn.Message.ToolCalls, c.call(rt, side))
		}
	}
	if kind == 8 {
		turn.Private = []sim.Message{{Role: domains.RoleDeveloper, Content: domains.Text("whisper")}}
		turn.Steps = 1
		turn.Message.Provider = map[string]json.RawMessage{"reasoning": json.RawMessage(`{"a":[1.0,"<"]}`)}
	}
	if kind == 0 && rapid.Bool().Draw(rt, "empty list") {
		turn.Message.ToolCalls = []sim.ToolCall{}
	}
	return turn
}

// speaker gives drawn turns, then stops if it is the user.
func (c *chance) speaker(rt *rapid.T, side sim.Side) sim.Participant {
	left := rapid.SampledFrom([]int{8, 15, 3, 0}).Draw(rt, "turns")
	return speakerFunc(func(sim.View) (sim.Turn, error) {
		if left--; left >= 0 {
			return c.turn(rt, side), nil
		}
		if side == sim.UserSide {
			return says(stop), nil
		}
		return says("anything else?"), nil
	})
}

// hold runs a drawn conversation and returns its record with the environment that it left.
func (c *chance) hold(rt *rapid.T) (*domains.Task, sim.Record, *domains.Env) {
	task := &c.w.Tasks[rapid.IntRange(0, len(c.w.Tasks)-1).Draw(rt, "task")]
	env, err := c.w.New(task)
	if err != nil {
		rt.Fatal(err)
	}
	rec, err := sim.Run(context.Background(), sim.Trial{Key: sim.Key{Domain: c.w.Name, Task: task.ID}, World: c.w, Task: task, Env: env,
		Agent: c.speaker(rt, sim.AgentSide), User: c.speaker(rt, sim.UserSide),
		Limits: sim.Limits{MaxSteps: rapid.SampledFrom([]int{60, 30, 5, 1}).Draw(rt, "max steps"), MaxErrors: rapid.SampledFrom([]int{0, 8, 2}).Draw(rt, "max errors")}})
	if err != nil {
		rt.Fatal(err)
	}
	if !rec.Termination.Evaluable() && rec.Termination != sim.UserFault {
		rt.Fatalf("ended as %s: %+v", rec.Termination, rec.Fault)
	}
	return task, rec, env
}

func worlds(t *testing.T) map[string]*domains.World {
	t.Helper()
	out := map[string]*domains.World{}
	for _, d := range all.Domains() {
		out[d.Name] = domaintest.Embedded(t, d, domains.Options{})
	}
	for name, w := range out {
		before, beforeUser := hashes(mustEnv(t, w, plainTask(t)))
		t.Cleanup(func() {
			if a, u := hashes(mustEnv(t, w, plainTask(t))); a != before || u != beforeUser {
				t.Errorf("%s: the base database was written to", name)
			}
		})
	}
	return out
}

func hashes(e *domains.Env) (agent, user string) {
	agent, _ = e.Hash(sim.AgentSide)
	user, _ = e.Hash(sim.UserSide)
	return agent, user
}

// TestReplayReachesTheLiveState: replaying a record, also one that was stored in between, leads to the very state in
// which the conversation left its environment, whatever was called.
func TestReplayReachesTheLiveState(t *testing.T) {
	for name, w := range worlds(t) {
		t.Run(name, func(t *testing.T) {
			c := newChance(t, w)
			writes, failed, succeeded := 0, 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				task, rec, live := c.hold(rt)
				for _, m := range rec.Messages {
					switch {
					case m.Error:
						failed++
					case m.Role == domains.RoleTool:
						succeeded++
					}
				}
				agent, user := hashes(live)
				if a, u := hashes(mustEnv(t, w, task)); a != agent || u != user {
					writes++
				}
				for how, msgs := range map[string][]sim.Message{"as it ran": rec.Messages, "as stored": reread(t, rec).Messages} {
					env := mustEnv(t, w, task)
					drifts, err := env.Replay(msgs, true)
					if err != nil || len(drifts) > 0 {
						rt.Fatalf("%s: %v, drift %v\n%s", how, err, drifts, asJSON(t, rec.Messages))
					}
					a, u := hashes(env)
					if a != agent || u != user {
						rt.Fatalf("%s: replay leads elsewhere: %v\n%s", how, live.Diff(env), asJSON(t, rec.Messages))
					}
					if diff := live.Diff(env); len(diff) > 0 {
						rt.Fatalf("%s: equal hashes, but differences %v", how, diff)
					}
				}
			})
			if writes == 0 {
				t.Error("no conversation changed anything: the property says nothing")
			}
			t.Logf("%d conversations changed the database; %d calls failed, %d succeeded", writes, failed, succeeded)
		})
	}
}

// TestScoringIsAFunction: scoring a record twice, and scoring it after it was stored, gives the same.
func TestScoringIsAFunction(t *testing.T) {
	for name, w := range worlds(t) {
		t.Run(name, func(t *testing.T) {
			c := newChance(t, w)
			rapid.Check(t, func(rt *rapid.T) {
				task, rec, _ := c.hold(rt)
				before := string(asJSON(t, rec))
				kind := rapid.SampledFrom([]sim.Evaluation{"", sim.EvalEnv, sim.EvalAction, sim.EvalCommunicate, sim.EvalAllIgnore}).Draw(rt, "evaluation")
				var got []string
				for _, r := range []sim.Record{rec, rec, reread(t, rec)} {
					s, err := sim.ScoreRecord(context.Background(), w, task, r, sim.ScoreOptions{Evaluation: kind})
					if err != nil {
						rt.Fatal(err)
					}
					got = append(got, string(asJSON(t, s)))
					var again sim.Score
					if err := json.Unmarshal([]byte(got[0]), &again); err != nil {
						rt.Fatalf("a score cannot be read back: %v", err)
					}
				}
				if got[0] != got[1] || got[0] != got[2] {
					rt.Fatalf("scores differ:\n%s", strings.Join(got, "\n"))
				}
				if string(asJSON(t, rec)) != before {
					rt.Fatal("scoring wrote to the record")
				}
			})
		})
	}
}

// TestRecordsSurviveStorage: a record that was written and read again is the same record, numbers to the digit.
func TestRecordsSurviveStorage(t *testing.T) {
	for name, w := range worlds(t) {
		t.Run(name, func(t *testing.T) {
			c := newChance(t, w)
			rapid.Check(t, func(rt *rapid.T) {
				_, rec, _ := c.hold(rt)
				rec = rec.Timeless()
				got := reread(t, rec)
				if a, b := string(asJSON(t, rec)), string(asJSON(t, got)); a != b {
					rt.Fatalf("the bytes differ:\n%s\n%s", a, b)
				}
				for i := range rec.Messages {
					if err := sameMessage(rec.Messages[i], got.Messages[i]); err != nil {
						rt.Fatalf("message %d: %v", i, err)
					}
				}
			})
		})
	}
}

func sameMessage(a, b sim.Message) error {
	if a.IsToolCall() != b.IsToolCall() || a.TextOf() != b.TextOf() || (a.Content == nil) != (b.Content == nil) || a.Error != b.Error || a.Side() != b.Side() {
		return fmt.Errorf("%+v became %+v", a, b)
	}
	for i, x := range a.ToolCalls {
		y := b.ToolCalls[i]
		if !value.Identical(x.Arguments, y.Arguments) || x.Malformed != y.Malformed || x.Reason != y.Reason || x.ID != y.ID || x.Requestor != y.Requestor {
			return fmt.Errorf("call %+v became %+v", x, y)
		}
	}
	return nil
}

func TestNumbersSurviveStorage(t *testing.T) {
	const text = `{"big":123456789012345678901234567890,"int":25,"float":25.0,"small":-0.0,"exp":1e+300,"list":[1,1.0,true]}`
	c := call("n", "no_such_tool", text)
	rec := run(t, scripted(calls(c), says("bye")), scripted(says("hi"), says(stop)))
	got := reread(t, rec)
	if !strings.Contains(string(asJSON(t, got)), text) {
		t.Errorf("the arguments became %s", asJSON(t, got.Messages[2].ToolCalls[0].Arguments))
	}
}

// TestTimeless leaves nothing that two runs of one seed may differ in.
func TestTimeless(t *testing.T) {
	cost := 0.5
	rec := sim.Record{
		Key: sim.Key{Domain: "d"}, Seed: 3, Termination: sim.ContextWindow,
		Times:    sim.Times{Started: "a", Finished: "b", Seconds: 1},
		Messages: []sim.Message{{Role: domains.RoleUser, Content: domains.Text("x"), Timestamp: "now"}},
		Calls:    []sim.ModelCall{{Role: "agent", Cost: &cost, Transport: sim.Transport{RequestID: "r", Attempts: 2, Seconds: 1}}},
		Events:   []sim.Event{{Kind: sim.EventPrivate, Messages: []sim.Message{{Role: domains.RoleTool, Timestamp: "then"}}}},
		Fault:    &sim.Fault{Kind: "context_window", Text: "too long", RequestID: "req-7"},
	}
	before := string(asJSON(t, rec))
	got := string(asJSON(t, rec.Timeless()))
	for _, gone := range []string{`"now"`, `"then"`, `"r"`, "req-7", `"a"`, `"seconds":1`} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is left in %s", gone, got)
		}
	}
	for _, kept := range []string{`"seed":3`, `"cost":0.5`, `"text":"too long"`, `"content":"x"`} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is gone from %s", kept, got)
		}
	}
	if string(asJSON(t, rec)) != before {
		t.Error("the record itself was written to")
	}
}

// TestStoredRealRecords: the reference's own tasks with initial states hold the same property.
func TestStoredRealRecords(t *testing.T) {
	w := domaintest.Real(t, mock.Domain(), domains.Options{})
	c := newChance(t, w)
	rapid.Check(t, func(rt *rapid.T) {
		task, rec, live := c.hold(rt)
		env := mustEnv(t, w, task)
		if _, err := env.Replay(rec.Messages, true); err != nil {
			rt.Fatal(err)
		}
		if diff := live.Diff(env); len(diff) > 0 {
			rt.Fatalf("task %s: differences %v", task.ID, diff)
		}
	})
}
