package author

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// ChecksPage is the file, within the folder of a workflow, that says how each node is decided.
const ChecksPage = "authoring/checks.md"

// tried is how often a node was looked at on the way to a change, or right after it; whether its condition was ever seen to
// hold then, and not to hold before.
type tried struct {
	looked     int
	met, unmet bool
}

// tries follows the changes that a workflow lets through, and counts what their conversations say of each node's check.
func (t *trials) tries(b *guide.Bundle) (seen map[site]*tried, due int, err error) {
	c, err := t.checker(b)
	if err != nil {
		return nil, 0, err
	}
	seen = map[site]*tried{}
	for _, w := range t.writes {
		p, _ := c.Authorize(w.trace, w.call, 0)
		if p.Authorizes != w.call.Name {
			continue
		}
		due++
		after := verifying(c.Graph(), p)
		var open []*guide.Node
		for _, n := range passed(c.Graph(), p, after) {
			at := siteOf(n)
			if seen[at] == nil {
				seen[at] = &tried{unmet: n.Type == guide.Decision}
			}
			seen[at].looked++
			seen[at].met = seen[at].met || n != after || w.seen(c, n, p.Intent)
			if !seen[at].unmet {
				open = append(open, n)
			}
		}
		for _, n := range w.unmet(c, open, p.Intent) {
			seen[siteOf(n)].unmet = true
		}
	}
	return seen, due, nil
}

// passed are the nodes on the way to a change that code decides, and the one after it.
func passed(g *guide.Graph, p guide.Position, after *guide.Node) (out []*guide.Node) {
	for _, s := range p.Walk {
		if n, ok := g.Node(s.Node); ok && decidedByCode(n) {
			out = append(out, n)
		}
	}
	if after != nil {
		out = append(out, after)
	}
	return out
}

// unmet are the nodes whose condition did not hold at some time before the change.
func (w *trial) unmet(c *guide.Checker, open []*guide.Node, intent string) (out []*guide.Node) {
	r := w.request(c, intent)
	trace := guide.NewTrace()
	for i := 0; i <= len(w.before) && len(open) > 0; i++ {
		open = slices.DeleteFunc(open, func(n *guide.Node) bool {
			holds := c.Judge(trace, r, n).Holds
			if !holds {
				out = append(out, n)
			}
			return !holds
		})
		if i < len(w.before) {
			trace.Add(w.before[i])
		}
	}
	return out
}

// Share counts the nodes that are judged, and those of them that code decides.
func (d *Draft) Share() (decided, judged int) {
	g, err := guide.Compose(d.Bundle)
	if err != nil {
		return 0, 0 // a draft can be composed
	}
	return g.Share()
}

// checksPage says of each node how it is decided: which checks were dropped and why, which are used and on what they were
// tried, and what is left to a model.
func (w *writing) checksPage(b *guide.Bundle) (string, error) {
	d := w.decided
	seen, due, err := d.trials.tries(b)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	row := func(cells ...string) {
		for _, c := range cells {
			out.WriteString("| " + cell.Replace(strings.TrimSpace(c)) + " ")
		}
		out.WriteString("|\n")
	}
	table := func(title string, head ...string) {
		fmt.Fprintf(&out, "\n## %s\n\n", title)
		row(head...)
		out.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	}
	decided, judged := w.draft.Share()
	fmt.Fprintf(&out, "# How the workflow of %s is decided by code\n\nOf %d nodes that are judged, code decides %d. ", w.Source.Name, judged, decided)
	if len(d.trials.writes) == 0 {
		out.WriteString("No conversation is known in which a change keeps to the policy, so that no check was tried.\n")
	} else {
		fmt.Fprintf(&out, "Checks were tried on %d changes in %d conversations that keep to the policy; the workflow lets %d of them through.\n",
			len(d.trials.writes), d.trials.traces, due)
	}

	table("Dropped", "file", "node", "what was proposed", "why it is not used")
	slices.SortStableFunc(d.dropped, func(a, b dropped) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.Node, b.Node)) })
	for _, x := range d.dropped {
		row(x.path, x.Node, x.Proposal.String(), x.reason)
	}
	table("Used", "file", "node", "how", "tried on changes", "remark")
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			if !decidedByCode(n) {
				continue
			}
			t, remark := seen[site{f.Path, n.ID}], ""
			switch {
			case t == nil:
				t, remark = &tried{}, "not tried: no change is made by way of this node"
			case !t.met:
				remark = "no conversation shows that it holds once the change is made"
			case !t.unmet:
				remark = "it holds from the first message on: none shows what it withholds"
			}
			row(f.Path, n.ID, proposalOf(n).String(), strconv.Itoa(t.looked), remark)
		}
	}
	table("Left to a model", "file", "node", "why")
	for _, f := range b.Files() {
		why := map[string]string{}
		for _, l := range d.left[f.Path] {
			why[l.Node] = l.Reason
		}
		for _, n := range f.Nodes {
			if n.Type.Evaluated() && !decidedByCode(n) && n.Type != guide.ToolCall && n.Type != guide.Authorization && n != b.Main.Classifier() {
				row(f.Path, n.ID, why[n.ID])
			}
		}
	}
	return out.String(), nil
}

// String is how a node is decided, in a line.
func (p Proposal) String() string {
	var out []string
	code := func(expr string) string { return "`" + strings.Join(strings.Fields(expr), " ") + "`" }
	if p.Check != "" {
		out = append(out, code(p.Check))
	}
	if e := p.Event; e != nil {
		out = append(out, strings.TrimSpace(string(e.Kind)+" "+strings.Join(e.Tools, ", ")))
		if e.Pattern != "" {
			out = append(out, code(e.Pattern))
		}
	}
	for _, label := range slices.Sorted(maps.Keys(p.Branches)) {
		out = append(out, label+": "+code(p.Branches[label]))
	}
	return strings.Join(out, " ")
}
