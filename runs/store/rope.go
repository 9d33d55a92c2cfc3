package store

import "strings"

// rope is a text in parts.
type rope []string

func (r rope) size() (n int) {
	for _, s := range r {
		n += len(s)
	}
	return n
}

// cut returns the bytes from one place up to another.
func (r rope) cut(from, to int) rope {
	var out rope
	for _, s := range r {
		if from < len(s) && to > 0 {
			out = append(out, s[max(0, from):min(to, len(s))])
		}
		from, to = from-len(s), to-len(s)
	}
	return out
}

// prefix is how many bytes the rope and a text begin with alike.
func (r rope) prefix(text []byte) (n int) {
	for _, s := range r {
		rest := text[n:]
		if len(rest) >= len(s) && string(rest[:len(s)]) == s {
			n += len(s)
			continue
		}
		return n + common(len(s), len(rest), func(from, to int) bool { return string(rest[from:to]) == s[from:to] })
	}
	return n
}

// suffix is how many bytes the rope and a text end with alike.
func (r rope) suffix(text []byte) (n int) {
	for i := len(r) - 1; i >= 0; i-- {
		s := r[i]
		rest := text[:len(text)-n]
		if len(rest) >= len(s) && string(rest[len(rest)-len(s):]) == s {
			n += len(s)
			continue
		}
		return n + common(len(s), len(rest), func(from, to int) bool {
			return string(rest[len(rest)-to:len(rest)-from]) == s[len(s)-to:len(s)-from]
		})
	}
	return n
}

// common is the length up to which two texts of a and b bytes are alike, found by halves, as comparing is what machines
// do fastest.
func common(a, b int, alike func(from, to int) bool) int {
	low, high := 0, min(a, b)
	for low < high {
		if middle := (low + high + 1) / 2; alike(low, middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// String joins the parts.
func (r rope) String() string { return strings.Join(r, "") }
