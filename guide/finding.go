package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a finding stops a bundle from being used.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one thing that is wrong with a bundle or a catalog, where it is and how to fix it.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line,omitempty"`   // from 1; 0 where the finding concerns a whole file
	Column   int      `json:"column,omitempty"` // from 1; 0 if only the line is known
	Node     string   `json:"node,omitempty"`   // within the file
	Text     string   `json:"text"`
	Mend     string   `json:"mend"`
}

// String is the finding on one line, in the form that editors turn into a link.
func (f Finding) String() string {
	where := f.File
	if f.Line > 0 {
		where += fmt.Sprintf(":%d", f.Line)
	}
	if f.Column > 0 {
		where += fmt.Sprintf(":%d", f.Column)
	}
	if f.Node != "" {
		where += ": node " + f.Node
	}
	return fmt.Sprintf("%s: %s [%s] %s; %s", where, f.Severity, f.Code, f.Text, f.Mend)
}

// Findings is a list of findings; as an error it is what keeps a bundle from loading or composing.
type Findings []Finding

// Error lists the findings, one on a line.
func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the findings that stop the bundle from being used.
func (fs Findings) Errors() Findings {
	var out Findings
	for _, f := range fs {
		if f.Severity == Error {
			out = append(out, f)
		}
	}
	return out
}

// sorted orders findings by file (main first), line, code and text, and drops repetitions.
func (fs Findings) sorted() Findings {
	slices.SortFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			fileRank(a.File)-fileRank(b.File), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.Compact(fs)
}

func fileRank(path string) int {
	switch {
	case path == mainFile:
		return 0
	case strings.HasPrefix(path, subflowDir+"/"):
		return 1
	}
	return 2
}

// err returns the findings as an error, nil if there are none.
func (fs Findings) err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs.sorted()
}
