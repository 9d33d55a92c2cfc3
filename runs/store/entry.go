package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"

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
	Pending     string     `json:"pending,omitempty"` // what the score still lacks, and why; a reward of 0 may stand already
	Steps       int        `json:"steps"`
	ToolErrors  int        `json:"tool_errors"`
	Seconds     float64    `json:"seconds"`
	Tokens      *int64     `json:"tokens"` // of the conversation and its grading; null if unknown
	Cost        *float64   `json:"cost"`   // dollars likewise
	Fault       string     `json:"fault,omitempty"`
	File        string     `json:"file"`             // of the record, below the run directory
	SHA256      string     `json:"sha256,omitempty"` // of that file; an entry that does not have it is not believed
	Stamp
	Attack *Attacked   `json:"attack,omitempty"` // of a user that attacks; the entries of a mended index do not have it
	Usage  []RoleUsage `json:"usage"`            // by role, sorted; null in the lines of older programs
}

// notScored is why a record without a line in scores.jsonl has no reward.
const notScored = "not scored yet: resume the run"

// summarise makes the entry of a record and its score, which may be nil.
func summarise(r sim.Record, s *sim.Score) Entry {
	e := Entry{Ref: Ref{r.Key, r.Attempt}, Seed: r.Seed, Synthetic: r.Synthetic, Termination: r.Termination, Steps: r.Steps,
		ToolErrors: r.ToolErrors, Seconds: r.Times.Seconds, Tokens: new(int64), Cost: new(float64)}
	e.File = recordFile(e.Ref)
	if r.Fault != nil {
		e.Fault = r.Fault.Kind
	}
	e.spend(r.Calls)
	e.grade(s)
	return e
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
	tokens, cost := e.Tokens, e.Cost
	e.Usage = addUsage(e.Usage, calls)
	for _, c := range calls {
		u := c.Usage
		if tokens != nil && u.PromptTokens.Known && u.CompletionTokens.Known {
			n := *tokens + u.PromptTokens.N + u.CompletionTokens.N
			tokens = &n
		} else {
			tokens = nil
		}
		if cost != nil && c.Cost != nil {
			n := *cost + *c.Cost
			cost = &n
		} else {
			cost = nil
		}
	}
	e.Tokens, e.Cost = tokens, cost // new values: copies of an entry share the old ones
}

// sumKey opens the last member of a line of index.jsonl: a checksum of what is before it.
const sumKey = `,"sum":"`

// MarshalJSON writes the entry with a checksum at its end, by which a line that was changed by hand is known.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry
	text, err := json.Marshal(plain(e))
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-1]
	return fmt.Appendf(text, `%s%08x"}`, sumKey, crc32.ChecksumIEEE(text)), nil
}

// decodeEntry reads a line of index.jsonl. One whose checksum is wrong is an error, so that the record is read instead;
// lines of older versions have none.
func decodeEntry(line []byte) (e Entry, err error) {
	type plain Entry
	if err := json.Unmarshal(line, (*plain)(&e)); err != nil {
		return e, err
	}
	at := bytes.LastIndex(line, []byte(sumKey))
	if at < 0 {
		return e, nil
	}
	if want := fmt.Sprintf(`%s%08x"}`, sumKey, crc32.ChecksumIEEE(line[:at])); want != string(line[at:]) {
		return e, fmt.Errorf("entry of %s: the checksum does not fit the line", e.Ref)
	}
	return e, nil
}
