package show

import (
	"bufio"
	"io"

	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/transcript"
)

// Beside writes what two trials of a task have in common, and where they differ.
func Beside(w io.Writer, pair transcript.Pair, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, Options: o}
	for i, t := range []transcript.Trial{pair.Left.Trial, pair.Right.Trial} {
		outcome, scripted := outcomeOf(t), ""
		if t.Record.Synthetic {
			scripted = " *synthetic*"
		}
		p.styled(outcomeStyle(outcome), "%-6s %s %s %s%s", []string{"left", "right"}[i], t.Record.Key, outcome.Mark(), outcome, scripted)
	}
	p.line("")
	for _, s := range pair.Summary {
		p.line("%s", s)
	}
	p.contrasts("scores", pair.Scores)
	p.contrasts("databases at the end", pair.Data)
	p.writes("left", pair.LeftWrites)
	p.writes("right", pair.RightWrites)
	p.contrasts("nodes of the workflow", pair.Nodes)
	return b.Flush()
}

func (p printer) contrasts(title string, list []transcript.Contrast) {
	if len(list) == 0 {
		return
	}
	p.styled(terminal.Bold, "\n%s (left | right)", title)
	for _, c := range list {
		p.line("  %s: %s | %s", c.Name, p.folded(c.Left), p.folded(c.Right))
	}
}

func (p printer) writes(side string, list []*transcript.Write) {
	if len(list) == 0 {
		return
	}
	p.styled(terminal.Bold, "\nwrites on the %s alone", side)
	for _, w := range list {
		p.line("  message %d, %s: %s", w.Message, w.Side, p.folded(w.Call.String()))
	}
}

// folded is a value that need not be whole.
func (p printer) folded(s string) string {
	if p.Full {
		return s
	}
	return transcript.Clipped(s, 120)
}
