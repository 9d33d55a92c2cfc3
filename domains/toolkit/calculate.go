package toolkit

import (
	"github.com/tauguide/tauguide/domains"
)

// Calculate is to be written.
func Calculate(v Value) (string, error) { return "", domains.Refusal("calculator") }
