package tau2

import (
	"bufio"
	"io"

	"github.com/tauguide/tauguide/domains/value"
)

// pythonJSON passes a file on as strict JSON: without a byte-order mark, and with null for the literals NaN, Infinity
// and -Infinity, which Python writes.
type pythonJSON struct {
	r       *bufio.Reader
	rest    string // of a literal, not yet passed on
	skipped int64  // bytes of the mark
	made    int64  // bytes of strict JSON made so far
	grown   []int64
	found   int // literals

	inString, escaped bool
}

// literals are what strict JSON does not have, and what is read instead. All but one keep their length, and with it the
// offsets of what follows; grown lists where a NaN became longer by a byte.
var literals = [...]struct{ from, to string }{
	{"-Infinity", "null     "}, {"Infinity", "null    "}, {"NaN", "null"},
}

func newPythonJSON(r io.Reader) *pythonJSON {
	p := &pythonJSON{r: bufio.NewReaderSize(r, 1<<16)}
	if mark, _ := p.r.Peek(3); string(mark) == "\ufeff" {
		_, _ = p.r.Discard(3) // they were peeked at
		p.skipped = 3
	}
	return p
}

// encoding says what the file is where it is no UTF-8 text.
func (j *pythonJSON) encoding() error {
	head, _ := j.r.Peek(2) // a shorter file is told by what reads it
	return value.CheckEncoding(head)
}

// Read fills p as far as the file goes.
func (j *pythonJSON) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(j.rest) > 0 {
			p[n], j.rest = j.rest[0], j.rest[1:]
		} else if p[n], err = j.next(); err != nil {
			break
		}
		n++
		j.made++
	}
	if n > 0 {
		return n, nil // an error comes again
	}
	return 0, err
}

// next is the next byte, or the first of what replaces a literal.
func (j *pythonJSON) next() (byte, error) {
	c, err := j.r.ReadByte()
	switch {
	case err != nil:
	case j.escaped:
		j.escaped = false
	case j.inString:
		j.escaped, j.inString = c == '\\', c != '"'
	case c == '"':
		j.inString = true
	case c == 'N' || c == 'I' || c == '-':
		for _, l := range literals {
			if rest, _ := j.r.Peek(len(l.from) - 1); c == l.from[0] && string(rest) == l.from[1:] {
				_, _ = j.r.Discard(len(rest)) // they were peeked at
				if len(l.to) > len(l.from) {
					j.grown = append(j.grown, j.made+int64(len(l.to)))
				}
				j.found++
				j.rest = l.to[1:]
				return l.to[0], nil
			}
		}
	}
	return c, err
}

// original is the offset in the file of an offset in what was passed on.
func (j *pythonJSON) original(at int64) int64 {
	n := at + j.skipped
	for _, g := range j.grown {
		if g <= at {
			n--
		}
	}
	return n
}
