package domains

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/domains/value"
)

// Task is one scenario: what the user wants, how the world starts, what must have happened at the end
// (docs/reference/tau2.md#tasks).
type Task struct {
	ID           string        `json:"id"`
	Description  *Description  `json:"description"`
	UserScenario UserScenario  `json:"user_scenario"`
	Ticket       *string       `json:"ticket"`
	InitialState *InitialState `json:"initial_state"`
	Criteria     *Criteria     `json:"evaluation_criteria"`
	UserTools    *[]string     `json:"user_tools"` // nil: all of the domain's; empty: none

	// Temptation lists calls that the policy forbids in this task and that a careless agent would make. Only our own
	// data sets have it, and only the scripted models read it.
	Temptation []Action `json:"temptation"`

	// Raw is the task as it was in the file.
	Raw json.RawMessage `json:"-"`
}

// Description is prose about a task; nothing computes with it.
type Description struct {
	Purpose          *string `json:"purpose"`
	RelevantPolicies *string `json:"relevant_policies"`
	Notes            *string `json:"notes"`
}

// UserScenario instructs the simulated user.
type UserScenario struct {
	Persona      *string      `json:"persona"`
	Instructions Instructions `json:"instructions"`
}

// Instructions is either a plain text or a structured brief.
type Instructions struct {
	Plain            string
	Structured       bool
	Domain           string
	ReasonForCall    string
	KnownInfo        *string
	UnknownInfo      *string
	TaskInstructions string
}

// UnmarshalJSON accepts a string or an object.
func (in *Instructions) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*in = Instructions{}
		return json.Unmarshal(text, &in.Plain)
	}
	if len(text) == 0 || text[0] != '{' {
		return fmt.Errorf("user_scenario.instructions: want a text, or an object, not %.40s", text)
	}
	var o struct {
		Domain           *string `json:"domain"`
		ReasonForCall    *string `json:"reason_for_call"`
		KnownInfo        *string `json:"known_info"`
		UnknownInfo      *string `json:"unknown_info"`
		TaskInstructions *string `json:"task_instructions"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		text *string
	}{{"domain", o.Domain}, {"reason_for_call", o.ReasonForCall}, {"task_instructions", o.TaskInstructions}} {
		if f.text == nil {
			return fmt.Errorf("user_scenario.instructions.%s is missing", f.name)
		}
	}
	*in = Instructions{Structured: true, Domain: *o.Domain, ReasonForCall: *o.ReasonForCall,
		KnownInfo: o.KnownInfo, UnknownInfo: o.UnknownInfo, TaskInstructions: *o.TaskInstructions}
	return nil
}

// InitialState is how a task's world differs from the shipped database.
type InitialState struct {
	Data    *InitialData `json:"initialization_data"`
	Actions []EnvCall    `json:"initialization_actions"`
	History []Message    `json:"message_history"`
}

// InitialData patches the two databases; nil leaves one as it is.
type InitialData struct {
	Agent *value.Value `json:"agent_data"`
	User  *value.Value `json:"user_data"`
}

// EnvCall calls any function of one side's toolkit, tools and set-up helpers alike.
type EnvCall struct {
	Side      Side        `json:"env_type"`
	Func      string      `json:"func_name"`
	Arguments value.Value `json:"arguments"`
}

// EnvAssertion is a call whose boolean result must equal Want.
type EnvAssertion struct {
	EnvCall
	Want    bool   `json:"assert_value"`
	Message string `json:"message"`
}

// UnmarshalJSON reads an assertion; assert_value is true unless given.
func (a *EnvAssertion) UnmarshalJSON(text []byte) error {
	type plain EnvAssertion
	p := plain{Want: true}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	*a = EnvAssertion(p)
	return nil
}

// Action is one call of the gold plan, the reference path to the wanted end state.
type Action struct {
	ID          string      `json:"action_id"`
	Requestor   Side        `json:"requestor"`
	Name        string      `json:"name"`
	Arguments   value.Value `json:"arguments"`
	Info        *string     `json:"info"`
	CompareArgs *[]string   `json:"compare_args"`
}

// UnmarshalJSON reads an action; the requestor is the agent unless given. A requestor that does not exist would make
// the action fail unnoticed, as failures of gold actions do, and is an error.
func (a *Action) UnmarshalJSON(text []byte) error {
	type plain Action
	p := plain{Requestor: AgentSide}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	if p.Requestor != AgentSide && p.Requestor != UserSide {
		return fmt.Errorf("action %q (%s): requestor must be %q or %q, not %q", p.ID, p.Name, AgentSide, UserSide, p.Requestor)
	}
	if k := p.Arguments.Kind(); k != value.Object && k != value.Null {
		return fmt.Errorf("action %q (%s): arguments must be an object, not %.40s", p.ID, p.Name, p.Arguments.Repr())
	}
	*a = Action(p)
	return nil
}

// Call returns the action as a tool call without id.
func (a Action) Call() ToolCall {
	return ToolCall{Name: a.Name, Arguments: a.Arguments, Requestor: a.Requestor}
}

// RewardType is one component of a reward.
type RewardType string

// The components.
const (
	RewardDB          RewardType = "DB"
	RewardEnv         RewardType = "ENV_ASSERTION"
	RewardNL          RewardType = "NL_ASSERTION"
	RewardAction      RewardType = "ACTION"
	RewardCommunicate RewardType = "COMMUNICATE"
)

// Criteria says what a good conversation has brought about. Nil lists are not the same as empty ones
// (docs/reference/tau2.md#scoring).
type Criteria struct {
	Actions         []Action       `json:"actions"`
	EnvAssertions   []EnvAssertion `json:"env_assertions"`
	CommunicateInfo []string       `json:"communicate_info"`
	NLAssertions    []string       `json:"nl_assertions"`
	RewardBasis     []RewardType   `json:"reward_basis"`
}

// UnmarshalJSON reads criteria; reward_basis is DB and COMMUNICATE where the key is absent, and must not be null.
func (c *Criteria) UnmarshalJSON(text []byte) error {
	type plain Criteria
	p := plain{RewardBasis: []RewardType{RewardDB, RewardCommunicate}}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	if p.RewardBasis == nil {
		return errors.New("evaluation_criteria.reward_basis is null\nhint: leave the key out for the default, or list components")
	}
	for _, b := range p.RewardBasis {
		switch b {
		case RewardDB, RewardEnv, RewardNL, RewardAction, RewardCommunicate:
		default:
			return fmt.Errorf("evaluation_criteria.reward_basis: unknown component %q", b)
		}
	}
	*c = Criteria(p)
	return nil
}

// Text is the scenario as the simulated user reads it (docs/reference/tau2.md#tasks).
func (s UserScenario) Text() string {
	var lines []string
	if s.Persona != nil {
		lines = append(lines, "Persona:", indent(*s.Persona))
	}
	lines = append(lines, "Instructions:", indent(s.Instructions.Text()))
	return strings.Join(lines, "\n")
}

// Text is the brief, structured or plain.
func (in Instructions) Text() string {
	if !in.Structured {
		return in.Plain
	}
	lines := []string{"Domain: " + in.Domain, "Reason for call:\n" + indent(in.ReasonForCall)}
	if in.KnownInfo != nil {
		lines = append(lines, "Known info:\n"+indent(*in.KnownInfo))
	}
	if in.UnknownInfo != nil {
		lines = append(lines, "Unknown info:\n"+indent(*in.UnknownInfo))
	}
	lines = append(lines, "Task instructions:\n"+indent(in.TaskInstructions))
	return strings.Join(lines, "\n")
}

// lineRE splits a text after each line break that the reference knows.
var lineRE = regexp.MustCompile("[^\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029]*(\r\n|[\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029]|$)")

func indent(s string) string {
	return lineRE.ReplaceAllStringFunc(s, func(line string) string {
		if strings.TrimFunc(line, isSpace) == "" {
			return line
		}
		return "\t" + line
	})
}

// isSpace is the reference's white space: Unicode's, and the four separators among the control characters.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// Mutating reports whether the task is a Mut task: its gold plan holds a mutating call of the agent's. All others are
// PV (policy-violation) tasks (docs/reference/metrics.md#slices).
func (t *Task) Mutating(w *World) bool {
	if t.Criteria == nil {
		return false
	}
	for _, a := range t.Criteria.Actions {
		if a.Requestor == AgentSide && w.Agent.Mutates(a.Name) {
			return true
		}
	}
	return false
}

// MarshalJSON writes an action with all its fields, as reward records show it.
func (a Action) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID          string      `json:"action_id"`
		Requestor   Side        `json:"requestor"`
		Name        string      `json:"name"`
		Arguments   value.Value `json:"arguments"`
		Info        *string     `json:"info"`
		CompareArgs *[]string   `json:"compare_args"`
	}{a.ID, a.Requestor, a.Name, a.Arguments, a.Info, a.CompareArgs})
}
