package tau2

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// malformed and why are the members of the arguments that stand, in a file, for arguments that were no JSON object.
const (
	malformed    = "malformed_arguments"
	malformedWhy = "malformed_reason"
)

// messages reads a conversation.
func (t *text) messages() ([]domains.Message, error) {
	out := []domains.Message{}
	var bare []bool // tool messages that do not say which call they answer
	err := t.list(func(int) error {
		m, isBare, err := t.message()
		out, bare = append(out, m), append(bare, isBare)
		return err
	})
	if err == nil {
		t.attribute(out, bare)
	}
	return out, err
}

// message reads one message. Keys beyond our fields go to Extra.
func (t *text) message() (m domains.Message, bare bool, err error) {
	var hasID, hasRequestor, hasError bool
	var id, requestor string
	err = t.object(func(name string) (err error) {
		var given bool
		switch name {
		case "role":
			m.Role, err = t.role()
		case "content":
			m.Content, err = t.optional()
		case "tool_calls":
			m.ToolCalls, err = t.calls()
		case "id":
			id, hasID, err = t.id()
		case "requestor":
			requestor, hasRequestor, err = t.str()
		case "error":
			hasError = t.d.PeekKind() != 'n'
			m.Error, err = t.boolean()
		case "turn_idx":
			var n int64
			if n, given, err = t.integer(); given {
				i := int(n)
				m.TurnIdx = &i
			}
		case "timestamp":
			m.Timestamp, _, err = t.str()
		default:
			var v []byte
			if v, err = t.raw(); err == nil {
				keep(&m.Extra, participantFields, name, v, "a message", t.odd)
			}
		}
		return err
	})
	if err != nil {
		return m, false, err
	}
	if m.Role == "" {
		return m, false, t.failf("the message has no role")
	}
	if m.Role == domains.RoleTool {
		m.ID, m.Requestor = id, domains.Side(requestor)
		if !hasError {
			t.odd.add("tool messages without error flag", "taken as errors where they begin with Error:")
			m.Error = strings.HasPrefix(m.TextOf(), "Error:")
		}
		if !hasRequestor {
			m.Requestor = domains.AgentSide
		}
		return m, !hasID, nil
	}
	for i := range m.ToolCalls {
		if m.ToolCalls[i].Requestor == "" {
			m.ToolCalls[i].Requestor = m.Side()
		}
	}
	if hasID {
		t.odd.add("ids of messages that are no tool results", "kept under extra")
		v, _ := json.Marshal(id) // of a string never fails
		if m.Extra == nil {
			m.Extra = map[string]json.RawMessage{}
		}
		m.Extra["id"] = v
	}
	return m, false, nil
}

func (t *text) role() (domains.Role, error) {
	s, _, err := t.str()
	if err != nil {
		return "", err
	}
	switch r := domains.Role(s); r {
	case domains.RoleAssistant, domains.RoleUser, domains.RoleTool, domains.RoleSystem:
		return r, nil
	}
	return "", t.failf("role %q: want assistant, user, tool or system", s)
}

// optional reads a text that may be null.
func (t *text) optional() (*string, error) {
	s, ok, err := t.str()
	if err != nil || !ok {
		return nil, err
	}
	return &s, nil
}

// calls reads the calls of a message; null is none, an empty list is not (spec/core.md, section 2.1).
func (t *text) calls() ([]domains.ToolCall, error) {
	if null, err := t.null(); null || err != nil {
		return nil, err
	}
	out := []domains.ToolCall{}
	err := t.list(func(int) error {
		c, err := t.call()
		out = append(out, c)
		return err
	})
	return out, err
}

func (t *text) call() (c domains.ToolCall, err error) {
	var named, argued bool
	err = t.object(func(name string) (err error) {
		switch name {
		case "id":
			c.ID, _, err = t.id()
		case "name":
			c.Name, named, err = t.str()
		case "arguments":
			argued = true
			var v []byte
			if v, err = t.raw(); err == nil {
				t.arguments(&c, v)
			}
		case "requestor":
			var s string
			s, _, err = t.str()
			c.Requestor = domains.Side(s)
		default:
			var v []byte
			if v, err = t.raw(); err == nil {
				keep(&c.Provider, nil, name, v, "a call", t.odd)
			}
		}
		return err
	})
	switch {
	case err != nil:
		return c, err
	case !named:
		return c, t.failf("the call has no name")
	case !argued:
		t.odd.add("calls without arguments", "read as having none")
		c.Arguments = value.OfMap(nil)
	}
	return c, nil
}

// arguments reads the arguments of a call. What is no object, or cannot be represented, makes the call malformed, as
// it is in a live run.
func (t *text) arguments(c *domains.ToolCall, v []byte) {
	args, err := value.Parse(v)
	m, ok := args.Map()
	switch {
	case err != nil:
		c.Malformed, c.Reason = string(v), err.Error()
	case !ok:
		c.Malformed, c.Reason = string(v), "arguments must be an object"
	default:
		text, isText := textMember(m, malformed)
		reason, isReason := textMember(m, malformedWhy)
		if isText && isReason && m.Len() == 2 {
			c.Malformed, c.Reason = text, reason
			return
		}
		c.Arguments = args
		return
	}
	t.odd.add("calls whose arguments are no usable object", "kept as malformed; such a call reaches no tool")
}

func textMember(m *value.Map, name string) (string, bool) {
	v, _ := m.Get(name)
	return v.Text()
}

// attribute gives tool messages that name no call the ids of the calls before them, in order.
func (t *text) attribute(msgs []domains.Message, bare []bool) {
	var open []domains.ToolCall
	for i := range msgs {
		m := &msgs[i]
		if m.Role != domains.RoleTool {
			open = m.ToolCalls
			continue
		}
		if len(open) == 0 {
			continue
		}
		if bare[i] {
			m.ID, m.Requestor = open[0].ID, open[0].Requestor
			t.odd.add("tool messages without id", "taken as answers to the calls before them, in order")
		}
		open = open[1:]
	}
}

// modelCalls are the requests behind the messages, for sums of tokens and cost. A message whose cost is not known is
// a request whose cost is not known; the greeting is none.
func modelCalls(msgs []domains.Message, agent, user string) []sim.ModelCall {
	var out []sim.ModelCall
	ordinal := map[domains.Role]int{}
	for i, m := range msgs {
		if m.Role != domains.RoleAssistant && m.Role != domains.RoleUser || isGreeting(i, m) {
			continue
		}
		c := sim.ModelCall{Role: "agent", Ordinal: ordinal[m.Role], Index: i, Model: agent}
		if m.Role == domains.RoleUser {
			c.Role, c.Model = "user", user
		}
		ordinal[m.Role]++
		c.Cost = number(m.Extra["cost"])
		c.Usage = usage(m.Extra["usage"])
		if s := number(m.Extra["generation_time_seconds"]); s != nil {
			c.Transport = sim.Transport{Attempts: 1, Seconds: *s, Elapsed: *s}
		}
		out = append(out, c)
	}
	return out
}

// isGreeting reports whether a message is the one that no model spoke.
func isGreeting(i int, m domains.Message) bool {
	return i == 0 && m.Role == domains.RoleAssistant && !m.IsToolCall() && m.Extra["usage"] == nil &&
		(m.TextOf() == domains.Greeting || m.Extra["raw_data"] == nil)
}

func number(raw json.RawMessage) *float64 {
	var f *float64
	if json.Unmarshal(raw, &f) != nil || f == nil || math.IsInf(*f, 0) {
		return nil
	}
	return f
}

// usage reads token counts; what is missing or no number is unknown.
func usage(raw json.RawMessage) llm.Usage {
	var u struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
		Reasoning  json.RawMessage `json:"reasoning_tokens"`
		In         struct {
			Cached json.RawMessage `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Out struct {
			Reasoning json.RawMessage `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return llm.Usage{}
	}
	out := llm.Usage{PromptTokens: count(u.Prompt), CompletionTokens: count(u.Completion), CachedTokens: count(u.In.Cached),
		ReasoningTokens: count(u.Out.Reasoning)}
	if !out.ReasoningTokens.Known {
		out.ReasoningTokens = count(u.Reasoning)
	}
	return out
}

func count(raw json.RawMessage) llm.Count {
	f := number(raw)
	if f == nil || *f < 0 || *f != math.Trunc(*f) || *f > 1<<52 {
		return llm.Count{}
	}
	return llm.Known(int64(*f))
}

// describeCall names a call for a person.
func describeCall(c domains.ToolCall) string { return fmt.Sprintf("%s (id %q)", c.Name, c.ID) }
