// Package checks offers the facts and rules of each domain's policy (guide/policy) to the checks of workflows: as facts,
// as helper functions, and as the argument of a mutating tool that names the record. README.md documents the language.
package checks

import (
	"fmt"

	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// For returns the vocabulary of a domain; of one that has none of its own, what its tools alone make possible.
func For(w *domains.World) guide.Vocabulary {
	switch w.Name {
	case "airline":
		return airlineVocabulary()
	case "mock":
		return mockVocabulary()
	case "retail":
		return retailVocabulary()
	case "telecom":
		return telecomVocabulary()
	}
	return genericVocabulary(guide.InventoryOf(w))
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
