package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

func said(role domains.Role, text string) sim.Message { return sim.Message{Role: role, Content: &text} }

func laidOut(t *testing.T, r sim.Record) transcript.Conversation {
	t.Helper()
	c, err := transcript.NewConversation(transcript.Trial{Record: r})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTurns: positions number events and messages in the order of display, and a turn has the signs of both.
func TestTurns(t *testing.T) {
	call := said(domains.RoleAssistant, "")
	call.ToolCalls = []sim.ToolCall{{ID: "1", Name: "get_order_details", Requestor: domains.AgentSide}}
	failed := sim.Message{Role: domains.RoleTool, ID: "1", Content: domains.Text("Error: no such order"), Error: true, Requestor: domains.AgentSide}
	c := laidOut(t, sim.Record{Messages: []sim.Message{said(domains.RoleAssistant, "Hi"), said(domains.RoleUser, "Hello"), call, failed},
		Events: []sim.Event{{Kind: "guidance", Index: 2, Text: "Ask"}, {Kind: "intercept", Index: 2, Data: map[string]any{"mode": "strict"}},
			{Kind: sim.EventEmptyAnswer, Index: 4}},
		Calls: []sim.ModelCall{{Role: "user", Index: 1, Finish: "length"}}})
	var got []string
	for _, turn := range c.Turns() {
		var marks strings.Builder
		for _, s := range turn.Signs {
			marks.WriteString(s.Mark())
		}
		got = append(got, fmt.Sprintf("%d %s %s %s", turn.Pos, turn.ID, turn.Who, marks.String()))
	}
	want := []string{"0 m0 agent ", "1 m1 user ✂", "4 m2 → get_order_details ◆⊘", "5 m3 ← get_order_details ✗", "6 e2 end ∅"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if whole, ok := c.Whole("e0"); !ok || !strings.Contains(whole, "Ask") {
		t.Errorf("event 0 is %q", whole)
	}
	if _, ok := c.Whole("m9"); ok {
		t.Error("there is a message 9")
	}
}

// TestParts: every step is in one part, parts are bounded by steps and by bytes, and a step that is too large is alone.
func TestParts(t *testing.T) {
	var messages []sim.Message
	for i := range 450 {
		text := "short"
		if i >= 210 && i < 220 {
			text = strings.Repeat("x", 90_000)
		}
		messages = append(messages, said(domains.RoleUser, text))
	}
	if got, want := laidOut(t, sim.Record{Messages: messages}).Parts(), []int{0, 200, 214, 218, 418}; !slices.Equal(got, want) {
		t.Errorf("parts begin at %v, want %v", got, want)
	}
	if got := laidOut(t, sim.Record{}).Parts(); !slices.Equal(got, []int{0}) {
		t.Errorf("nothing has the parts %v", got)
	}
	c, err := transcript.NewPart(transcript.Trial{Record: sim.Record{Messages: messages}}, 215)
	if err != nil || c.First != 214 || c.End != 218 {
		t.Errorf("step 215 is in the part from %d to %d, %v", c.First, c.End, err)
	}
}
