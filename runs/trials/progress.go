package trials

import (
	"fmt"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/store"
)

// Progress says in words how far a run has come, by its lines and the coverage of its outcomes.
func Progress(lines []Line, c metrics.Coverage, m store.Manifest, writing bool) string {
	ran, extra := 0, 0
	for i := range lines {
		if l := &lines[i]; l.Foreign {
			extra++
		} else if l.Ran() {
			ran++
		}
	}
	out := fmt.Sprintf("%d of %d planned trials run, %d evaluable", ran, c.Planned, c.Evaluable)
	if n := c.Void - (c.Planned - ran); n > 0 {
		out += fmt.Sprintf(", %d void", n)
	}
	if c.Pending > 0 {
		out += fmt.Sprintf(", %d pending", c.Pending)
	}
	if extra > 0 {
		out += fmt.Sprintf("; %d more that the plan does not have", extra)
	}
	switch {
	case writing:
		return out + "; a process is writing now"
	case c.Evaluable == c.Planned:
		return out + "; complete"
	case m.Imported():
		return out + "; not complete, and imported: it cannot be resumed"
	}
	return out + "; not complete: resume the run to go on"
}
