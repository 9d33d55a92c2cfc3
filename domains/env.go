package domains

import (
	"errors"
	"fmt"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Env is the private world of one trial: the databases of both sides and the tools over them. Only World.New makes
// one. An Env belongs to one goroutine.
type Env struct {
	world *World
	solo  bool
	agent Database
	user  Database // nil where the domain gives the user no tools
}

// World returns the world that the environment is of.
func (e *Env) World() *World { return e.world }

// Databases returns the databases of the two sides; the user's is nil where it has none. After initialization data
// for one side both are the same object, a quirk of the reference (docs/reference/domains.md#initial-state).
func (e *Env) Databases() (agent, user Database) { return e.agent, e.user }

// Call runs one call as the reference's environment answers it: tool, then sync, and either one's failure is the
// result. What changed before a failure stays changed.
func (e *Env) Call(side Side, c ToolCall) ToolResult {
	res, _ := e.call(side, c)
	return res
}

// call is Call with the failure behind an error result.
func (e *Env) call(side Side, c ToolCall) (ToolResult, error) {
	out, err := e.execute(side, c)
	if err == nil {
		err = e.Sync()
	}
	if err != nil {
		return ToolResult{Content: value.WellFormed("Error: " + wording(err)), Error: true}, err
	}
	return ToolResult{Content: value.WellFormed(out())}, nil
}

// wording is the text of a failure as the reference has it (docs/decisions/003-error-texts.md).
func wording(err error) string {
	var invalid *record.InvalidError
	if errors.As(err, &invalid) {
		return invalid.Reference()
	}
	return err.Error()
}

// Gold runs one action of a gold plan: like Call, but without the sync, and with the failure as a Go error
// (docs/reference/domains.md#replay).
func (e *Env) Gold(a Action) (string, error) {
	out, err := e.execute(a.Requestor, a.Call())
	if err != nil {
		return "", err
	}
	return out(), nil
}

// Apply is Gold for a caller that does not look at the result, which is then not rendered.
func (e *Env) Apply(a Action) error {
	_, err := e.execute(a.Requestor, a.Call())
	return err
}

func (e *Env) execute(side Side, c ToolCall) (Output, error) {
	if c.Malformed != "" || c.Reason != "" {
		return nil, fmt.Errorf("invalid JSON arguments: %s", c.Reason)
	}
	if k := c.Arguments.Kind(); k != value.Object && k != value.Null {
		return nil, fmt.Errorf("invalid JSON arguments: want an object, got a %s", c.Arguments.TypeName())
	}
	args := c.ArgumentsMap()
	if err := reservedName(args); err != nil {
		return nil, err
	}
	kit, db, err := e.route(side, c.Name)
	if err != nil {
		return nil, err
	}
	return kit.call(db, c.Name, args)
}

// reservedName refuses argument names that collide with the reference's dispatcher.
func reservedName(args *value.Map) error {
	if _, ok := args.Get("requestor"); ok {
		return Refusal("tau2.environment.environment.Environment.make_tool_call() got multiple values for keyword argument 'requestor'")
	}
	for name := range args.All() {
		if name == "tool_name" || name == "self" {
			return Refuse("Environment.make_tool_call() got multiple values for argument '%s'", name)
		}
	}
	return nil
}

// route finds the toolkit that answers a call (docs/reference/domains.md#routing).
func (e *Env) route(side Side, name string) (*Kit, Database, error) {
	switch side {
	case UserSide:
		if e.solo {
			return nil, nil, Refusal("User tool calls are not allowed in solo mode")
		}
		if e.world.User == nil {
			return nil, nil, Refusal("User tools not available")
		}
		return e.world.User, e.user, nil
	case AgentSide:
		if _, ok := e.world.User.Tool(name); ok && e.solo {
			return e.world.User, e.user, nil
		}
		if e.world.Agent == nil {
			return nil, nil, Refusal("Tools not available")
		}
		return e.world.Agent, e.agent, nil
	}
	return nil, nil, Refuse("Invalid requestor: %s", side)
}

// Sync carries changes from one side's database to the other's, where the domain links them.
func (e *Env) Sync() error {
	if e.world.SyncFunc == nil {
		return nil
	}
	return e.world.SyncFunc(e.agent, e.user)
}

// Invoke calls any function of one side's toolkit, then syncs.
func (e *Env) Invoke(c EnvCall) (value.Value, error) {
	kit, db := e.world.Agent, e.agent
	switch c.Side {
	case UserSide:
		kit, db = e.world.User, e.user
	case AgentSide:
	default:
		return value.Value{}, fmt.Errorf("env_type must be %q or %q, not %q", AgentSide, UserSide, c.Side)
	}
	args, _ := c.Arguments.Map()
	v, err := kit.invoke(db, c.Func, args)
	if err != nil {
		return value.Value{}, err
	}
	return v, e.Sync()
}

// Check evaluates an assertion. A function that fails, or answers no boolean, is an error.
func (e *Env) Check(a EnvAssertion) (bool, error) {
	v, err := e.Invoke(a.EnvCall)
	if err != nil {
		return false, err
	}
	got, ok := v.Bool()
	if !ok {
		return false, Refuse("Function %s returned <class '%s'> instead of bool", a.Func, v.TypeName())
	}
	return got == a.Want, nil
}

// Hash returns the hash of one side's database, and false where that side has none.
func (e *Env) Hash(side Side) (string, bool) {
	db := e.agent
	if side == UserSide {
		db = e.user
	}
	if db == nil {
		return "", false
	}
	return db.Hash(), true
}

// Diff lists where the databases of other (got) differ from e's (wanted), the agent's first; user paths start with
// "user:". It is empty exactly if the hashes of both sides are equal.
func (e *Env) Diff(other *Env) []record.Change {
	out := e.agent.Diff(other.agent)
	if e.user == nil || other.user == nil {
		return out
	}
	for _, c := range e.user.Diff(other.user) {
		c.Path = "user:" + c.Path
		out = append(out, c)
	}
	return out
}

// initialize applies a task's initialization data and actions.
func (e *Env) initialize(s *InitialState) error {
	if s == nil {
		return nil
	}
	if s.Data != nil {
		if err := e.patch(*s.Data); err != nil {
			return err
		}
	}
	for i, a := range s.Actions {
		if _, err := e.Invoke(a); err != nil {
			return fmt.Errorf("initialization_actions[%d] %s: %w", i, a.Func, err)
		}
	}
	return nil
}

// patch merges initialization data into the databases. The reference then points the other side's toolkit at the
// patched database, and so do we: both hashes coincide from there on, and that side's tools no longer work.
func (e *Env) patch(d InitialData) error {
	if d.Agent != nil && !d.Agent.IsNull() {
		if err := e.agent.Patch(*d.Agent); err != nil {
			return fmt.Errorf("initialization_data.agent_data: %w", err)
		}
		if e.user != nil {
			e.user = e.agent
		}
	}
	if d.User != nil && !d.User.IsNull() {
		if e.user == nil {
			return errors.New("initialization_data.user_data: the domain has no user database")
		}
		if err := e.user.Patch(*d.User); err != nil {
			return fmt.Errorf("initialization_data.user_data: %w", err)
		}
		e.agent = e.user
	}
	return nil
}
