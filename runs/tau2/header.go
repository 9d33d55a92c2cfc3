package tau2

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// Header is what a result file says about all of its simulations.
type Header struct {
	Timestamp string
	Info      json.RawMessage // as it stood; nil if the file has none
	Tasks     []Task
	Extra     map[string]json.RawMessage // further members of the file
	Facts     Facts
	// Own is what our own export left in the file; nil in files of others.
	Own *Own
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

// Solo reports whether the agent worked without a user (spec/core.md, section 8, Tools).
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

// ownKey is the member of a file that our export adds; the reference's loader passes over it.
const ownKey = "tauguide"

// Own is what a file of ours says beyond the format.
type Own struct {
	Program   string           `json:"program"`
	System    string           `json:"system"`
	Note      string           `json:"note,omitempty"`
	Synthetic bool             `json:"synthetic"` // some model was scripted
	Data      []domains.Source `json:"data"`      // the files that the domain was loaded from
}

// Embedded reports whether the run used the data that is built into the program.
func (o *Own) Embedded() bool {
	return len(o.Data) > 0 && !slices.ContainsFunc(o.Data, func(s domains.Source) bool { return !strings.HasPrefix(s.Path, "embedded:") })
}

// secretNames are settings of a model that no file of ours repeats.
var secretNames = []string{"api_key", "key", "token", "secret", "password", "authorization", "access_key", "aws_secret_access_key",
	"aws_session_token", "aws_access_key_id", "azure_ad_token", "extra_headers", "headers", "default_headers"}

// info reads the info block. Keys of models are masked: people publish them by mistake, and nothing needs them.
func (t *text) info(h *Header) error {
	raw, err := t.raw()
	if err != nil {
		return err
	}
	if string(raw) == "null" {
		return nil
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(raw, &o); err != nil {
		return t.failf("info: want an object, got %.40s", raw)
	}
	if o["agentModel"] != nil || o["userModel"] != nil {
		return t.fail(errCamel)
	}
	if v := o["audio_native_config"]; v != nil && string(v) != "null" {
		return t.fail(errVoice)
	}
	if h.Info, err = t.masked(json.RawMessage(raw)); err != nil {
		return err
	}
	if err := json.Unmarshal(h.Info, &h.Facts); err != nil {
		return t.failf("info: %w", err)
	}
	for name := range o {
		if _, ok := known(infoFields, name); !ok {
			t.odd.add("unknown key "+name+" of info", "kept")
		}
	}
	return nil
}

// masked is the info block without secrets.
func (t *text) masked(info json.RawMessage) (json.RawMessage, error) {
	out := info
	for _, side := range []string{"agent_info", "user_info"} {
		o, ok := objectOf(out)
		if !ok {
			continue
		}
		party, ok := objectOf(o[side])
		if !ok {
			continue
		}
		args, ok := objectOf(party["llm_args"])
		if !ok {
			continue
		}
		found := false
		for _, name := range secretNames {
			if v := args[name]; v != nil && string(v) != "null" && string(v) != `"[redacted]"` {
				args[name], found = json.RawMessage(`"[redacted]"`), true
				t.odd.add("secret "+name+" in llm_args", "masked")
			}
		}
		if !found {
			continue
		}
		var err error
		if party["llm_args"], err = encode(args); err != nil {
			return nil, t.fail(err)
		}
		if o[side], err = encode(party); err != nil {
			return nil, t.fail(err)
		}
		if out, err = encode(o); err != nil {
			return nil, t.fail(err)
		}
	}
	return out, nil
}

func objectOf(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var o map[string]json.RawMessage
	err := json.Unmarshal(raw, &o)
	return o, err == nil && o != nil
}

// tasks reads the embedded tasks. One that cannot be read is kept, and only its own simulations suffer.
func (t *text) tasks(h *Header) error {
	if null, err := t.null(); null || err != nil {
		return err
	}
	return t.list(func(i int) error {
		raw, err := t.raw()
		if err != nil {
			return err
		}
		if !json.Valid(raw) || raw.Kind() != '{' {
			return t.failf("task %d: want an object, got %.40s", i, []byte(raw))
		}
		task := readTask(json.RawMessage(raw))
		if task.ID == "" && looksLikeIndex(task.Raw) {
			return t.fail(errIndex)
		}
		h.addTask(task, t.odd)
		return nil
	})
}

// addTask adds a task unless it is there already.
func (h *Header) addTask(task Task, odd *oddities) {
	if old, ok := h.Task(task.ID); ok {
		if string(old.Raw) != string(task.Raw) {
			odd.add("tasks of the same id that differ", "the first is used")
		}
		return
	}
	if task.Err != nil {
		odd.add(fmt.Sprintf("task %q that cannot be read (%v)", task.ID, task.Err), "kept; its simulations cannot be scored")
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

// looksLikeIndex reports whether an element of tasks is a line of an index, as some publishers write them.
func looksLikeIndex(raw json.RawMessage) bool {
	o, ok := objectOf(raw)
	return ok && o["user_scenario"] == nil && (o["reward"] != nil || o["task_id"] != nil)
}
