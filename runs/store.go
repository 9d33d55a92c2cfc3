package runs

import (
	"errors"
	"iter"

	"github.com/tauguide/tauguide/sim"
)

// Run is a run directory, opened for reading. It may be read while it is being written. Safe for concurrent use.
type Run struct {
	dir string
}

// Ref names one attempt at a trial.
type Ref struct {
	sim.Key
	Attempt int `json:"attempt"`
}

// Entry is the summary of one attempt, a line of index.jsonl.
type Entry struct {
	Ref
	Seed        int64      `json:"seed"`
	Synthetic   bool       `json:"synthetic,omitempty"`
	Termination sim.Reason `json:"termination_reason"`
	Reward      *float64   `json:"reward"`
	Pending     string     `json:"pending,omitempty"` // why there is no reward yet
	Steps       int        `json:"steps"`
	ToolErrors  int        `json:"tool_errors"`
	Seconds     float64    `json:"seconds"`
	Tokens      *int64     `json:"tokens"` // prompt and completion of all roles but the judge; null if unknown
	Cost        *float64   `json:"cost"`   // dollars likewise
	Fault       string     `json:"fault,omitempty"`
	File        string     `json:"file"` // below the run directory
}

var errTODO = errors.New("not there yet")

// Open opens a run directory.
func Open(dir string) (*Run, error) { return nil, errTODO }

// Dir returns the run directory.
func (r *Run) Dir() string { return r.dir }

// Manifest returns what the run is.
func (r *Run) Manifest() Manifest { return Manifest{} }

// Plan returns the planned trials in the order of running.
func (r *Run) Plan() []Planned { return nil }

// Index returns one entry for each trial that has a record, in plan order: its latest attempt that counts.
func (r *Run) Index() []Entry { return nil }

// Attempts returns the entries of all attempts.
func (r *Run) Attempts() []Entry { return nil }

// Record reads the latest attempt at a trial that counts.
func (r *Run) Record(k sim.Key) (sim.Record, error) { return sim.Record{}, errTODO }

// Records streams the records of Index, one at a time. A damaged one is an error in its place.
func (r *Run) Records() iter.Seq2[sim.Record, error] { return nil }

// Scores returns the latest score of each attempt.
func (r *Run) Scores() (map[Ref]sim.Score, error) { return nil, errTODO }

// AppendScore adds a score to the run. It takes the run's lock for a moment.
func (r *Run) AppendScore(s sim.Score) error { return errTODO }

// Manifest says what a run is: manifest.json.
type Manifest struct {
	Format    int     `json:"format"`
	Name      string  `json:"name"`
	Note      string  `json:"note"`
	Synthetic bool    `json:"synthetic"` // some model is scripted: the numbers say nothing of real models
	Config    *Config `json:"config"`    // keys redacted
}
