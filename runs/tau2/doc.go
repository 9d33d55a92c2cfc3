// Package tau2 exchanges runs with τ²-bench: it reads the result files that the reference and its offspring write,
// scores them, takes them over as runs, and writes runs as result files (docs/reference/tau2.md#result-files).
//
// Reading is streaming: one simulation is in memory at a time, the tasks are kept. What a file says beyond the fields
// that we have is kept under extra, and what is unusual about it is counted (Deviation), so that nothing is lost silently. What
// cannot be read at all is an *Error with file, byte offset and JSON path.
package tau2
