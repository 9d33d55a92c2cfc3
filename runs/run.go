package runs

import (
	"context"
	"time"

	"github.com/tauguide/tauguide/llm"
	"github.com/tauguide/tauguide/sim"
)

// Options override parts of a config for one execution.
type Options struct {
	Out         string   // run directory; default results/<name>
	Resume      bool     // continue the run in Out
	Fresh       bool     // move the run in Out aside and start anew
	Only        []string // filters key=value[,value...] on domain, system, agent, task, trial
	Limit       int      // first so many tasks of each domain; 0 is all
	Trials      int      // instead of the config's; 0 keeps it
	Concurrency int      // likewise
	Data        string   // likewise
	BaseURL     string   // sends every model there
	Synthetic   bool     // replaces every model by its scripted twin
	Progress    Reporter // nil for none
	Now         func() time.Time
}

// Reporter shows progress. Update is called from one goroutine, a few times a second and once more at the end.
type Reporter interface{ Update(Progress) }

// Progress is the state of a running execution.
type Progress struct {
	Name    string
	Planned int // trials of this execution
	Done    int // of these, finished or void
	Running int
	Faults  int // void trials
	Pending int // stored, but the judge has not answered
	Elapsed time.Duration
	Tokens  *int64   // nil if unknown
	Cost    *float64 // dollars, nil if unknown
	Waiting int      // requests that wait for a free slot
	Final   bool     // the last update
}

// Summary is how an execution ended. Counts are of the whole plan on disk, this execution's trials and earlier ones.
type Summary struct {
	Dir          string                `json:"dir"`
	Name         string                `json:"name"`
	Synthetic    bool                  `json:"synthetic"`
	Planned      int                   `json:"planned"`
	Evaluable    int                   `json:"evaluable"` // ended in a way that counts
	Pending      int                   `json:"pending"`   // of these, still without a score
	Missing      int                   `json:"missing"`   // never ended
	Terminations map[sim.Reason]int    `json:"terminations"`
	Executed     int                   `json:"executed"` // conversations held by this execution
	Interrupted  bool                  `json:"interrupted"`
	Stopped      string                `json:"stopped,omitempty"` // why scheduling ended early, if it did
	Elapsed      time.Duration         `json:"elapsed"`
	Usage        map[string]llm.Totals `json:"usage"` // by role, of this execution
}

// Coverage is the share of planned trials that are evaluable and scored.
func (s Summary) Coverage() float64 {
	if s.Planned == 0 {
		return 0
	}
	return float64(s.Evaluable-s.Pending) / float64(s.Planned)
}

// Job is a config that is ready to run: data loaded, models checked, trials planned.
type Job struct {
	Config *Config
	Dir    string
	Plan   []Planned
}

// Prepare checks everything that can be checked before anything is spent: models and their keys, data, tasks, agents.
func Prepare(cfg *Config, o Options) (*Job, error) { return nil, errTODO }

// Execute runs a config to its end. The summary is valid together with an error, as far as the run came.
// Cancelling ctx gives up running conversations, keeps what is finished, and returns a summary with Interrupted set.
func Execute(ctx context.Context, cfg *Config, o Options) (*Summary, error) { return nil, errTODO }
