package tau2

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// Simulation is one recorded conversation.
type Simulation struct {
	// Record is the conversation as a run stores it. Extra of it and of its messages holds, as they stood in the file,
	// all values that have no field of their own; costs and usage are there and, summed up, in Calls.
	Record sim.Record
	ID     string
	// Recorded is the outcome that the file gives; nil where it gives none.
	Recorded *sim.RewardInfo
	// Task is the task that stands beside the simulation itself, in files that wrap one with each; else nil.
	Task *Task
}

// Task is a task of a file. One that cannot be read is kept as it stood.
type Task struct {
	ID   string
	Raw  json.RawMessage
	Task *domains.Task // nil if Err is set
	Err  error
}

// rawSimulation is a simulation in the making.
type rawSimulation struct {
	Simulation
	taskID, reason      string
	hasTask, hasReason  bool
	trial, seed         int64
	hasTrial, hasSeed   bool
	hasMessages, ticked bool
	camel, isTask       bool
}

// simulation reads one simulation, bare or wrapped with its task. index is its place in the file.
func (t *text) simulation(index int) (Simulation, error) {
	t.odd.where = fmt.Sprintf("simulation %d", index)
	s := rawSimulation{}
	s.Record.Extra = map[string]json.RawMessage{}
	err := t.object(func(name string) error { return t.member(&s, name) })
	switch {
	case err != nil:
		return s.Simulation, err
	case s.camel:
		return s.Simulation, t.fail(errCamel)
	case s.isTask:
		return s.Simulation, t.fail(errTasks)
	case s.ticked:
		return s.Simulation, t.fail(errVoice)
	case !s.hasTask:
		return s.Simulation, t.failf("the simulation has no task_id")
	case !s.hasMessages:
		return s.Simulation, t.failf("simulation of task %s has no messages", s.taskID)
	}
	if err := t.outcome(&s); err != nil {
		return s.Simulation, err
	}
	t.settle(&s, index)
	return s.Simulation, nil
}

func (t *text) member(s *rawSimulation, name string) (err error) {
	r := &s.Record
	switch name {
	case "messages":
		s.hasMessages = true
		r.Messages, err = t.messages()
		return err
	case "task_id":
		s.taskID, s.hasTask, err = t.id()
		return err
	case "trial":
		s.trial, s.hasTrial, err = t.integer()
	case "seed":
		s.seed, s.hasSeed, err = t.integer()
	case "termination_reason":
		s.reason, s.hasReason, err = t.str()
		return err
	case "taskId", "terminationReason":
		s.camel = true
		return t.wrap(t.d.SkipValue())
	case "user_scenario":
		s.isTask = true
		return t.wrap(t.d.SkipValue())
	case "task":
		return t.embeddedTask(s)
	case "run_info":
		return t.runInfo(s)
	default:
		return t.other(s, name)
	}
	if err == nil && (name == "trial" && !s.hasTrial || name == "seed" && !s.hasSeed) {
		r.Extra[name] = json.RawMessage("null")
		t.odd.add("null "+name, map[string]string{"trial": "numbered in the order of the file", "seed": "taken as 0"}[name])
	}
	return err
}

// other reads a value that has no field of its own.
func (t *text) other(s *rawSimulation, name string) error {
	v, err := t.raw()
	if err != nil {
		return err
	}
	switch name {
	case "id":
		if json.Unmarshal(v, &s.ID) == nil && s.ID != "" {
			t.odd.where = "simulation " + s.ID
		}
	case "ticks":
		s.ticked = string(v) != "null"
	case "mode":
		s.ticked = s.ticked || string(v) == `"full_duplex"`
	}
	keep(&s.Record.Extra, simulationFields, name, v, "a simulation", t.odd)
	return nil
}

func (t *text) embeddedTask(s *rawSimulation) error {
	v, err := t.raw()
	if err != nil {
		return err
	}
	task := readTask(json.RawMessage(v))
	if task.ID == "" {
		keep(&s.Record.Extra, simulationFields, "task", v, "a simulation", t.odd)
		return nil
	}
	s.Task = &task
	return nil
}

// runInfo reads the object that some publishers put the facts of a simulation into.
func (t *text) runInfo(s *rawSimulation) error {
	return t.object(func(name string) error {
		switch name {
		case "simulation_id":
			name = "id"
		case "duration_sec":
			name = "duration"
		case "termination_reason":
			return t.member(s, name)
		}
		return t.other(s, name)
	})
}

// readTask reads a task as far as it can be read.
func readTask(raw json.RawMessage) Task {
	var named struct {
		ID any `json:"id"`
	}
	task := Task{Raw: raw}
	if json.Unmarshal(raw, &named) == nil {
		switch id := named.ID.(type) {
		case string:
			task.ID = id
		case float64:
			task.ID = fmt.Sprint(id)
		}
	}
	var d domains.Task
	if task.Err = json.Unmarshal(raw, &d); task.Err == nil {
		d.Raw = raw
		task.Task = &d
	}
	return task
}

// outcome reads the recorded reward, if there is one.
func (t *text) outcome(s *rawSimulation) error {
	raw := s.Record.Extra["reward_info"]
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var head map[string]json.RawMessage
	if err := json.Unmarshal(raw, &head); err != nil {
		return t.failf("reward_info of task %s: want an object or null: %w", s.taskID, err)
	}
	for name := range head {
		if _, ok := known(rewardFields, name); !ok {
			t.odd.add("unknown key "+name+" of reward_info", "kept under extra")
		}
	}
	if number(head["reward"]) == nil {
		t.odd.add("reward_info without a reward", "taken as not scored")
		return nil
	}
	ri := sim.RewardInfo{}
	if err := json.Unmarshal(raw, &ri); err != nil {
		return t.failf("reward_info of task %s: %w", s.taskID, err)
	}
	s.Recorded = &ri
	return nil
}

// settle fills the record's fields in from what was read.
func (t *text) settle(s *rawSimulation, index int) {
	r := &s.Record
	r.Version, r.Task = sim.RecordVersion, s.taskID
	r.Trial, r.Seed = -1, s.seed
	if s.hasTrial && s.trial >= 0 && s.trial < 1<<30 {
		r.Trial = int(s.trial)
	}
	if s.ID == "" {
		s.ID = madeID(s.taskID, fmt.Sprint(index))
		t.odd.add("simulations without id", "an id was made from task and place")
	}
	r.Extra["id"] = quoted(s.ID)
	r.Termination = t.termination(s)
	r.Times = times(r.Extra, r.Messages)
	for i, m := range r.Messages {
		t.countOddities(m)
		switch {
		case m.Role == domains.RoleTool:
			if m.Error {
				r.ToolErrors++
			}
			if i > 0 && r.Messages[i-1].Role != domains.RoleTool {
				r.Steps++ // a batch is one step
			}
		case !isGreeting(i, m):
			r.Steps++
		}
	}
	t.countIDs(r.Messages)
	if s.Recorded == nil && r.Termination.Evaluable() {
		t.odd.add("simulations without a recorded reward", "not scored until tauguide score does it")
	}
}

func (t *text) countOddities(m domains.Message) {
	switch {
	case m.Role == domains.RoleTool && m.Content == nil:
		t.odd.add("tool results that are null", "kept; scoring takes them as empty")
	case m.Role != domains.RoleTool && !m.HasText() && len(m.ToolCalls) == 0:
		t.odd.add("messages without text and calls", "kept")
	}
}

func (t *text) countIDs(msgs []domains.Message) {
	seen := map[string]bool{}
	var empty, again int
	for _, m := range msgs {
		for _, c := range m.ToolCalls {
			switch {
			case c.ID == "":
				empty++
			case seen[c.ID]:
				again++
			}
			seen[c.ID] = true
		}
	}
	t.odd.addN("calls with an empty id", "kept; results answer calls by their order", empty)
	t.odd.addN("call ids used again in a conversation", "kept; results answer calls by their order", again)
}

// times are the wall-clock facts, from the messages where the simulation does not say.
func times(extra map[string]json.RawMessage, msgs []domains.Message) sim.Times {
	var out sim.Times
	for name, at := range map[string]*string{"start_time": &out.Started, "end_time": &out.Finished} {
		_ = json.Unmarshal(extra[name], at) // what is no text stays in extra
	}
	if out.Started == "" && len(msgs) > 0 {
		out.Started = msgs[0].Timestamp
	}
	if out.Finished == "" && len(msgs) > 0 {
		out.Finished = msgs[len(msgs)-1].Timestamp
	}
	if d := number(extra["duration"]); d != nil && *d >= 0 {
		out.Seconds = *d
	}
	return out
}

// madeID is a stable id in the reference's form for a conversation that has none.
func madeID(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil { // of a string never
		return json.RawMessage(`""`)
	}
	return b
}
