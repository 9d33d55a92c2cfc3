package show

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// Guarded is a recorded conversation with what a guide makes of it.
type Guarded struct {
	sim.Chat
	verify.Replayed
}

// MarshalJSON leaves the messages out: whoever asks has them.
func (g Guarded) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name string `json:"conversation"`
		verify.Replayed
		Due         int `json:"due"`
		Intercepted int `json:"intercepted"`
		Passed      int `json:"passed"`
	}{g.Name, g.Replayed, g.Count(verify.Due), g.Count(verify.Intercepted), g.Count(verify.Passed)})
}

// Print writes the conversation with the firings, the guidance, and a verdict on each change.
func (g Guarded) Print(w io.Writer, o Options) error {
	conversation, err := transcript.NewConversation(transcript.Trial{Record: sim.Record{Messages: g.Messages, Events: g.Events}})
	if err != nil {
		return err
	}
	for _, c := range g.Changes {
		conversation.Steps[c.Message].Message.Calls[c.Place].Mark = mark(c)
	}
	b := bufio.NewWriter(w)
	p := printer{w: b, Options: o}
	p.styled(terminal.Bold, "%s", g.Name)
	for _, e := range conversation.Transcript() {
		p.entry(e)
	}
	p.line("%s: %s\n", g.Name, g.Summary())
	return b.Flush()
}

// Summary counts the verdicts, in a line.
func (g Guarded) Summary() string {
	passed := ""
	if n := g.Count(verify.Passed); n > 0 {
		passed = fmt.Sprintf(", %d not due but let through", n)
	}
	return fmt.Sprintf("changes and transfers: %d due, %d would be intercepted%s", g.Count(verify.Due), g.Count(verify.Intercepted), passed)
}

func mark(c verify.Change) string {
	switch c.Verdict {
	case verify.Intercepted:
		if c.Repeated {
			return "WOULD BE INTERCEPTED, and pass when repeated: " + c.Why
		}
		return "WOULD BE INTERCEPTED: " + c.Why
	case verify.Passed:
		return "not due, but let through: " + c.Why
	}
	return "due"
}
