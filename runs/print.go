package runs

import (
	"fmt"
	"io"
	"strings"

	"github.com/tauguide/tauguide/runs/store"
)

// Print tells how an execution ended, and how to go on.
func (s *Summary) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %d of %d trials evaluable, %d run now, in %s\n",
		s.Dir, s.Evaluable-s.Pending, s.Planned, s.Executed, s.Elapsed.Round(1e7))
	if n := s.Pending - s.NeedsJudge; n > 0 {
		fmt.Fprintf(out, "%d trials wait for the judge\nhint: --resume asks it again; an answer that is recorded comes again, `tauguide score %s --judge MODEL --cassette off` asks it afresh\n", n, s.Dir)
	}
	if s.NeedsJudge > 0 {
		fmt.Fprintf(out, "%d trials need a judge\nhint: name one under judge, then --resume\n", s.NeedsJudge)
	}
	for _, c := range s.Causes {
		fmt.Fprintln(out, causeLine(c))
	}
	var unknown int64
	for _, t := range s.Usage {
		unknown += t.Unknown
	}
	if unknown > 0 {
		fmt.Fprintf(out, "%d calls were refused in words that no row of configs/failures.yaml fits, see the warning above and %s\n", unknown, store.LogName)
	}
	for _, a := range s.Answers {
		a.print(out, s.Dir)
	}
	for _, w := range s.Oversight {
		if w.Failed+w.Reasked+w.Coerced+w.Rejected > 0 {
			fmt.Fprintf(out, "verifier of %s: %s\n", w.System, w.Oversight)
		}
		if w.Unreliable() {
			fmt.Fprintf(out, "warning: these are not the results of an agent with its verifier; it failed e.g. because %s\nhint: `tauguide tables %s --table verifiers` counts by domain, `tauguide show` tells each\n", w.Cause, s.Dir)
		}
	}
	if s.OverBudget > 0 {
		fmt.Fprintf(out, "%d trials reached a budget of limits.conversation and would again\nhint: raise it, then --resume\n", s.OverBudget)
	}
	if s.Stopped != "" {
		fmt.Fprintf(out, "stopped early: %s\n", s.Stopped)
	}
}

// print tells of what kind answers were, and what failed calls cost.
func (a Answers) print(out io.Writer, dir string) {
	var parts []string
	slips := a.Slips()
	for _, s := range slips {
		parts = append(parts, fmt.Sprintf("%d %s", s.Count, s.What))
	}
	if tokens := a.FailedPrompt + a.FailedCompletion; tokens > 0 || a.FailedCost > 0 {
		dollars := "?"
		if d := a.FailedDollars(); d.Defined {
			dollars = fmt.Sprintf("%.4g", d.Value)
		}
		parts = append(parts, fmt.Sprintf("what failed cost %d tokens, $%s", tokens, dollars))
	}
	fmt.Fprintf(out, "%s of %s: %d answers, %s\n", a.Role, a.System, a.Answers(), strings.Join(parts, "; "))
	for _, s := range slips {
		if s.Often {
			fmt.Fprintf(out, "warning: more than 2 %% of the answers of the %s of %s were %s\nhint: %s; `tauguide tables %s --table answers` counts by domain\n",
				a.Role, a.System, s.What, s.Cure, dir)
		}
	}
}

// causeLine names one cause of void attempts.
func causeLine(c Cause) string {
	what := string(c.Reason)
	if c.Fault != "" {
		what += " (" + c.Fault + ")"
	}
	line := fmt.Sprintf("void: %s: %d attempts at %d trials, %d of them still void", what, c.Attempts, c.Trials, c.Void)
	if example, _, _ := strings.Cut(c.Example, "\nhint: "); example != "" {
		line += "; e.g. " + example
	}
	return line
}
