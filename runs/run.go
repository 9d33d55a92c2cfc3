// Package runs executes the plan of an experiment: trials run in parallel, and every conversation is stored before it is
// scored. What is on disk is the truth: a run that was killed at any moment is resumed as "plan minus finished", and
// tables, plots and pages are computed from the records alone.
//
// The way through is config.Load, config.Resolve, Execute, store.Open.
package runs

import (
	"time"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/trace"
)

// Options say what an execution reports about itself.
type Options struct {
	Debug    bool             // log every model call
	Trace    *trace.Tracer    // nil for none
	Progress Reporter         // nil for none
	Now      func() time.Time // nil is time.Now; for what is written down, not for limits
}

// Reporter shows progress. Update is called from one goroutine at a time, a few times a second and once more at the
// end, with Final set.
type Reporter interface{ Update(Progress) }

// Progress is the state of a running execution.
type Progress struct {
	Name      string
	Scripted  bool // no real model is asked, so that nothing costs anything
	Planned   int  // trials of this execution
	Done      int  // of these, ended in any way
	Running   int
	Faults    int           // of the ended ones, void
	Pending   int           // stored, but the judge has not answered
	Waiting   int           // requests that wait for a free slot
	Pace      float64       // calls per second that endpoints which refused too many are paced at, 0 if none
	Retrying  int           // calls that wait to be sent once more
	Oldest    time.Duration // for how long the oldest call is under way
	CallRate  float64       // calls answered per second recently
	Replayed  int64         // calls that a recording answered
	WouldCost *float64      // what these cost when they were recorded, in dollars; nil if unknown
	Elapsed   time.Duration
	Tokens    *int64   // nil if unknown
	Cost      *float64 // dollars, nil if unknown
	Billed    bool     // it is, at least in part, what providers billed, since no price is known
	LastFault string   // why the latest void trial ended
	Warnings  []string // what should be known before and during the run, see config.Plan.Warnings
	Final     bool
}

// Summary is how an execution ended. Counts are of the whole plan on disk, earlier executions included.
type Summary struct {
	Dir          string                `json:"dir"`
	Name         string                `json:"name"`
	Synthetic    bool                  `json:"synthetic"`
	Planned      int                   `json:"planned"`
	Evaluable    int                   `json:"evaluable"`   // ended in a way that counts
	Pending      int                   `json:"pending"`     // of these, still without a reward
	NeedsJudge   int                   `json:"needs_judge"` // of the pending ones, those that wait because no judge is named
	Missing      int                   `json:"missing"`     // never ended
	Terminations map[sim.Reason]int    `json:"terminations"`
	Executed     int                   `json:"executed"` // conversations that this execution ran
	Interrupted  bool                  `json:"interrupted"`
	Stopped      string                `json:"stopped,omitempty"`   // why trials were left out, if any were
	OverBudget   int                   `json:"over_budget"`         // void trials that reached limits.conversation, and would again
	Causes       []Cause               `json:"causes,omitempty"`    // of void attempts, earlier executions included
	Warnings     []string              `json:"warnings,omitempty"`  // config.Plan.Warnings, and records that cannot be read
	Oversight    []Watched             `json:"oversight,omitempty"` // of the systems whose verifiers were asked, in the config's order
	Answers      []Answers             `json:"answers,omitempty"`   // of the systems' roles that slipped or failed, in the config's order
	MovedTo      string                `json:"moved_to,omitempty"`
	Elapsed      time.Duration         `json:"elapsed"`
	Usage        map[string]llm.Totals `json:"usage"` // by role, of this execution
}

// Watched is what became of the questions to the verifiers of a system, in the trials that count.
type Watched struct {
	System string `json:"system"`
	sim.Oversight
}

// Answers are what models said for a system in one role, in the trials that count.
type Answers struct {
	System string `json:"system"`
	Role   string `json:"role"`
	metrics.Usage
}

// Complete reports whether every planned trial ended in a way that counts.
func (s Summary) Complete() bool { return s.Evaluable == s.Planned }

// Coverage is the share of planned trials that are evaluable.
func (s Summary) Coverage() float64 {
	if s.Planned == 0 {
		return 0
	}
	return float64(s.Evaluable) / float64(s.Planned)
}
