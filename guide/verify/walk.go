package verify

import (
	"cmp"
	"slices"

	"github.com/tauguide/tauguide/guide"
)

// move takes over a request's walk: nodes that were found satisfied are remembered, and the request rests where the walk
// ended. It reports whether the record may authorize anything there: not where it names a node that does not exist, which
// leaves the request at its node, nor where the walk has a gap, which leaves it in front of the gap.
func (a *applying) move(q *Request, t Traversal, passedBefore []string) (whole bool) {
	g := a.rules.Graph
	target := cmp.Or(t.Node, q.Node)
	if len(t.Walk) > 0 && t.Node == "" {
		target = t.Walk[len(t.Walk)-1].Node
	}
	for _, v := range append(slices.Clone(t.Walk), Visit{Node: target}) {
		if _, ok := g.Node(v.Node); !ok {
			a.reject(q.ID, v.Node, "there is no node %q", v.Node)
			return false
		}
	}
	node, passed := target, slices.Clone(q.Passed)
	whole = true
	if a.rules.Walk == Path {
		node, whole = a.follow(q, t.Walk, target, &passed, passedBefore)
	} else {
		for _, v := range t.Walk {
			mark(&passed, v.Node, v.Satisfied && !a.premature(q, v.Node))
		}
	}
	if whole {
		mark(&passed, target, false)
	}
	q.Node, q.Passed = node, passed
	switch n, _ := g.Node(node); {
	case n.Type == guide.Exit:
		q.Status = Done
	case whole && t.Status == Done:
		a.reject(q.ID, target, "it is called done, but %s is no exit", target)
	}
	return whole
}

func mark(passed *[]string, node string, satisfied bool) {
	at := slices.Index(*passed, node)
	switch {
	case satisfied && at < 0:
		*passed = append(*passed, node)
	case !satisfied && at >= 0:
		*passed = slices.Delete(*passed, at, at+1)
	}
}

// follow goes along a walk from where the request was, to the target or to the last node before a gap. A walk may
// start at the recorded node, at the graph's entry, or at any node that was passed before. Between two nodes entries,
// decisions and nodes that were found satisfied may be left out. Nothing is passed that is not satisfied, and an
// authorization is not before its call has succeeded.
func (a *applying) follow(q *Request, walk []Visit, target string, passed *[]string, passedBefore []string) (at string, whole bool) {
	at = q.Node
	may := true // at can be left
	for i, v := range append(slices.Clone(walk), Visit{Node: target}) {
		last := i == len(walk)
		switch {
		case v.Node == at && (i == 0 || last):
		case i == 0 && (v.Node == a.rules.Graph.Entry || slices.Contains(*passed, v.Node)):
		case i == 0 && a.leads(at, v.Node, *passed, passedBefore, false):
		case i > 0 && may && a.leads(at, v.Node, *passed, passedBefore, true):
		default:
			a.gap(q.ID, v.Node, "no way leads from %s to %s past satisfied nodes only", at, v.Node)
			return at, false
		}
		if last {
			break
		}
		if v.Satisfied && a.premature(q, v.Node) {
			n, _ := a.rules.Graph.Node(v.Node)
			a.gap(q.ID, v.Node, "%s is called satisfied, but no call of %s has succeeded", v.Node, n.Tool())
			return v.Node, false
		}
		mark(passed, v.Node, v.Satisfied)
		at, may = v.Node, v.Satisfied || a.structural(v.Node)
	}
	return target, true
}

// premature reports whether a node is an authorization whose call has not succeeded for the request: it is not satisfied
// yet, whatever a verifier says.
func (a *applying) premature(q *Request, node string) bool {
	n, _ := a.rules.Graph.Node(node)
	return n.Type == guide.Authorization && !a.now.Succeeded(n.Tool(), q.Since)
}

// structural reports whether a node asks for nothing by itself.
func (a *applying) structural(id string) bool {
	n, ok := a.rules.Graph.Node(id)
	return ok && (n.Type == guide.Entry || n.Type == guide.Decision)
}

// leads searches a way from one node to another whose nodes in between may be left out. leave says that the first node
// itself was left by the walk; else it too must be one that may be left out.
func (a *applying) leads(from, to string, passed, passedBefore []string, leave bool) bool {
	skip := func(id string) bool {
		return a.structural(id) || slices.Contains(passed, id) || slices.Contains(passedBefore, id)
	}
	if !leave && !skip(from) {
		return false
	}
	seen := map[string]bool{from: true}
	todo := []string{from}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		for _, next := range a.rules.Graph.Next(id) {
			switch {
			case next == to:
				return true
			case !seen[next] && skip(next):
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// passedBefore lists the nodes before the classifier that some request has passed: who the user is, for one, need not be
// found out again for the next request.
func passedBefore(s State, g *guide.Graph) []string {
	if g == nil || g.Classifier() == nil {
		return nil
	}
	shared := g.Reachable(g.Entry, g.Classifier().ID)
	var out []string
	for _, q := range s.Requests {
		for _, id := range q.Passed {
			if shared[id] && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}
