package transcript

import (
	"encoding/json"
	"strings"
)

// The kinds of pieces of JSON that are told apart. Strings and punctuation are of no kind.
const (
	Name    = "name"    // of a field
	Literal = "literal" // a number, true, false or null
)

// Highlighted is JSON in pieces of their kinds; other texts are those of Pieces.
func Highlighted(s string) []Piece {
	if !json.Valid([]byte(s)) || !strings.ContainsAny(s, "[{") {
		return Pieces(s)
	}
	var out []Piece
	add := func(text, kind string) {
		for _, p := range Pieces(text) {
			p.Kind = kind
			out = append(out, p)
		}
	}
	plain := 0 // where the text begins that is of no kind
	for i := 0; i < len(s); {
		end, kind := i+1, ""
		switch c := s[i]; {
		case c == '"':
			if end = i + quoted(s[i:]); strings.HasPrefix(s[end:], ":") {
				kind = Name
			}
		case c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			kind = Literal
			if n := strings.IndexAny(s[i:], ",]} \t\r\n"); n > 0 {
				end = i + n
			}
		}
		if kind != "" {
			add(s[plain:i], "")
			add(s[i:end], kind)
			plain = end
		}
		i = end
	}
	add(s[plain:], "")
	return out
}

// quoted is the length of the string that a text of JSON begins with.
func quoted(s string) int {
	i := 1
	for ; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}
