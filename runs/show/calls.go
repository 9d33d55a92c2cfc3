package show

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/transcript"
)

// Calls is the list of a trial's model calls as a table.
func Calls(calls []transcript.Asked) report.Table {
	t := report.Table{Name: "calls", Title: "Model calls", Notes: transcript.Whys(calls), Columns: []report.Column{{Key: "call", Title: "Call"}, {Key: "message", Title: "For message", Numeric: true},
		{Key: "prompt", Title: "Prompt", Numeric: true}, {Key: "cached", Title: "Cached", Numeric: true}, {Key: "completion", Title: "Completion", Numeric: true},
		{Key: "cost", Title: "Cost", Numeric: true}, {Key: "tries", Title: "Tries", Numeric: true}, {Key: "time", Title: "Time", Numeric: true}, {Key: "remarks", Title: "Remarks"}}}
	for _, a := range calls {
		l := transcript.LineOf(a, "")
		var row []report.Cell
		for _, text := range []string{l.Role, strconv.Itoa(a.Index), l.Prompt, l.Cached, l.Completion, l.Cost, l.Tries, l.Seconds, l.Note} {
			row = append(row, report.Label(text))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// PrintCall writes what was sent for a model call, part by part, and what came of each try.
func PrintCall(w io.Writer, x transcript.Exchange, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, Options: o}
	part := func(name, text string) {
		p.styled(terminal.Bold, "── %s", name)
		p.line("%s", strings.TrimRight(text, "\n"))
	}
	for _, r := range x.Parts {
		if r.Change == transcript.Removed {
			continue
		}
		name := r.Name
		if r.Change != "" {
			name += " (" + string(r.Change) + " since " + x.Before.Name() + ")"
		}
		part(name, strings.TrimLeft(r.Text+"\n"+r.Fields, "\n"))
	}
	for i, s := range x.Sent {
		if s.Error != "" {
			part("try "+strconv.Itoa(i+1)+" failed: "+s.Error, string(s.Answer))
		}
	}
	if x.Sent[len(x.Sent)-1].Error == "" {
		part("answer", x.Said)
	}
	return b.Flush()
}
