package verify_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
)

// patientWorkflow leads to a transfer in two ways: a procedure that gives up once the user has spoken four times, and the branch
// of those who want one.
func patientWorkflow(t *testing.T) *verify.Workflow {
	t.Helper()
	next := func(to string) []guide.Edge { return []guide.Edge{{To: to, When: guide.Satisfied}} }
	pass := []string{verify.TransferTool}
	intents := []guide.Intent{{Label: "help"}, {Label: "transfer"}}
	nodes := []*guide.Node{
		{ID: "start", Type: guide.Entry, Edges: next("greet")},
		{ID: "greet", Type: guide.AgentAction, Check: "size(said_by_user) > 0", Edges: next("classify"), Remediation: "Greet."},
		{ID: "classify", Type: guide.Decision, Edges: []guide.Edge{{To: "help", When: "help"}, {To: "hand_over", When: "transfer"}}},
		{ID: "help", Type: guide.AgentAction, Check: "size(said_by_user) > 3", Edges: next("give_up"), Remediation: "Help."},
		{ID: "give_up", Type: guide.ToolCall, Tools: pass, Check: "false", Edges: next("end"), Remediation: "Pass on."},
		{ID: "hand_over", Type: guide.ToolCall, Tools: pass, Check: "false", Edges: next("end"), Remediation: "Pass on."},
		{ID: "end", Type: guide.Exit},
	}
	for _, n := range nodes {
		n.File = "main.yaml"
	}
	w, err := verify.NewWorkflow(deskWorkflow(t).World, guide.NewGraph("mock", "start", intents, nodes))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTransferWithoutKinds holds a transfer back where the workflow tells no kinds of request apart.
func TestTransferWithoutKinds(t *testing.T) {
	v := &verify.Deterministic{Workflow: vagueWorkflow(t, deskWorkflow(t))}
	if ok, known, _ := v.Call(input(verify.State{Held: 1}, consented()...), call(verify.TransferTool, `{"summary":"s"}`)); ok || !known {
		t.Errorf("ok %v, known %v", ok, known)
	}
}

// TestUntimelyTransfers has the deterministic verifier judge a transfer at the moment of its call, and after it was held back.
func TestUntimelyTransfers(t *testing.T) {
	workflow := patientWorkflow(t)
	plants := call("create_task", `{"user_id":"user_1","title":"Water plants"}`)
	pass := call(verify.TransferTool, `{"summary":"s"}`)
	said := func(n int) []domains.Message {
		out := []domains.Message{agentSays("Hi")}
		for range n {
			out = append(out, userSays("Well?"), agentSays("Hm."))
		}
		return out
	}
	made := append(said(1), agentSays("", plants), domains.ResultMessage(plants, domains.ToolResult{Content: `{"task_id":"t"}`}))
	for _, c := range []struct {
		name   string
		wishes []domains.ToolCall
		msgs   []domains.Message
		held   int
		passes bool // at once
		due    bool // after it was held back
		roster string
	}{
		{"the first is held", nil, said(1), 0, false, false, "transfer, start"},
		{"the second passes where the user may want it", nil, said(1), 1, true, false, "transfer, start"},
		{"and is signalled after that", nil, said(1), 2, true, true, "start"},
		{"not before the user has spoken", nil, said(0), 2, false, false, "transfer, start"},
		{"a procedure that has come to it", nil, said(4), 0, true, true, "start"},
		{"all that is wished for is done", []domains.ToolCall{plants, pass}, made, 0, true, true, "start"},
		{"something that is wished for is not", []domains.ToolCall{plants, pass}, said(1), 0, false, false, "create_task:, transfer"},
		{"no transfer is wished for", []domains.ToolCall{plants}, made, 0, false, false, "transfer, start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := &verify.Deterministic{Workflow: workflow, Wishes: c.wishes}
			in := input(verify.State{Held: c.held}, c.msgs...)
			if ok, known, _ := v.Call(in, pass); ok != c.passes || !known {
				t.Errorf("at once: %v, known %v", ok, known)
			}
			in.Refused = []verify.Refusal{{Call: pass, Held: true}}
			a, err := v.Verify(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			var roster []string
			for i, x := range a.Record.Traverse {
				roster = append(roster, x.ID)
				if a.Record.Reconcile.Intents[i].ID != x.ID || x.Status != verify.Open || x.Authorize != nil {
					t.Errorf("%+v", x)
				}
				if x.ID == "transfer" && (x.Node != map[bool]string{true: "hand_over", false: "greet"}[len(c.msgs) > 1] || len(x.Walk) == 0 || !strings.HasPrefix(x.Remediation, "Do not pass the user on yet") || a.Record.Reconcile.Intents[i].Intent != "transfer") {
					t.Errorf("%+v", x)
				}
			}
			if a.Record.Transfer != c.due || strings.Join(roster, ", ") != c.roster {
				t.Errorf("transfer %v, requests %v, want %v and %s", a.Record.Transfer, roster, c.due, c.roster)
			}
			in.Refused = nil
			if a, err = v.Verify(context.Background(), in); err != nil || a.Record.Transfer {
				t.Errorf("nothing was held back, but transfer %v, error %v", a.Record.Transfer, err)
			}
		})
	}
}
