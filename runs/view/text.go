package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// mostShown is how many bytes of one text a page shows; the record has the rest.
const mostShown = 200_000

// cut shortens a text that would make a page too long to use.
func cut(s string) (part string, left int) {
	if len(s) <= mostShown {
		return s, 0
	}
	at := mostShown
	for at > mostShown-4 && s[at]&0xC0 == 0x80 { // not within a character
		at--
	}
	return s[:at], len(s) - at
}

// text is a text of a model, a tool or a data set as the template of that name shows it.
type text struct {
	Pieces []show.Piece
	Left   int // bytes that are not shown
}

func shown(s string) text {
	part, left := cut(s)
	return text{show.Pieces(part), left}
}

// laidOut breaks JSON into lines; other texts stay as they are, and so does what would take too much room. Numbers and texts keep
// their spelling.
func laidOut(s string) string {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || roomFor(trimmed) > mostShown {
		return s
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(trimmed), "", "  ") != nil {
		return s
	}
	return b.String()
}

// roomFor is about how long JSON gets in lines that are indented by two for each level. A few bytes can ask for a lot.
func roomFor(s string) int {
	n, depth, quoted := len(s), 0, false
	for i := 0; i < len(s) && n <= mostShown; i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			n += 1 + 2*depth
		case c == '}' || c == ']':
			depth = max(0, depth-1)
			n += 1 + 2*depth
		case c == ',':
			n += 1 + 2*depth
		}
	}
	return n
}

// excerpt is the beginning of a text, on one line.
func excerpt(s string, most int) string {
	line := strings.Join(strings.Fields(firstBytes(s, 4*most)), " ")
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	if len(s) > 4*most {
		return line + "…"
	}
	return line
}

func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// grouped writes a whole number with commas.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func dollars(v float64) string {
	digits := 2
	if v > 0 && v < 1 {
		digits = 4
	}
	return "$" + strconv.FormatFloat(v, 'f', digits, 64)
}

// cost is a sum of dollars, or a question mark.
func cost(c *float64) string {
	if c == nil {
		return "?"
	}
	return dollars(*c)
}

func tokens(c *int64) string {
	if c == nil {
		return "?"
	}
	return grouped(*c)
}

func counted(c llm.Count) string {
	if !c.Known {
		return "?"
	}
	return grouped(c.N)
}

func seconds(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " s"
	}
	return strconv.FormatFloat(v, 'f', 2, 64) + " s"
}

func reward(r *float64) string {
	if r == nil {
		return "–"
	}
	return strconv.FormatFloat(*r, 'g', 6, 64)
}

// callText describes one model call in a line.
func callText(c sim.ModelCall) string {
	out := fmt.Sprintf("%s %s: %s + %s tokens", c.Role, c.Model, counted(c.Usage.PromptTokens), counted(c.Usage.CompletionTokens))
	if c.Cost != nil {
		out += ", " + dollars(*c.Cost)
	}
	if c.Transport.Attempts > 1 {
		out += fmt.Sprintf(", %d tries", c.Transport.Attempts)
	}
	return out
}
