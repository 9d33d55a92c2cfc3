package guide

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Context is what a bundle is validated against. Parts that are zero are not looked at.
type Context struct {
	Inventory  Inventory
	Vocabulary Vocabulary
	Catalog    *Catalog
	Documents  Documents // policy texts, for the catalog's line references
}

// Validate checks a bundle (docs/reference/guide.md#validation). It returns every finding, sorted by place; the
// bundle can be used if none is an error. What Load rejects never comes here.
func Validate(b *Bundle, ctx Context) Findings {
	v := &validator{bundle: b, ctx: ctx}
	for _, f := range b.Files() {
		v.file(f)
	}
	if b.Main != nil {
		v.intents(b.Main)
	}
	v.unused()
	g, err := Compose(b)
	if err != nil {
		v.merge(err)
	} else {
		v.graph(g)
		v.checks(g)
	}
	v.policy()
	return v.found.sorted()
}

type validator struct {
	bundle *Bundle
	ctx    Context
	found  Findings
}

func (v *validator) add(f Finding) { v.found = append(v.found, f) }

// merge adds what composing or compiling found, apart from what was found at the same place before.
func (v *validator) merge(err error) {
	var more Findings
	if !errors.As(err, &more) {
		v.add(Finding{Code: "check-compile", Severity: Error, File: mainFile, Text: err.Error(), Mend: "correct the domain's vocabulary"})
		return
	}
	before := v.found
	for _, f := range more {
		if !slices.ContainsFunc(before, func(g Finding) bool { return g.Code == f.Code && g.File == f.File && g.Line == f.Line }) {
			v.add(f)
		}
	}
}

// at adds an error about a node.
func (v *validator) at(n *Node, key, code, text, mend string) {
	v.atLine(n, n.line(key), code, text, mend)
}

func (v *validator) atLine(n *Node, line int, code, text, mend string) {
	v.add(Finding{Code: code, Severity: Error, File: n.File, Line: line, Node: n.Local, Text: text, Mend: mend})
}

func (v *validator) inFile(f *File, key, code, text, mend string) {
	v.add(Finding{Code: code, Severity: Error, File: f.Path, Line: f.Line[key], Text: text, Mend: mend})
}

var idPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (v *validator) file(f *File) {
	if f != v.bundle.Main && f.ID != "" && f.ID != f.Name() {
		v.inFile(f, "id", "file-id", fmt.Sprintf("the file's id is %q but its name is %q", f.ID, f.Name()), "make them equal; anchors go by the name")
	}
	if f != v.bundle.Main && f.Name() == "main" {
		v.inFile(f, "id", "file-id", "main is the name of the main file", "rename the subflow")
	}
	if f.ID != "" && !idPattern.MatchString(f.ID) {
		v.inFile(f, "id", "bad-id", fmt.Sprintf("%q is no id", f.ID), "use lower-case letters, digits and _, beginning with a letter")
	}
	first := map[string]*Node{}
	for _, n := range f.Nodes {
		if n.ID == "" {
			v.at(n, "", "missing-key", "the node has no id", "add it")
			continue
		}
		if !idPattern.MatchString(n.ID) {
			v.at(n, "id", "bad-id", fmt.Sprintf("%q is no id", n.ID), "use lower-case letters, digits and _, beginning with a letter")
		}
		if old := first[n.ID]; old != nil {
			v.at(n, "id", "duplicate-id", fmt.Sprintf("the id is also used on line %d", old.Line), "rename one of the two")
		} else {
			first[n.ID] = n
		}
		v.node(n)
		v.edges(n, f)
	}
	v.ends(f)
}

// ends checks the file's entry and exits against its nodes.
func (v *validator) ends(f *File) {
	for _, n := range f.Nodes {
		switch {
		case n.Type == Entry && n.ID != f.Entry:
			v.at(n, "type", "bad-entry", fmt.Sprintf("an entry node, but the file's entry is %q", f.Entry), "keep exactly one entry node and name it as the entry")
		case n.Type == Exit && !slices.Contains(f.Exits, n.ID):
			v.at(n, "type", "bad-exit", "an exit node that the file's exits do not list", "add it to exits")
		}
	}
	if n, ok := f.Node(f.Entry); f.Entry != "" && (!ok || n.Type != Entry) {
		v.inFile(f, "entry", "bad-entry", fmt.Sprintf("entry %q is no entry node", f.Entry), "name the file's node of type entry")
	}
	for _, id := range f.Exits {
		if n, ok := f.Node(id); !ok || n.Type != Exit {
			v.inFile(f, "exits", "bad-exit", fmt.Sprintf("%q is listed as an exit but is no exit node", id), "add a node {id: "+id+", type: exit}, or take it off the list")
		}
	}
	if f.Line["exits"] > 0 && len(f.Exits) == 0 {
		v.inFile(f, "exits", "bad-exit", "the file has no exit", "list at least one")
	}
}

// fieldRule is which types want a field, and which may have it.
type fieldRule struct {
	key            string
	needed, option func(Type) bool
}

func oneOf(types ...Type) func(Type) bool {
	return func(t Type) bool { return slices.Contains(types, t) }
}

func never(Type) bool { return false }

func fieldRules() []fieldRule {
	return []fieldRule{
		{"actor", Type.Evaluated, oneOf(Anchor)},
		{"action", Type.Evaluated, oneOf(Anchor)},
		{"expect", Type.Evaluated, never},
		{"satisfied_when", Type.Evaluated, never},
		{"remediation", Type.Evaluated, never},
		{"policy", never, Type.Evaluated},
		{"check", never, Type.Evaluated},
		{"event", never, oneOf(AgentAction, UserInput, ToolCall, Decision)},
		{"subflow", oneOf(Anchor), never},
		{"tool", oneOf(Authorization), oneOf(ToolCall)},
		{"tools", never, oneOf(ToolCall)},
		{"only_if", never, oneOf(ToolCall)},
	}
}

func (v *validator) node(n *Node) {
	if n.Keys["type"] == 0 {
		v.at(n, "", "missing-key", "the node has no type", "add it")
		return
	}
	if !slices.Contains(Types(), n.Type) {
		var names []string
		for _, t := range Types() {
			names = append(names, string(t))
		}
		v.at(n, "type", "bad-type", fmt.Sprintf("there is no node type %q", n.Type), yamlfile.Suggest(string(n.Type), names))
		return
	}
	for _, r := range fieldRules() {
		_, has := n.Keys[r.key]
		switch {
		case r.needed(n.Type) && !has:
			v.at(n, "", "missing-key", fmt.Sprintf("a node of type %s needs %s", n.Type, r.key), "add it")
		case has && !r.needed(n.Type) && !r.option(n.Type):
			v.at(n, r.key, "stray-key", fmt.Sprintf("a node of type %s has no %s", n.Type, r.key), "remove it")
		}
	}
	if n.Actor != "" && !slices.Contains([]Actor{ByAgent, ByUser, ByRuntime}, n.Actor) {
		v.at(n, "actor", "bad-actor", fmt.Sprintf("there is no actor %q", n.Actor), yamlfile.Suggest(string(n.Actor), []string{"agent", "user", "runtime"}))
	}
	if n.Event != nil && n.Check != "" {
		v.at(n, "event", "bad-event", "the node has a check, so its event is never looked at", "keep one of the two")
	}
	if e := n.Event; e != nil && (e.Kind == AgentCalled || e.Kind == CallOK) && len(e.Tools)+len(n.Tools) == 0 {
		v.at(n, "event", "bad-event", fmt.Sprintf("%s of which tool?", e.Kind), fmt.Sprintf("write {%s: TOOL}", e.Kind))
	}
	v.tools(n)
}

func (v *validator) tools(n *Node) {
	_, one := n.Keys["tool"]
	_, many := n.Keys["tools"]
	if n.Type == ToolCall && one == many {
		v.at(n, "tool", "missing-key", "a tool_call names one tool, or alternatives", "write either tool or tools")
	}
	in := v.ctx.Inventory
	if in.Agent == nil {
		return
	}
	known := func(name, key string) *domains.Tool {
		t, ok := in.Agent.Tool(name)
		if ok {
			return t
		}
		if _, users := in.User.Tool(name); users {
			v.at(n, key, "user-tool", fmt.Sprintf("%s is a tool of the user's device; the agent cannot call it", name), "make this an agent_action that instructs the user")
		} else {
			v.at(n, key, "unknown-tool", fmt.Sprintf("the agent has no tool %q", name), yamlfile.Suggest(name, in.names()))
		}
		return nil
	}
	key := "tool"
	if many {
		key = "tools"
	}
	for _, name := range n.Tools {
		t := known(name, key)
		switch {
		case t == nil:
		case n.Type == ToolCall && t.Kind == domains.Write:
			v.at(n, key, "tool-kind", fmt.Sprintf("%s mutates, a tool_call must not", name), "make the node a tool_authorization, followed by an agent_action that verifies the result")
		case n.Type == Authorization && t.Kind != domains.Write:
			v.at(n, key, "tool-kind", fmt.Sprintf("%s does not mutate and needs no authorization", name), "make the node a tool_call")
		}
	}
	if n.Event != nil {
		for _, name := range n.Event.Tools {
			known(name, "event")
		}
	}
}

func (v *validator) edges(n *Node, f *File) {
	arity := func(want string) {
		v.at(n, "edges", "edge-arity", fmt.Sprintf("a node of type %s has %d edges", n.Type, len(n.Edges)), "give it "+want)
	}
	switch {
	case !slices.Contains(Types(), n.Type):
		return
	case n.Type == Exit:
		if len(n.Edges) > 0 {
			arity("none")
		}
	case n.Type == Decision:
		if len(n.Edges) < 2 {
			arity("at least two branches, or make it another type")
		}
	case len(n.Edges) != 1:
		arity("exactly one, when: satisfied")
	}
	labels := map[string]bool{}
	for _, e := range n.Edges {
		bad := func(code, text, mend string) { v.atLine(n, e.Line, code, text, mend) }
		if e.To == "" || e.When == "" {
			bad("missing-key", "the edge lacks to or when", "write {to: NODE, when: LABEL}")
		} else if _, ok := f.Node(e.To); !ok {
			bad("unknown-target", fmt.Sprintf("the edge leads to %q, which is not in this file", e.To), yamlfile.Suggest(e.To, nodeIDs(f)))
		}
		if n.Type != Decision {
			if e.When != Satisfied && e.When != "" {
				bad("edge-label", fmt.Sprintf("the edge has label %q", e.When), "write when: satisfied; only a decision's edges have other labels")
			}
			if e.Describe != "" || e.Check != "" {
				bad("edge-label", "only a decision's edges have describe or check", "move it to the node, or make the node a decision")
			}
			continue
		}
		if labels[e.When] {
			bad("edge-label", fmt.Sprintf("two branches have the label %q", e.When), "give each branch its own")
		}
		labels[e.When] = true
	}
}

func nodeIDs(f *File) []string {
	var out []string
	for _, n := range f.Nodes {
		out = append(out, n.ID)
	}
	return out
}

// unused reports subflows that no file on the way from main uses.
func (v *validator) unused() {
	used := v.bundle.Used()
	for _, f := range v.bundle.Subflows {
		if !used[f.Name()] {
			v.add(Finding{Code: "unused-subflow", Severity: Warning, File: f.Path, Line: f.Line["id"],
				Text: "nothing uses this subflow", Mend: "add an anchor for it, or delete the file"})
		}
	}
}

// checks compiles every expression. Each file's node is compiled once, however often the file is used; subflows that
// nothing uses are left out.
func (v *validator) checks(g *Graph) {
	c, err := NewChecker(g, v.ctx.Inventory, v.ctx.Vocabulary)
	if err != nil {
		v.merge(err)
	}
	if c != nil {
		var found Findings
		for _, n := range g.Nodes {
			found = append(found, c.constants(n)...)
		}
		v.merge(found)
	}
}

// policy checks the catalog and the nodes' references to it.
func (v *validator) policy() {
	c := v.ctx.Catalog
	v.places()
	if c == nil {
		return
	}
	if c.Domain != v.bundle.Domain {
		v.add(Finding{Code: "catalog-domain", Severity: Error, File: c.Path, Text: fmt.Sprintf("the catalog is for domain %q", c.Domain), Mend: "use the catalog of " + v.bundle.Domain})
	}
	v.found = append(v.found, c.checkLines(v.ctx.Documents)...)
	var ids []string
	for _, r := range c.Rows {
		ids = append(ids, r.ID)
	}
	enforced := map[string]bool{}
	for _, f := range v.bundle.Files() {
		for _, n := range f.Nodes {
			for i, id := range n.Policy {
				if _, err := ParseSpan(id); err == nil {
					continue
				}
				if _, ok := c.Row(id); !ok {
					v.at(n, "policy", "unknown-row", fmt.Sprintf("the catalog has no row %q", id), yamlfile.Suggest(id, ids))
				}
				if slices.Contains(n.Policy[:i], id) {
					v.at(n, "policy", "unknown-row", fmt.Sprintf("row %s is named twice", id), "name it once")
				}
				enforced[id] = true
			}
		}
	}
	for _, r := range c.Rows {
		if r.ID != "" && !enforced[r.ID] {
			v.add(Finding{Code: "row-without-node", Severity: Error, File: c.Path, Line: r.Line,
				Text: fmt.Sprintf("no node enforces row %s (%s)", r.ID, strings.TrimSuffix(r.Text, ".")), Mend: "name it in the policy of the node that does, or add one"})
		}
	}
}

// places checks the lines of documents that nodes name in place of rows.
func (v *validator) places() {
	files := v.ctx.Documents[Beside]
	if files == nil {
		files = map[string]string{}
		for _, source := range v.ctx.Documents {
			maps.Copy(files, source)
		}
	}
	if len(files) == 0 {
		return
	}
	for _, f := range v.bundle.Files() {
		for _, n := range f.Nodes {
			for _, ref := range n.Policy {
				span, err := ParseSpan(ref)
				if err != nil {
					continue
				}
				if text, mend := span.absent("the policy", files); text != "" {
					v.at(n, "policy", "policy-lines", span.String()+" "+text, mend)
				}
			}
		}
	}
}

// Enforcers maps each row of a catalog to the flat ids of the nodes that enforce it, in the order of the graph.
func (g *Graph) Enforcers() map[string][]string {
	out := map[string][]string{}
	for _, n := range g.Nodes {
		for _, id := range n.Policy {
			out[id] = append(out[id], n.ID)
		}
	}
	return out
}
