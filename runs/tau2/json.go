package tau2

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains/value"
)

// Error is a place in a file that cannot be read.
type Error struct {
	File   string
	Offset int64  // byte, from 0; -1 if the file as a whole is meant
	Path   string // JSON pointer, such as /simulations/3/messages/0/role; may be empty
	Err    error
}

// Error names file, byte and path.
func (e *Error) Error() string {
	at := e.File
	if e.Offset >= 0 {
		at = fmt.Sprintf("%s: byte %d", e.File, e.Offset)
	}
	if e.Path != "" {
		at += " (" + e.Path + ")"
	}
	return at + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Files contain what models said, however broken: repeated names and invalid text are read, not refused.
var (
	lenient = jsontext.AllowInvalidUTF8(true)
	repeats = jsontext.AllowDuplicateNames(true)
)

// reader reads the JSON of one file from beginning to end.
type reader struct {
	file       string
	source     *pythonJSON
	d          *jsontext.Decoder
	deviations *deviations
}

func newReader(file string, r io.Reader, d *deviations) *reader {
	p := newPythonJSON(r)
	return &reader{file: file, source: p, d: jsontext.NewDecoder(p, lenient, repeats), deviations: d}
}

// failf is an error at the value that was read last.
func (r *reader) failf(format string, args ...any) error { return r.fail(fmt.Errorf(format, args...)) }

// fail says where an error is; nil stays nil, and an error that names its place already passes through.
func (r *reader) fail(err error) error { return r.failAt("", err) }

// failAt is fail for a place within the value that was read last.
func (r *reader) failAt(within string, err error) error {
	var placed *Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	e := &Error{File: r.file, Offset: r.d.InputOffset(), Path: string(r.d.StackPointer()) + within, Err: err}
	var syntax *jsontext.SyntacticError
	var mismatch *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		e.Offset, e.Path, e.Err = syntax.ByteOffset, string(syntax.JSONPointer), syntax.Err
	case errors.As(err, &mismatch):
		e.Offset, e.Path = mismatch.ByteOffset, string(mismatch.JSONPointer)
		e.Err = fmt.Errorf("want %s, got %s", wanted(mismatch.GoType), found(mismatch.JSONKind, mismatch.JSONValue))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e.Err = errors.New("the file ends in the middle: it was cut off\nhint: copy it again")
	}
	e.Offset = r.source.original(e.Offset)
	return e
}

// wanted is a type that a value does not fit, in words.
func wanted(t reflect.Type) string {
	if t == nil {
		return "another value"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// found is a value in words.
func found(k jsontext.Kind, v jsontext.Value) string {
	name := map[jsontext.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number",
		'[': "a list", '{': "an object"}[k]
	if len(v) > 0 {
		name += fmt.Sprintf(" %.40s", v)
	}
	return name
}

// begin reads the brace or bracket that begins an object or a list.
func (r *reader) begin(k jsontext.Kind) error {
	if r.d.PeekKind() == k {
		_, err := r.d.ReadToken()
		return r.fail(err)
	}
	// Reading on gives a syntax error its place, and a wrong value its path.
	v, err := r.d.ReadValue()
	if err != nil {
		return r.fail(err)
	}
	return r.failf("want %s, got %s", found(k, nil), found(v.Kind(), v))
}

// object reads an object and calls member with each name; member must read the value.
func (r *reader) object(member func(name string) error) error {
	if err := r.begin('{'); err != nil {
		return err
	}
	for r.d.PeekKind() != '}' {
		name, err := r.d.ReadToken()
		if err != nil {
			return r.fail(err)
		}
		if err := member(name.String()); err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return r.fail(err)
}

// list reads a list; item must read one element. A null is an empty list.
func (r *reader) list(item func(i int) error) error {
	if r.d.PeekKind() == 'n' {
		return r.skip()
	}
	if err := r.begin('['); err != nil {
		return err
	}
	for i := 0; r.d.PeekKind() != ']'; i++ {
		if err := item(i); err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return r.fail(err)
}

// decode reads the next value into a variable.
func (r *reader) decode(into any) error {
	return r.fail(json.UnmarshalDecode(r.d, into))
}

func (r *reader) skip() error { return r.fail(r.d.SkipValue()) }

// raw reads any value as compact JSON that every reader accepts.
func (r *reader) raw() (stdjson.RawMessage, error) {
	v, err := r.d.ReadValue()
	if err != nil {
		return nil, r.fail(err)
	}
	return r.compact(v)
}

// compact is a value in its shortest form: numbers keep their spelling; repeated names and invalid characters, which
// strict readers refuse, are resolved.
func (r *reader) compact(v jsontext.Value) (stdjson.RawMessage, error) {
	out := v.Clone()
	if out.Format() == nil {
		return stdjson.RawMessage(out), nil
	}
	parsed, err := value.Parse(v)
	if err != nil {
		return nil, r.fail(err)
	}
	r.deviations.add("values with repeated names or invalid characters", "the last of a name is kept, characters become U+FFFD")
	text, err := parsed.MarshalJSON()
	return text, r.fail(err)
}

// end checks that nothing follows.
func (r *reader) end() error {
	switch _, err := r.d.ReadToken(); {
	case errors.Is(err, io.EOF):
		for range r.source.found {
			r.deviations.add("literals NaN and Infinity", "read as null")
		}
		return nil
	case err != nil:
		return r.fail(err)
	}
	return r.failf("the JSON value has ended, and more follows: is this two files in one?")
}

// encode writes a value as compact JSON, without the escapes that only HTML needs.
func encode(v any) (stdjson.RawMessage, error) {
	var b bytes.Buffer
	e := stdjson.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func objectOf(raw stdjson.RawMessage) (map[string]stdjson.RawMessage, bool) {
	var o map[string]stdjson.RawMessage
	err := stdjson.Unmarshal(raw, &o)
	return o, err == nil && o != nil
}

func quoted(s string) stdjson.RawMessage {
	b, err := stdjson.Marshal(s)
	if err != nil { // of a string never
		return stdjson.RawMessage(`""`)
	}
	return b
}
