package guide

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// The two branches that every classifier has besides its intents.
const (
	General  = "general"  // what the desk does not do
	Transfer = "transfer" // what only a human can do
)

// intents checks that the main file's intents and the classifier's branches are the same, and lead to the same place.
func (v *validator) intents(f *File) {
	decision := f.Classifier()
	if decision == nil {
		v.add(Finding{Code: "no-classifier", Severity: Error, File: f.Path, Line: f.Line["nodes"],
			Text: "the main file has no decision that tells kinds of request apart", Mend: "add a decision node classify with one branch per intent, general and transfer"})
		return
	}
	branches := map[string]Edge{}
	var labels []string
	for _, e := range decision.Edges {
		branches[e.When] = e
		labels = append(labels, e.When)
	}
	known := map[string]bool{General: true, Transfer: true}
	for _, in := range f.Intents {
		known[in.Label] = true
		bad := func(code, text, mend string) { v.atLine(decision, in.Line, code, text, mend) }
		_, isSubflow := v.bundle.Subflow(in.Target)
		target, isNode := f.Node(in.Target)
		if !isSubflow && (!isNode || target.Type != Exit) {
			bad("intent-target", fmt.Sprintf("intent %s leads to %q, which is neither a subflow nor an exit", in.Label, in.Target), "name a subflow file or an exit of main.yaml")
		}
		e, ok := branches[in.Label]
		if !ok {
			bad("intent-branch", fmt.Sprintf("intent %s has no branch", in.Label), yamlfile.Suggest(in.Label, labels))
			continue
		}
		if (isSubflow || isNode) && !leadsWithin(f, e.To, in.Target, decision.ID) {
			bad("intent-target", fmt.Sprintf("the branch of intent %s does not lead to %s", in.Label, in.Target), "correct the branch's edge or the intent")
		}
	}
	for _, e := range decision.Edges {
		if !known[e.When] {
			v.atLine(decision, e.Line, "intent-branch", fmt.Sprintf("branch %s is no intent", e.When), "declare it under intents, or remove it")
		}
	}
	for _, label := range []string{General, Transfer} {
		if _, ok := branches[label]; !ok {
			v.add(Finding{Code: "classifier-branch", Severity: Warning, File: f.Path, Line: decision.line("edges"), Node: decision.ID,
				Text: "the classifier has no branch " + label, Mend: "add it, so that every request has somewhere to go"})
		}
	}
}

// leadsWithin reports whether a node of the file is, or leads to, the anchor of a subflow or the exit of that name,
// without passing the classifier again.
func leadsWithin(f *File, from, target, classifier string) bool {
	seen := map[string]bool{classifier: true}
	todo := []string{from}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n, ok := f.Node(id)
		if seen[id] || !ok {
			continue
		}
		seen[id] = true
		if n.ID == target && n.Type == Exit || n.Type == Anchor && n.Subflow == target {
			return true
		}
		for _, e := range n.Edges {
			todo = append(todo, e.To)
		}
	}
	return false
}

// graph checks what only shows in the composed graph.
func (v *validator) graph(g *Graph) {
	from, to := g.FromEntry(), g.ReachesExit()
	reported := map[[3]string]bool{}
	once := func(n *Node, code string) bool {
		key := [3]string{code, n.File, n.Local}
		first := !reported[key]
		reported[key] = true
		return first
	}
	authorized := map[string]bool{}
	for i, n := range g.Nodes {
		if !from[i] && once(n, "unreachable") {
			v.add(Finding{Code: "unreachable", Severity: Warning, File: n.File, Line: n.Line, Node: n.Local,
				Text: "the entry does not reach this node" + as(n), Mend: "add an edge that leads here, or remove it"})
		}
		if !to[i] && once(n, "no-way-out") {
			v.at(n, "", "no-way-out", "no exit can be reached from this node"+as(n), "add an edge that leads on")
		}
		if n.Type != Authorization {
			continue
		}
		if from[i] {
			for _, t := range n.Tools {
				authorized[t] = true
			}
		}
		if !g.verified(n) && once(n, "no-verify") {
			v.at(n, "", "no-verify", "no agent_action follows this authorization directly", "add a node that makes sure the call succeeded")
		}
	}
	if v.ctx.Inventory.Agent == nil {
		return
	}
	for _, t := range v.ctx.Inventory.Agent.Tools {
		if name := t.Spec.Name; v.ctx.Inventory.Agent.Mutates(name) && !authorized[name] {
			v.add(Finding{Code: "unauthorized-tool", Severity: Warning, File: mainFile,
				Text: fmt.Sprintf("no reachable node authorizes the mutating tool %s", name), Mend: "add an authorization where the policy permits it; if it never does, say so in the documentation"})
		}
	}
}

func (g *Graph) verified(n *Node) bool {
	next := g.Next(n.ID)
	if len(next) != 1 {
		return false
	}
	m, _ := g.Node(next[0])
	return m.Type == AgentAction
}

// as names the flat id where it differs from the local one.
func as(n *Node) string {
	if !strings.Contains(n.ID, ".") {
		return ""
	}
	return " (as " + n.ID + ")"
}
