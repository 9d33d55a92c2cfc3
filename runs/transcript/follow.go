package transcript

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// follower follows a guide through a conversation, to say of each event only what is new.
type follower struct {
	state verify.State
	last  map[string]string // where each request was when that was last told
}

// brief is an event in brief, with a line for each thing that is new; "" if nothing is.
func (f *follower) brief(e sim.Event) string {
	var fired firing
	switch {
	case e.Kind == agents.EventGuidance:
		return f.guidance(e.Text)
	case e.Kind == agents.EventFiring && decode(e.Data, &fired):
		f.state = fired.After
		return f.firing(fired)
	}
	return ""
}

// guidance names the node of each request that the agent is told about, and what it is told.
func (f *follower) guidance(text string) string {
	if f.state.Transfer || text != f.state.Guidance() {
		if _, told, ok := strings.Cut(text, "\n\n"); ok {
			text = told
		}
		if f.state.Transfer {
			return "transfer: " + oneLine(text)
		}
		return oneLine(text)
	}
	var lines []string
	for _, q := range f.state.Requests {
		if q.Status == verify.Open && q.Remediation != "" {
			lines = append(lines, fmt.Sprintf("%s: %s", cmp.Or(q.Node, q.ID), oneLine(q.Remediation)))
		}
	}
	return strings.Join(lines, "\n")
}

// firing says what of the verifier's answer was not taken as it was, and where requests are now that the agent is told
// nothing about.
func (f *follower) firing(fired firing) string {
	lines := fired.remarks()
	if f.last == nil {
		f.last = map[string]string{}
	}
	for _, q := range f.state.Requests {
		told := q.Status == verify.Open && q.Remediation != "" // in the guidance, which follows
		if now := statusOf(q); now != f.last[q.ID] && !told {
			f.last[q.ID] = now
			lines = append(lines, q.ID+" "+now)
		}
	}
	return strings.Join(lines, "\n")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
