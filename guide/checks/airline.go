package checks

import "github.com/tauguide/tauguide/guide"

// airline is the vocabulary of the airline domain.
func airline() guide.Vocabulary { return guide.Vocabulary{} }
