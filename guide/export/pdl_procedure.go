package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

type pdlWriter struct {
	bundle  *guide.Bundle
	specs   map[string]parameters
	answers map[[2]string]string
	text    strings.Builder
}

func (w *pdlWriter) answerList(g *guide.Graph) []PDLEntry {
	var out []PDLEntry
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		name, ok := w.answers[[2]string{n.File, n.Local}]
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		out = append(out, PDLEntry{name, oneLine(n.Remediation)})
	}
	return append(out, PDLEntry{FreeReply, "Answer what the procedure does not foresee, then return to it."})
}

// procedure writes main and then the subflows that the composed graph uses.
func (w *pdlWriter) procedure() string {
	used := w.bundle.Used()
	w.function(w.bundle.Main, "main")
	for _, f := range w.bundle.Subflows {
		if used[f.Name()] {
			w.text.WriteString("\n")
			w.function(f, f.Name())
		}
	}
	return w.text.String()
}

// body writes the steps of one function.
type body struct {
	*pdlWriter
	file    *guide.File
	graph   *guide.Graph
	after   map[string]string // decision → where its branches meet again, "" if nowhere
	written map[string]bool
}

func (w *pdlWriter) function(f *guide.File, name string) {
	fmt.Fprintf(&w.text, "def %s():\n", name)
	if f.Title != "" {
		fmt.Fprintf(&w.text, "    # %s\n", oneLine(f.Title))
	}
	b := &body{pdlWriter: w, file: f, graph: guide.NewGraph(w.bundle.Domain, f.Entry, nil, f.Nodes),
		after: map[string]string{}, written: map[string]bool{}}
	meet := b.graph.PostDominators()
	for i, n := range f.Nodes {
		if n.Type == guide.Decision && meet[i] >= 0 {
			b.after[n.ID] = f.Nodes[meet[i]].ID
		}
	}
	b.steps(f.Entry, nil, 1)
}

func (b *body) line(depth int, format string, args ...any) {
	b.text.WriteString(strings.Repeat("    ", depth))
	fmt.Fprintf(&b.text, format, args...)
	b.text.WriteString("\n")
}

// steps writes from a node on until one of the stops, which the enclosing decisions write after their branches. What
// was written before is only pointed at: that is how loops look, and how branches meet that share their end.
func (b *body) steps(id string, stops []string, depth int) {
	for id != "" {
		switch n, ok := b.graph.Node(id); {
		case slices.Contains(stops, id):
			if id != stops[len(stops)-1] {
				b.line(depth, "# go on with step %s", id)
			}
			return
		case !ok:
			return
		case b.written[id]:
			b.line(depth, "# return to step %s", id)
			return
		default:
			b.written[id] = n.Type != guide.Exit
			b.step(n, depth)
			if n.Type == guide.Decision {
				id = b.branches(n, stops, depth)
				continue
			}
			id = n.Next()
		}
	}
}

// branches writes a decision and returns the node with which the procedure goes on after it.
func (b *body) branches(n *guide.Node, stops []string, depth int) string {
	meet := b.after[n.ID]
	inner := stops
	if meet != "" {
		inner = append(slices.Clip(stops), meet)
	}
	for i, e := range n.Edges {
		word := "elif"
		if i == 0 {
			word = "if"
		}
		condition := e.When
		if e.Describe != "" {
			condition += ": " + oneLine(e.Describe)
		}
		b.line(depth, "%s [%s]:", word, condition)
		mark := b.text.Len()
		b.steps(e.To, inner, depth+1)
		if b.text.Len() == mark {
			b.line(depth+1, "pass")
		}
	}
	return meet
}

func (b *body) step(n *guide.Node, depth int) {
	answer := b.answers[[2]string{n.File, n.Local}]
	switch n.Type {
	case guide.Exit:
		b.line(depth, "return %q", n.ID)
	case guide.Entry:
	case guide.Anchor:
		b.line(depth, "%s()  # step %s", n.Subflow, n.ID)
	case guide.Decision:
		b.line(depth, "# step %s: %s", n.ID, oneLine(n.Action))
	case guide.AgentAction:
		b.line(depth, "# step %s: %s Done when: %s", n.ID, oneLine(n.Expect), oneLine(n.SatisfiedWhen))
		b.line(depth, "ANSWER_%s()", answer)
	case guide.UserInput:
		b.line(depth, "# step %s: %s Done when: %s", n.ID, oneLine(n.Expect), oneLine(n.SatisfiedWhen))
		b.line(depth, "%s = ANSWER_%s()", n.Local, answer)
	case guide.ToolCall:
		b.line(depth, "# step %s", n.ID)
		if n.OnlyIf != "" {
			b.line(depth, "if [%s]:", oneLine(n.OnlyIf))
			depth++
		}
		b.line(depth, "result = %s", b.calls(n))
	case guide.Authorization:
		b.line(depth, "# step %s: %s Only if: %s", n.ID, oneLine(n.Action), oneLine(n.Expect))
		b.line(depth, "result = %s", b.calls(n))
	}
}

func (b *body) calls(n *guide.Node) string {
	var out []string
	for _, t := range n.Tools {
		out = append(out, fmt.Sprintf("API_%s(%s)", t, strings.Join(b.specs[t].names, ", ")))
	}
	return strings.Join(out, " or ")
}
