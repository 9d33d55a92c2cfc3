package value

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDepth bounds nesting where Python does, so that a hostile text cannot exhaust the stack.
const maxDepth = 9997

// Decoder reads one JSON text piece by piece, as Python's reader takes it: NaN, Infinity and -Infinity are numbers, and
// names may repeat. It holds no more of the text than the piece that is being read. Its errors, and those of functions
// that it calls, are *PlaceError.
type Decoder struct {
	// Nulled counts the literals that AppendCompact wrote as null; Mended the objects and texts of which it resolved
	// repeated names and what is no UTF-8.
	Nulled, Mended int

	in      io.Reader         // nil where buf has all that is left
	buf     []byte            // what was read and is still needed
	pos     int               // in buf: what comes next
	mark    int               // in buf: where a value begins that is wanted whole; -1 for none
	base    int64             // offset of buf[0] in the text
	depth   int               // objects and lists that are open
	words   map[string]string // so that each name is made once; nil for no such list
	members []member          // of the objects that AppendCompact has open
}

// NewDecoder reads from r; at is the offset of that in the text, for errors.
func NewDecoder(r io.Reader, at int64) *Decoder {
	return &Decoder{in: r, buf: make([]byte, 0, 1<<16), mark: -1, base: at, words: map[string]string{}}
}

// OfText reads a text that is there.
func OfText(text []byte) *Decoder { return &Decoder{buf: text, mark: -1} }

// PlaceError is what is wrong at a place in a JSON text.
type PlaceError struct {
	Offset int64  // byte, from 0
	Path   string // JSON pointer, such as /messages/0/role; "" for the text as a whole
	Err    error
}

// Error names the byte where there is more than one.
func (e *PlaceError) Error() string {
	if e.Offset == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v at byte %d", e.Err, e.Offset)
}

// Unwrap returns the cause.
func (e *PlaceError) Unwrap() error { return e.Err }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// within places an error in the member or element of that name.
func (d *Decoder) within(name string, err error) error {
	e, ok := err.(*PlaceError)
	if !ok {
		e = &PlaceError{Offset: d.Offset(), Err: err}
	}
	e.Path = "/" + pointerEscapes.Replace(name) + e.Path
	return e
}

// failf is an error n bytes from here.
func (d *Decoder) failf(n int, format string, args ...any) error {
	return &PlaceError{Offset: d.Offset() + int64(n), Err: fmt.Errorf(format, args...)}
}

// Offset returns where in the text the decoder is.
func (d *Decoder) Offset() int64 { return d.base + int64(d.pos) }

// fill reads on, and moves what is still needed to the front of buf. At the end of the text in is nil.
func (d *Decoder) fill() error {
	for d.in != nil {
		from := d.pos
		if d.mark >= 0 {
			from, d.mark = d.mark, 0
		}
		if from > 0 {
			d.buf = d.buf[:copy(d.buf, d.buf[from:])]
			d.base, d.pos = d.base+int64(from), d.pos-from
		}
		if len(d.buf) == cap(d.buf) {
			d.buf = append(make([]byte, 0, 2*cap(d.buf)), d.buf...)
		}
		n, err := d.in.Read(d.buf[len(d.buf):cap(d.buf)])
		d.buf = d.buf[:len(d.buf)+n]
		switch {
		case err == io.EOF:
			d.in = nil
		case err != nil:
			return d.failf(len(d.buf)-d.pos, "%w", err)
		}
		if n > 0 {
			return nil
		}
	}
	return d.failf(len(d.buf)-d.pos, "%w", io.ErrUnexpectedEOF)
}

// Peek tells the kind of the next value by its first byte, with 0 for numbers of all kinds. It is the brace or bracket
// behind a last member or element, and 0 where nothing can be read.
func (d *Decoder) Peek() byte {
	c, err := d.next()
	switch {
	case err != nil:
		return 0
	case c == '-' || c >= '0' && c <= '9' || c == 'N' || c == 'I':
		return '0'
	}
	return c
}

// End checks that nothing but white space is left.
func (d *Decoder) End() error {
	at := d.Offset()
	switch _, err := d.next(); {
	case err == nil:
		return &PlaceError{Offset: at, Err: errors.New("unexpected text after the JSON value")}
	case d.in != nil:
		return err
	}
	return nil
}

// Object reads an object and calls member with each name; member must read the value.
func (d *Decoder) Object(member func(name string) error) error {
	if err := d.open('{'); err != nil {
		return err
	}
	return d.object(true, member)
}

// Rest is Object of a text of which all up to the value of a member of that name was left out.
func (d *Decoder) Rest(name string, member func(name string) error) error {
	d.depth++
	if err := member(name); err != nil {
		return d.within(name, err)
	}
	return d.object(false, member)
}

func (d *Decoder) object(first bool, member func(name string) error) error {
	for ; ; first = false {
		if more, err := d.more('}', first); err != nil || !more {
			return err
		}
		name, err := d.name()
		if err != nil {
			return err
		}
		name = WellFormed(name)
		if err := member(name); err != nil {
			return d.within(name, err)
		}
	}
}

// List reads a list and calls item with the number of each element; item must read it.
func (d *Decoder) List(item func(i int) error) error {
	if err := d.open('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if more, err := d.more(']', i == 0); err != nil || !more {
			return err
		}
		if err := item(i); err != nil {
			return d.within(strconv.Itoa(i), err)
		}
	}
}

// open takes the brace or bracket that begins an object or a list.
func (d *Decoder) open(c byte) error {
	got, err := d.next()
	switch {
	case err != nil:
		return err
	case got != c:
		return d.Mismatch(kinds[c])
	case d.depth == maxDepth:
		return d.failf(0, "JSON nested deeper than %d levels", maxDepth)
	}
	d.depth++
	d.pos++
	return nil
}

// more takes the comma before an element that is not the first, or the end of the object or list.
func (d *Decoder) more(end byte, first bool) (bool, error) {
	c, err := d.next()
	switch {
	case err != nil:
		return false, err
	case c == end:
		d.pos++
		d.depth--
		return false, nil
	case first:
		return true, nil
	case c != ',':
		what := "array element"
		if end == '}' {
			what = "object value"
		}
		return false, d.failf(0, "invalid character %s after %s (expecting ',' or '%c')", d.char(), what, end)
	}
	d.pos++
	return true, nil
}

// name takes the name of a member, and the colon.
func (d *Decoder) name() (string, error) {
	raw, plain, err := d.key()
	if err != nil {
		return "", err
	}
	name := d.word(raw, plain)
	return name, d.colon()
}

// word is a string that may well come again.
func (d *Decoder) word(raw []byte, plain bool) string {
	word, known := d.words[string(raw)]
	if !known {
		if !plain {
			raw, _ = unescape(nil, raw)
		}
		word = string(raw)
		if plain && d.words != nil && len(d.words) < 1000 {
			d.words[word] = word
		}
	}
	return word
}

// key takes the name of a member; see quoted.
func (d *Decoder) key() (raw []byte, plain bool, err error) {
	c, err := d.next()
	if err == nil && c != '"' {
		err = d.failf(0, "invalid character %s where an object's member begins (expecting a string)", d.char())
	}
	if err != nil {
		return nil, false, err
	}
	return d.quoted()
}

func (d *Decoder) colon() error {
	c, err := d.next()
	if err == nil && c != ':' {
		err = d.failf(0, "invalid character %s after object name (expecting ':')", d.char())
	}
	d.pos++
	return err
}

// Text reads a string.
func (d *Decoder) Text() (string, error) {
	if d.Peek() != '"' {
		return "", d.Mismatch(kinds['"'])
	}
	raw, plain, err := d.quoted()
	if err == nil && !plain {
		raw, _ = unescape(nil, raw)
	}
	return WellFormed(string(raw)), err
}

// Word is Text for strings of which there are few: each is made once.
func (d *Decoder) Word() (string, error) {
	if d.Peek() != '"' {
		return "", d.Mismatch(kinds['"'])
	}
	raw, plain, err := d.quoted()
	return d.word(raw, plain), err
}

// Raw reads any value and returns it as it is spelled. It holds until the next call.
func (d *Decoder) Raw() ([]byte, error) {
	if _, err := d.next(); err != nil {
		return nil, err
	}
	d.mark = d.pos
	err := d.Skip()
	raw := d.buf[d.mark:d.pos]
	d.mark = -1
	return raw, err
}

// Skip reads any value.
func (d *Decoder) Skip() error {
	c, err := d.next()
	switch {
	case err != nil:
	case c == '"':
		_, _, err = d.quoted()
	case c != '{' && c != '[':
		_, err = d.literal()
	default:
		if err = d.open(c); err != nil {
			return err
		}
		for first := true; ; first = false {
			if more, err := d.more(c+2, first); err != nil || !more {
				return err
			}
			if c == '{' {
				if _, _, err := d.key(); err != nil {
					return err
				}
				if err := d.colon(); err != nil {
					return err
				}
			}
			if err := d.Skip(); err != nil {
				return err
			}
		}
	}
	return err
}

// kinds names kinds of values, by Peek.
var kinds = map[byte]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '[': "a list", '{': "an object"}

// Mismatch reads a value and says that another kind of value is wanted.
func (d *Decoder) Mismatch(want string) error {
	kind := kinds[d.Peek()]
	at := d.Offset()
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	return &PlaceError{Offset: at, Err: fmt.Errorf("want %s, got %s %.40s", want, kind, raw)}
}
