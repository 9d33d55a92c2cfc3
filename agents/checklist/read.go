package checklist

import (
	"errors"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// ParseChecklist reads a tool's checklist. The error is a Findings.
func ParseChecklist(file string, text []byte) (*Checklist, error) {
	c := &Checklist{}
	return c, decode(file, text, c)
}

// ParseRules reads the rules for all tools. The error is a Findings.
func ParseRules(file string, text []byte) (*Rules, error) {
	r := &Rules{}
	return r, decode(file, text, r)
}

// decode reads a file; what is wrong with it becomes findings.
func decode(file string, text []byte, into any) error {
	err := yamlfile.Decode(file, text, into)
	var one *yamlfile.Error
	var list yamlfile.Errors
	if errors.As(err, &one) {
		list = yamlfile.Errors{one}
	} else {
		errors.As(err, &list)
	}
	var found Findings
	for _, e := range list {
		found = append(found, Finding{Severity: Error, File: file, Line: e.Line, Column: e.Column, Field: e.Path, Text: e.Text, Mend: e.Hint})
	}
	return found.err()
}
