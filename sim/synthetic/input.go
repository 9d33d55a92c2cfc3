package synthetic

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Script plays one role: it answers the request of its input. It must be a pure function of the input and safe for
// concurrent use. The message's role is filled in for it.
type Script func(ctx context.Context, s Input) (llm.Message, error)

// Input is all that a script may look at. Nothing in it may be written to.
type Input struct {
	World   *domains.World
	Task    *domains.Task
	Request llm.Request
	Config  Config

	plans *plans // those made before; nil for none
}

// Stream is the source of chance for one purpose of this trial. A further sample of an answer has another, so that what goes
// wrong in one may go right in the next; at temperature 0 all samples are alike.
func (s Input) Stream(purpose string) *rand.Rand {
	t := s.Request.Tag
	if n := s.sample(); n > 0 {
		purpose = fmt.Sprintf("%s, sample %d", purpose, n)
	}
	return sim.Stream(t.RunSeed, sim.Key{Domain: t.Domain, System: t.System, Task: t.Task, Trial: t.Trial}, purpose)
}

// sample is which of several answers is asked for, from 0.
func (s Input) sample() int {
	if t := s.Request.Temperature; t != nil && *t <= 0 {
		return 0
	}
	return max(0, s.Request.Tag.Sample)
}

// Chance draws for one purpose of this trial: true with probability p, always the same for the same purpose.
func (s Input) Chance(purpose string, p float64) bool { return s.Stream(purpose).Float64() < p }

// Say is an answer in words.
func Say(text string) llm.Message { return llm.Message{Role: llm.Assistant, Content: &text} }

// actions is the gold plan, nil where the task has none.
func (s Input) actions() []domains.Action {
	if s.Task.Criteria == nil {
		return nil
	}
	return s.Task.Criteria.Actions
}

// offers reports whether the request offers the tool.
func (s Input) offers(tool string) bool {
	return slices.ContainsFunc(s.Request.Tools, func(t llm.Tool) bool { return t.Name == tool })
}

// mutates reports whether a tool of either side changes the world.
func (s Input) mutates(tool string) bool {
	if _, ok := s.World.Agent.Tool(tool); ok {
		return s.World.Agent.Mutates(tool)
	}
	return s.World.User.Mutates(tool)
}

// env opens the task's world as a trial does.
func (s Input) env() (*domains.Env, error) {
	e, err := s.World.New(s.Task)
	if err != nil || s.Task.InitialState == nil {
		return e, err
	}
	_, err = e.Replay(s.Task.InitialState.History, true)
	return e, err
}

// exchange is a call of the side's own with what came back.
type exchange struct {
	call   domains.ToolCall
	at     int    // index of the message with the call
	result string // of the tool
	seen   int    // index of the message with the result, 0 if there is none
}

// failed reports whether the tool refused the call.
func (x exchange) failed() bool { return strings.HasPrefix(x.result, "Error") }

// exchanges pairs the side's own calls with their results.
func exchanges(msgs []llm.Message) []exchange {
	var out []exchange
	open := map[string]int{}
	for i, m := range msgs {
		switch m.Role {
		case llm.Assistant:
			for _, c := range m.ToolCalls {
				open[c.ID] = len(out)
				out = append(out, exchange{call: readCall(c), at: i})
			}
		case llm.ToolRole:
			if k, ok := open[m.ToolCallID]; ok {
				out[k].result, out[k].seen = m.Text(), i
				delete(open, m.ToolCallID)
			}
		}
	}
	return out
}

func readCall(c llm.ToolCall) domains.ToolCall {
	out := domains.ToolCall{ID: c.ID, Name: c.Name, Arguments: value.OfMap(nil)}
	if v, err := value.ParseString(c.Arguments); err == nil && v.Kind() == value.Object {
		out.Arguments = v
	}
	return out
}

// sameCall compares calls by name and arguments; order of keys and spelling of numbers do not matter.
func sameCall(a, b domains.ToolCall) bool {
	return a.Name == b.Name && value.Equal(object(a.Arguments), object(b.Arguments))
}

// object is the value, with no arguments at all as the empty object.
func object(v value.Value) value.Value {
	if v.IsNull() {
		return value.OfMap(nil)
	}
	return v
}

// do is an answer that calls one tool.
func do(id string, c domains.ToolCall) llm.Message {
	return llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: id, Name: c.Name, Arguments: object(c.Arguments).JSON()}}}
}
