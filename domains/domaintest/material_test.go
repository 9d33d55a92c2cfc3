package domaintest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// newChooser makes the choices of which a sequence of calls consists.
func newChooser(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// material is what calls are made of: the arguments of gold plans, the values in the databases, and junk.
type material struct {
	world  *domains.World
	tools  []string                 // of both sides, and some that nobody has
	golds  map[string][]value.Value // whole argument objects by tool
	params map[string][]string      // names of parameters by tool
	values map[string][]value.Value // values by the name of a parameter or of a member in a database
}

// maxKept bounds the values that are kept of one name; the first ones of a large database stand for all.
const maxKept = 400

// mine collects the material of a world. Collections are in a fixed order, so that a seed always means the same calls.
func mine(w *domains.World) *material {
	m := &material{world: w, golds: map[string][]value.Value{}, params: map[string][]string{}, values: map[string][]value.Value{}}
	for _, k := range []*domains.Kit{w.Agent, w.User} {
		if k == nil {
			continue
		}
		for _, t := range k.Tools {
			m.tools = append(m.tools, t.Spec.Name)
			m.params[t.Spec.Name] = paramNames(t.Spec)
		}
		for i, f := range k.Funcs {
			if i < 3 {
				m.tools = append(m.tools, f.Name) // out of a model's reach, and to stay so
			}
		}
	}
	m.tools = append(m.tools, "no_such_tool", "")
	for i := range w.Tasks {
		if c := w.Tasks[i].Criteria; c != nil {
			for _, a := range c.Actions {
				m.golds[a.Name] = append(m.golds[a.Name], a.Arguments)
				m.collect("", a.Arguments)
			}
		}
	}
	agent, user := w.Fresh()
	for _, db := range []domains.Database{agent, user} {
		if db != nil {
			m.collect("", db.Value())
		}
	}
	return m
}

func paramNames(s domains.ToolSpec) (names []string) {
	schema, err := value.Parse(s.Parameters)
	if err != nil {
		return nil
	}
	m, _ := schema.Map()
	props, _ := m.Get("properties")
	p, _ := props.Map()
	for name := range p.All() {
		names = append(names, name)
	}
	return names
}

// collect files a value, and everything in it, under the names of the members that lead to it; the keys of a table
// count as values of its own name.
func (m *material) collect(name string, v value.Value) {
	if len(m.values[name]) < maxKept {
		m.values[name] = append(m.values[name], v)
	}
	if items, ok := v.Items(); ok {
		for _, x := range items {
			m.collect(name, x)
		}
	}
	if o, ok := v.Map(); ok {
		for k, x := range o.All() {
			m.collect(name, value.OfString(k))
			m.collect(k, x)
		}
	}
}

// junk are values that no schema asks for.
var junk = []value.Value{
	{}, value.OfBool(true), value.OfBool(false), value.OfInt(0), value.OfInt(-1), value.OfInt(math.MaxInt64),
	value.OfFloat(0.5), value.OfFloat(math.Copysign(0, -1)), value.OfFloat(1e300), value.OfFloat(7), value.OfString(""), value.OfString(" "),
	value.OfString("'\"\\\n\u2028é😀"), value.OfString("#W0000000"), value.OfString("None"), value.OfString("1_0"),
	value.OfString(strings.Repeat("9", 400)), value.OfList(nil), value.OfList([]value.Value{{}}), value.OfStrings([]string{"a", "a"}),
	value.OfMap(nil), value.OfMap(value.MapOf(value.Pair{Key: "id", Value: value.OfInt(1)})),
	value.OfList([]value.Value{value.OfMap(nil), value.OfInt(2)}),
}

// step draws the next call: mostly what a task's own gold plan does next, else any tool with arguments of any kind.
func (m *material) step(c *rand.Rand, plan []domains.Action) (domains.Side, domains.ToolCall) {
	if len(plan) > 0 && c.IntN(3) > 0 {
		a := plan[c.IntN(len(plan))]
		call := a.Call()
		if c.IntN(4) == 0 {
			call.Arguments = m.spoilt(c, call.Name, call.Arguments)
		}
		return a.Requestor, call
	}
	name := m.tools[c.IntN(len(m.tools))]
	side := domains.AgentSide
	if _, users := m.world.User.Tool(name); users != (c.IntN(12) == 0) {
		side = domains.UserSide
	}
	if c.IntN(60) == 0 {
		side = "judge"
	}
	call := domains.ToolCall{Name: name, Arguments: m.arguments(c, name), Requestor: side}
	if c.IntN(60) == 0 {
		call.Arguments, call.Malformed, call.Reason = value.Value{}, `{"cut`, "it ends early"
	}
	return side, call
}

func (m *material) arguments(c *rand.Rand, tool string) value.Value {
	if golds := m.golds[tool]; len(golds) > 0 && c.IntN(2) == 0 {
		args := golds[c.IntN(len(golds))]
		if c.IntN(2) == 0 {
			args = m.spoilt(c, tool, args)
		}
		return args
	}
	args := &value.Map{}
	for _, p := range m.params[tool] {
		if c.IntN(16) > 0 {
			args.Set(p, m.fitting(c, p))
		}
	}
	if c.IntN(16) == 0 {
		args.Set([]string{"requestor", "self", "tool_name", "extra", ""}[c.IntN(5)], m.any(c))
	}
	return value.OfMap(args)
}

// spoilt returns arguments with one of them exchanged.
func (m *material) spoilt(c *rand.Rand, tool string, args value.Value) value.Value {
	names := m.params[tool]
	if len(names) == 0 {
		return args
	}
	name := names[c.IntN(len(names))]
	return value.Merge(args, value.OfMap(value.MapOf(value.Pair{Key: name, Value: m.fitting(c, name)})))
}

// fitting draws a value for a parameter: mostly one of its name, or of a member in a database with a similar one.
func (m *material) fitting(c *rand.Rand, param string) value.Value {
	if c.IntN(5) == 0 {
		return m.any(c)
	}
	for name := param; name != ""; {
		one, plural := strings.CutSuffix(name, "s")
		known := slices.Concat(m.values[name], m.values[one])
		if len(known) > 0 {
			v := known[c.IntN(len(known))]
			if _, isText := v.Text(); isText && plural && c.IntN(3) > 0 {
				return value.OfList([]value.Value{v})
			}
			return v
		}
		_, name, _ = strings.Cut(name, "_") // new_item_ids is like item_ids
	}
	return m.any(c)
}

// any draws junk, or a value of the world in a place where it does not belong.
func (m *material) any(c *rand.Rand) value.Value {
	if c.IntN(3) > 0 {
		return junk[c.IntN(len(junk))]
	}
	if all := m.values[""]; len(all) > 0 {
		return all[c.IntN(len(all))]
	}
	return value.Value{}
}
