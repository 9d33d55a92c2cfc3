package checklist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a finding keeps a set from being used.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one thing that is wrong with a set of checklists, where it is and how to mend it.
type Finding struct {
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Field    string   `json:"field,omitempty"` // such as requirements[2].verification; "" where it concerns the file
	Text     string   `json:"text"`
	Mend     string   `json:"mend"`
	Line     int      `json:"line,omitempty"` // from 1, like Column; 0 if the place is not known
	Column   int      `json:"column,omitempty"`
}

// String is the finding on one line.
func (f Finding) String() string {
	where := f.File
	if f.Line > 0 {
		where += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	if f.Field != "" {
		where += ": " + f.Field
	}
	return fmt.Sprintf("%s: %s: %s; %s", where, f.Severity, f.Text, f.Mend)
}

// Findings is a list of findings; as an error it is what keeps a set from being used.
type Findings []Finding

// Error lists the findings, one on a line.
func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the findings that keep a set from being used.
func (fs Findings) Errors() Findings {
	var out Findings
	for _, f := range fs {
		if f.Severity == Error {
			out = append(out, f)
		}
	}
	return out
}

func (fs Findings) err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}

// sorted orders findings by file; within a file they stay in the order in which they were found.
func (fs Findings) sorted() Findings {
	slices.SortStableFunc(fs, func(a, b Finding) int { return cmp.Compare(a.File, b.File) })
	return fs
}
