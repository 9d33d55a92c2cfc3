package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// figures are what was measured, by benchmark and unit, as in "Quickstart cpu-sec".
type figures map[string][]float64

// processors is the number of processors at the end of a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// read takes over a line of Go's benchmarks, and reports whether it was one.
func (f figures) read(line string) bool {
	words := strings.Fields(line)
	if len(words) < 4 || len(words)%2 != 0 || !strings.HasPrefix(line, "Benchmark") {
		return false
	}
	name := processors.ReplaceAllString(strings.TrimPrefix(words[0], "Benchmark"), "")
	for i := 2; i < len(words); i += 2 {
		v, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return false
		}
		key := name + " " + words[i+1]
		f[key] = append(f[key], v)
	}
	return true
}

// of is the median of what was measured, NaN if nothing was.
func (f figures) of(key string) float64 {
	v := slices.Sorted(slices.Values(f[key]))
	if len(v) == 0 {
		return math.NaN()
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// goal is a line of the table.
type goal struct {
	what, unit string
	goal       float64 // at most, or for rates at least; 0 is none
	rate       bool
	figure     func(figures) float64
}

// figure is what was measured as it is, times a factor.
func figure(key string, factor float64) func(figures) float64 {
	return func(f figures) float64 { return f.of(key) * factor }
}

// per is one figure divided by another, times a factor.
func per(a, b string, factor float64) func(figures) float64 {
	return func(f figures) float64 { return f.of(a) / f.of(b) * factor }
}

// row is the line in Markdown. Its last column is the part of the goal that was used up: more than 1 misses it.
func (g goal) row(measurement string, f figures) string {
	v := g.figure(f)
	want, used := "–", "–"
	if g.goal != 0 {
		sign, ratio := "≤ ", v/g.goal
		if g.rate {
			sign, ratio = "≥ ", g.goal/v
		}
		want, used = sign+g.text(g.goal), number(ratio)
	}
	return fmt.Sprintf("| %-12s | %-58s | %12s | %12s | %9s |", measurement, g.what, want, g.text(v), used)
}

// text is a figure with its unit, or a dash if there is none.
func (g goal) text(v float64) string {
	if math.IsNaN(v) {
		return number(v)
	}
	return strings.TrimSpace(number(v) + " " + g.unit)
}

// number has three digits.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
