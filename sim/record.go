package sim

import (
	"encoding/json"
	"fmt"

	"github.com/tauguide/tauguide/sim/llm"
)

// RecordVersion is the version of the record format, docs/results.md.
const RecordVersion = 1

// Key identifies a trial within a run.
type Key struct {
	Domain string `json:"domain"`
	System string `json:"system"`
	Task   string `json:"task"`
	Trial  int    `json:"trial"` // from 0
}

// String names the trial as the command line does: domain/system/task/trial.
func (k Key) String() string { return fmt.Sprintf("%s/%s/%s/%d", k.Domain, k.System, k.Task, k.Trial) }

// Record is one conversation as it happened: everything that scoring, tables and pages are computed from. It is
// written once and never changed; fields under Times hold all that may differ between two runs of the same seed.
type Record struct {
	Version int `json:"version"`
	Key
	Attempt     int         `json:"attempt"` // from 0; attempts after an infrastructure error
	Seed        int64       `json:"seed"`    // the trial's seed, as sent to providers
	Synthetic   bool        `json:"synthetic"`
	Solo        bool        `json:"solo,omitempty"`
	Termination Reason      `json:"termination_reason"`
	Fault       *Fault      `json:"fault,omitempty"`
	Steps       int         `json:"steps"`
	ToolErrors  int         `json:"tool_errors"`
	Messages    []Message   `json:"messages"`
	Events      []Event     `json:"events,omitempty"`
	Calls       []ModelCall `json:"calls,omitempty"`
	Times       Times       `json:"times"`

	// Extra holds what the file of another program says of the conversation beyond these fields.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Fault says what broke a conversation, or made it count as a failure without a word of the other side.
type Fault struct {
	Kind      string `json:"kind"` // of llm.Error, or panic, task, speaker, refusal
	Side      Side   `json:"side,omitempty"`
	Index     int    `json:"index"` // of the message that did not come
	Text      string `json:"text"`
	RequestID string `json:"request_id,omitempty"`
}

// Times are the wall-clock facts of a conversation.
type Times struct {
	Started  string  `json:"started"`
	Finished string  `json:"finished"`
	Seconds  float64 `json:"seconds"`
}

// ModelCall is one request to a model.
type ModelCall struct {
	Role    string    `json:"role"`    // agent, user, judge, guide, guard, ...
	Ordinal int       `json:"ordinal"` // among the calls of that role
	Index   int       `json:"index"`   // of the trajectory message that it was made for
	Model   string    `json:"model"`   // name in the config
	Usage   llm.Usage `json:"usage"`
	Cost    *float64  `json:"cost"` // dollars, null if unknown
	Finish  string    `json:"finish_reason,omitempty"`
	CutOff  bool      `json:"cut_off,omitempty"` // the output limit ended the answer
	Answer  string    `json:"answer,omitempty"`  // of a judge, and any that could not be used and was asked for again
	Dropped []string  `json:"dropped_parameters,omitempty"`
	Quirks  []string  `json:"quirks,omitempty"`
	// Error is the kind of error that the call ended in, "" for an answer. Usage and Cost are what it cost nevertheless.
	Error string `json:"error,omitempty"`
	// Refusal and CallInText are as in [llm.Response]; a long refusal is cut.
	Refusal    string `json:"refusal,omitempty"`
	CallInText string `json:"call_in_text,omitempty"`

	Transport Transport `json:"transport"`
}

// Transport is what an answer cost in time and tries; it differs from run to run.
type Transport struct {
	Served    string  `json:"served_model,omitempty"` // as the provider calls the model
	RequestID string  `json:"request_id,omitempty"`
	Attempts  int     `json:"attempts"`
	Seconds   float64 `json:"seconds"` // of the attempt that answered
	Elapsed   float64 `json:"elapsed"` // with queueing and retries
	// Failed is what attempts cost that failed before the answer came.
	Failed *llm.Spent `json:"failed,omitempty"`
	// Replayed: a recording answered, so that nothing was paid now. Older records do not say.
	Replayed bool `json:"replayed,omitempty"`
}

// Timeless returns the record without all that differs between two runs of the same seed: times, request ids, tries.
func (r Record) Timeless() Record {
	r.Times = Times{}
	r.Messages = timeless(r.Messages)
	r.Events = append([]Event(nil), r.Events...)
	for i := range r.Events {
		r.Events[i].Messages = timeless(r.Events[i].Messages)
	}
	r.Calls = append([]ModelCall(nil), r.Calls...)
	for i := range r.Calls {
		r.Calls[i].Transport = Transport{}
	}
	if r.Fault != nil {
		f := *r.Fault
		f.RequestID = ""
		r.Fault = &f
	}
	return r
}

func timeless(msgs []Message) []Message {
	out := append([]Message(nil), msgs...)
	for i := range out {
		out[i].Timestamp = ""
	}
	return out
}
