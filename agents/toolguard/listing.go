package toolguard

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Listing is a domain's guards, and what they do to its gold plans.
type Listing struct {
	Domain    string  `json:"domain"`
	Published bool    `json:"published"`
	Now       string  `json:"now"`
	Rules     []Rule  `json:"rules"`
	Gold      *Report `json:"gold"`
}

// List replays the gold plans of the tasks with the guards.
func (s Set) List(ctx context.Context, w *domains.World, tasks []*domains.Task) (Listing, error) {
	gold, err := s.Gold(ctx, w, tasks)
	if err != nil {
		return Listing{}, err
	}
	return Listing{Domain: w.Name, Published: Published(w.Name), Now: s.Now().Format("2006-01-02T15:04:05"), Rules: s.Rules(), Gold: gold}, nil
}

// Print lists the rules and the gold calls that they refuse, for people.
func (r Listing) Print(out io.Writer) error {
	behaviour := "our own guards"
	switch {
	case r.Published && r.Gold.Release:
		behaviour = "the guards as released"
	case r.Published:
		behaviour = "the released guards with their faults mended"
	}
	fmt.Fprintf(out, "%s: %s, %d rules; the moment of every call is %s\n", r.Domain, behaviour, len(r.Rules), r.Now)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  rule\ttool\trequirements\treads\ta call must fulfil")
	for _, rule := range r.Rules {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", rule.ID, rule.Tool, cmp.Or(strings.Join(rule.Requirements, ", "), "–"), cmp.Or(strings.Join(rule.Reads, ", "), "–"), rule.Text)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	g := r.Gold
	fmt.Fprintf(out, "  gold plans: %d of %d changes refused (%.1f %%), in %d of %d tasks that change something\n",
		g.Blocked, g.Calls, 100*g.Share(), g.BlockedTasks, g.Changing)
	if g.Failing > 0 {
		fmt.Fprintf(out, "  the tools themselves refuse %d of the changes, %d of them among these\n", g.Failing, g.AlsoFailing)
	}
	for _, m := range g.Misses {
		fmt.Fprintf(out, "  refused: task %s, action %d %s%s\n    %s: %s\n", m.Task, m.Action, m.Tool, value.Clip(m.Arguments, 120), m.Rule, m.Message)
	}
	fmt.Fprintln(out)
	return nil
}
