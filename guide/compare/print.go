package compare

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tauguide/tauguide/guide"
)

// Print writes the figures as a table, and then each difference with its nodes in both workflows, for people.
func (r *Report) Print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(what, a, b string) { fmt.Fprintf(t, "%s\t%s\t%s\n", what, a, b) }
	counts := func(what string, n Pair[int], of int) {
		row(what, fmt.Sprintf("%d of %d", n.A, of), fmt.Sprintf("%d of %d", n.B, of))
	}
	fmt.Fprintf(out, "A: %s\nB: %s\n", r.Name.A, r.Name.B)
	row("", "A", "B")
	row("nodes", fmt.Sprint(r.Nodes.A), fmt.Sprint(r.Nodes.B))
	for _, n := range r.Types {
		row("  "+n.Kind, fmt.Sprint(n.A), fmt.Sprint(n.B))
	}
	s := &r.Surface
	counts("mutating tools authorized", Pair[int]{common(s.Authorized.A, s.Mutating), common(s.Authorized.B, s.Mutating)}, len(s.Mutating))
	row("intents", fmt.Sprint(len(s.Intents.A)), fmt.Sprint(len(s.Intents.B)))
	r.printRows(counts)
	r.printGold(row)
	r.printMutations(row)
	r.printJudged(row)
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "what stands before authorizations: precision %.2f, recall %.2f\n", r.Before.Precision, r.Before.Recall)
	if m := r.Mutations; m != nil && m.Writes.A != nil && m.Writes.B != nil {
		fmt.Fprintf(out, "mutants that both withhold: %d, %s of what B withholds\n", m.Both, percent(m.Both, m.Writes.B.Withheld))
	}
	for _, why := range r.Missing {
		fmt.Fprintf(out, "not measured: %s\n", why)
	}
	r.printDifferences(out)
	return nil
}

func (r *Report) printRows(counts func(string, Pair[int], int)) {
	var all Count
	for _, n := range r.Rows {
		all.Of, all.A, all.B = all.Of+n.Of, all.A+n.A, all.B+n.B
	}
	if all.Of == 0 {
		return
	}
	counts("requirements named by nodes", all.Pair, all.Of)
	level := map[string]string{string(guide.ArgumentLevel): "argument", string(guide.ProcessLevel): "process", string(guide.WorkflowLevel): "workflow"}
	for _, n := range r.Rows {
		counts("  "+level[n.Kind]+" level", n.Pair, n.Of)
	}
}

func (r *Report) printGold(row func(what, a, b string)) {
	if r.Gold == nil {
		return
	}
	text := func(n int) string {
		return fmt.Sprintf("%d of %d (%s)", n, r.Gold.Writes, percent(n, r.Gold.Writes))
	}
	row("changes reachable, "+r.Gold.Source, text(r.Gold.Reachable.A), text(r.Gold.Reachable.B))
}

func (r *Report) printMutations(row func(what, a, b string)) {
	if r.Mutations == nil {
		return
	}
	text := func(w *Withheld) string {
		if w == nil {
			return "not decidable without checks"
		}
		return fmt.Sprintf("%d of %d", w.Withheld, w.Mutants)
	}
	row("mutants withheld", text(r.Mutations.Writes.A), text(r.Mutations.Writes.B))
}

func (r *Report) printJudged(row func(what, a, b string)) {
	if r.Judged == nil {
		return
	}
	full := func(x *Reading) string { return fmt.Sprintf("%d of %d", x.Full, len(x.Rows)) }
	who := r.Judged.Model
	if r.Judged.Synthetic {
		who += " (*synthetic*)"
	}
	row("read twice as enforced in full, "+who, full(r.Judged.A), full(r.Judged.B))
	same := func(x *Reading) string {
		if x.Kappa == nil {
			return fmt.Sprintf("%d of %d", x.Same, len(x.Rows))
		}
		return fmt.Sprintf("%d of %d, kappa %.2f", x.Same, len(x.Rows), *x.Kappa)
	}
	row("  both readings alike", same(r.Judged.A), same(r.Judged.B))
}

func (r *Report) printDifferences(out io.Writer) {
	if len(r.Differences) == 0 {
		fmt.Fprintln(out, "no differences")
		return
	}
	fmt.Fprintf(out, "%d differences:\n", len(r.Differences))
	for _, d := range r.Differences {
		fmt.Fprintf(out, "  %s: %s\n", d.Measure, strings.Join(strings.Fields(d.What), " "))
		for _, x := range []struct {
			name  string
			nodes []string
		}{{"A", d.A}, {"B", d.B}} {
			nodes := "no node"
			if len(x.nodes) > 0 {
				nodes = strings.Join(x.nodes, ", ")
			}
			fmt.Fprintf(out, "    %s: %s\n", x.name, nodes)
		}
	}
}

func percent(n, of int) string { return fmt.Sprintf("%.1f %%", 100*share(n, of)) }
