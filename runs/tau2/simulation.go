package tau2

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	fast "github.com/go-json-experiment/json"

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

// fileSimulation is what of a simulation needs a second look.
type fileSimulation struct {
	task, termination *string
	trial, seed       *int64
	first             bool  // it is one of the first version of the benchmark
	badTask           error // why its task_id is none
}

// simulation reads one simulation, bare or wrapped with its task. index is its place in the file.
func (r *reader) simulation(index int) (s Simulation, err error) {
	of := r.deviations
	r.deviations = &deviations{}
	defer func() {
		of.merge(r.deviations, "simulation "+s.ID)
		r.deviations = of
	}()
	var f fileSimulation
	rec := &s.Record
	rec.Version, rec.Trial, rec.Extra = sim.RecordVersion, -1, map[string]json.RawMessage{}
	if err := r.Object(func(name string) error { return r.simulationMember(&s, &f, name) }); err != nil {
		return s, err
	}
	if err := f.refusal(rec); err != nil {
		return s, err
	}
	rec.Task = *f.task
	if s.ID == "" {
		s.ID = madeID(rec.Task, fmt.Sprint(index))
		r.deviations.add("simulations without id", "an id was made from task and place")
	}
	rec.Extra["id"] = quoted(s.ID)
	r.numbers(rec, f.trial, f.seed)
	if s.Recorded, err = r.reward(rec); err != nil {
		return s, err
	}
	rec.Termination = r.termination(&s, f.termination)
	rec.Times = times(rec.Extra, rec.Messages)
	r.count(rec)
	if s.Recorded == nil && rec.Termination.Evaluable() {
		r.deviations.add("simulations without a recorded reward", "not scored until tauguide score does it")
	}
	return s, nil
}

// simulationMember reads a member of a simulation.
func (r *reader) simulationMember(s *Simulation, f *fileSimulation, name string) (err error) {
	given := r.Peek() != 'n'
	switch {
	case name == "id":
		s.ID, err = r.textOrNull()
	case name == "task_id" && given && r.Peek() != '"':
		var raw []byte
		raw, err = r.Raw()
		f.badTask = fmt.Errorf("task_id: want a string, got %.40s", raw)
	case name == "task_id":
		err = optional(r, &f.task, r.Text)
	case name == "trial":
		err = optional(r, &f.trial, r.whole)
	case name == "seed":
		err = optional(r, &f.seed, r.whole)
	case name == "termination_reason":
		err = optional(r, &f.termination, r.Word)
	case name == "messages":
		s.Record.Messages, err = r.messages()
	case name == "task":
		s.Task, err = r.wrappedTask()
	case name == "run_info" && given: // into which some publishers put the facts of a simulation
		err = r.Object(func(name string) error { return r.runInfo(s, f, name) })
	case given && (name == "taskId" || name == "terminationReason"):
		err = errCamel
	case given && name == "user_scenario":
		err = errTasks
	case given && name == "ticks":
		err = errVoice
	default:
		f.first = f.first || given && name == "traj"
		err = r.extra(&s.Record.Extra, simulationFields, name, "a simulation")
	}
	return err
}

// runInfo reads a member of run_info.
func (r *reader) runInfo(s *Simulation, f *fileSimulation, name string) (err error) {
	switch name {
	case "simulation_id":
		s.ID, err = r.textOrNull()
	case "termination_reason":
		err = optional(r, &f.termination, r.Word)
	case "duration_sec":
		err = r.extra(&s.Record.Extra, simulationFields, "duration", "a simulation")
	default:
		err = r.extra(&s.Record.Extra, simulationFields, name, "a simulation")
	}
	return err
}

// refusal is the reason why a simulation cannot be read; nil for none.
func (f *fileSimulation) refusal(rec *sim.Record) error {
	switch {
	case string(rec.Extra["mode"]) == `"full_duplex"`:
		return errVoice
	case f.first && rec.Messages == nil:
		return errFirst
	case f.badTask != nil:
		return f.badTask
	case f.task == nil:
		return errors.New("the simulation has no task_id")
	case rec.Messages == nil:
		return fmt.Errorf("simulation of task %q has no messages", *f.task)
	}
	return nil
}

// numbers takes over trial and seed. A missing trial stays -1, to be numbered; a missing seed stays null in an export.
func (r *reader) numbers(rec *sim.Record, trial, seed *int64) {
	switch {
	case trial == nil:
		r.deviations.add("null trial", "numbered in the order of the file")
	case *trial >= 0 && *trial < 1<<30:
		rec.Trial = int(*trial)
	}
	if seed == nil {
		rec.Extra["seed"] = json.RawMessage("null")
		r.deviations.add("null seed", "taken as 0")
		return
	}
	rec.Seed = *seed
}

// extra keeps a value that has no field of its own, unless it says what its absence says.
func (r *reader) extra(into *map[string]json.RawMessage, fields []field, name, what string) error {
	v, err := r.raw()
	if err != nil {
		return err
	}
	f, ok := known(fields, name)
	switch {
	case ok && f.absent == string(v):
		delete(*into, name) // of repeated names the last counts
		return nil
	case !ok:
		r.deviations.add("unknown key "+name+" of "+what, "kept under extra")
	}
	if *into == nil {
		*into = map[string]json.RawMessage{}
	}
	(*into)[name] = r.own(v)
	return nil
}

// wrappedTask reads the task beside a simulation; nil where there is none.
func (r *reader) wrappedTask() (*Task, error) {
	raw, err := r.raw()
	if err != nil {
		return nil, err
	}
	if task := readTask(bytes.Clone(raw)); task.ID != "" {
		return &task, nil
	}
	return nil, nil
}

// readTask reads a task as far as it can be read.
func readTask(raw json.RawMessage) Task {
	task := Task{Raw: raw}
	var d domains.Task
	if task.Err = fast.Unmarshal(raw, &d); task.Err == nil {
		d.Raw = raw
		task.ID, task.Task = d.ID, &d
		return task
	}
	var named struct {
		ID any `json:"id"`
	}
	_ = json.Unmarshal(raw, &named) // what is no object has no id
	switch id := named.ID.(type) {
	case string:
		task.ID = id
	case float64:
		task.ID = fmt.Sprint(id)
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
		return nil, fmt.Errorf("reward_info of task %s: want an object or null, got %.40s", rec.Task, raw)
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
	if err := fast.Unmarshal(raw, &info); err != nil {
		return nil, fmt.Errorf("reward_info of task %s: %w", rec.Task, err)
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
