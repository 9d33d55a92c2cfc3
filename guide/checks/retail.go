package checks

import "github.com/tauguide/tauguide/guide"

// retail is the vocabulary of the retail domain.
func retail() guide.Vocabulary { return guide.Vocabulary{} }
