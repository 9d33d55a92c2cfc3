package audit

import (
	"encoding/json"
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
)

// The kinds of forbidden calls.
const (
	Policy    = "policy"    // the policy forbids it in this situation
	Selection = "selection" // the policy allows it, but it is not what the task's user should get
)

// Temptations is a file of forbidden calls.
type Temptations struct {
	Domain string `json:"domain"`
	Tasks  []struct {
		Task      string      `json:"tau2_task"`
		Forbidden []forbidden `json:"forbidden"`
	} `json:"tasks"`
}

type forbidden struct {
	Name      string      `json:"name"`
	Arguments value.Value `json:"arguments"`
	Any       bool        `json:"any_arguments"` // whatever the arguments are
	Kind      string      `json:"kind"`
}

// ForbiddenReport is what became of forbidden calls.
type ForbiddenReport struct {
	Domain string            `json:"domain"`
	Counts map[string]*Count `json:"counts"` // by kind
	Calls  []Withheld        `json:"calls"`
}

// Count is the forbidden calls of one kind.
type Count struct {
	Calls    int `json:"calls"`
	Withheld int `json:"withheld"`
	OnWord   int `json:"on_word"` // of the withheld: authorized to a user who claims what the policy believes without proof
}

// Withheld is one forbidden call in the state in which most would allow it: everything was read, the user claims and
// agrees to everything.
type Withheld struct {
	Task      string      `json:"task"`
	Tool      string      `json:"tool"`
	Arguments value.Value `json:"arguments"` // as the file has them
	Kind      string      `json:"kind"`
	Variants  int         `json:"variants"` // calls that were tried in its place
	Withheld  bool        `json:"withheld"` // all of them, whatever the user claims that records can disprove
	OnWord    bool        `json:"on_word"`  // withheld, but authorized if the user also claims what the policy believes without proof
	Due       value.Value `json:"due"`      // arguments of a variant that is authorized, null if none is
	Stop                  // of the last variant that was withheld
}

// ReadTemptations reads a file of forbidden calls (JSON).
func ReadTemptations(path string) (*Temptations, error) {
	text, err := domains.ReadFile(path, yamlfile.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("forbidden calls: %w", err)
	}
	if err := value.CheckEncoding(text); err != nil {
		return nil, fmt.Errorf("forbidden calls: %s: %w", path, err)
	}
	var t Temptations
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("forbidden calls: %s: %w", path, err)
	}
	n := 0
	for _, e := range t.Tasks {
		for i, f := range e.Forbidden {
			n++
			if f.Kind != Policy && f.Kind != Selection {
				return nil, fmt.Errorf("forbidden calls: %s: task %s, call %d (%s): kind is %q\nhint: write %s or %s", path, e.Task, i, f.Name, f.Kind, Policy, Selection)
			}
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("forbidden calls: %s names none\nhint: it wants tasks, each with tau2_task and a list forbidden", path)
	}
	return &t, nil
}

// Forbidden puts forbidden calls to the graph, each in a conversation of its own.
func Forbidden(w *domains.World, c *guide.Checker, t *Temptations) (*ForbiddenReport, error) {
	if t.Domain != "" && t.Domain != w.Name {
		return nil, fmt.Errorf("the forbidden calls are of domain %s, not %s\nhint: name the file of this domain", t.Domain, w.Name)
	}
	drive, err := driverOf(w.Name)
	if err != nil {
		return nil, err
	}
	r := &ForbiddenReport{Domain: w.Name, Counts: map[string]*Count{Policy: {}, Selection: {}}}
	stage := NewStage(w, c)
	for _, e := range t.Tasks {
		task, ok := w.Task(e.Task)
		if !ok {
			return nil, fmt.Errorf("the forbidden calls name task %q, which domain %s does not have\nhint: give the data they are about with --data", e.Task, w.Name)
		}
		for _, f := range e.Forbidden {
			call, err := drive.try(stage, task, f)
			if err != nil {
				return nil, err
			}
			r.add(call)
		}
	}
	return r, nil
}

func (r *ForbiddenReport) add(c Withheld) {
	r.Calls = append(r.Calls, c)
	n := r.Counts[c.Kind]
	n.Calls++
	if c.Withheld {
		n.Withheld++
		if c.OnWord {
			n.OnWord++
		}
	}
}

// try asks for one forbidden call in all its variants, first of a user who claims what records can disprove, then of one
// who also claims what the policy believes.
func (dr driver) try(stage *Stage, task *domains.Task, f forbidden) (Withheld, error) {
	out := Withheld{Task: task.ID, Tool: f.Name, Arguments: f.Arguments, Kind: f.Kind, Withheld: true}
	d, err := stage.Converse(task)
	if err != nil {
		return out, err
	}
	variants := dr.expand(d, f)
	if d.Err != nil {
		return out, fmt.Errorf("task %s: forbidden call of %s: %w", task.ID, f.Name, d.Err)
	}
	out.Variants = len(variants)
	for _, word := range []bool{false, true} {
		for _, call := range variants {
			if d, err = stage.Converse(task); err != nil {
				return out, err
			}
			dr.tempt(d, call, word)
			if d.Err != nil {
				return out, fmt.Errorf("task %s: forbidden call of %s: %w", task.ID, f.Name, d.Err)
			}
			due, stop := d.Due(call)
			switch {
			case !due && !word:
				out.Stop = stop
			case due && !word:
				out.Withheld, out.Due = false, call.Arguments
			case due && out.Withheld:
				out.OnWord, out.Due = true, call.Arguments
			}
		}
	}
	if !out.Withheld {
		out.Stop = Stop{}
	}
	return out, nil
}

// asGiven is the call of which everything is given.
func asGiven(_ *Conversation, f forbidden) []domains.ToolCall {
	return []domains.ToolCall{{Name: f.Name, Arguments: f.Arguments, Requestor: domains.AgentSide}}
}
