package transcript_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/metrics/trace"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

func world(t testing.TB, domain string) *domains.World {
	t.Helper()
	d, err := all.Domain(domain)
	if err != nil {
		t.Fatal(err)
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

// acted is the conversation of a task with the results that its calls have in truth. Calls without a result in the text
// are run; results that the text gives stay.
func acted(t testing.TB, w *domains.World, task, text string) transcript.Trial {
	t.Helper()
	msgs, err := trace.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := w.Task(task)
	if !ok {
		t.Fatalf("no task %s", task)
	}
	env, err := w.New(found)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range msgs {
		for k, c := range m.ToolCalls {
			if i+1+k == len(msgs) {
				break
			}
			result := &msgs[i+1+k]
			if r := env.Call(c.Requestor, c); result.TextOf() == "?" {
				result.Content, result.Error = &r.Content, r.Error
			}
		}
	}
	return transcript.Trial{Record: sim.Record{Key: sim.Key{Domain: w.Name, Task: task}, Messages: msgs}, Task: found, World: w}
}

func databases(t testing.TB, trial transcript.Trial) transcript.Databases {
	t.Helper()
	c, err := transcript.NewConversation(trial)
	if err != nil {
		t.Fatal(err)
	}
	return c.Databases
}

// told writes what happened to the data, one line for each write, change and open difference.
func told(d transcript.Databases) []string {
	var out []string
	for _, s := range d.States {
		for _, w := range s.Writes {
			line := fmt.Sprintf("m%d %s %s", w.Message, w.Side, w.Name)
			if w.Failed {
				line += " failed"
			}
			if w.Drift != "" {
				line += " drifts"
			}
			out = append(out, line)
			for _, c := range w.Changes {
				out = append(out, strings.TrimRight(fmt.Sprintf("  %s: %s → %s %s", c.Field, transcript.Clipped(c.Old, 20), transcript.Clipped(c.New, 20), c.Effect), " "))
			}
		}
		for _, o := range s.Open {
			out = append(out, fmt.Sprintf("  open %s: want %s, got %s", o.Field, transcript.Clipped(o.Want, 20), transcript.Clipped(o.Got, 20)))
		}
	}
	return out
}

func TestDatabases(t *testing.T) {
	const open = `  open tasks.task_1.status: want "completed", got "pending"`
	for _, tt := range []struct {
		name, domain, task, text string
		want                     []string
	}{
		{"no write", "mock", "finish_task", "agent> get_users => ?", []string{open}},
		{"as wanted, and away again", "mock", "finish_task", `agent> update_task_status task_id=task_1 status=completed => ?
			agent> update_task_status task_id=task_1 status=pending => ?
			agent> update_task_status task_id=task_1 status=pending => ?`, []string{open,
			"m0 agent update_task_status", `  tasks.task_1.status: "pending" → "completed" as wanted`,
			"m2 agent update_task_status", `  tasks.task_1.status: "completed" → "pending" away from what is wanted`, open,
			"m4 agent update_task_status", open}},
		{"away for a while", "mock", "rename_task", `agent> update_task_status task_id=task_1 status=completed => ?
			agent> update_task_status task_id=task_1 status=pending => ?`, []string{
			"m0 agent update_task_status", `  tasks.task_1.status: "pending" → "completed" away for a while`, `  open tasks.task_1.status: want "pending", got "completed"`,
			"m2 agent update_task_status", `  tasks.task_1.status: "completed" → "pending" as wanted`}},
		{"something else", "mock", "rename_task", "agent> create_task user_id=user_1 title=Bread => ?", []string{
			"m0 agent create_task", `  tasks.task_2: (absent) → {"description": null … (61 more characters) away from what is wanted`,
			`  users.user_1.tasks.1: (absent) → "task_2" away from what is wanted`,
			`  open tasks.task_2: want (absent), got {"description": null … (61 more characters)`, `  open users.user_1.tasks.1: want (absent), got "task_2"`}},
		{"the same in other words", "mock", "add_task", "agent> create_task user_id=user_1 title=Bread => ?", []string{
			`  open tasks.task_2: want {"description": null … (65 more characters), got (absent)`, `  open users.user_1.tasks.1: want "task_2", got (absent)`,
			"m0 agent create_task", `  tasks.task_2: (absent) → {"description": null … (61 more characters)`, `  users.user_1.tasks.1: (absent) → "task_2" as wanted`,
			`  open tasks.task_2.title: want "Buy bread", got "Bread"`}},
		{"refused", "mock", "finish_task", "agent> update_task_status task_id=task_9 status=completed => ?", []string{open, "m0 agent update_task_status failed", open}},
		{"the user's side", "mock", "dismiss_note", "user> dismiss_notification notification_id=note_1 => ?", []string{
			open, `  open user:notifications.note_1.status: want "read", got "unread"`,
			"m0 user dismiss_notification", `  user:notifications.note_1.status: "unread" → "read" as wanted`, open}},
		{"another result was recorded", "mock", "finish_task", `agent> update_task_status task_id=task_1 status=completed => done`, []string{open,
			"m0 agent update_task_status drifts", `  tasks.task_1.status: "pending" → "completed" as wanted`}},
		{"an unpaired call", "mock", "finish_task", "agent> update_task_status task_id=task_1 status=completed", []string{open}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, told(databases(t, acted(t, world(t, tt.domain), tt.task, tt.text)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDatabasesOfADevice: a call of the user's changes the device, and one of the agent's what a sync carries over to it.
func TestDatabasesOfADevice(t *testing.T) {
	open := []string{`  open user:device.active_apn_settings.apn_name: want "internet", got "broken"`, `  open user:device.network_connection_status: want "connected", got "no_service"`,
		`  open user:device.network_signal_strength: want "excellent", got "none"`, `  open user:device.network_technology_connected: want "5G", got "none"`}
	want := slices.Concat(open[:1], []string{"  open user:device.airplane_mode: want false, got true"}, open[1:],
		[]string{"m0 user toggle_airplane_mode", "  user:device.airplane_mode: true → false as wanted"}, open,
		[]string{"m2 agent suspend_line", `  lines.1.status: "Active" → "Suspended" away from what is wanted`, `  lines.1.suspension_start_date: null → "2025-02-25" away from what is wanted`,
			"  user:surroundings.line_active: true → false away from what is wanted",
			`  open lines.1.status: want "Active", got "Suspended"`, `  open lines.1.suspension_start_date: want null, got "2025-02-25"`}, open,
		[]string{"  open user:surroundings.line_active: want true, got false"})
	got := told(databases(t, acted(t, world(t, "telecom"), "airplane-after-landing", "user> toggle_airplane_mode => ?\nagent> suspend_line customer_id=C8103 line_id=L4424 reason=lost => ?")))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBatch: the calls of one message make one state, from its position on.
func TestBatch(t *testing.T) {
	trial := acted(t, world(t, "mock"), "dismiss_note", "agent: Hi\nagent> update_task_status task_id=task_1 status=completed => ?\nagent> create_task user_id=user_1 title=A => ?")
	m := trial.Record.Messages
	m[1].ToolCalls = append(m[1].ToolCalls, m[3].ToolCalls...)
	trial.Record.Messages = []sim.Message{m[0], m[1], m[2], m[4]}
	trial.Record.Events = []sim.Event{{Kind: "note", Index: 0}}
	c, err := transcript.NewConversation(trial)
	if err != nil {
		t.Fatal(err)
	}
	states := c.Databases.States
	if len(states) != 2 || len(states[1].Writes) != 2 || states[1].Pos != c.Steps[1].Message.Pos || states[1].Pos != 2 {
		t.Fatalf("states %+v", states)
	}
	for i, want := range []string{`changed tasks.task_1.status: "pending" → "completed"`, "changed, away from what is wanted: tasks.task_2: (absent)"} {
		if got := c.Steps[2+i].Message.Wrote.Brief(); !strings.HasPrefix(got, want) {
			t.Errorf("result %d wrote %q", i, got)
		}
	}
}

// TestManyWrites: a conversation without an end is told up to a bound, in time that does not grow with its square.
func TestManyWrites(t *testing.T) {
	d := databases(t, acted(t, world(t, "mock"), "add_task", strings.Repeat("agent> create_task user_id=user_1 title=A => ?\n", 301)))
	if n := len(d.Writes()); n != 300 || d.Unknown != "there are more than 300 writes" {
		t.Errorf("%d writes, %q", n, d.Unknown)
	}
}

func TestDatabasesUnknown(t *testing.T) {
	trial := acted(t, world(t, "mock"), "finish_task", "agent: Hi")
	aimless := *trial.Task
	aimless.Criteria = nil
	for _, tt := range []struct {
		name             string
		change           func(*transcript.Trial)
		unknown, aimless string
	}{
		{"without data", func(t *transcript.Trial) { t.World, t.Missing = nil, "the folder is gone" }, "the folder is gone", ""},
		{"without a task", func(t *transcript.Trial) { t.Task = nil }, "not at hand", ""},
		{"without a goal", func(t *transcript.Trial) { t.Task = &aimless }, "", "no particular end state"},
		{"a result without a call", func(t *transcript.Trial) { t.Record.Messages = []sim.Message{{Role: domains.RoleTool}} }, "Tool message not expected", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trial := trial
			tt.change(&trial)
			d := databases(t, trial)
			for got, want := range map[string]string{d.Unknown: tt.unknown, d.Aimless: tt.aimless} {
				if !strings.Contains(got, want) || (got == "") != (want == "") {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
}

// made is a run of every domain, in which agents err.
const made = `
note: every domain
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.2, act_before_consent: 0.5, grant_forbidden: 0.5, give_up: 0.2}}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains: [{name: retail}, {name: airline}, {name: telecom}, {name: mock}]
systems:
  - {name: ReAct, agent: react, model: clumsy, domains: [airline, telecom, mock]}
  - {name: Guided, agent: policyguide, model: clumsy, params: {verifier: deterministic, gate: strict}, domains: [retail]}
`

// TestDatabasesAgreeWithScores: the last state of every trial differs from the wanted one just as its score says, and
// the writes that nodes of a workflow enabled are linked with them.
func TestDatabasesAgreeWithScores(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, made, config.Options{Out: dir})
	r := runtest.Open(t, dir)
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	writes, away, enabled := 0, 0, 0
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		w, err := r.World(rec.Domain, runtest.NoEnv)
		if err != nil {
			t.Fatal(err)
		}
		task, _ := w.Task(rec.Task)
		c, err := transcript.NewConversation(transcript.Trial{Record: rec, Task: task, World: w, Guides: transcript.GuidesOf(r.Manifest(), rec.System, w, rec.Domain)})
		if err != nil {
			t.Fatal(err)
		}
		d := c.Databases
		var want, got []string
		if !d.Counted { // the wanted state is another one
			continue
		}
		for _, c := range scores[store.Ref{Key: rec.Key, Attempt: rec.Attempt}].Diff {
			want = append(want, fmt.Sprint(c.Path, c.Want, c.Got))
		}
		for _, o := range d.Last().Open {
			got = append(got, fmt.Sprint(o.Field, o.Want, o.Got))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-score +last state)\n%s", rec.Key.String(), diff)
		}
		for _, w := range d.Writes() {
			writes++
			if w.Away() {
				away++
			}
			for _, by := range w.By {
				n := c.Walks.Requests[by.Request].Nodes[by.At]
				if enabled++; n.ID != by.Node || n.Of.Tool() != w.Name || n.Made[0].Wrote == nil || n.Made[0].Wrote.Name != w.Name {
					t.Errorf("%s: %s is enabled by %+v", rec.Key.String(), w.Name, by)
				}
			}
			if w.Drift != "" {
				t.Errorf("%s: %s drifts", rec.Key.String(), w.Name)
			}
		}
	}
	if writes < 20 || away == 0 || away == writes || enabled < 5 {
		t.Errorf("%d writes, %d away, %d enabled: the test says too little", writes, away, enabled)
	}
}

// TestReferencePath: whoever goes the reference's path ends as wanted, and no step of it leads away, in every domain.
func TestReferencePath(t *testing.T) {
	for _, domain := range []string{"airline", "retail", "telecom", "mock"} {
		w := world(t, domain)
		changes := 0
		for i := range w.Tasks {
			task := &w.Tasks[i]
			if task.Criteria == nil || task.InitialState != nil && task.InitialState.History != nil {
				continue
			}
			env, err := w.New(task)
			if err != nil {
				t.Fatal(err)
			}
			var msgs []sim.Message
			for _, a := range task.Criteria.Actions {
				call := a.Call()
				role := domains.RoleAssistant
				if call.Requestor = a.Requestor; a.Requestor == domains.UserSide {
					role = domains.RoleUser
				}
				msgs = append(msgs, sim.Message{Role: role, ToolCalls: []sim.ToolCall{call}}, domains.ResultMessage(call, env.Call(a.Requestor, call)))
			}
			d := databases(t, transcript.Trial{Record: sim.Record{Messages: msgs}, Task: task, World: w})
			if len(d.Last().Open) > 0 || d.Unknown != "" {
				t.Errorf("%s, %s: %s %+v", domain, task.ID, d.Unknown, d.Last().Open)
			}
			for _, w := range d.Writes() {
				if changes += len(w.Changes); w.Away() {
					t.Errorf("%s, %s: %s", domain, task.ID, w.Brief())
				}
			}
		}
		if changes == 0 {
			t.Errorf("%s: no changes: the test says nothing", domain)
		}
	}
}
