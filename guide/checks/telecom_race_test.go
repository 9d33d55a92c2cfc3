//go:build race

package checks_test

// everyGuided thins out the guided tasks where the race detector makes each a dozen times as slow.
const everyGuided = 5
