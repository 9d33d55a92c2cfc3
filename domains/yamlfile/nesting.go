package yamlfile

import (
	"bytes"
)

// maxNesting is how deep a file may nest for its parser. Ours need less than twenty levels.
const maxNesting = 500

// CheckNesting refuses a text that nests so deep that the parser would take memory without bound: at 200,000 levels, a
// file of 200 kB, it asks for more than 20 GB. Brackets are counted wherever they are, in texts and comments too; that
// errs on the side of refusing files of several hundred unclosed brackets.
func CheckNesting(text []byte) *Error {
	depth, line := 0, 1
	for rest := text; len(rest) > 0; line++ {
		row, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		if leads(row) > maxNesting {
			return fault("", Place{line, 1}, Syntax, "nest less deep", "more than %d lists or maps open here", maxNesting)
		}
		for i, c := range row {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
			if depth > maxNesting {
				return fault("", Place{line, i + 1}, Syntax, "nest less deep, or close them", "more than %d brackets are open", maxNesting)
			}
		}
	}
	return nil
}

// leads counts the marks of block lists and explicit keys that a line begins with, as in "- - - a".
func leads(row []byte) int {
	n := 0
	for i := 0; i+1 < len(row); i++ {
		switch row[i] {
		case ' ', '\t':
		case '-', '?', ':':
			if row[i+1] != ' ' {
				return n
			}
			n++
		default:
			return n
		}
	}
	return n
}
