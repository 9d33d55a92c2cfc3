package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// PDL is a procedure description in the language of FlowAgent (docs/reference/baselines.md#flowagent).
type PDL struct {
	Name      string
	Desc      string
	APIs      []PDLTool
	Slots     []PDLEntry
	Answers   []PDLEntry
	Procedure string // pseudo-code, one function per file; never executed
}

// PDLTool is one tool with the tools that must have been called before it.
type PDLTool struct {
	Name          string
	Request       []string // parameters in the order of the tool's schema
	Preconditions []string // in the order of the tools
}

// PDLEntry is a named slot or answer.
type PDLEntry struct{ Name, Desc string }

// FreeReply is the answer for everything that the procedure does not foresee.
const FreeReply = "free_reply"

// CompilePDL compiles a workflow bundle into the procedure description language of FlowAgent, without any model, for the agent's tools, in their order. Every tool is listed, because the
// dependency controller refuses what it does not know.
func CompilePDL(b *guide.Bundle, tools []domains.ToolSpec) (*PDL, error) {
	g, err := guide.Compose(b)
	if err != nil {
		return nil, fmt.Errorf("pdl: %w", err)
	}
	d := &PDL{Name: b.Domain, Desc: b.Main.Title}
	specs := map[string]parameters{}
	var order []string
	for _, t := range tools {
		p, err := parametersOf(t)
		if err != nil {
			return nil, err
		}
		specs[t.Name] = p
		order = append(order, t.Name)
	}
	before := Preconditions(g, order)
	for _, name := range order {
		d.APIs = append(d.APIs, PDLTool{Name: name, Request: specs[name].names, Preconditions: before[name]})
	}
	d.Slots = slots(g, specs)
	w := &pdlWriter{bundle: b, specs: specs, answers: answerNames(g)}
	d.Answers = w.answerList(g)
	d.Procedure = w.procedure()
	return d, nil
}

// Preconditions returns for each tool those that must have been called before it. For a tool
// that the graph authorizes they are the tools without alternatives that every way to each of its places in the graph
// must pass. Other tools only look, so that the order in which one procedure happens to look binds nobody: they wait for
// what one and the same node, such as an identification, asks for before all of their places. What a node asks for only
// sometimes counts for nothing, and a tool without a reachable place waits for nothing. On every way from the entry,
// whoever calls the tools in the order of the graph finds each precondition met, so the dependency controller cannot block
// a compliant run.
func Preconditions(g *guide.Graph, tools []string) map[string][]string {
	idom := g.Dominators()
	reached := g.FromEntry()
	found := map[string]*places{}
	for i, n := range g.Nodes {
		if !isSite(n) || !reached[i] {
			continue
		}
		names, nodes := map[string]bool{}, map[int]bool{}
		for j := idom[i]; j >= 0; j = idom[j] {
			if m := g.Nodes[j]; isSite(m) && m.Tool() != "" && m.OnlyIf == "" {
				names[m.Tool()], nodes[j] = true, true
			}
		}
		for _, t := range n.Tools {
			if found[t] == nil {
				found[t] = newPlaces(names, nodes)
			}
			found[t].add(n.Type, names, nodes)
		}
	}
	out := map[string][]string{}
	for _, t := range tools {
		before := found[t].before(g)
		for _, other := range tools {
			if other != t && before[other] {
				out[t] = append(out[t], other)
			}
		}
	}
	return out
}

// places is what lies before all places of a tool: by the name of the tool called there, and by the very node.
type places struct {
	authorized bool
	names      map[string]bool
	nodes      map[int]bool
}

func newPlaces(names map[string]bool, nodes map[int]bool) *places {
	return &places{names: maps.Clone(names), nodes: maps.Clone(nodes)}
}

func (p *places) add(t guide.Type, names map[string]bool, nodes map[int]bool) {
	p.authorized = p.authorized || t == guide.Authorization
	maps.DeleteFunc(p.names, func(name string, _ bool) bool { return !names[name] })
	maps.DeleteFunc(p.nodes, func(i int, _ bool) bool { return !nodes[i] })
}

// before names the tools that must come first; a tool without places has none.
func (p *places) before(g *guide.Graph) map[string]bool {
	if p == nil {
		return nil
	}
	if p.authorized {
		return p.names
	}
	out := map[string]bool{}
	for i := range p.nodes {
		out[g.Nodes[i].Tool()] = true
	}
	return out
}

func isSite(n *guide.Node) bool { return n.Type == guide.ToolCall || n.Type == guide.Authorization }

// parameters is what the schema of a tool says about its arguments.
type parameters struct {
	names []string
	about map[string]string
}

func parametersOf(t domains.ToolSpec) (parameters, error) {
	p := parameters{about: map[string]string{}}
	v, err := value.Parse(t.Parameters)
	if err != nil {
		return p, fmt.Errorf("pdl: tool %s: its parameter schema is no JSON: %w", t.Name, err)
	}
	schema, _ := v.Map()
	props, _ := schema.Get("properties")
	m, _ := props.Map()
	for name, prop := range m.All() {
		p.names = append(p.names, name)
		fields, _ := prop.Map()
		about, _ := fields.Get("description")
		p.about[name], _ = about.Text()
	}
	return p, nil
}

// slots lists what the user says at user_input nodes, then the parameters of the tools that the graph names; of equal
// names the first stays.
func slots(g *guide.Graph, specs map[string]parameters) []PDLEntry {
	var out []PDLEntry
	add := func(name, desc string) {
		if !slices.ContainsFunc(out, func(e PDLEntry) bool { return e.Name == name }) {
			out = append(out, PDLEntry{name, oneLine(desc)})
		}
	}
	for _, n := range g.Nodes {
		if n.Type == guide.UserInput {
			add(n.Local, n.Expect)
		}
	}
	for _, n := range g.Nodes {
		if !isSite(n) {
			continue
		}
		for _, t := range n.Tools {
			for _, p := range specs[t].names {
				add(p, specs[t].about[p])
			}
		}
	}
	return out
}

// answerNames names the answer of each file's node after its first place in the composed graph. A file that is used
// twice is one function, so its steps have one answer each.
func answerNames(g *guide.Graph) map[[2]string]string {
	out := map[[2]string]string{}
	for _, n := range g.Nodes {
		key := [2]string{n.File, n.Local}
		if _, named := out[key]; !named && speaks(n) {
			out[key] = strings.ReplaceAll(n.ID, ".", "__")
		}
	}
	return out
}

func speaks(n *guide.Node) bool { return n.Type == guide.AgentAction || n.Type == guide.UserInput }
