package tau2

import (
	"bufio"
	"bytes"
	"io"
)

// pythonJSON passes a file on as strict JSON: without a byte-order mark, and with null for the literals NaN, Infinity
// and -Infinity, which Python writes.
type pythonJSON struct {
	r       *bufio.Reader
	out     []byte // translated, not yet passed on
	chunk   []byte // the memory of out
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

const longestLiteral = len("-Infinity")

func newPythonJSON(r io.Reader) *pythonJSON {
	p := &pythonJSON{r: bufio.NewReaderSize(r, 1<<16)}
	if mark, _ := p.r.Peek(3); string(mark) == "\ufeff" {
		_, _ = p.r.Discard(3) // they were peeked at
		p.skipped = 3
	}
	return p
}

// Read fills p.
func (j *pythonJSON) Read(p []byte) (int, error) {
	if len(j.out) == 0 {
		if err := j.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, j.out)
	j.out = j.out[n:]
	return n, nil
}

// fill translates what the file has ready. What may be the start of a literal waits until more is known.
func (j *pythonJSON) fill() error {
	in, err := j.r.Peek(longestLiteral)
	if len(in) == 0 {
		return err
	}
	in, _ = j.r.Peek(j.r.Buffered()) // they are there
	limit := len(in)
	if err == nil {
		limit -= longestLiteral - 1
	}
	j.out = j.chunk[:0]
	at := 0
	for at < limit {
		c := in[at]
		switch {
		case j.escaped:
			j.escaped = false
		case j.inString:
			j.escaped, j.inString = c == '\\', c != '"'
		case c == '"':
			j.inString = true
		case c == 'N' || c == 'I' || c == '-':
			if n := j.literal(in[at:]); n > 0 {
				at += n
				continue
			}
		}
		j.out = append(j.out, c)
		at++
	}
	_, err = j.r.Discard(at)
	j.made += int64(len(j.out))
	j.chunk = j.out
	return err
}

// literal translates a literal that strict JSON does not have, and returns its length; 0 if b does not begin with one.
func (j *pythonJSON) literal(b []byte) int {
	for _, l := range literals {
		if bytes.HasPrefix(b, []byte(l.from)) {
			j.out = append(j.out, l.to...)
			j.found++
			if len(l.to) > len(l.from) {
				j.grown = append(j.grown, j.made+int64(len(j.out)))
			}
			return len(l.from)
		}
	}
	return 0
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
