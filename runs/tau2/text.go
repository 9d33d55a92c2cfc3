package tau2

import (
	"errors"
	"fmt"
	"io"

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

// Files hold what models said, however broken: repeated names and invalid text are read, not refused.
var (
	lenient = jsontext.AllowInvalidUTF8(true)
	repeats = jsontext.AllowDuplicateNames(true)
)

// text reads the JSON of one file token by token.
type text struct {
	file  string
	plain *plainJSON
	d     *jsontext.Decoder
	odd   *oddities
}

func newText(file string, r io.Reader, odd *oddities) *text {
	p := newPlainJSON(r)
	return &text{file: file, plain: p, d: jsontext.NewDecoder(p, lenient, repeats), odd: odd}
}

// failf is an error at the value that was read last.
func (t *text) failf(format string, args ...any) error { return t.fail(fmt.Errorf(format, args...)) }

// fail says where an error is. Errors that know already pass through.
func (t *text) fail(err error) error {
	var placed *Error
	if errors.As(err, &placed) {
		return err
	}
	e := &Error{File: t.file, Offset: t.d.InputOffset(), Path: string(t.d.StackPointer()), Err: err}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		e.Offset, e.Path, e.Err = syntax.ByteOffset, string(syntax.JSONPointer), syntax.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e.Err = errors.New("the file ends in the middle: it was cut off, so copy it again")
	}
	e.Offset = t.plain.original(e.Offset)
	return e
}

// null reads a null if one is next.
func (t *text) null() (bool, error) {
	if t.d.PeekKind() != 'n' {
		return false, nil
	}
	_, err := t.d.ReadToken()
	return err == nil, t.wrap(err)
}

func (t *text) wrap(err error) error {
	if err == nil {
		return nil
	}
	return t.fail(err)
}

// kindName is a kind of JSON value in words.
func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return "no JSON value"
}

// want checks the kind of the next value.
func (t *text) want(k jsontext.Kind) error {
	got := t.d.PeekKind()
	if got == k {
		return nil
	}
	// Reading on gives a syntax error its place, and a wrong value its path.
	v, err := t.d.ReadValue()
	if err != nil {
		return t.fail(err)
	}
	return t.failf("want %s, got %s %.40s", kindName(k), kindName(v.Kind()), v)
}

// object reads an object and hands each name to member, which must read the value.
func (t *text) object(member func(name string) error) error {
	if err := t.want('{'); err != nil {
		return err
	}
	if _, err := t.d.ReadToken(); err != nil {
		return t.fail(err)
	}
	for t.d.PeekKind() != '}' {
		tok, err := t.d.ReadToken()
		if err != nil {
			return t.fail(err)
		}
		if err := member(tok.String()); err != nil {
			return err
		}
	}
	_, err := t.d.ReadToken()
	return t.wrap(err)
}

// list reads a list; item must read one element.
func (t *text) list(item func(i int) error) error {
	if err := t.want('['); err != nil {
		return err
	}
	if _, err := t.d.ReadToken(); err != nil {
		return t.fail(err)
	}
	for i := 0; t.d.PeekKind() != ']'; i++ {
		if err := item(i); err != nil {
			return err
		}
	}
	_, err := t.d.ReadToken()
	return t.wrap(err)
}

// str reads a string; null is "" and false.
func (t *text) str() (string, bool, error) {
	if null, err := t.null(); null || err != nil {
		return "", false, err
	}
	if err := t.want('"'); err != nil {
		return "", false, err
	}
	tok, err := t.d.ReadToken()
	if err != nil {
		return "", false, t.fail(err)
	}
	return tok.String(), true, nil
}

// id reads a string that some writers leave a number.
func (t *text) id() (string, bool, error) {
	if t.d.PeekKind() != '0' {
		return t.str()
	}
	tok, err := t.d.ReadToken()
	if err != nil {
		return "", false, t.fail(err)
	}
	t.odd.add("ids that are numbers", "read as texts")
	return tok.String(), true, nil
}

// boolean reads a boolean; null is false.
func (t *text) boolean() (bool, error) {
	if null, err := t.null(); null || err != nil {
		return false, err
	}
	if k := t.d.PeekKind(); k != 't' && k != 'f' {
		return false, t.want('t')
	}
	tok, err := t.d.ReadToken()
	if err != nil {
		return false, t.fail(err)
	}
	return tok.Bool(), nil
}

// integer reads a whole number; null is false.
func (t *text) integer() (int64, bool, error) {
	if null, err := t.null(); null || err != nil {
		return 0, false, err
	}
	if err := t.want('0'); err != nil {
		return 0, false, err
	}
	tok, err := t.d.ReadToken()
	if err != nil {
		return 0, false, t.fail(err)
	}
	v, err := value.ParseNumber(tok.String())
	if err != nil {
		return 0, false, t.fail(err)
	}
	if n, ok := v.Int64(); ok {
		return n, true, nil
	}
	if f, ok := v.Float64(); ok && f == float64(int64(f)) && v.Kind() == value.Float {
		return int64(f), true, nil
	}
	return 0, false, t.failf("want a whole number, got %s", tok.String())
}

// raw reads any value as JSON in its shortest form, which every reader accepts: numbers keep their spelling; repeated
// names and invalid characters, which strict readers refuse, are settled.
func (t *text) raw() (jsontext.Value, error) {
	if null, err := t.null(); null || err != nil {
		return jsontext.Value("null"), err
	}
	v, err := t.d.ReadValue()
	if err != nil {
		return nil, t.fail(err)
	}
	out := v.Clone()
	if out.Format() == nil {
		return out, nil
	}
	parsed, err := value.Parse(v)
	if err != nil {
		return nil, t.fail(err)
	}
	t.odd.add("values with repeated names or invalid characters", "the last of a name is kept, characters become U+FFFD")
	plain, err := parsed.MarshalJSON()
	return plain, t.wrap(err)
}

// countLiterals notes what the file has that is no JSON.
func (t *text) countLiterals() {
	t.odd.addN("literals NaN and Infinity", "read as null", t.plain.found)
}

// end checks that nothing follows.
func (t *text) end() error {
	switch _, err := t.d.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return t.fail(err)
	}
	return t.failf("the JSON value has ended, and more follows: is this two files in one?")
}
