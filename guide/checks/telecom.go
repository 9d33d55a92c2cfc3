package checks

import "github.com/tauguide/tauguide/guide"

// telecom is the vocabulary of the telecom domain.
func telecom() guide.Vocabulary { return guide.Vocabulary{} }
