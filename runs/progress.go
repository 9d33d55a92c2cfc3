package runs

import "os"

// NewReporter shows progress on f: a bar on a terminal, a plain line every few seconds elsewhere. getenv tells CI and NO_COLOR.
func NewReporter(f *os.File, getenv func(string) string) Reporter { return nil }
