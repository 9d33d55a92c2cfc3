package llm

import (
	"bytes"
	"encoding/base64"
)

// encoded is what every base64 text that holds a secret shows of it, for one place of the secret within the groups of
// three bytes and for one alphabet.
type encoded struct {
	core []byte // the letters that the secret alone decides
	rest bool   // the next letter has bits of it too
}

// encodings lists what base64 may make of a secret, such as in "Basic " + base64(user:key), whatever stands before and
// behind it. A letter before the core may hold up to four bits of the first byte: those are left.
func encodings(v string) (out []encoded) {
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := e.EncodeToString(append(make([]byte, before), v...))
			first, end := (before*8+5)/6, (before+len(v))*8/6
			one := encoded{core: []byte(text[first:end]), rest: (before+len(v))*8%6 != 0}
			if e == base64.RawURLEncoding && !bytes.ContainsAny(one.core, "-_") {
				continue // as in the other alphabet
			}
			out = append(out, one)
		}
	}
	return out
}

// letters64 are the letters of both alphabets.
var letters64 = func() (is [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		is[c] = true
	}
	return is
}()

// encodedIn returns where a text holds one of the secrets in base64 from a place on; start is negative if it does not.
// Only runs of letters that are long enough are searched: of other text, most bytes are never looked at.
func (r Redactor) encodedIn(text []byte, from int) (start, end int) {
	if r.shortest64 == 0 {
		return -1, -1
	}
	for at := from; at+r.shortest64 <= len(text); {
		last := at + r.shortest64 - 1
		for last >= at && letters64[text[last]] {
			last--
		}
		if last >= at { // no run begins before this byte
			at = last + 1
			continue
		}
		stop := at + r.shortest64
		for stop < len(text) && letters64[text[stop]] {
			stop++
		}
		if start, end := r.encodedInRun(text[at:stop]); start >= 0 {
			return at + start, at + end
		}
		at = stop
	}
	return -1, -1
}

// encodedInRun is encodedIn for letters alone.
func (r Redactor) encodedInRun(run []byte) (start, end int) {
	start = -1
	for _, s := range r.secrets {
		for _, e := range s.encoded {
			i := bytes.Index(run, e.core)
			if i < 0 || start >= 0 && i >= start {
				continue
			}
			start, end = i, i+len(e.core)
			if e.rest && end < len(run) {
				end++
			}
		}
	}
	return start, end
}
