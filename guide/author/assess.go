package author

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// Outcome is what a workflow makes of an example's change.
type Outcome string

// The outcomes. What only a model could judge is undecided, unless one was asked.
const (
	LetThrough Outcome = "let through"
	Withheld   Outcome = "withheld"
	Undecided  Outcome = "undecided"
)

// Who decides about examples.
const (
	byCode      = "code"      // what the nodes' checks, events and tools say
	byStructure = "structure" // a yes that has to come after the reads, and did not come
	byModel     = "model"
)

// Assessment is an example with what the workflow makes of it.
type Assessment struct {
	*Example
	Outcome Outcome
	By      string
	Node    string // at which it is withheld, or which nobody has decided
	Why     string
}

// TooStrict reports whether a change in keeping with the policy is withheld.
func (a Assessment) TooStrict() bool { return a.Compliant && a.Outcome == Withheld }

// Leaks reports whether a change against the policy is let through.
func (a Assessment) Leaks() bool { return !a.Compliant && a.Outcome == LetThrough }

// assess puts the examples to the finished workflow.
func (w *writing) assess(ctx context.Context) error {
	if !w.Examples {
		return nil
	}
	b := w.bundle()
	g, err := guide.Compose(b)
	if err != nil {
		return err
	}
	c, err := guide.NewChecker(g, w.Source.Inventory, w.Source.Vocabulary)
	if err != nil {
		return err
	}
	var judge func(context.Context, *Assessment) error
	if w.JudgeExamples {
		if judge, err = w.judge(b); err != nil {
			return err
		}
	}
	for _, e := range w.examples {
		a := e.assess(c)
		if a.Outcome == Undecided && judge != nil {
			if err := judge(ctx, &a); err != nil {
				return err
			}
		}
		w.draft.Examples = append(w.draft.Examples, a)
	}
	return nil
}

// assess has code decide as far as it can.
func (e *Example) assess(c *guide.Checker) Assessment {
	t := guide.NewTrace(e.Messages[:e.call.Index]...)
	since := 0
	if before := t.LastOK(e.Tool); before != nil {
		since = before.Index + 1
	}
	p, ok := c.Authorize(t, e.call.ToolCall(), since)
	if !ok {
		return Assessment{e, Withheld, byCode, "", "no node authorizes " + e.Tool}
	}
	due := p.Authorizes == e.Tool
	if rests := p.Unmet(); !due && rests.Decided {
		n, ok := c.Graph().Node(rests.Node)
		switch {
		case ok && n.OnlyIf != "" && n.Check == "":
			return Assessment{e, Undecided, "", n.ID, "only a model can judge whether the call is needed"}
		case ok && rests.Note == "":
			rests.Note = n.SatisfiedWhen
		}
		return Assessment{e, Withheld, byCode, rests.Node, rests.Note}
	}
	open := slices.IndexFunc(p.Walk, func(s guide.Step) bool { return !s.Decided })
	if due && open < 0 {
		return Assessment{e, LetThrough, byCode, p.Node, ""}
	}
	if n := unconfirmed(c.Graph(), p.Node, t); due && n != nil {
		return Assessment{e, Withheld, byStructure, n.ID, "the user has said nothing since the data was read"}
	}
	return Assessment{e, Undecided, "", p.Walk[max(open, 0)].Node, "only a model can judge the node"}
}

// unconfirmed is a node of the user's that every way to an authorization passes after everything is read, if the user has
// said nothing since then; nil otherwise, and where code can decide the node.
func unconfirmed(g *guide.Graph, authorization string, t *guide.Trace) *guide.Node {
	at := slices.IndexFunc(g.Nodes, func(n *guide.Node) bool { return n.ID == authorization })
	if at < 0 {
		return nil
	}
	var confirms *guide.Node
	read := -1 // the message at which the last of the reads was first made
	idom := g.Dominators()
	for j := idom[at]; j >= 0; j = idom[j] {
		n := g.Nodes[j]
		switch {
		case n.Type == guide.ToolCall && n.OnlyIf == "":
			if first := firstOK(t, n.Tools); first != nil {
				read = max(read, first.Index)
			}
		case n.Type == guide.UserInput && read < 0 && !g.Decidable(n):
			confirms = n
		}
	}
	if read < 0 || slices.ContainsFunc(t.User, func(s guide.Said) bool { return s.Index > read }) {
		return nil
	}
	return confirms
}

// firstOK is the first successful call of one of the tools.
func firstOK(t *guide.Trace, tools []string) *guide.Call {
	for _, c := range t.Calls {
		if c.OK && slices.Contains(tools, c.Name) {
			return c
		}
	}
	return nil
}

// judge has the writing model read along as a verifier with a strict gate. A call that the firing after its interception
// finds due is let through.
func (w *writing) judge(b *guide.Bundle) (func(context.Context, *Assessment) error, error) {
	workflow, err := verify.OfBundle(w.Source.World, b)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, a *Assessment) error {
		w.doing = "examples of " + a.Authorization + ", " + a.Name
		w.Log(w.doing + ": asking " + w.Model.Name)
		v, err := workflow.Verifier(verify.ByModel, w.Model.Verifier(verify.Role), false, 0)
		if err != nil {
			return err
		}
		rules := workflow.Rules(false)
		r, err := verify.NewSession(v, rules, verify.Strict, false).Replay(ctx, a.Messages[:a.call.Index+1])
		w.draft.Calls = append(w.draft.Calls, r.Calls...)
		if err != nil {
			return fmt.Errorf("%s: %w", w.doing, err)
		}
		if failed := (sim.Record{Events: r.Events}).Oversight(); failed.Failed > 0 {
			a.Why = "the verifier failed: " + failed.Cause
			return nil
		}
		for _, change := range r.Changes {
			if change.Message == a.call.Index && a.call.Is(domains.ToolCall{Name: change.Tool, Arguments: change.Arguments}) {
				a.By, a.Why, a.Outcome, a.Node = byModel, "", LetThrough, a.Authorization
				if change.Verdict != verify.Due && !change.Repeated {
					a.Outcome, a.Why, a.Node = Withheld, change.Why, resting(r.Events)
				}
			}
		}
		return nil
	}, nil
}

// resting is the node at which the last request was left by the last firing.
func resting(events []sim.Event) (node string) {
	for _, e := range events {
		if s, ok := e.Data["after"].(verify.State); ok && len(s.Requests) > 0 {
			node = s.Requests[len(s.Requests)-1].Node
		}
	}
	return node
}

// ExamplesPage is the file of a workflow's folder that says what the workflow makes of its examples.
const ExamplesPage = "examples.md"

// examplesPage lists what the workflow makes of each example.
func (w *writing) examplesPage() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# What the workflow of %s makes of examples\n\nIn short: %s.\n\n", w.Source.Name, Tally(w.draft.Examples))
	out.WriteString("The model that wrote the workflow made these conversations up, from the policy alone: they tell where the two do not agree,\nand not which is right. What is undecided is not counted as right.\n\n")
	out.WriteString("| authorization | tool | compliant | let through | withheld | undecided | violating | withheld | let through | undecided |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, node := range w.illustrated {
		fmt.Fprintf(&out, "| %s | %s |", node.id, node.tool)
		for _, compliant := range []bool{true, false} {
			count := func(o Outcome) int {
				return tally(w.draft.Examples, func(a Assessment) bool {
					return a.Authorization == node.id && a.Compliant == compliant && (o == "" || a.Outcome == o)
				})
			}
			order := []Outcome{"", LetThrough, Withheld, Undecided}
			if !compliant {
				order = []Outcome{"", Withheld, LetThrough, Undecided}
			}
			for _, o := range order {
				fmt.Fprintf(&out, " %d |", count(o))
			}
		}
		out.WriteString("\n")
	}
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	if len(w.spoilt) > 0 {
		out.WriteString("\n## Left out, since they could not be used\n\n")
		for _, line := range w.spoilt {
			fmt.Fprintf(&out, "- %s\n", strings.ReplaceAll(line, "\n", " "))
		}
	}
	for _, part := range []struct {
		title string
		has   func(Assessment) bool
	}{
		{"Too strict: in keeping with the policy, and withheld", Assessment.TooStrict},
		{"Leaks: against the policy, and let through", Assessment.Leaks},
		{"Undecided", func(a Assessment) bool { return a.Outcome == Undecided }},
		{"As it should be", func(a Assessment) bool { return a.Outcome != Undecided && !a.TooStrict() && !a.Leaks() }},
	} {
		if tally(w.draft.Examples, part.has) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n\n| conversation | breaks | what it shows | node | decided by | why |\n|---|---|---|---|---|---|\n", part.title)
		for _, a := range w.draft.Examples {
			if part.has(a) {
				fmt.Fprintf(&out, "| [%s %s](%s) | %s | %s | %s | %s | %s |\n", a.Authorization, a.Name, a.Path(), cell.Replace(strings.Join(a.Breaks, ", ")),
					cell.Replace(a.Example.Why), a.Node, a.By, cell.Replace(a.Why))
			}
		}
	}
	return out.String()
}

func tally(list []Assessment, has func(Assessment) bool) (n int) {
	for _, a := range list {
		if has(a) {
			n++
		}
	}
	return n
}

// Tally sums the examples up in a line.
func Tally(list []Assessment) string {
	part := func(compliant bool, name, wrong string, right, bad Outcome) string {
		count := func(o Outcome) int {
			return tally(list, func(a Assessment) bool { return a.Compliant == compliant && a.Outcome == o })
		}
		all := tally(list, func(a Assessment) bool { return a.Compliant == compliant })
		return fmt.Sprintf("of %d %s examples %d are %s, %d %s (%s), %d undecided", all, name, count(right), right, count(bad), bad, wrong, count(Undecided))
	}
	return part(true, "compliant", "too strict", LetThrough, Withheld) + "; " + part(false, "violating", "leaks", Withheld, LetThrough)
}
