package store

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/sim"
)

// Ref names one attempt at a trial.
type Ref struct {
	sim.Key
	Attempt int `json:"attempt"`
}

// String is the key with the attempt after it.
func (r Ref) String() string { return fmt.Sprintf("%s attempt %d", r.Key.String(), r.Attempt) }

// Entry is the summary of one attempt, a line of index.jsonl. It repeats what record and score say; they are the truth.
type Entry struct {
	Ref
	Seed        int64      `json:"seed"`
	Synthetic   bool       `json:"synthetic,omitempty"`
	Termination sim.Reason `json:"termination_reason"`
	Reward      *float64   `json:"reward"`
	Pending     string     `json:"pending,omitempty"` // what the score still lacks, and why; a reward of 0 may be there already
	Steps       int        `json:"steps"`
	ToolErrors  int        `json:"tool_errors"`
	Seconds     float64    `json:"seconds"`
	Finished    string     `json:"finished,omitempty"` // when, as the record has it; "" in the entries of older programs
	Tokens      *int64     `json:"tokens"`             // of the conversation and its grading; null if unknown
	Cost        *float64   `json:"cost"`               // dollars likewise
	Fault       string     `json:"fault,omitempty"`
	File        string     `json:"file"`             // of the record, below the run directory
	SHA256      string     `json:"sha256,omitempty"` // of that file; an entry that does not have it is not believed
	Stamp
	Sent   Place       `json:"sent,omitzero"`    // where what models were sent is
	Attack *Attacked   `json:"attack,omitempty"` // of a user that attacks; the entries of a mended index do not have it
	Usage  []RoleUsage `json:"roles"`            // sorted by role; nil in the entries of older programs
	// Oversight is of the verifiers around the agent; nil where none was asked.
	Oversight *sim.Oversight `json:"oversight,omitempty"`
}

// notScored is why a record without a line in scores.jsonl has no reward.
const notScored = "not scored yet: resume the run"

// summarise makes the entry of a record and its score, which may be nil.
func summarise(r sim.Record, s *sim.Score) Entry {
	e := Entry{Ref: Ref{r.Key, r.Attempt}, Seed: r.Seed, Synthetic: r.Synthetic, Termination: r.Termination, Steps: r.Steps,
		ToolErrors: r.ToolErrors, Seconds: r.Times.Seconds, Finished: r.Times.Finished}
	e.File = recordFile(e.Ref)
	if r.Fault != nil {
		e.Fault = r.Fault.Kind
	}
	if o := r.Oversight(); o.Firings > 0 {
		o.Cause = cause(o.Cause)
		e.Oversight = &o
	}
	e.spend(r.Calls)
	e.grade(s)
	return e
}

// cause is the cause of an error without its hint and on one line, cut to what a list has room for.
func cause(text string) string {
	const most = 200 // bytes
	text, _, _ = strings.Cut(text, "\nhint: ")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// grade puts a score into the entry.
func (e *Entry) grade(s *sim.Score) {
	e.Reward, e.Pending = nil, ""
	switch {
	case s != nil:
		e.Reward, e.Pending = s.Reward, s.Pending
		e.spend(s.JudgeCalls)
	case e.Termination.Evaluable():
		e.Pending = notScored
	}
}

// spend adds calls to the totals; one unknown figure makes a total unknown.
func (e *Entry) spend(calls []sim.ModelCall) {
	e.Usage = AddUsage(e.Usage, calls)
	sum := e.Spent()
	e.Tokens, e.Cost = &sum.Tokens, &sum.Cost
	for _, u := range e.Usage {
		if u.UnknownTokens > 0 {
			e.Tokens = nil
		}
		if u.UnknownCost > 0 {
			e.Cost = nil
		}
	}
}

// decodeEntry reads a line of index.jsonl. One that must not be believed is an error, so that the record is read instead:
// it names another file than that of its attempt, or an older program wrote it without its usage.
func decodeEntry(line []byte) (e Entry, err error) {
	switch e, err = decode[Entry](line); {
	case err != nil:
		return e, err
	case e.File != recordFile(e.Ref):
		return e, fmt.Errorf("entry of %s names the file %s", e.Ref, e.File)
	case e.Usage == nil:
		return e, fmt.Errorf("entry of %s has no usage", e.Ref)
	}
	return e, nil
}
