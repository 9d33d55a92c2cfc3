// Package checks offers the facts and rules of each domain's policy (guide/policy) to the checks of workflows: as facts,
// as helper functions, and as the argument of a mutating tool that names the record. README.md documents the language.
package checks

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// vocabularies lists the domains; each has a file of its own.
func vocabularies() []vocabulary {
	return []vocabulary{
		{"airline", airlineVocabulary}, {"mock", mockVocabulary}, {"retail", retailVocabulary}, {"telecom", telecomVocabulary},
	}
}

type vocabulary struct {
	domain string
	make   func() guide.Vocabulary
}

// For returns the vocabulary of a domain.
func For(domain string) (guide.Vocabulary, error) {
	var names []string
	for _, v := range vocabularies() {
		if v.domain == domain {
			return v.make(), nil
		}
		names = append(names, v.domain)
	}
	return guide.Vocabulary{}, fmt.Errorf("no vocabulary of checks for domain %q\nhint: there is one for %s", domain, strings.Join(names, ", "))
}

// requestOf reads the variable request of a check.
func requestOf(v ref.Val) policy.Request {
	r := policy.RecordOf(v.Value())
	args := r["grounded_values"]
	if v, ok := args.(ref.Val); ok {
		args = v.Value()
	}
	return policy.Request{Intent: r.Text("intent"), Target: r.Text("target"), Args: policy.RecordOf(args)}
}

// texts is a list as facts have it, of what its elements print.
func texts[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = fmt.Sprint(v)
	}
	return out
}
