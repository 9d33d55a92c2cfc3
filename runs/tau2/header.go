package tau2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/llm"
)

// Header is what a result file says about all of its simulations.
type Header struct {
	Timestamp string
	Info      json.RawMessage // as it was; nil if the file has none
	Tasks     []Task
	Extra     map[string]json.RawMessage // further members of the file
	Facts     Facts
	// Export is what our own export added to the file; nil in files of other programs.
	Export *ExportNote
}

// Facts are the parts of the info block that are used.
type Facts struct {
	NumTrials int    `json:"num_trials"`
	MaxSteps  int    `json:"max_steps"`
	MaxErrors int    `json:"max_errors"`
	Seed      *int64 `json:"seed"`
	Agent     Party  `json:"agent_info"`
	User      Party  `json:"user_info"`
	World     struct {
		Domain string `json:"domain_name"`
		Policy string `json:"policy"`
	} `json:"environment_info"`
}

// Party is one side's program and model.
type Party struct {
	Implementation string                     `json:"implementation"`
	Model          string                     `json:"llm"`
	Args           map[string]json.RawMessage `json:"llm_args"`
	Guidelines     string                     `json:"global_simulation_guidelines"`
}

// Solo reports whether the agent worked without a user (docs/reference/tau2.md#participants).
func (f Facts) Solo() bool {
	return f.Agent.Implementation == "llm_agent_solo" && f.User.Implementation == "dummy_user"
}

// Domain returns our name of the domain and the kind of its policy.
func (f Facts) Domain() (string, domains.PolicyType) {
	if name, ok := strings.CutSuffix(f.World.Domain, "-workflow"); ok {
		return name, domains.PolicyWorkflow
	}
	return f.World.Domain, domains.PolicyManual
}

// exportKey is the member of a file that our export adds; the reference's loader ignores it.
const exportKey = "tauguide"

// ExportNote is what a file that this program exported says beyond the format.
type ExportNote struct {
	Program   string           `json:"program"`
	System    string           `json:"system"`
	Note      string           `json:"note,omitempty"`
	Synthetic bool             `json:"synthetic"` // some model was scripted
	Data      []domains.Source `json:"data"`      // the files that the domain was loaded from
}

// Embedded reports whether the run used the data that is built into the program.
func (o *ExportNote) Embedded() bool {
	return len(o.Data) > 0 && !slices.ContainsFunc(o.Data, func(s domains.Source) bool { return !strings.HasPrefix(s.Path, "embedded:") })
}

// info reads the info block. Keys of models are masked: people publish them by mistake, and nothing needs them.
func (r *reader) info(h *Header) error {
	if r.Peek() == 'n' {
		return r.Skip()
	}
	if r.Peek() != '{' {
		return r.Mismatch("an object")
	}
	raw, err := r.raw()
	if err != nil {
		return err
	}
	raw = bytes.Clone(raw)
	o, _ := objectOf(raw)
	if o["agentModel"] != nil || o["userModel"] != nil {
		return errCamel
	}
	if v := o["audio_native_config"]; v != nil && string(v) != "null" {
		return errVoice
	}
	for name := range o {
		if _, ok := known(infoFields, name); !ok {
			r.deviations.add("unknown key "+name+" of info", "kept")
		}
	}
	h.Info = raw
	for _, side := range []string{"agent_info", "user_info"} {
		h.Info = editMember(h.Info, side, func(party json.RawMessage) json.RawMessage {
			return editMember(party, "llm_args", r.maskSecrets)
		})
	}
	if err := json.Unmarshal(h.Info, &h.Facts); err != nil {
		return err
	}
	return nil
}

// editMember is an object with one of its members edited; anything else stays as it is.
func editMember(raw json.RawMessage, name string, edit func(json.RawMessage) json.RawMessage) json.RawMessage {
	o, ok := objectOf(raw)
	if !ok || o[name] == nil {
		return raw
	}
	edited := edit(o[name])
	if bytes.Equal(edited, o[name]) {
		return raw
	}
	o[name] = edited
	out, err := encode(o)
	if err != nil { // of valid JSON never
		return raw
	}
	return out
}

// maskSecrets is the arguments of a model without secrets.
func (r *reader) maskSecrets(args json.RawMessage) json.RawMessage {
	masked, found := llm.MaskCredentials(args)
	for _, c := range found {
		r.deviations.add("secret "+c.Name+" in llm_args", "masked")
	}
	return masked
}

// tasks reads the embedded tasks. One that cannot be read is kept, and only its own simulations suffer.
func (r *reader) tasks(h *Header) error {
	return r.list(func(int) error {
		if r.Peek() != '{' {
			return r.Mismatch("an object")
		}
		raw, err := r.raw()
		if err != nil {
			return err
		}
		task := readTask(bytes.Clone(raw))
		if task.ID == "" {
			if o, _ := objectOf(raw); o["user_scenario"] == nil && (o["reward"] != nil || o["task_id"] != nil) {
				return errIndex // a line of an index, as some publishers write them
			}
		}
		h.addTask(task, r.deviations)
		return nil
	})
}

// addTask adds a task unless it is there already.
func (h *Header) addTask(task Task, d *deviations) {
	if old, ok := h.Task(task.ID); ok {
		if string(old.Raw) != string(task.Raw) {
			d.add("tasks of the same id that differ", "the first is used")
		}
		return
	}
	if task.Err != nil {
		d.add(fmt.Sprintf("task %q that cannot be read (%v)", task.ID, task.Err), "kept; the data's of that id stands in for it, where there is one")
	}
	h.Tasks = append(h.Tasks, task)
}

// Task returns the embedded task of that id.
func (h *Header) Task(id string) (*Task, bool) {
	for i := range h.Tasks {
		if h.Tasks[i].ID == id {
			return &h.Tasks[i], true
		}
	}
	return nil, false
}

// WithTasks returns the world with the result's tasks in place of the data's tasks of the same ids: they are what its
// conversations were about. Tasks that came without criteria leave those of the data in their place. A nil header, that of
// a run which was not imported, changes nothing.
func (h *Header) WithTasks(w *domains.World) *domains.World {
	if h == nil {
		return w
	}
	var tasks []domains.Task
	for _, t := range h.Tasks {
		if t.Task == nil {
			continue
		}
		if _, ok := w.Task(t.ID); !ok || t.Task.Criteria != nil {
			tasks = append(tasks, *t.Task)
		}
	}
	return w.WithTasks(tasks)
}

// ReadableTask returns the result's task of that id; it is false for a nil header, and for a task that cannot be read.
func (h *Header) ReadableTask(id string) (*domains.Task, bool) {
	if h == nil {
		return nil, false
	}
	t, ok := h.Task(id)
	if !ok || t.Task == nil {
		return nil, false
	}
	return t.Task, true
}

// Differing lists the ids of the tasks that both results have, and that are not the same in both. Prose about a task
// does not count.
func (h *Header) Differing(other *Header) []string {
	bare := func(t *Task) any {
		if t.Task == nil {
			return string(t.Raw)
		}
		d := *t.Task
		d.Raw, d.Description = nil, nil
		return d
	}
	var out []string
	for i := range h.Tasks {
		if t, ok := other.Task(h.Tasks[i].ID); ok && !reflect.DeepEqual(bare(&h.Tasks[i]), bare(t)) {
			out = append(out, t.ID)
		}
	}
	return out
}
