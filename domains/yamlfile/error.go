package yamlfile

import (
	"fmt"
	"strings"
)

// Code names a kind of error.
type Code string

// The codes.
const (
	Syntax       Code = "yaml-syntax"
	Document     Code = "yaml-document" // none, or more than one
	DuplicateKey Code = "duplicate-key"
	UnknownKey   Code = "unknown-key"
	WrongKind    Code = "wrong-type"
)

// Error is one thing that is wrong with a file.
type Error struct {
	Code Code
	File string
	Place
	Path string // what it is about, such as rows[0].match; "" for the file as a whole
	Text string
	Hint string
}

// Error gives the place and the text, and the hint on a line of its own.
func (e *Error) Error() string {
	path := e.Path
	if path != "" {
		path += ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s\nhint: %s", e.File, e.Line, e.Column, path, e.Text, e.Hint)
}

func fault(file string, at Place, code Code, hint, format string, args ...any) *Error {
	return &Error{Code: code, File: file, Place: at, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// maxErrors bounds how much is said about one file.
const maxErrors = 20

// Errors is everything that is wrong with a file, in its order.
type Errors []*Error

// Error lists the errors.
func (es Errors) Error() string {
	var out []string
	for i, e := range es {
		if i == maxErrors {
			out = append(out, fmt.Sprintf("… and %d more", len(es)-maxErrors))
			break
		}
		out = append(out, e.Error())
	}
	return strings.Join(out, "\n")
}
