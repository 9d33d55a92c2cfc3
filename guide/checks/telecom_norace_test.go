//go:build !race

package checks_test

// everyGuided is one: all tasks are led.
const everyGuided = 1
