package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// text is a text of a model, a tool or a data set as the template of that name shows it.
type text struct {
	Pieces []transcript.Piece
	Left   int // bytes that are not shown
}

// shown cuts a text that would make a page too long to use.
func shown(s string) text {
	s, left := transcript.Cut(s)
	return text{transcript.Pieces(s), left}
}

// excerpt is the beginning of a text, on one line.
func excerpt(s string, most int) string {
	start := s[:min(len(s), 4*most)]
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(start, "")), " "))
	if len(line) > most || len(start) < len(s) {
		return string(line[:min(len(line), most)]) + "…"
	}
	return string(line)
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

// tokens is a number of tokens, or a question mark.
func tokens(n *int64) string {
	if n == nil {
		return "?"
	}
	return grouped(*n)
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
		out += ", " + billed(c)
	}
	if c.Transport.Attempts > 1 {
		out += fmt.Sprintf(", %d tries", c.Transport.Attempts)
	}
	return strings.Join(append([]string{out}, c.Remarks()...), "; ")
}
