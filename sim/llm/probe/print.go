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
	for _, r := range results {
		state := "ok"
		switch {
		case !r.OK():
			state = "FAILED"
		case !r.Asked:
			state = "not asked"
		}
		fmt.Fprintf(&b, "%-8s %s (%s): %s", r.Role, r.Name, r.Model, state)
		if r.Asked {
			fmt.Fprintf(&b, ", %.1f s, %s + %s tokens, $%s", r.Seconds, r.Usage.PromptTokens, r.Usage.CompletionTokens, dollars(r.Cost))
		}
		b.WriteByte('\n')
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "  %s: %s\n", f.Severity, quoteless(f.Text))
			if f.Fix != "" {
				fmt.Fprintf(&b, "    -> %s\n", quoteless(f.Fix))
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
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
