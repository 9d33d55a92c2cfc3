package guide

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/tauguide/tauguide/domains/value"
)

// Checker decides the nodes of one graph by their checks and events. It is safe for concurrent use.
type Checker struct {
	graph      *Graph
	inventory  Inventory
	vocabulary Vocabulary
	programs   map[programKey]cel.Program
	patterns   map[string]*regexp.Regexp // of events
	kinds      map[string]string         // intent → argument that holds its target

	mu     sync.Mutex
	env    *environment
	looked map[programKey]looked // of Facts
}

type programKey struct{ expr, tool string }

// NewChecker compiles every check and event of the graph. The error is a Findings with one finding for each that does
// not compile.
func NewChecker(g *Graph, in Inventory, v Vocabulary) (*Checker, error) {
	env, err := newEnvironment(in, v)
	if err != nil {
		return nil, err
	}
	c := &Checker{graph: g, inventory: in, vocabulary: v, programs: map[programKey]cel.Program{}, patterns: map[string]*regexp.Regexp{},
		kinds: targetKinds(g, v.Targets), env: env, looked: map[programKey]looked{}}
	var found Findings
	for _, n := range g.Nodes {
		found = append(found, c.compileNode(env, n)...)
	}
	return c, found.err()
}

// compileNode compiles what a node has; the findings carry its place in its file.
func (c *Checker) compileNode(env *environment, n *Node) Findings {
	var found Findings
	add := func(expr, tool string, line int, what string) {
		key := programKey{expr, tool}
		if expr == "" || c.programs[key] != nil {
			return
		}
		prg, problems := env.compile(expr, n.File+":"+n.Local, tool)
		for _, p := range problems {
			code, mend := "check-compile", "correct the expression; guide/checks/README.md lists what there is"
			if p.notBool {
				code, mend = "check-type", "make it a condition that is true or false"
			}
			where := ""
			if p.line > 0 || p.column > 0 {
				where = fmt.Sprintf(" at %d:%d of the expression", p.line+1, p.column)
			}
			found = append(found, Finding{Code: code, Severity: Error, File: n.File, Line: line, Node: n.Local,
				Text: what + where + ": " + p.text, Mend: mend})
		}
		if len(problems) == 0 {
			c.programs[key] = prg
		}
	}
	add(n.Check, proposed(n), n.line("check"), "check")
	for _, e := range n.Edges {
		add(e.Check, "", e.Line, "check of branch "+e.When)
	}
	if n.Event != nil && n.Event.Pattern != "" {
		re, err := regexp.Compile(n.Event.Pattern)
		if err != nil {
			return append(found, Finding{Code: "bad-event", Severity: Error, File: n.File, Line: n.line("event"), Node: n.Local,
				Text: fmt.Sprintf("the pattern is no RE2: %v", err), Mend: "correct it"})
		}
		c.patterns[n.Event.Pattern] = re
	}
	return found
}

// proposed is the tool whose call the checks of a node can see, "" if they see none.
func proposed(n *Node) string {
	if n.Type == Authorization {
		return n.Tool()
	}
	return ""
}

// constants finds checks that are the same whatever is said or done: evaluated with nothing known, anything else fails.
func (c *Checker) constants(n *Node) Findings {
	var found Findings
	look := func(expr, tool string, line int, what string) {
		prg, ok := c.programs[programKey{expr, tool}]
		if !ok {
			return
		}
		if out, _, err := prg.Eval(cel.NoVars()); err == nil {
			found = append(found, Finding{Code: "check-constant", Severity: Warning, File: n.File, Line: line, Node: n.Local,
				Text: fmt.Sprintf("%s: it is always %v, whatever happens", what, out.Value()), Mend: "make it depend on the conversation, or drop it"})
		}
	}
	look(n.Check, proposed(n), n.line("check"), "check")
	for _, e := range n.Edges {
		look(e.Check, "", e.Line, "check of branch "+e.When)
	}
	return found
}

// Judge tells whether the condition of a node other than a decision holds for a request, wherever the request stands.
func (c *Checker) Judge(t *Trace, r Request, n *Node) Verdict {
	s := c.bind(t, &r)
	if n.Type == Authorization && n.Check != "" {
		return s.eval(n.Check, n.Tool())
	}
	return s.judge(n)
}

// Graph returns the graph that the checker decides.
func (c *Checker) Graph() *Graph { return c.graph }

// Decidable reports whether code alone can decide a node: it has a check or an event, names a tool, is the classifier
// (decided by the request's intent), or is a decision of whose branches all but at most one have a check.
func (g *Graph) Decidable(n *Node) bool {
	switch {
	case n.Check != "" || n.Event != nil || n.Type == ToolCall || n.Type == Authorization || n == g.Classifier():
		return true
	case n.Type == Decision:
		open := 0
		for _, e := range n.Edges {
			if e.Check == "" {
				open++
			}
		}
		return open <= 1
	}
	return false
}

// Share counts the evaluated nodes of a graph and how many of them code alone can decide.
func (g *Graph) Share() (decidable, evaluated int) {
	for _, n := range g.Nodes {
		if !n.Type.Evaluated() {
			continue
		}
		evaluated++
		if g.Decidable(n) {
			decidable++
		}
	}
	return decidable, evaluated
}

// Verdict is what code says about a condition.
type Verdict struct {
	Holds   bool
	Decided bool   // false: there was nothing to decide by
	Note    string // why it does not hold, where that is more than a plain no: an error of the expression
}

// scope is a trace and a request made ready for expressions.
type scope struct {
	*Checker
	trace *Trace
	req   *Request
	vars  map[string]any // of expressions
}

// bind computes what expressions can see. The facts are computed once for each length of the trace.
func (c *Checker) bind(t *Trace, r *Request) *scope {
	adapt := types.DefaultTypeAdapter.NativeToValue
	view := t.view()
	if view.factsOf != c {
		facts := map[string]any{}
		if c.vocabulary.Facts != nil {
			facts = c.vocabulary.Facts(t)
		}
		view.facts, view.factsOf = adapt(facts), c
	}
	selection := make([]any, len(r.Selection))
	for i, s := range r.Selection {
		selection[i] = s
	}
	name, args := "", (*value.Map)(nil)
	if r.Call != nil {
		name, args = r.Call.Name, r.Call.ArgumentsMap()
	}
	grounded := r.grounded()
	s := &scope{Checker: c, trace: t, req: r, vars: map[string]any{
		traceVar: traceVal{t}, callsVar: view.calls, byUserVar: view.user, byAgentVar: view.agent, factsVar: view.facts,
		requestVar: adapt(map[string]any{"id": r.ID, "intent": r.Intent, "target": r.Target, "selection": selection,
			"grounded_values": celValue(value.OfMap(grounded))}),
		callVar: adapt(map[string]any{"name": name, "args": celValue(value.OfMap(args))}),
		nowVar:  types.Timestamp{Time: c.vocabulary.Now},
	}}
	for of, list := range map[string]*value.Map{groundedVar: grounded, argsVar: args} {
		for name, v := range list.All() {
			s.vars[of+"."+name] = celValue(v)
		}
	}
	return s
}

// eval runs a compiled check. An error of the expression, such as a missing key, means that it does not hold.
func (s *scope) eval(expr, tool string) Verdict {
	prg, ok := s.programs[programKey{expr, tool}]
	if !ok {
		return Verdict{Decided: true, Note: "the check was not compiled"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	out, _, err := prg.ContextEval(ctx, s.vars)
	if err != nil {
		return Verdict{Decided: true, Note: err.Error()}
	}
	return Verdict{Decided: true, Holds: out == types.True}
}

// judge decides a node other than an authorization or a decision.
func (s *scope) judge(n *Node) Verdict {
	switch {
	case n.Check != "":
		return s.eval(n.Check, "")
	case n.Event != nil:
		return Verdict{Decided: true, Holds: s.happened(n, *n.Event)}
	case n.Type == ToolCall:
		return Verdict{Decided: true, Holds: s.happened(n, Event{Kind: CallOK})}
	}
	return Verdict{Holds: true}
}

func (s *scope) happened(n *Node, e Event) bool {
	tools := e.Tools
	if len(tools) == 0 {
		tools = n.Tools
	}
	switch e.Kind {
	case AgentCalled:
		return slices.ContainsFunc(tools, func(t string) bool { return len(s.trace.CallsOf(t)) > 0 })
	case CallOK:
		return slices.ContainsFunc(tools, s.succeeded)
	case UserSaid:
		return said(s.trace.User, s.patterns[e.Pattern])
	case AgentSaid:
		return said(s.trace.Agent, s.patterns[e.Pattern])
	}
	return false
}

func said(texts []Said, re *regexp.Regexp) bool {
	return re != nil && slices.ContainsFunc(texts, func(t Said) bool { return re.MatchString(t.Text) })
}

// succeeded reports whether a tool was called with success. For a mutating tool the call must belong to the request:
// it came after the request was opened and was not about another record of the same kind.
func (s *scope) succeeded(tool string) bool {
	mutates := s.inventory.Agent == nil || s.inventory.Agent.Mutates(tool)
	return slices.ContainsFunc(s.trace.CallsOf(tool), func(c *Call) bool { return c.OK && (!mutates || s.belongs(c)) })
}

func (s *scope) belongs(c *Call) bool {
	switch {
	case c.Index < s.req.Since:
		return false
	case s.req.Call != nil && s.req.Call.Name == c.Name:
		return c.Is(*s.req.Call)
	case s.req.Target == "" || s.vocabulary.Targets[c.Name] == "" || s.vocabulary.Targets[c.Name] != s.targetKind(s.req):
		return true
	}
	return s.target(c.Name, c.Args) == s.req.Target
}
