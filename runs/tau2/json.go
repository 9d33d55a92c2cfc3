package tau2

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

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

// placed says where in a file an error is. One that names no place stays as it is.
func placed(file string, err error) error {
	var place *value.PlaceError
	if !errors.As(err, &place) {
		return err
	}
	e := &Error{File: file, Offset: place.Offset, Path: place.Path, Err: place.Err}
	if errors.Is(place.Err, io.ErrUnexpectedEOF) {
		e.Err = errors.New("the file ends in the middle: it was cut off\nhint: copy it again")
	}
	return e
}

// reader reads the JSON of one file from beginning to end. Files contain what models said, however broken: repeated names
// and invalid text are read, not refused.
type reader struct {
	*value.Decoder
	deviations *deviations
	scratch    []byte
	room       []byte // for what is kept
}

// list reads a list; item must read one element. A null is an empty list.
func (r *reader) list(item func(i int) error) error {
	if r.Peek() == 'n' {
		return r.Skip()
	}
	return r.List(item)
}

// optional reads a value that may be null.
func optional[T any](r *reader, into **T, read func() (T, error)) error {
	*into = nil
	if r.Peek() == 'n' {
		return r.Skip()
	}
	v, err := read()
	*into = &v
	return err
}

// textOrNull reads a text; null is the empty one.
func (r *reader) textOrNull() (string, error) {
	if r.Peek() == 'n' {
		return "", r.Skip()
	}
	return r.Text()
}

// whole reads a whole number.
func (r *reader) whole() (int64, error) {
	const want = "a whole number"
	if r.Peek() != '0' {
		return 0, r.Mismatch(want)
	}
	raw, err := r.Raw()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want %s, got a number %.40s", want, raw)
	}
	return n, nil
}

func (r *reader) boolean() (bool, error) {
	k := r.Peek()
	if k != 't' && k != 'f' {
		return false, r.Mismatch("a boolean")
	}
	return k == 't', r.Skip()
}

// raw reads any value as compact JSON that every reader accepts. It holds until the next call.
func (r *reader) raw() ([]byte, error) {
	mended, nulled := r.Mended, r.Nulled
	var err error
	r.scratch, err = r.AppendCompact(r.scratch[:0])
	if r.Mended > mended {
		r.deviations.add("values with repeated names or invalid characters", "the last of a name is kept, characters become U+FFFD")
	}
	for range r.Nulled - nulled {
		r.deviations.add("literals NaN and Infinity", "read as null")
	}
	return r.scratch, err
}

// own is a copy of a value that was read.
func (r *reader) own(v []byte) stdjson.RawMessage {
	if cap(r.room)-len(r.room) < len(v) {
		r.room = make([]byte, 0, max(1<<14, len(v)))
	}
	at := len(r.room)
	r.room = append(r.room, v...)
	return slices.Clip(stdjson.RawMessage(r.room[at:]))
}

// end checks that nothing follows.
func (r *reader) end() error {
	if r.Peek() != 0 {
		return &value.PlaceError{Offset: r.Offset(), Err: errors.New("the JSON value has ended, and more follows: is this two files in one?")}
	}
	return r.End()
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

// objectOf is the members of an object, as they are spelled.
func objectOf(raw stdjson.RawMessage) (map[string]stdjson.RawMessage, bool) {
	o := map[string]stdjson.RawMessage{}
	d := value.OfText(raw)
	err := d.Object(func(name string) error {
		v, err := d.Raw()
		o[name] = v
		return err
	})
	return o, err == nil
}

func quoted(s string) stdjson.RawMessage {
	b, err := stdjson.Marshal(s)
	if err != nil { // of a string never
		return stdjson.RawMessage(`""`)
	}
	return b
}
