package value

import (
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Eight bytes at a time: a bit of each byte that is of interest is set.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

func has(w uint64, c byte) uint64 {
	x := w ^ ones*uint64(c)
	return (x - ones) &^ x & highs
}

func hasControl(w uint64) uint64 { return (w - ones*' ') &^ w & highs }

// next passes over white space and returns the byte behind it, without taking it.
func (d *Decoder) next() (byte, error) {
	for {
		for d.pos < len(d.buf) {
			switch c := d.buf[d.pos]; c {
			case ' ', '\n', '\r', '\t':
				d.pos++
			default:
				return c, nil
			}
			for d.pos+8 <= len(d.buf) && binary.LittleEndian.Uint64(d.buf[d.pos:]) == ones*' ' {
				d.pos += 8
			}
		}
		if err := d.fill(); err != nil {
			return 0, err
		}
	}
}

// char is the character that comes next, as errors show it.
func (d *Decoder) char() string {
	_ = d.need(utf8.UTFMax) // what there is will do
	r, _ := utf8.DecodeRune(d.buf[d.pos:])
	return strconv.QuoteRune(r)
}

// need reads on until n bytes are there.
func (d *Decoder) need(n int) error {
	for len(d.buf)-d.pos < n {
		if err := d.fill(); err != nil {
			return err
		}
	}
	return nil
}

// quoted takes a string and returns what is between the quotes, until the next call. plain says that it is what it stands
// for: without escapes, and UTF-8.
func (d *Decoder) quoted() (raw []byte, plain bool, err error) {
	all, n := uint64(0), 1
	plain = true
	for {
		if err := d.need(n + 1); err != nil {
			return nil, false, err
		}
		b := d.buf[d.pos:]
		for n+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[n:])
			all |= w
			if m := has(w, '"') | has(w, '\\') | hasControl(w); m != 0 {
				n += bits.TrailingZeros64(m) / 8
				break
			}
			n += 8
		}
		if n == len(b) {
			continue
		}
		switch c := b[n]; {
		case c == '"':
			d.pos += n + 1
			return b[1:n], plain && (all&highs == 0 || utf8.Valid(b[1:n])), nil
		case c == '\\':
			plain = false
			size, err := d.escape(n)
			if err != nil {
				return nil, false, err
			}
			n += size
		case c < ' ':
			return nil, false, d.failf(n, "invalid character %q within string (expecting an escape)", c)
		default:
			all |= uint64(c)
			n++
		}
	}
}

// escape checks the escape n bytes from here and returns its length.
func (d *Decoder) escape(n int) (size int, err error) {
	if err := d.need(n + 2); err != nil {
		return 0, err
	}
	c := d.buf[d.pos+n+1]
	if c != 'u' {
		if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			return 0, d.failf(n, "invalid escape sequence %q within string", d.buf[d.pos+n:d.pos+n+2])
		}
		return 2, nil
	}
	if err := d.need(n + 6); err != nil {
		return 0, err
	}
	if _, ok := unit(d.buf[d.pos+n:]); !ok {
		return 0, d.failf(n, "invalid escape sequence %q within string", d.buf[d.pos+n:d.pos+n+6])
	}
	return 6, nil
}

// unit is the UTF-16 unit of an escape \uXXXX at the beginning of b.
func unit(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape appends what a checked string stands for. whole says that it is UTF-8 without halves of surrogate pairs;
// invalid UTF-8 is replaced by U+FFFD.
func unescape(dst, raw []byte) (out []byte, whole bool) {
	whole, dst = true, slices.Grow(dst, len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c != '\\' && c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		case c != '\\':
			r, size := utf8.DecodeRune(raw[i:])
			whole = whole && (r != utf8.RuneError || size > 1)
			dst = utf8.AppendRune(dst, r)
			i += size
		case raw[i+1] == 'u':
			r, _ := unit(raw[i:])
			i += 6
			if utf16.IsSurrogate(r) {
				low, _ := unit(raw[i:])
				both := utf16.DecodeRune(r, low)
				if both == utf8.RuneError {
					whole = false
					dst = appendUnpaired(dst, r)
					continue
				}
				r = both
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
		default:
			at := strings.IndexByte(`"\/bfnrt`, raw[i+1])
			dst = append(dst, "\"\\/\b\f\n\r\t"[at])
			i += 2
		}
	}
	return dst, whole
}

// literal takes a value that is neither string nor object nor list and returns it until the next call.
func (d *Decoder) literal() ([]byte, error) {
	n := 0
	for {
		for d.pos+n < len(d.buf) && inLiteral[d.buf[d.pos+n]] {
			n++
		}
		if d.pos+n < len(d.buf) {
			break
		}
		if err := d.fill(); err != nil && d.in != nil {
			return nil, err
		} else if err != nil {
			break
		}
	}
	word := d.buf[d.pos : d.pos+n]
	switch {
	case n == 0:
		if err := d.need(1); err != nil {
			return nil, err
		}
		return nil, d.failf(0, "invalid character %s at start of value", d.char())
	case isLiteral(word):
		d.pos += n
		return word, nil
	case d.pos+n == len(d.buf) && (isLiteral(append(word[:n:n], '0')) || begins(word)):
		return nil, d.failf(n, "%w", io.ErrUnexpectedEOF)
	case word[0] == '-' || word[0] >= '0' && word[0] <= '9':
		return nil, d.failf(0, "invalid number %.40s", word)
	}
	return nil, d.failf(0, "invalid character %s at start of value", d.char())
}

// begins reports whether a word is the beginning of a literal.
func begins(w []byte) bool {
	for _, l := range []string{"null", "true", "false", "NaN", "-Infinity", "Infinity"} {
		if strings.HasPrefix(l, string(w)) {
			return true
		}
	}
	return false
}

// inLiteral has the bytes that literals are made of.
var inLiteral = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '-' || c == '.'
	}
	return t
}()

func isLiteral(w []byte) bool {
	switch string(w) {
	case "null", "true", "false":
		return true
	}
	return isSpecial(w) || isNumber(w)
}

// isSpecial reports whether a literal is one that only Python takes.
func isSpecial(w []byte) bool {
	switch string(w) {
	case "NaN", "Infinity", "-Infinity":
		return true
	}
	return false
}

// isNumber reports whether w is a number of JSON's grammar.
func isNumber(w []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(w) && w[n] >= '0' && w[n] <= '9' {
			n++
		}
		w = w[n:]
		return n > 0
	}
	if len(w) > 0 && w[0] == '-' {
		w = w[1:]
	}
	if len(w) > 0 && w[0] == '0' {
		w = w[1:]
	} else if !digits() {
		return false
	}
	if len(w) > 0 && w[0] == '.' {
		if w = w[1:]; !digits() {
			return false
		}
	}
	if len(w) > 0 && w[0]|0x20 == 'e' {
		if w = w[1:]; len(w) > 0 && (w[0] == '+' || w[0] == '-') {
			w = w[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(w) == 0
}
