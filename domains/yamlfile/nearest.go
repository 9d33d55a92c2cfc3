package yamlfile

import (
	"fmt"
	"slices"
	"strings"
)

// Suggest is the hint for a word that is not known: the nearest one that is, or all of them.
func Suggest(word string, known []string) string {
	if n := Nearest(word, known); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	if len(known) == 0 {
		return "remove it"
	}
	return "use one of " + strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", ")
}

// Nearest returns the known word that a typing mistake most likely made into word, "" if none is near.
func Nearest(word string, known []string) string {
	if len(word) > 200 {
		return ""
	}
	best, distance := "", max(1, len([]rune(word))/3)+1
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d < distance && d < len([]rune(k)) {
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
