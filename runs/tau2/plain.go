package tau2

import (
	"bytes"
	"io"
)

// plainJSON passes a file on as strict JSON: without a byte-order mark, and with null for the literals NaN, Infinity
// and -Infinity, which Python writes.
type plainJSON struct {
	r       io.Reader
	in      []byte // read from r, not yet looked at
	out     []byte // translated, of which the first given are handed out
	given   int
	chunk   []byte
	err     error
	started bool
	skipped int64   // bytes of the mark
	made    int64   // bytes of strict JSON made so far
	grown   []int64 // where, in what was made, a byte more came out than went in
	found   int     // literals

	inString, escaped bool
}

// literals are what strict JSON does not have, and what is read instead. All but one keep their length, and with it
// the offsets of what follows.
var literals = [...]struct{ from, to string }{
	{"-Infinity", "null     "}, {"Infinity", "null    "}, {"NaN", "null"},
}

const longestLiteral = len("-Infinity")

func newPlainJSON(r io.Reader) *plainJSON { return &plainJSON{r: r, chunk: make([]byte, 1<<16)} }

// Read fills p.
func (j *plainJSON) Read(p []byte) (int, error) {
	for j.given == len(j.out) {
		if j.err != nil {
			return 0, j.err
		}
		j.out, j.given = j.out[:0], 0
		j.fill()
	}
	n := copy(p, j.out[j.given:])
	j.given += n
	return n, nil
}

// fill reads on and translates. What may be the start of a literal stays in in until more is known.
func (j *plainJSON) fill() {
	n, err := j.r.Read(j.chunk)
	j.in = append(j.in, j.chunk[:n]...)
	j.err = err
	if !j.started && (len(j.in) >= 3 || err != nil) {
		j.started = true
		if rest, ok := bytes.CutPrefix(j.in, []byte("\ufeff")); ok {
			j.in, j.skipped = rest, 3
		}
	}
	if !j.started {
		return
	}
	limit := len(j.in)
	if err == nil {
		limit = max(0, limit-longestLiteral+1)
	}
	at := 0
	for at < limit {
		if j.inString {
			at += j.passString(j.in[at:limit])
		} else {
			at += j.pass(j.in[at:])
		}
	}
	j.in = j.in[:copy(j.in, j.in[at:])]
}

// pass translates one byte or literal outside of strings.
func (j *plainJSON) pass(b []byte) int {
	c := b[0]
	if c == 'N' || c == 'I' || c == '-' {
		for _, l := range literals {
			if bytes.HasPrefix(b, []byte(l.from)) {
				j.emit([]byte(l.to))
				j.found++
				if len(l.to) > len(l.from) {
					j.grown = append(j.grown, j.made)
				}
				return len(l.from)
			}
		}
	}
	j.inString = c == '"'
	j.emit(b[:1])
	return 1
}

// passString passes on up to the end of the string, or of what there is.
func (j *plainJSON) passString(b []byte) int {
	n := len(b)
	for i := 0; i < n; {
		if j.escaped {
			j.escaped = false
			i++
			continue
		}
		k := bytes.IndexAny(b[i:], `"\`)
		if k < 0 {
			break
		}
		i += k + 1
		if b[i-1] == '\\' {
			j.escaped = true
			continue
		}
		j.inString = false
		n = i
	}
	j.emit(b[:n])
	return n
}

func (j *plainJSON) emit(b []byte) {
	j.out = append(j.out, b...)
	j.made += int64(len(b))
}

// original is the offset in the file of an offset in what was passed on.
func (j *plainJSON) original(at int64) int64 {
	n := at + j.skipped
	for _, g := range j.grown {
		if g <= at {
			n--
		}
	}
	return n
}
