package sim

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
)

// RewardInfo is the outcome of scoring one conversation, in the reference's layout
// (docs/reference/tau2.md#result-files): null where a component was not looked at, an empty list where it had nothing
// to look at.
type RewardInfo struct {
	Reward            float64                        `json:"reward"`
	DBCheck           *DBCheck                       `json:"db_check"`
	EnvAssertions     []EnvCheck                     `json:"env_assertions"`
	ActionChecks      []ActionCheck                  `json:"action_checks"`
	NLAssertions      []Verdict                      `json:"nl_assertions"`
	CommunicateChecks []CommunicateCheck             `json:"communicate_checks"`
	RewardBasis       []domains.RewardType           `json:"reward_basis"`
	RewardBreakdown   map[domains.RewardType]float64 `json:"reward_breakdown"`
	Info              map[string]any                 `json:"info"`
}

// DBCheck compares the end state with the one that the gold plan leads to.
type DBCheck struct {
	Match  bool    `json:"db_match"`
	Reward float64 `json:"db_reward"`
}

// EnvCheck is one assertion on the end state.
type EnvCheck struct {
	Assertion Assertion `json:"env_assertion"`
	Met       bool      `json:"met"`
	Reward    float64   `json:"reward"`
}

// Assertion is an assertion as the wire shows it.
type Assertion struct {
	EnvType   Side    `json:"env_type"`
	FuncName  string  `json:"func_name"`
	Arguments any     `json:"arguments"`
	Want      bool    `json:"assert_value"`
	Message   *string `json:"message"`
}

// ActionCheck says whether some call of the conversation matches a gold action.
type ActionCheck struct {
	Action   domains.Action `json:"action"`
	Match    bool           `json:"action_match"`
	Reward   float64        `json:"action_reward"`
	ToolType *domains.Kind  `json:"tool_type"`
}

// Verdict is a judge's answer on one expected outcome.
type Verdict struct {
	Assertion     string `json:"nl_assertion"`
	Met           bool   `json:"met"`
	Justification string `json:"justification"`
}

// CommunicateCheck says whether the agent told the user something.
type CommunicateCheck struct {
	Info          string `json:"info"`
	Met           bool   `json:"met"`
	Justification string `json:"justification"`
}

// State is the outcome of one component.
type State string

// The states. A component without criteria passes in the reference's arithmetic; here it is told apart as n.a.
const (
	Pass    State = "pass"
	Fail    State = "fail"
	NA      State = "n.a."
	Pending State = "pending" // the judge has not answered
)

// Component is one part of a reward as people should read it.
type Component struct {
	Type    domains.RewardType `json:"type"`
	State   State              `json:"state"`
	Counted bool               `json:"counted"` // in the task's reward basis; else diagnostic
	Why     string             `json:"why,omitempty"`
}

// ScoreVersion is the version of the scoring rules. It goes up whenever a reward could change.
const ScoreVersion = 1

// Score is everything that scoring one record found.
type Score struct {
	Version int `json:"version"`
	Key
	Attempt    int             `json:"attempt"`
	Reward     *float64        `json:"reward"` // null while pending
	Info       RewardInfo      `json:"reward_info"`
	Components []Component     `json:"components"`
	Diff       []record.Change `json:"db_diff,omitempty"` // want: after the gold plan, got: after the conversation
	Drift      int             `json:"replay_drift"`      // recorded results that replaying did not give
	Pending    string          `json:"pending,omitempty"` // why there is no reward yet
	Origin     string          `json:"origin,omitempty"`  // where the reward is from, if this program did not compute it
	JudgeCalls []ModelCall     `json:"judge_calls,omitempty"`
}

// Success reports whether a reward counts as success (within 1e-6 of 1).
func Success(reward float64) bool { return reward > 1-1e-6 && reward < 1+1e-6 }
