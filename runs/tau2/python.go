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
	if n := j.r.Buffered(); n > len(in) {
		in, _ = j.r.Peek(n) // they are there
	}
	limit := len(in)
	if err == nil {
		limit -= longestLiteral - 1
	}
	j.out = j.chunk[:0]
	at := 0
	for at < limit {
		if j.inString {
			at += j.text(in[at:limit])
		} else {
			at += j.token(in[at:])
		}
	}
	_, err = j.r.Discard(at)
	j.made += int64(len(j.out))
	j.chunk = j.out
	return err
}

// token translates one byte, or a literal, outside of strings.
func (j *pythonJSON) token(b []byte) int {
	c := b[0]
	if c == 'N' || c == 'I' || c == '-' {
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
	}
	j.inString = c == '"'
	j.out = append(j.out, c)
	return 1
}

// text passes on a string up to its end, or up to the end of b.
func (j *pythonJSON) text(b []byte) int {
	n := len(b)
	for i, c := range b {
		switch {
		case j.escaped:
			j.escaped = false
		case c == '\\':
			j.escaped = true
		case c == '"':
			j.inString = false
			n = i + 1
		}
		if !j.inString {
			break
		}
	}
	j.out = append(j.out, b[:n]...)
	return n
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
