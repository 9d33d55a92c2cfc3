package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/llm"
)

// StopTokens end a conversation when the user says one outside of a tool call (docs/reference/tau2.md#protocol).
var stopTokens = [...]string{"###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"}

// UserStops reports whether a user's message ends the conversation.
func UserStops(m Message) bool {
	if m.Role != domains.RoleUser || m.IsToolCall() {
		return false
	}
	for _, t := range stopTokens {
		if strings.Contains(m.TextOf(), t) {
			return true
		}
	}
	return false
}

// Limits bound a conversation.
type Limits struct {
	MaxSteps  int           // delivered messages and tool batches
	MaxErrors int           // failed calls of both sides together
	Timeout   time.Duration // of the whole conversation; 0 is none
}

// DefaultLimits are the reference's, with a timeout.
func DefaultLimits() Limits { return Limits{MaxSteps: 200, MaxErrors: 10, Timeout: 30 * time.Minute} }

// Trial is one conversation that is to run.
type Trial struct {
	Key
	Attempt   int
	Seed      int64
	Synthetic bool
	World     *domains.World
	Task      *domains.Task
	Env       *domains.Env // from World.New(Task); Run opens one if nil
	Agent     Participant
	User      Participant // nil in solo mode
	Limits    Limits
	// Strict ends a conversation whose message mixes text and calls (the reference's opt-in protocol check).
	Strict bool
	// CountUserFaults has faults of the user's model end the conversation as the reference counts them, as a failure, and
	// takes what it said up to the output limit for all that it said.
	CountUserFaults bool
	Now             func() time.Time // nil is time.Now
}

// emptyRetries is how often an answer without text and calls, or one of the user's that was cut off, is asked for again
// before it counts as an error of the side that gave it.
const emptyRetries = 2

// errTimeout tells the end of the conversation's own time from a deadline or a cancellation of the caller's.
var errTimeout = errors.New("the conversation's time is up: raise limits.timeout")

// Run holds the conversation and returns its record, whatever happens: faults of models, transport and program are
// endings. The error is for callers only if ctx was cancelled before the conversation began. Run blocks; a trial's
// parts are used from the calling goroutine alone.
func Run(ctx context.Context, t Trial) (rec Record, err error) {
	if err := ctx.Err(); err != nil {
		return Record{}, fmt.Errorf("trial %s/%s/%s/%d not started: %w", t.Domain, t.System, t.Task.ID, t.Trial, err)
	}
	if t.Now == nil {
		t.Now = time.Now
	}
	r := &conversation{trial: t, started: t.Now(), ids: map[string]bool{}}
	if t.Limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t.Limits.Timeout, errTimeout)
		defer cancel()
	}
	r.hold(ctx)
	return r.record(), nil
}

// conversation is the state of a running trial.
type conversation struct {
	trial   Trial
	env     *domains.Env
	started time.Time

	traj   []Message
	views  [2][]Message // the agent's and the user's, private messages in place
	events []Event
	calls  []ModelCall
	ids    map[string]bool // tool-call ids in use

	steps, errors int
	reason        Reason
	fault         *Fault
}

const (
	toAgent = iota
	toUser
	toEnv
)

// hold runs the conversation to its end; a panic of any part becomes a fault.
func (c *conversation) hold(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			c.end(Infra, &Fault{Kind: panicked, Index: len(c.traj), Text: shorten(fmt.Sprint(p), longestText) + "\n" + string(debug.Stack())})
		}
	}()
	next, ok := c.begin()
	for ok && c.reason == "" {
		next = c.step(ctx, next)
	}
}

// begin sets the stage and returns who is to receive the first message.
func (c *conversation) begin() (next int, ok bool) {
	c.env = c.trial.Env
	if c.env == nil {
		env, err := c.trial.World.New(c.trial.Task)
		if err != nil {
			c.end(Infra, &Fault{Kind: "task", Text: err.Error()})
			return 0, false
		}
		c.env = env
	}
	var history []Message
	if s := c.trial.Task.InitialState; s != nil {
		history = s.History
	}
	switch {
	case len(history) > 0:
		return c.resume(history)
	case c.trial.User == nil:
		return toAgent, true
	}
	c.append(Message{Role: domains.RoleAssistant, Content: domains.Text(domains.Greeting)})
	return toUser, true
}

// resume takes up a conversation that the task has already begun.
func (c *conversation) resume(history []Message) (int, bool) {
	if _, err := c.env.Replay(history, true); err != nil {
		c.end(Infra, &Fault{Kind: "task", Text: "message_history: " + err.Error()})
		return 0, false
	}
	for _, m := range history {
		for _, call := range m.ToolCalls {
			c.ids[call.ID] = true
		}
		c.append(m)
	}
	last := history[len(history)-1]
	switch {
	case UserStops(last):
		c.end(UserStop, nil)
		return 0, false
	case last.Role == domains.RoleTool && last.Requestor == UserSide, last.Role == domains.RoleAssistant:
		if c.trial.User != nil {
			return toUser, true
		}
	}
	return toAgent, true
}

// step delivers the pending message and returns who gets the answer. Limits are looked at after each step, but not
// while calls are pending: a batch that was asked for always runs (docs/reference/tau2.md#edge-behaviours).
func (c *conversation) step(ctx context.Context, to int) (next int) {
	switch to {
	case toEnv:
		next = c.runCalls()
	default:
		next = c.speak(ctx, to)
	}
	if c.reason != "" && !c.reason.Completed() {
		return next
	}
	c.steps++
	if err := c.env.Sync(); err != nil {
		c.end(Infra, &Fault{Kind: "task", Index: len(c.traj), Text: "sync: " + err.Error()})
		return next
	}
	if next == toEnv && c.reason == "" {
		return next
	}
	if c.trial.Limits.MaxSteps > 0 && c.steps >= c.trial.Limits.MaxSteps {
		c.reason = MaxSteps // also over a stop in this very step, as in the reference
	}
	if c.trial.Limits.MaxErrors > 0 && c.errors >= c.trial.Limits.MaxErrors {
		c.reason = TooManyErrors
	}
	if c.reason == "" && c.trial.Limits.Timeout > 0 && c.trial.Now().Sub(c.started) >= c.trial.Limits.Timeout {
		c.reason = Timeout
	}
	return next
}

// speak lets one side answer.
func (c *conversation) speak(ctx context.Context, to int) int {
	speaker, side, role := c.trial.Agent, AgentSide, domains.RoleAssistant
	if to == toUser {
		speaker, side, role = c.trial.User, UserSide, domains.RoleUser
	}
	m, stop, ok := c.ask(ctx, speaker, to, side)
	if !ok {
		return to
	}
	m.Role = role
	c.own(&m, side)
	if c.trial.Strict && m.IsToolCall() && m.HasText() {
		c.append(m)
		c.end(c.errorOf(side), &Fault{Kind: "speaker", Side: side, Index: len(c.traj) - 1, Text: "text and tool calls in one message"})
		return to
	}
	c.append(m)
	switch {
	case m.IsToolCall():
		return toEnv
	case side == UserSide && (stop || UserStops(m)):
		c.reason = UserStop
	case side == AgentSide && stop:
		c.reason = AgentStop
	case side == AgentSide && c.trial.User == nil:
		c.end(AgentError, &Fault{Kind: "speaker", Side: side, Index: len(c.traj) - 1, Text: "text without a tool call in solo mode"})
	}
	return 1 - to
}

// ask gets one usable message of a speaker: empty answers, and the user's cut-off ones, are asked for again a little, then
// count as its error, as one of the user's does at once that a filter ended. What an agent said until then is its answer. One that says nothing but that the model
// refuses is its last word at once: asked again, it would only be drawn again until it complies.
func (c *conversation) ask(ctx context.Context, s Participant, to int, side Side) (m Message, stop, ok bool) {
	for try := 0; ; try++ {
		if ctx.Err() != nil { // not every speaker looks
			c.fail(ctx, side, context.Cause(ctx))
			return Message{}, false, false
		}
		v := View{Messages: slices.Clip(c.views[to]), Index: len(c.traj), StepsLeft: max(0, c.trial.Limits.MaxSteps-c.steps)}
		if c.trial.Limits.MaxSteps == 0 {
			v.StepsLeft = math.MaxInt
		}
		turn, err := s.Next(ctx, v)
		c.keep(to, side, turn)
		if err != nil {
			c.fail(ctx, side, err)
			return Message{}, false, false
		}
		again, why := EventEmptyAnswer, "no text and no tool call, %d times"
		if turn.Message.HasText() || turn.Message.IsToolCall() {
			last := broken(turn)
			switch {
			case last == nil || c.errorOf(side) != UserFault:
				return turn.Message, turn.Stop, true
			case !last.CutOff:
				c.end(UserFault, &Fault{Kind: string(llm.KindContentFilter), Side: side, Index: len(c.traj),
					Text: fmt.Sprintf("the provider's filter ended the answer (%s): %s", last.Finish, turn.Message.TextOf())})
				return Message{}, false, false
			}
			again, why = EventCutOff, "the answer was cut off at the output limit, %d times\nhint: raise the model's max_tokens"
		}
		if text := refusal(turn); text != "" && again == EventEmptyAnswer {
			c.end(c.errorOf(side), &Fault{Kind: refused, Side: side, Index: len(c.traj), Text: "the model refuses: " + text})
			return Message{}, false, false
		}
		c.events = append(c.events, Event{Kind: again, Side: side, Index: len(c.traj), Text: shorten(turn.Message.TextOf(), longestText)})
		if try == emptyRetries {
			c.end(c.errorOf(side), &Fault{Kind: "speaker", Side: side, Index: len(c.traj), Text: fmt.Sprintf(why, try+1)})
			return Message{}, false, false
		}
	}
}

// broken is the call of a user's message that the output limit or a filter ended before its end, nil for a whole one. What
// comes behind a stop is not missed.
func broken(t Turn) *ModelCall {
	t.Message.Role = domains.RoleUser
	n := len(t.Calls)
	if n == 0 || UserStops(t.Message) || !t.Calls[n-1].CutOff && !llm.Filtered(t.Calls[n-1].Finish) {
		return nil
	}
	return &t.Calls[n-1]
}

// refused is the kind of the fault of a model that answered with a refusal alone.
const refused = "refusal"

// refusal is what the speaker's model gave as its refusal when it was asked last in a turn.
func refusal(t Turn) (text string) {
	for _, c := range t.Calls {
		if c.Role == "agent" || c.Role == "user" {
			text = c.Refusal
		}
	}
	return text
}

// keep files what a turn brought beside its message.
func (c *conversation) keep(to int, side Side, t Turn) {
	c.calls = append(c.calls, sent(t.Calls)...)
	c.events = append(c.events, t.Events...)
	c.steps += t.Steps
	if len(t.Private) > 0 {
		c.views[to] = append(c.views[to], t.Private...)
		c.events = append(c.events, Event{Kind: EventPrivate, Side: side, Index: len(c.traj), Messages: t.Private})
	}
}

// own marks the calls of a message as the side's and makes their ids usable: a missing id, or one that was used
// before, is replaced for good, so that calls and results pair up by id everywhere.
func (c *conversation) own(m *Message, side Side) {
	if m.IsToolCall() {
		m.ToolCalls = append([]ToolCall{}, m.ToolCalls...)
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		call.Requestor = side
		old := call.ID
		for n := i; call.ID == "" || c.ids[call.ID]; n++ {
			call.ID = fmt.Sprintf("call_%d_%d", len(c.traj), n)
		}
		if call.ID != old {
			c.events = append(c.events, Event{Kind: EventCallID, Side: side, Index: len(c.traj),
				Text: fmt.Sprintf("id %q of call %d replaced by %q", old, i, call.ID)})
		}
		c.ids[call.ID] = true
	}
}

// runCalls executes the pending batch in order; a failing call never keeps the next from running.
func (c *conversation) runCalls() int {
	m := c.traj[len(c.traj)-1]
	for _, call := range m.ToolCalls {
		res := c.env.Call(call.Requestor, call)
		if res.Error {
			c.errors++
		}
		c.append(domains.ResultMessage(call, res))
	}
	if m.Role == domains.RoleUser {
		return toUser
	}
	return toAgent
}

// append adds a message to the trajectory and to the views that may see it.
func (c *conversation) append(m Message) {
	i := len(c.traj)
	m.TurnIdx = &i
	m.Timestamp = c.trial.Now().UTC().Format(time.RFC3339Nano)
	c.traj = append(c.traj, m)
	for to, side := range [...]Side{toAgent: AgentSide, toUser: UserSide} {
		if !Visible(m, side) {
			continue
		}
		shown := m
		if m.Side() != side {
			shown.Provider = nil // reasoning is for the side that it came from
		}
		c.views[to] = append(c.views[to], shown)
	}
}

// Visible says whether a side sees a message: its own, the other's words, but none of the other's tool traffic.
func Visible(m Message, side Side) bool {
	return m.Side() == side || (m.Role != domains.RoleTool && !m.IsToolCall())
}

func (c *conversation) record() Record {
	end := c.trial.Now()
	return Record{
		Version: RecordVersion, Key: c.trial.Key, Attempt: c.trial.Attempt, Seed: c.trial.Seed,
		Synthetic: c.trial.Synthetic, Solo: c.trial.User == nil,
		Termination: c.reason, Fault: c.fault, Steps: c.steps, ToolErrors: c.errors,
		Messages: c.traj, Events: c.events, Calls: c.calls,
		Times: Times{Started: c.started.UTC().Format(time.RFC3339Nano), Finished: end.UTC().Format(time.RFC3339Nano),
			Seconds: end.Sub(c.started).Seconds()},
	}
}
