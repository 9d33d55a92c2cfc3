package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// Print lists what was found, for people.
func (r Report) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %d gold actions replayed, %d fail, %d tasks broken\n", r.Domain, r.Actions, len(r.Failing), len(r.Broken))
	for _, s := range r.Splits {
		fmt.Fprintf(out, "  split %-6s %4d tasks: %d PV, %d Mut", s.Name, s.Tasks, s.PV, s.Mut)
		if n := len(s.Missing); n > 0 {
			fmt.Fprintf(out, "; %d more that the split lists are neither in tasks.json nor in %s", n, domains.SplitFile(s.Name))
		}
		fmt.Fprintln(out)
	}
	for _, f := range r.Failing {
		fmt.Fprintf(out, "  task %s, gold action %d %s (%s): %s\n", f.Task, f.Action, f.Name, f.Kind, f.Error)
	}
	for _, b := range r.Broken {
		fmt.Fprintf(out, "  task %s is broken: %s\n", b.Task, b.Error)
	}
	for _, u := range r.Unreached {
		fmt.Fprintf(out, "  task %s: the gold plan alone does not reach %s\n", u.Task, u.Error)
	}
	printLints(out, r.Lints)
}

// printLints prints findings about the data, those that read alike together with the tasks that have them.
func printLints(out io.Writer, lints []Lint) {
	const most = 8
	type like struct {
		kind       LintKind
		field, why string
	}
	tasks := map[like][]string{}
	var order []like
	for _, l := range lints {
		k := like{l.Kind, l.Field, l.Why}
		if tasks[k] == nil {
			order = append(order, k)
		}
		tasks[k] = append(tasks[k], l.Task)
	}
	for _, k := range order {
		list := tasks[k]
		where := k.field
		if list[0] != "" {
			shown := list[:min(len(list), most)]
			where = fmt.Sprintf("%d tasks (%s", len(list), strings.Join(shown, ", "))
			if len(list) > most {
				where += ", …; --json lists all"
			}
			where += "), " + k.field
		}
		fmt.Fprintf(out, "  %s: %s: %s\n", k.kind, where, k.why)
	}
}
