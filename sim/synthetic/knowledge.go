package synthetic

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// transferTool passes a user on to a person, by the same name in every domain.
const transferTool = "transfer_to_human_agents"

// knowledge is what the scripts know of a domain beyond its data. Every field may be empty: a domain without any still
// runs, with mistakes that need no knowledge of it.
type knowledge struct {
	// identity names what the agent asks a caller for.
	identity string
	// identifies lists the reads by which a caller is looked up.
	identifies []string
	// lookUp makes such a read from what the task says, for gold plans that have none.
	lookUp func(s Input, e *domains.Env) []domains.ToolCall
	// grounds lists the reads that must come before a change: what they show decides whether it is allowed.
	grounds func(p *plan, c domains.ToolCall) []domains.ToolCall
	// caution is a reminder that goes with the question for consent, ending with a full stop and a space.
	caution func(p *plan, c domains.ToolCall) string
	// slips lists plausible wrong versions of a change's arguments.
	slips func(e *domains.Env, c domains.ToolCall) []value.Value
	// forbidden lists changes of the caller's own records that a careless agent might grant, most plausible first.
	forbidden func(s Input, e *domains.Env, user string) []domains.ToolCall
	// look names the user's tool that shows whether the trouble of a task is there; empty if its device has none.
	look func(s Input) string
	// chained lists pairs of steps of which the second only works after the first.
	chained [][2]string
	// phrases says what some of the user's tools are in words; topics finds them in the words of others.
	phrases map[string]string
	topics  []topic
}

// knowledgeOf returns the knowledge of a domain, an empty one for domains that have none.
func knowledgeOf(domain string) knowledge {
	switch domain {
	case "retail":
		return retailKnowledge
	case "airline":
		return airlineKnowledge
	case "telecom":
		return telecomKnowledge
	case "mock":
		return mockKnowledge
	}
	return knowledge{identity: "your name, and the number or address under which we know you"}
}

// phrase says in words what one of the user's calls does.
func (t knowledge) phrase(c domains.ToolCall) string {
	p, ok := t.phrases[c.Name]
	if !ok {
		return describe(c)
	}
	return fill(p, c)
}

var slot = regexp.MustCompile(`\{(\w+)\}`)

// fill puts arguments into the slots of a phrase.
func fill(p string, c domains.ToolCall) string {
	m := c.ArgumentsMap()
	return slot.ReplaceAllStringFunc(p, func(s string) string {
		v, ok := m.Get(s[1 : len(s)-1])
		if !ok {
			return "any"
		}
		return plain(v)
	})
}

// instruct is how the scripted agent tells a user to make a call.
func (t knowledge) instruct(c domains.ToolCall) string { return deviceLead + t.phrase(c) + deviceTail }

// ask runs a read of the agent's in an environment and returns its result as data, nil if it failed.
func ask(e *domains.Env, tool string, pairs ...value.Pair) *value.Map {
	res := e.Call(domains.AgentSide, domains.ToolCall{ID: "look", Name: tool, Arguments: value.OfMap(value.MapOf(pairs...)), Requestor: domains.AgentSide})
	if res.Error {
		return nil
	}
	v, _ := value.ParseString(res.Content)
	m, _ := v.Map()
	return m
}

func arg(key, text string) value.Pair { return value.Pair{Key: key, Value: value.OfString(text)} }

// invoke makes a call of the agent's.
func invoke(tool string, pairs ...value.Pair) domains.ToolCall {
	return domains.ToolCall{Name: tool, Arguments: value.OfMap(value.MapOf(pairs...)), Requestor: domains.AgentSide}
}

// reading makes a read whose arguments are those of a change, if it has them all.
func reading(c domains.ToolCall, tool string, keys ...string) []domains.ToolCall {
	var pairs []value.Pair
	for _, k := range keys {
		v, ok := c.ArgumentsMap().Get(k)
		if !ok {
			return nil
		}
		pairs = append(pairs, value.Pair{Key: k, Value: v})
	}
	return []domains.ToolCall{invoke(tool, pairs...)}
}

// textAt follows keys through nested objects to a text.
func textAt(m *value.Map, keys ...string) (string, bool) {
	for i, k := range keys {
		v, ok := m.Get(k)
		if !ok {
			return "", false
		}
		if i == len(keys)-1 {
			return v.Text()
		}
		if m, ok = v.Map(); !ok {
			return "", false
		}
	}
	return "", false
}

// with returns the arguments with one of them replaced.
func with(args *value.Map, key string, v value.Value) value.Value {
	out := &value.Map{}
	for k, x := range args.All() {
		out.Set(k, x)
	}
	out.Set(key, v)
	return value.OfMap(out)
}

// firstArg returns the first text that the gold plan gives under a name.
func firstArg(s Input, key string) (string, bool) {
	for _, a := range s.actions() {
		m, _ := a.Arguments.Map()
		if v, ok := textAt(m, key); ok {
			return v, true
		}
	}
	return "", false
}

// scenario is all that the scenario tells the user.
func scenario(s Input) string { return s.Task.UserScenario.Instructions.Text() }

// instead returns the arguments with one of them replaced by each of the texts, but for the one that it has already.
func instead(args *value.Map, key string, texts []string) []value.Value {
	own, ok := textAt(args, key)
	if !ok {
		return nil
	}
	var out []value.Value
	for _, t := range texts {
		if t != own {
			out = append(out, with(args, key, value.OfString(t)))
		}
	}
	return out
}

// keysOf returns the keys of a member that is an object.
func keysOf(m *value.Map, member string) []string {
	v, _ := m.Get(member)
	o, _ := v.Map()
	var out []string
	for k := range o.All() {
		out = append(out, k)
	}
	return out
}

// objectsOf returns the objects of a member that is a list of them.
func objectsOf(m *value.Map, member string) []*value.Map {
	v, _ := m.Get(member)
	items, _ := v.Items()
	var out []*value.Map
	for _, x := range items {
		o, _ := x.Map()
		out = append(out, o)
	}
	return out
}

// first returns the first object of a member that is a list of them, nil if there is none.
func first(m *value.Map, member string) *value.Map {
	if list := objectsOf(m, member); len(list) > 0 {
		return list[0]
	}
	return nil
}

// namedFirst sorts ids so that those which the scenario names come first.
func namedFirst(s Input, ids []string) []string {
	named, others := []string{}, []string{}
	for _, id := range ids {
		if strings.Contains(scenario(s), id) {
			named = append(named, id)
		} else {
			others = append(others, id)
		}
	}
	return append(named, others...)
}

// listOf returns the texts of a member that is a list of them.
func listOf(m *value.Map, member string) []string {
	v, _ := m.Get(member)
	items, _ := v.Items()
	var out []string
	for _, x := range items {
		if t, ok := x.Text(); ok {
			out = append(out, t)
		}
	}
	return out
}

// identifying reports whether a call looks a caller up.
func (t knowledge) identifying(name string) bool { return slices.Contains(t.identifies, name) }
