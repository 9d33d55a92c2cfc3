package config

import (
	"strings"
)

// suggestion ends a complaint about an unknown word: with the nearest one that is known, or with all of them.
func suggestion(got string, known []string) string {
	if n := nearest(got, known); n != "" {
		return "; did you mean \"" + n + "\"?"
	}
	if len(known) == 0 {
		return ""
	}
	return ": choose one of " + strings.Join(known, ", ")
}

// nearest returns the known word that a typing mistake most likely made into got, "" if none is near.
func nearest(got string, known []string) string {
	best, distance := "", max(1, len([]rune(got))/3)+1
	if len(got) > 200 {
		return ""
	}
	for _, k := range known {
		if d := edits(strings.ToLower(got), strings.ToLower(k)); d < distance && d < len([]rune(k)) {
			best, distance = k, d
		}
	}
	return best
}

// edits counts the insertions, deletions, replacements and swaps of neighbours that turn a into b.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
