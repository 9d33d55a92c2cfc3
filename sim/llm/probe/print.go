package probe

import (
	"fmt"
	"io"
	"strings"
)

// Failures counts the models that cannot be used in their role.
func Failures(results []Result) int {
	n := 0
	for _, r := range results {
		if !r.OK() {
			n++
		}
	}
	return n
}

// Print lists the results, for people.
func Print(out io.Writer, results []Result) error {
	var b strings.Builder
	calls := 0
	for _, r := range results {
		state := "ok"
		switch {
		case !r.OK():
			state = "FAILED"
		case len(r.Calls) == 0:
			state = "not asked"
		}
		fmt.Fprintf(&b, "%-8s %s (%s): %s\n", r.Role, r.Name, r.Model, state)
		for _, c := range r.Calls {
			fmt.Fprintf(&b, "  asked: %s, %.1f s, %s + %s tokens, $%s\n", c.Shape, c.Seconds, c.Usage.PromptTokens, c.Usage.CompletionTokens, dollars(c.Cost))
		}
		calls += len(r.Calls)
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "  %s: %s%s\n", f.Severity, shown(f.Shape), quoteless(f.Text))
			if f.Fix != "" {
				fmt.Fprintf(&b, "    -> %s\n", quoteless(f.Fix))
			}
		}
	}
	fmt.Fprintf(&b, "%d questions were asked\n", calls)
	_, err := io.WriteString(out, b.String())
	return err
}

func shown(shape string) string {
	if shape == "" {
		return ""
	}
	return shape + ": "
}

func dollars(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.4f", *v)
}

// quoteless keeps the text of a provider from steering a terminal.
func quoteless(s string) string {
	q := fmt.Sprintf("%q", s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}
