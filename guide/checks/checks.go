// Package checks holds what each domain adds to the language of checks: its facts, its helper functions, and which
// argument of a mutating tool names the record. README.md documents the language.
package checks

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// table lists the domains; each has a file of its own.
func table() []entry {
	return []entry{
		{"airline", airline}, {"mock", mock}, {"retail", retail}, {"telecom", telecom},
	}
}

type entry struct {
	domain string
	make   func() guide.Vocabulary
}

// For returns the vocabulary of a domain.
func For(domain string) (guide.Vocabulary, error) {
	var names []string
	for _, e := range table() {
		if e.domain == domain {
			return e.make(), nil
		}
		names = append(names, e.domain)
	}
	return guide.Vocabulary{}, fmt.Errorf("no vocabulary of checks for domain %q: there is one for %s", domain, strings.Join(names, ", "))
}
