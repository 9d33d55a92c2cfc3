package view

import (
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/transcript"
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

// laidOut is JSON in lines, its parts told apart; other texts are as they are.
func laidOut(s string) text {
	s, left := transcript.Cut(transcript.LaidOut(s))
	return text{transcript.Highlighted(s), left}
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

func reward(r *float64) string {
	if r == nil {
		return "–"
	}
	return strconv.FormatFloat(*r, 'g', 6, 64)
}
