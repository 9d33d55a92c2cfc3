package tau2

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// Simulation is one recorded conversation.
type Simulation struct {
	// Record is the conversation as a run stores it. Extra of it and of its messages is, as the file has them, all
	// values that have no field of their own; costs and usage are there and, summed up, in Calls.
	Record sim.Record
	ID     string
	// Recorded is the outcome that the file gives; nil where it gives none.
	Recorded *sim.RewardInfo
	// Task is the task beside the simulation itself, in files that wrap one with each; otherwise nil.
	Task *Task
}

// Task is a task of a file. One that cannot be read is kept as it was.
type Task struct {
	ID   string
	Raw  json.RawMessage
	Task *domains.Task // nil if Err is set
	Err  error
}

// fileSimulation is a simulation as a file has it, bare or wrapped with its task.
type fileSimulation struct {
	ID          string                    `json:"id"`
	TaskID      jsontext.Value            `json:"task_id"`
	Trial       *int64                    `json:"trial"`
	Seed        *int64                    `json:"seed"`
	Termination *string                   `json:"termination_reason"`
	Messages    []fileMessage             `json:"messages"`
	Task        jsontext.Value            `json:"task"`
	RunInfo     map[string]jsontext.Value `json:"run_info"` // into which some publishers put the facts of a simulation
	Rest        map[string]jsontext.Value `json:",embed"`
}

// unwrap takes the facts out of run_info.
func (f *fileSimulation) unwrap() error {
	if f.Rest == nil {
		f.Rest = map[string]jsontext.Value{}
	}
	for name, v := range f.RunInfo {
		var err error
		switch name {
		case "simulation_id":
			err = json.Unmarshal(v, &f.ID)
		case "termination_reason":
			err = json.Unmarshal(v, &f.Termination)
		case "duration_sec":
			f.Rest["duration"] = v
		default:
			f.Rest[name] = v
		}
		if err != nil {
			return fmt.Errorf("run_info: %s: %w", name, err)
		}
	}
	return nil
}

// refusal is the reason why a simulation cannot be read; nil for none.
func (f *fileSimulation) refusal() error {
	given := func(name string) bool { return f.Rest[name] != nil && f.Rest[name].Kind() != 'n' }
	switch {
	case given("taskId"), given("terminationReason"):
		return errCamel
	case given("user_scenario"):
		return errTasks
	case given("ticks"), string(f.Rest["mode"]) == `"full_duplex"`:
		return errVoice
	case given("traj") && f.Messages == nil:
		return errFirst
	case f.TaskID == nil || f.TaskID.Kind() == 'n':
		return fmt.Errorf("the simulation has no task_id")
	case f.Messages == nil:
		return fmt.Errorf("simulation of task %s has no messages", f.TaskID)
	}
	return nil
}

// simulation reads one simulation. index is its place in the file.
func (r *reader) simulation(index int) (Simulation, error) {
	r.deviations.where = fmt.Sprintf("simulation %d", index)
	var f fileSimulation
	if err := r.decode(&f); err != nil {
		return Simulation{}, err
	}
	if err := f.unwrap(); err != nil {
		return Simulation{}, r.fail(err)
	}
	if err := f.refusal(); err != nil {
		return Simulation{}, r.fail(err)
	}
	var task string
	if err := json.Unmarshal(f.TaskID, &task); err != nil {
		return Simulation{}, r.failf("task_id: want a string, got %s", found(f.TaskID.Kind(), f.TaskID))
	}
	if f.ID == "" {
		f.ID = madeID(task, fmt.Sprint(index))
		r.deviations.add("simulations without id", "an id was made from task and place")
	}
	r.deviations.where = "simulation " + f.ID
	s := Simulation{ID: f.ID}
	rec := &s.Record
	rec.Version, rec.Task, rec.Trial = sim.RecordVersion, task, -1
	rec.Extra = map[string]json.RawMessage{"id": quoted(f.ID)}
	if err := r.numbers(rec, f.Trial, f.Seed); err != nil {
		return s, err
	}
	if err := r.extra(&rec.Extra, simulationFields, f.Rest, "a simulation"); err != nil {
		return s, err
	}
	var err error
	if s.Task, err = r.wrappedTask(f.Task); err != nil {
		return s, err
	}
	if rec.Messages, err = r.messages(f.Messages); err != nil {
		return s, err
	}
	if s.Recorded, err = r.reward(rec); err != nil {
		return s, err
	}
	rec.Termination = r.termination(&s, f.Termination)
	rec.Times = times(rec.Extra, rec.Messages)
	r.count(rec)
	if s.Recorded == nil && rec.Termination.Evaluable() {
		r.deviations.add("simulations without a recorded reward", "not scored until tauguide score does it")
	}
	return s, nil
}

// numbers takes over trial and seed. A missing trial stays -1, to be numbered; a missing seed stays null in an export.
func (r *reader) numbers(rec *sim.Record, trial, seed *int64) error {
	switch {
	case trial == nil:
		r.deviations.add("null trial", "numbered in the order of the file")
	case *trial >= 0 && *trial < 1<<30:
		rec.Trial = int(*trial)
	}
	if seed == nil {
		rec.Extra["seed"] = json.RawMessage("null")
		r.deviations.add("null seed", "taken as 0")
		return nil
	}
	rec.Seed = *seed
	return nil
}

// extra keeps values that have no field of their own.
func (r *reader) extra(into *map[string]json.RawMessage, fields []field, rest map[string]jsontext.Value, what string) error {
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		v, err := r.compact(rest[name])
		if err != nil {
			return err
		}
		keep(into, fields, name, v, what, r.deviations)
	}
	return nil
}

// wrappedTask reads the task beside a simulation; nil where there is none.
func (r *reader) wrappedTask(v jsontext.Value) (*Task, error) {
	if v == nil {
		return nil, nil
	}
	raw, err := r.compact(v)
	if err != nil {
		return nil, err
	}
	if task := readTask(raw); task.ID != "" {
		return &task, nil
	}
	return nil, nil
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

// reward reads the recorded reward, if there is one.
func (r *reader) reward(rec *sim.Record) (*sim.RewardInfo, error) {
	raw := rec.Extra["reward_info"]
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	head, ok := objectOf(raw)
	if !ok {
		return nil, r.failf("reward_info of task %s: want an object or null, got %.40s", rec.Task, raw)
	}
	for name := range head {
		if _, ok := known(rewardFields, name); !ok {
			r.deviations.add("unknown key "+name+" of reward_info", "kept under extra")
		}
	}
	if number(head["reward"]) == nil {
		r.deviations.add("reward_info without a reward", "taken as not scored")
		return nil, nil
	}
	info := sim.RewardInfo{}
	if err := json.Unmarshal(raw, &info); err != nil {
		return nil, r.failf("reward_info of task %s: %w", rec.Task, err)
	}
	return &info, nil
}

// count counts steps and failed calls, as the reference does, and what is odd about the messages.
func (r *reader) count(rec *sim.Record) {
	ids := map[string]bool{}
	for i, m := range rec.Messages {
		switch {
		case m.Role == domains.RoleTool:
			if m.Error {
				rec.ToolErrors++
			}
			if i > 0 && rec.Messages[i-1].Role != domains.RoleTool {
				rec.Steps++ // a batch is one step
			}
			if m.Content == nil {
				r.deviations.add("tool results that are null", "kept; scoring takes them as empty")
			}
		case !isGreeting(i, m):
			rec.Steps++
		}
		if m.Role != domains.RoleTool && !m.HasText() && len(m.ToolCalls) == 0 {
			r.deviations.add("messages without text and calls", "kept")
		}
		for _, c := range m.ToolCalls {
			switch {
			case c.ID == "":
				r.deviations.add("calls with an empty id", "kept; results answer calls by their order")
			case ids[c.ID]:
				r.deviations.add("call ids used again in a conversation", "kept; results answer calls by their order")
			}
			ids[c.ID] = true
		}
	}
}

// times are the wall-clock facts, from the messages where the simulation does not say.
func times(extra map[string]json.RawMessage, msgs []domains.Message) sim.Times {
	var out sim.Times
	_ = json.Unmarshal(extra["start_time"], &out.Started) // what is not a text stays in extra
	_ = json.Unmarshal(extra["end_time"], &out.Finished)
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
