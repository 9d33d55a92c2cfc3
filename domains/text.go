package domains

import (
	"bytes"
	"fmt"
	"io/fs"
)

// maxNesting is how deep a YAML or JSON text written by people may nest. Ours need less than twenty levels.
const maxNesting = 500

// CheckNesting refuses a YAML text that nests so deep that its parser would take memory without bound: at 200,000
// levels, a file of 200 kB, it asks for more than 20 GB. Brackets are counted wherever they stand, in texts and comments
// too; that errs on the side of refusing files of several hundred unclosed brackets.
func CheckNesting(text []byte) error {
	depth, line := 0, 1
	for rest := text; len(rest) > 0; line++ {
		row, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		if leads(row) > maxNesting {
			return fmt.Errorf("line %d opens more than %d lists or mappings at once: nest less deep", line, maxNesting)
		}
		for _, c := range row {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
			if depth > maxNesting {
				return fmt.Errorf("line %d: more than %d brackets are open: nest less deep, or close them", line, maxNesting)
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

// ReadText reads a regular file of at most limit bytes. A pipe or device, which may never end, is an error.
func ReadText(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file: put a file with the text in its place", name)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes: keep it under %d", name, info.Size(), limit)
	}
	return fs.ReadFile(fsys, name)
}
