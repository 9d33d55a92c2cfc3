package guide

import (
	"encoding/json"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Trace is a conversation as checks see it: the agent's calls with their results, and what was said. It holds only
// what the agent saw. It grows by Add and is used from one goroutine.
type Trace struct {
	Calls []*Call
	User  []Said
	Agent []Said

	length  int // messages added
	turn    int // texts of the user so far
	pending []*Call
	byTool  map[string][]*Call
	cache   *view
	derived map[any]any
}

// Call is one call with what came of it.
type Call struct {
	Name   string
	Args   *value.Map
	Result value.Value // parsed JSON, or the text as a string; null until the result is there
	OK     bool        // the result is there and is not an error
	Done   bool        // the result is there
	Turn   int         // texts of the user before it
	Index  int         // of the message in the conversation, from 0

	id        string
	plain     any
	celArgs   ref.Val
	celResult ref.Val
}

// Said is one text.
type Said struct {
	Text  string
	Turn  int    // texts of the user up to and including it
	Index int    // of the message in the conversation, from 0
	Act   string // act tag of a scripted user, "" if there is none: request, inform, consent, refuse, report
}

// ActField is the member of Message.Provider under which scripted users tag their texts. Agents and model-judged
// verifiers never see it.
const ActField = "act"

// NewTrace starts a trace with the messages given.
func NewTrace(msgs ...domains.Message) *Trace {
	t := &Trace{byTool: map[string][]*Call{}}
	t.Add(msgs...)
	return t
}

// Len is the number of messages that were added.
func (t *Trace) Len() int { return t.length }

// Turn is the number of texts of the user so far.
func (t *Trace) Turn() int { return t.turn }

// Add appends messages in the order of the conversation. System and developer messages count but say nothing.
func (t *Trace) Add(msgs ...domains.Message) {
	for _, m := range msgs {
		t.add(m)
		t.length++
	}
	t.cache, t.derived = nil, nil
}

func (t *Trace) add(m domains.Message) {
	switch m.Role {
	case domains.RoleUser, domains.RoleAssistant:
		if m.HasText() && len(m.ToolCalls) == 0 { // what is said beside a call, the other side never hears
			t.say(m)
		}
		for _, c := range m.ToolCalls {
			t.call(m, c)
		}
	case domains.RoleTool:
		t.result(m)
	}
}

func (t *Trace) say(m domains.Message) {
	if m.Role == domains.RoleUser {
		t.turn++
	}
	s := Said{Text: m.TextOf(), Turn: t.turn, Index: t.length}
	if m.Role == domains.RoleAssistant {
		t.Agent = append(t.Agent, s)
		return
	}
	if raw, ok := m.Provider[ActField]; ok && json.Unmarshal(raw, &s.Act) != nil {
		s.Act = ""
	}
	t.User = append(t.User, s)
}

func (t *Trace) call(m domains.Message, tc domains.ToolCall) {
	c := &Call{Name: tc.Name, Args: tc.ArgumentsMap(), Turn: t.turn, Index: t.length, id: tc.ID, celResult: types.NullValue}
	c.celArgs = celValue(value.OfMap(c.Args))
	t.pending = append(t.pending, c)
	if m.Role == domains.RoleUser {
		return
	}
	t.Calls = append(t.Calls, c)
	t.byTool[c.Name] = append(t.byTool[c.Name], c)
}

// result files a result with the oldest call of that id that waits for one.
func (t *Trace) result(m domains.Message) {
	for i, c := range t.pending {
		if c.id != m.ID {
			continue
		}
		t.pending = append(t.pending[:i:i], t.pending[i+1:]...)
		c.Done, c.OK = true, !m.Error
		text := m.TextOf()
		v, err := value.ParseString(text)
		if err != nil {
			v = value.OfString(text)
		}
		c.Result, c.plain = v, Native(v)
		c.celResult = types.DefaultTypeAdapter.NativeToValue(c.plain)
		return
	}
}

// Derived returns what a vocabulary works out from the whole trace, such as all records that results have shown. work runs
// once for each key and length of the trace. The key must be comparable and belong to the caller alone, as a context's
// do; what is returned is shared, and must not be changed.
func (t *Trace) Derived(key any, work func() any) any {
	if v, ok := t.derived[key]; ok {
		return v
	}
	v := work()
	if t.derived == nil {
		t.derived = map[any]any{}
	}
	t.derived[key] = v
	return v
}

// CallsOf returns the agent's calls of a tool in order.
func (t *Trace) CallsOf(tool string) []*Call { return t.byTool[tool] }

// LastOK returns the agent's latest successful call of a tool, nil if there is none.
func (t *Trace) LastOK(tool string) *Call {
	calls := t.byTool[tool]
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].OK {
			return calls[i]
		}
	}
	return nil
}

// Arg returns an argument of the call as text, "" if it is absent or no string.
func (c *Call) Arg(name string) string {
	v, _ := c.Args.Get(name)
	s, _ := v.Text()
	return s
}

// ToolCall is the call as it was made.
func (c *Call) ToolCall() domains.ToolCall {
	return domains.ToolCall{Name: c.Name, Arguments: value.OfMap(c.Args), Requestor: domains.AgentSide}
}

// Is reports whether the call is of the same tool with the same arguments.
func (c *Call) Is(other domains.ToolCall) bool {
	return c.Name == other.Name && value.Equal(value.OfMap(c.Args), value.OfMap(other.ArgumentsMap()))
}

// Plain is Native(c.Result), made once when the result came. It is shared, and must not be changed.
func (c *Call) Plain() any { return c.plain }

// Native returns a JSON value as plain Go: nil, bool, int64, float64, string, []any, map[string]any. Facts are built
// from such values. Integers beyond 64 bits become floats.
func Native(v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		b, _ := v.Bool()
		return b
	case value.Int:
		if i, ok := v.Int64(); ok {
			return i
		}
		f, _ := v.Float64()
		return f
	case value.Float:
		f, _ := v.Float64()
		return f
	case value.String:
		s, _ := v.Text()
		return s
	case value.List:
		items, _ := v.Items()
		out := make([]any, len(items))
		for i, item := range items {
			out[i] = Native(item)
		}
		return out
	case value.Object:
		m, _ := v.Map()
		out := make(map[string]any, m.Len())
		for k, item := range m.All() {
			out[k] = Native(item)
		}
		return out
	}
	return nil
}

func celValue(v value.Value) ref.Val { return types.DefaultTypeAdapter.NativeToValue(Native(v)) }

// view is what the CEL variables of a trace are, made once per length.
type view struct {
	calls, user, agent, facts ref.Val
	factsOf                   *Checker
}

func (t *Trace) view() *view {
	if t.cache != nil {
		return t.cache
	}
	calls := func(list []*Call) ref.Val {
		out := make([]ref.Val, len(list))
		for i, c := range list {
			out[i] = types.DefaultTypeAdapter.NativeToValue(map[string]any{
				"name": c.Name, "args": c.celArgs, "ok": c.OK, "result": c.celResult, "turn": c.Turn, "index": c.Index,
			})
		}
		return types.DefaultTypeAdapter.NativeToValue(out)
	}
	said := func(list []Said) ref.Val {
		out := make([]ref.Val, len(list))
		for i, s := range list {
			out[i] = types.DefaultTypeAdapter.NativeToValue(map[string]any{"text": s.Text, "turn": s.Turn, "index": s.Index})
		}
		return types.DefaultTypeAdapter.NativeToValue(out)
	}
	t.cache = &view{calls: calls(t.Calls), user: said(t.User), agent: said(t.Agent)}
	return t.cache
}

// mentions reports whether the text holds all the words, whatever their case. No words are never mentioned.
func mentions(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if w == "" || !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return len(words) > 0
}
