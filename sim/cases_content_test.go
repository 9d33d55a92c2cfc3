package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/check"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestC26ReasoningFields: what a model thinks, in any of its places, goes back to that model and reaches nobody else.
// Both sides are models here.
func TestC26ReasoningFields(t *testing.T) {
	w := mockWorld(t)
	task := embeddedTask(t, w, "dismiss_note")
	think := func(side, visible string) string {
		return fmt.Sprintf(`{"role":"assistant","content":"<think>%s-a ###STOP###</think>%s","reasoning_content":"%s-b","reasoning":"%s-c","reasoning_details":[{"type":"text","text":"%s-d"}]`,
			side, visible, side, side, side)
	}
	calling := func(side, tool string) faultserver.Reply {
		return faultserver.Message(think(side, "")+`,"tool_calls":[{"id":"`+side+`","type":"function","function":{"name":"`+tool+
			`","arguments":"{}"},"extra_content":{"google":{"thought_signature":"`+side+`-e"}}}]}`, "tool_calls")
	}
	agentServer := faultserver.New(t, calling("AGENT", "get_users"), faultserver.Message(think("AGENT", "hello")+"}", "stop"), bye)
	userServer := faultserver.New(t, calling("USER", "check_notifications"), faultserver.Message(think("USER", "hi")+"}", "stop"),
		faultserver.Text("go on"), faultserver.Text(stop))
	agent, err := agents.NewReAct(agents.Setup{World: w, Task: task, Model: modelOf(client(t, agentServer), "agent")})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: task, Agent: agent, User: sim.NewUser(w, task, modelOf(client(t, userServer), "user")),
		Limits: sim.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	ended(t, rec, sim.UserStop)
	for _, m := range rec.Messages {
		if strings.Contains(m.TextOf(), "-a") || strings.Contains(m.TextOf(), "think>") {
			t.Errorf("thoughts in visible text: %q", m.TextOf())
		}
	}
	stored := string(asJSON(t, rec))
	for _, c := range []struct {
		name, own, foreign string
		server             *faultserver.Server
	}{{"agent", "AGENT", "USER", agentServer}, {"user", "USER", "AGENT", userServer}} {
		t.Run(c.name, func(t *testing.T) {
			for i, r := range c.server.Requests() {
				for _, part := range []string{"-a", "-b", "-c", "-d", "-e"} {
					if strings.Contains(string(r.Body), c.foreign+part) {
						t.Errorf("request %d shows the other side's %s", i, c.foreign+part)
					}
				}
			}
			// The table says that fields go back within tool turns.
			second := string(c.server.Requests()[1].Body)
			for _, part := range []string{`"reasoning_content":"` + c.own + `-b"`, `"reasoning":"` + c.own + `-c"`,
				`"reasoning_details":[{"type":"text","text":"` + c.own + `-d"}]`, `"extra_content":{"google":{"thought_signature":"` + c.own + `-e"}}`} {
				if !strings.Contains(second, part) {
					t.Errorf("%s does not go back: %s", part, second)
				}
			}
			if strings.Contains(second, c.own+"-a") {
				t.Error("thoughts that were in the content go back as text")
			}
			for _, part := range []string{"-a", "-b", "-c", "-d", "-e"} {
				if !strings.Contains(stored, c.own+part) {
					t.Errorf("the record lost %s", c.own+part)
				}
			}
		})
	}
}

// TestC27ArgumentsOfTheWrongKind: the answers are the reference's, tool by tool; keys are taken as they are spelled.
func TestC27ArgumentsOfTheWrongKind(t *testing.T) {
	const tool = "MockTools.create_task()"
	for _, c := range []struct {
		name, tool, arguments, want string
		isError                     bool
	}{
		{"wrong case", "create_task", `{"USER_ID":"user_1","title":"x"}`, "Error: " + tool + " got an unexpected keyword argument 'USER_ID'", true},
		{"extra key", "create_task", `{"user_id":"user_1","title":"x","more":1}`, "Error: " + tool + " got an unexpected keyword argument 'more'", true},
		{"missing key", "create_task", `{"user_id":"user_1"}`, "Error: " + tool + " missing 1 required positional argument: 'title'", true},
		{"both missing", "create_task", `{}`, "Error: " + tool + " missing 2 required positional arguments: 'user_id' and 'title'", true},
		{"last of repeated keys", "create_task", `{"user_id":"gone","title":"x","user_id":"user_1"}`, `{"task_id": "task_2", "title": "x", "description": null, "status": "pending"}`, false},
		{"number for a text that is looked up", "create_task", `{"user_id":1,"title":"x"}`, "Error: User 1 not found", true},
		{"null for a text that is looked up", "create_task", `{"user_id":null,"title":"x"}`, "Error: User None not found", true},
		{"list for a text that is looked up", "create_task", `{"user_id":["user_1"],"title":"x"}`, "Error: unhashable type: 'list'", true},
		{"number where anything is stored", "update_task_status", `{"task_id":"task_1","status":2}`,
			`{"task_id": "task_1", "title": "Water the plants", "description": "Balcony and kitchen", "status": 2}`, false},
		{"truth value as a text", "update_task_status", `{"task_id":"task_1","status":"true"}`,
			`{"task_id": "task_1", "title": "Water the plants", "description": "Balcony and kitchen", "status": "true"}`, false},
		{"name of the dispatcher's own", "get_users", `{"requestor":"user"}`,
			"Error: tau2.environment.environment.Environment.make_tool_call() got multiple values for keyword argument 'requestor'", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hold(t, toolCall("tool_calls", `"c1"`, c.tool, faultserver.Quote(c.arguments)), bye)
			ended(t, h.rec, sim.UserStop)
			if res := h.results(); len(res) != 1 || res[0].TextOf() != c.want || res[0].Error != c.isError {
				t.Errorf("result %q (error %v), want %q", lines(res), res[0].Error, c.want)
			}
			h.replays()
			if c.isError {
				h.unchanged()
			}
		})
	}
	t.Run("a number for a text that must be one", func(t *testing.T) {
		h := hold(t, toolCall("tool_calls", `"c1"`, "create_task", faultserver.Quote(`{"user_id":"user_1","title":5}`)), bye)
		if res := h.results(); len(res) != 1 || !res[0].Error || !strings.Contains(res[0].TextOf(), "title") {
			t.Errorf("results %q", lines(res))
		}
		h.replays()
		h.unchanged()
	})
	t.Run("retail takes numbers for what they are", func(t *testing.T) {
		h := holdIn(t, retailWorld(t), toolCall("tool_calls", `"c1"`, "find_user_id_by_name_zip", faultserver.Quote(`{"first_name":"Odalys","last_name":"Fennimore","zip":83757}`)),
			toolCall("tool_calls", `"c2"`, "find_user_id_by_name_zip", faultserver.Quote(`{"first_name":"Odalys","last_name":"Fennimore","zip":"83757"}`)), bye)
		same(t, "results", []string{"tool: Error: User not found", "tool: fennimore-odalys-810"}, lines(h.results()))
		h.replays()
	})
}

func TestC28Numbers(t *testing.T) {
	status := func(n string) faultserver.Reply {
		return toolCall("tool_calls", `"c1"`, "update_task_status", `{"task_id":"task_1","status":`+n+`}`)
	}
	hash := map[string]string{}
	for _, c := range []struct{ sent, stored string }{
		{"12345678901234567890", "12345678901234567890"}, {"25", "25"}, {"25.0", "25.0"}, {"2.50", "2.5"}, {"-0", "0"}, {"-0.0", "-0.0"},
		{"123456789012345678901234567890123", "123456789012345678901234567890123"},
	} {
		t.Run(c.sent, func(t *testing.T) {
			h := hold(t, status(c.sent), bye)
			ended(t, h.rec, sim.UserStop)
			if res := h.results(); len(res) != 1 || res[0].Error || !strings.HasSuffix(res[0].TextOf(), `"status": `+c.stored+"}") {
				t.Errorf("results %q", lines(res))
			}
			if stored := string(asJSON(t, reread(t, h.rec).Messages[2])); !strings.Contains(stored, `"status":`+c.stored+"}") {
				t.Errorf("stored as %s", stored)
			}
			if _, arguments, _ := h.echoed(1); !strings.Contains(arguments[0], `"status":`+c.stored+"}") {
				t.Errorf("history has the arguments %s", arguments)
			}
			h.replays()
			env := mustEnv(t, h.w, h.task)
			if _, err := env.Replay(h.rec.Messages, true); err != nil {
				t.Fatal(err)
			}
			hash[c.stored], _ = env.Hash(sim.AgentSide)
		})
	}
	if hash["25"] == hash["25.0"] || hash["25"] == "" || hash["0"] == hash["-0.0"] {
		t.Errorf("integers and floats must hash apart: %v", hash)
	}
	t.Run("replay takes 25 and 25.0 for equal", func(t *testing.T) {
		h := hold(t, status("25"), bye)
		i := 3
		h.rec.Messages[i].Content = domains.Text(strings.Replace(h.rec.Messages[i].TextOf(), "25}", "25.0}", 1))
		if _, err := mustEnv(t, h.w, h.task).Replay(h.rec.Messages, true); err != nil {
			t.Error(err)
		}
	})
}

// TestC29NotANumber has a model send what Python's reader takes and JSON has no form for: it is carried to the database, the
// record, the next request and the score.
func TestC29NotANumber(t *testing.T) {
	deep := strings.Repeat("[", 1100) + strings.Repeat("]", 1100)
	for _, c := range []struct{ sent, want string }{
		{"NaN", "NaN"}, {"Infinity", "Infinity"}, {"-Infinity", "-Infinity"}, {"1e400", "Infinity"}, {`"\ud83d"`, `"\ud83d"`}, {deep, deep},
	} {
		t.Run(c.sent[:min(9, len(c.sent))], func(t *testing.T) {
			h := hold(t, toolCall("tool_calls", `"c1"`, "update_task_status", faultserver.Quote(`{"task_id":"task_1","status":`+c.sent+`}`)), bye)
			ended(t, h.rec, sim.UserStop)
			if res := h.results(); len(res) != 1 || res[0].Error || !strings.HasSuffix(res[0].TextOf(), `"status": `+c.want+"}") {
				t.Errorf("results %.200q", lines(res))
			}
			if _, arguments, _ := h.echoed(1); arguments[0] != `{"task_id":"task_1","status":`+c.want+`}` {
				t.Errorf("history has the arguments %.200s", arguments)
			}
			h.replays()
			read := reread(t, h.rec)
			if got, want := read.Messages[2].ToolCalls[0].Arguments, h.rec.Messages[2].ToolCalls[0].Arguments; !value.Identical(got, want) {
				t.Errorf("read back as %.200s", got.JSON())
			}
			env := mustEnv(t, h.w, h.task)
			if _, err := env.Replay(read.Messages, true); err != nil {
				t.Fatal(err)
			}
			agent, _ := env.Databases()
			if dumped := string(value.AppendDump(nil, agent.Value(), value.Sorted)); !strings.Contains(dumped, `"status": `+c.want) {
				t.Errorf("the database has %.300s", dumped)
			}
		})
	}
}

func TestC30OddTexts(t *testing.T) {
	const text = "ok 👩‍👩‍👧 – שלום \u202e نعم \x00 end"
	raw := `{"role":"assistant","content":"ok 👩‍👩‍👧 – שלום \u202e نعم \u0000 end` + " \\ud83d \xff\xfe\"}"
	h := hold(t, faultserver.Message(raw, "stop"))
	ended(t, h.rec, sim.UserStop)
	got := h.rec.Messages[2].TextOf()
	if !strings.HasPrefix(got, text) || !utf8.ValidString(got) || strings.Count(got, "\ufffd") < 2 {
		t.Errorf("content %q", got)
	}
	h.replays()
	again := reread(t, reread(t, h.rec))
	if again.Messages[2].TextOf() != got {
		t.Errorf("stored twice it became %q", again.Messages[2].TextOf())
	}

	h = hold(t, toolCall("tool_calls", `"c1"`, "create_task", faultserver.Quote(`{"user_id":"user_1","title":"`+text[:len(text)-5]+`\u0000 \ud83d"}`)), faultserver.Message(raw, "stop"))
	ended(t, h.rec, sim.UserStop)
	if res := h.results(); len(res) != 1 {
		t.Fatalf("results %q", lines(res))
	}
	for i, r := range h.srv.Requests() {
		if !utf8.Valid(r.Body) || !json.Valid(r.Body) {
			t.Errorf("request %d is not valid", i)
		}
	}
	h.replays()
}

func TestC31Markup(t *testing.T) {
	const said = "Write <b>&amp;</b> \u2028 \x1b[2J; the customer said \"###STOP###\"."
	h := held{t: t, w: mockWorld(t), task: plainTask(t), user: scripted(says("a<b && c>d \u2029"), says("go on"), says(stop)), srv: faultserver.New(t, faultserver.Text(said), bye)}
	h.hold(client(t, h.srv))
	ended(t, h.rec, sim.UserStop)
	if len(h.rec.Messages) != 6 || h.rec.Messages[2].TextOf() != said {
		t.Errorf("trajectory %q", lines(h.rec.Messages))
	}
	body := string(h.srv.Requests()[1].Body)
	for _, part := range []string{"a<b && c>d \u2029", "Write <b>&amp;</b> \u2028 \\u001b[2J"} {
		if !strings.Contains(body, part) {
			t.Errorf("%q is not in the request as it was said: %s", part, body)
		}
	}
	h.replays()
}

func TestC32LargeAnswers(t *testing.T) {
	t.Run("two thousand calls", func(t *testing.T) {
		var list []faultserver.Call
		for i := range 2000 {
			list = append(list, faultserver.Call{ID: fmt.Sprint("c", i), Name: "get_users", Arguments: "{}"})
		}
		h := hold(t, faultserver.Calls(list...), bye)
		ended(t, h.rec, sim.UserStop)
		if n := len(h.results()); n != 2000 || h.rec.Steps != 5 {
			t.Errorf("%d results in %d steps", n, h.rec.Steps)
		}
	})
	t.Run("five megabytes", func(t *testing.T) {
		h := hold(t, faultserver.Text(strings.Repeat("x", 5<<20)))
		ended(t, h.rec, sim.UserStop)
		if n := len(h.rec.Messages[2].TextOf()); n != 5<<20 {
			t.Errorf("%d bytes arrived", n)
		}
	})
	t.Run("three megabytes again and again", func(t *testing.T) {
		more := faultserver.TextAndCalls(strings.Repeat("x", 3<<20), faultserver.Call{ID: "c", Name: "get_users", Arguments: "{}"})
		h := hold(t, more, more, more) // a fourth request would hold nine
		ended(t, h.rec, sim.ContextWindow)
		if !strings.Contains(h.rec.Fault.Text, "a request of more than 8 MB\nhint: set max_tokens") {
			t.Errorf("fault %+v", h.rec.Fault)
		}
	})
	t.Run("nested too deeply", func(t *testing.T) {
		raw := strings.Repeat(`{"a":`, 10001) + "1" + strings.Repeat("}", 10001)
		hold(t, toolCall("tool_calls", `"c1"`, "get_users", faultserver.Quote(raw)), bye).malformed(raw, "nested deeper than")
	})
}

// withTasks is a mock world with other tasks.
func withTasks(t testing.TB, tasks []domains.Task) *domains.World {
	t.Helper()
	w := *mockWorld(t)
	w.Tasks, w.Splits = tasks, domains.Splits{"base": nil}
	for _, task := range tasks {
		w.Splits["base"] = append(w.Splits["base"], task.ID)
	}
	return &w
}

func TestC34TaskFiles(t *testing.T) {
	const scenario = `"user_scenario":{"instructions":"none"}`
	for _, c := range []struct{ name, text, want string }{
		{"repeated id", "[\n{\"id\":\"a\"," + scenario + "},\n{\"id\":\"a\"," + scenario + "}]", `line 3: task id "a" is already that of the task on line 2`},
		{"no id", "[{" + scenario + "}]", "line 1: task 0 has no id"},
		{"numeric id", `[{"id":7,` + scenario + `}]`, "line 1: task 0"},
		{"unknown component", "[\r\n{\"id\":\"a\"," + scenario + ",\"evaluation_criteria\":{\"reward_basis\":[\"LUCK\"]}}]", `line 2: task 0 (id "a"): evaluation_criteria.reward_basis: unknown component "LUCK"`},
		{"no list", `{"task":[]}`, "line 1: want a list of tasks"},
		{"cut off", "[\n{\"id\":\"a\"", "line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := domains.ParseTasks([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	t.Run("byte-order mark, CRLF, null criteria, unknown field", func(t *testing.T) {
		tasks, err := domains.ParseTasks([]byte("\ufeff[\r\n {\"id\": \"a\",\r\n " + scenario + ", \"evaluation_criteria\": null, \"annotations\": {\"x\": 1}}\r\n]\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		if tasks[0].Criteria != nil || !strings.Contains(string(tasks[0].Raw), "annotations") {
			t.Errorf("task %+v", tasks[0])
		}
		w := withTasks(t, tasks)
		rewarded(t, score(t, w, &tasks[0], talk(t, "x")), 1)
		if r := check.World(w); len(r.Broken)+len(r.Failing) != 0 {
			t.Errorf("report %+v", r)
		}
	})
	t.Run("gold plan with an unknown tool", func(t *testing.T) {
		task := criteria(t, `"actions":[{"action_id":"x","name":"creat_task","arguments":{}},`+addBread+`]`)
		r := check.World(withTasks(t, []domains.Task{*task}))
		same(t, "failing", []check.Failure{{Task: "t", Action: 0, Name: "creat_task", Kind: "unknown tool", Error: "Error: Tool 'creat_task' not found."}}, r.Failing)
	})
	t.Run("a fact with a comma can never be told", func(t *testing.T) {
		task := criteria(t, `"communicate_info":["1,000"],"reward_basis":["COMMUNICATE"]`)
		rewarded(t, score(t, mockWorld(t), task, talk(t, "1,000 and 1000")), 0)
	})
	t.Run("equal ids in two domains", func(t *testing.T) {
		a, b := sim.Key{Domain: "airline", Task: "0"}, sim.Key{Domain: "retail", Task: "0"}
		if a == b || string(asJSON(t, a)) == string(asJSON(t, b)) {
			t.Error("keys of two domains are the same")
		}
		var k sim.Key
		if err := json.Unmarshal(asJSON(t, b), &k); err != nil || k != b {
			t.Errorf("key %+v, error %v", k, err)
		}
	})
}
