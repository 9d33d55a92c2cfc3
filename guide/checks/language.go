package checks

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed README.md
var readme string

// Language is what a model is told of the language of checks: its variables, helpers and limits, and the domain's own facts
// and helpers.
func Language(domain string) string {
	sections := strings.Split(readme, "\n## ")[1:]
	title := func(s string) string {
		head, _, _ := strings.Cut(s, "\n")
		return strings.TrimSpace(head)
	}
	own := "Domains without a vocabulary"
	if slices.ContainsFunc(sections, func(s string) bool { return title(s) == domain }) {
		own = domain
	}
	var out strings.Builder
	for _, s := range sections {
		if slices.Contains([]string{"Variables", "Helpers of every domain", "Limits", own}, title(s)) {
			out.WriteString("## " + strings.TrimSpace(s) + "\n\n")
		}
	}
	return out.String()
}
