package toolkit

import (
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// scan cuts an expression into numbers, operators and parentheses; open reports a parenthesis that is not closed.
func scan(s string) (tokens []string, open bool, err error) {
	depth := 0
	for i := 0; i < len(s); {
		n := 1
		switch c := s[i]; {
		case c == ' ':
			i++
			continue
		case isDigit(c), c == '.' && i+1 < len(s) && isDigit(s[i+1]):
			if n, err = scanNumber(s[i:]); err != nil {
				return nil, false, err
			}
		case strings.HasPrefix(s[i:], "**"), strings.HasPrefix(s[i:], "//"):
			n = 2
		case c == '(':
			if depth++; depth > maxParens {
				return nil, false, domains.Refusal("too many nested parentheses (<string>, line 1)")
			}
		case c == ')':
			if depth--; depth < 0 {
				return nil, false, domains.Refusal("unmatched ')' (<string>, line 1)")
			}
		}
		tokens = append(tokens, s[i:i+n])
		i += n
	}
	return tokens, depth > 0, nil
}

func scanNumber(s string) (n int, err error) {
	digits := func() {
		for n < len(s) && isDigit(s[n]) {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
		return n, nil
	}
	if s[0] == '0' && strings.Trim(s[:n], "0") != "" {
		return 0, domains.Refusal("leading zeros in decimal integer literals are not permitted; " +
			"use an 0o prefix for octal integers (<string>, line 1)")
	}
	return n, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// startsOperand reports whether a token is a number.
func startsOperand(token string) bool {
	return token != "" && token != "." && strings.Trim(token, "0123456789.") == ""
}
