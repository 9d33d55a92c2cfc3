package checklist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Finding is one thing that is wrong with a set of checklists, where it is and how to correct it.
type Finding struct {
	fault        // Path is such as requirements[2].verification; Line is 0 if the place is not known
	Warning bool // it does not keep the set from being used
}

type fault = yamlfile.Error

// Error is the finding with its hint on a line of its own.
func (f Finding) Error() string {
	where, severity := f.File, "error"
	if f.Line > 0 {
		where += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	if f.Path != "" {
		where += ": " + f.Path
	}
	if f.Warning {
		severity = "warning"
	}
	return fmt.Sprintf("%s: %s: %s\nhint: %s", where, severity, f.Text, f.Hint)
}

// Findings is a list of findings; as an error it is what keeps a set from being used.
type Findings []Finding

// Error lists the findings.
func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the findings that keep a set from being used; nil as an error if there are none.
func (fs Findings) Errors() error {
	out := slices.DeleteFunc(slices.Clone(fs), func(f Finding) bool { return f.Warning })
	if len(out) == 0 {
		return nil
	}
	return out
}

// add notes what is wrong at a path within a file.
func (fs *Findings) add(file, path, text, hint string) {
	*fs = append(*fs, Finding{fault: fault{File: file, Path: path, Text: text, Hint: hint}})
}

// warn notes what is odd at a path within a file.
func (fs *Findings) warn(file, path, text, hint string) {
	fs.add(file, path, text, hint)
	(*fs)[len(*fs)-1].Warning = true
}

// sorted orders findings by file; within a file they stay in the order in which they were found.
func (fs Findings) sorted() Findings {
	slices.SortStableFunc(fs, func(a, b Finding) int { return cmp.Compare(a.File, b.File) })
	return fs
}
