package toolguard

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

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

// Print lists the rules, each with what a call must fulfil, and the gold calls that they refuse, for people.
func (r Listing) Print(out io.Writer) error {
	var b strings.Builder
	behaviour := "our own guards"
	switch {
	case r.Published && r.Gold.Release:
		behaviour = "the guards as released"
	case r.Published:
		behaviour = "the released guards with their faults mended"
	}
	fmt.Fprintf(&b, "%s: %s, %d rules; the moment of every call is %s\n", r.Domain, behaviour, len(r.Rules), r.Now)
	for _, rule := range r.Rules {
		fmt.Fprintf(&b, "  %s: %s (%s), reads %s\n    %s\n", rule.ID, rule.Tool, cmp.Or(strings.Join(rule.Requirements, ", "), "no requirement"),
			cmp.Or(strings.Join(rule.Reads, ", "), "nothing"), rule.Text)
	}
	g := r.Gold
	fmt.Fprintf(&b, "  gold plans: %d of %d changes refused (%.1f %%), in %d of %d tasks that change something\n",
		g.Blocked, g.Calls, 100*g.Share(), g.BlockedTasks, g.Changing)
	if g.Failing > 0 {
		fmt.Fprintf(&b, "  the tools themselves refuse %d of the changes, %d of them among these\n", g.Failing, g.AlsoFailing)
	}
	for _, m := range g.Misses {
		fmt.Fprintf(&b, "  refused: task %s, action %d %s%s\n    %s: %s\n", m.Task, m.Action, m.Tool, value.Clip(m.Arguments, 120), m.Rule, m.Message)
	}
	fmt.Fprintln(&b)
	_, err := io.WriteString(out, b.String())
	return err
}
