package audit

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tauguide/tauguide/domains/value"
)

// Print lists the gold changes that are not authorized when they are due, for people.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %d of %d gold changes authorized when due (%.1f %%), in %d of %d tasks\n",
		r.Domain, r.Authorized, r.Changes, 100*r.Share(), r.Changing, r.Tasks)
	a := r.Added
	fmt.Fprintf(out, "  added: %d questions, %d answers, %d summaries, %d consents, %d reads, %d device steps\n",
		a.Questions, a.Answers, a.Summaries, a.Consents, a.Reads, a.Device)
	for _, list := range []struct {
		title   string
		changes []Change
	}{{"withheld", r.Misses}, {"authorized again after it was made", r.Again}, {"authorized, but it fails", r.Failed}} {
		for _, c := range list.changes {
			fmt.Fprintf(out, "  %s: task %s, action %d %s%s\n", list.title, c.Task, c.Action, c.Tool, string(value.AppendDump(nil, c.Arguments, value.Declared)))
			printStop(out, c.Stop)
			if c.Result != "" {
				fmt.Fprintf(out, "    the tool says: %s\n", c.Result)
			}
		}
	}
	for _, x := range r.Problems {
		fmt.Fprintf(out, "  task %s cannot be completed: %s\n", x.Task, x.Error)
	}
}

func printStop(out io.Writer, s Stop) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(out, "    %s: %s\n", name, strings.Join(strings.Fields(text), " "))
		}
	}
	line("rests at", s.Node)
	line("not met", s.Condition)
	line("check", s.Check)
	line("because", s.Note)
}

// Print lists the forbidden calls and whether each is withheld, for people.
func (r *ForbiddenReport) Print(out io.Writer) error {
	fmt.Fprintln(out, "forbidden calls, when everything was read and the user claims and agrees to everything:")
	for _, kind := range []string{Policy, Selection} {
		n := r.Counts[kind]
		fmt.Fprintf(out, "  %s: %d of %d withheld", kind, n.Withheld, n.Calls)
		if n.OnWord > 0 {
			fmt.Fprintf(out, "; %d of these would be due to a user whose word the policy takes for a reason", n.OnWord)
		}
		fmt.Fprintln(out)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  task\tkind\ttool\twithheld\ttried\trests at\targuments")
	for _, c := range r.Calls {
		said := "no"
		switch {
		case c.Withheld && c.OnWord:
			said = "yes, but on word"
		case c.Withheld:
			said = "yes"
		}
		node := c.Node
		if !c.Withheld {
			node = "–"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%d\t%s\t%s\n", c.Task, c.Kind, c.Tool, said, c.Variants, node, value.Clip(c.Arguments, 80))
	}
	return t.Flush()
}
