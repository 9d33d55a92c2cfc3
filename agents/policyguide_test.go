package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// lines plays a side from a list, and ends the conversation after it.
func lines(role domains.Role, list ...sim.Message) sim.Participant {
	return sim.ParticipantFunc(func(context.Context, sim.View) (sim.Turn, error) {
		if len(list) == 0 {
			end := sim.Message{Role: role, Content: domains.Text("###STOP###")}
			return sim.Turn{Message: end, Stop: true}, nil
		}
		m := list[0]
		list = list[1:]
		m.Role = role
		return sim.Turn{Message: m}, nil
	})
}

func text(s string) sim.Message { return sim.Message{Content: domains.Text(s)} }

// asks is a message with calls, each written as name{json}.
func asks(list ...string) sim.Message {
	m := sim.Message{}
	for i, c := range list {
		at := strings.IndexByte(c, '{')
		args, err := value.ParseString(c[at:])
		if err != nil {
			panic(err)
		}
		m.ToolCalls = append(m.ToolCalls, sim.ToolCall{ID: fmt.Sprintf("c%d_%s", i, c[:at]), Name: c[:at], Arguments: args})
	}
	return m
}

const (
	look    = `get_users{}`
	plants  = `create_task{"user_id":"user_1","title":"Water plants"}`
	nobodys = `create_task{"user_id":"nobody","title":"Water plants"}`
	feedCat = `create_task{"user_id":"user_1","title":"Feed cat"}`
	pass    = `transfer_to_human_agents{"summary":"no way"}`
)

// at is one request of a verifier's answer.
type at struct {
	id, intent, target, node string
	walk                     []string // nodes that are met, before node
	tool, title, remediation string
	done                     bool
}

func answer(transfer bool, list ...at) llm.Message {
	r := verify.Record{Transfer: transfer, Reconcile: verify.Reconcile{Intents: []verify.Intent{}}, Traverse: []verify.Traversal{}}
	for _, a := range list {
		t := verify.Traversal{ID: a.id, Node: a.node, Status: verify.Open, Remediation: a.remediation, Selection: verify.Selection{Target: a.target}}
		for _, w := range a.walk {
			t.Walk = append(t.Walk, verify.Visit{Node: w, Satisfied: true})
		}
		t.Walk = append(t.Walk, verify.Visit{Node: a.node, Satisfied: a.done})
		if a.tool != "" {
			t.Authorize = &a.tool
		}
		if a.title != "" {
			t.Grounded = verify.Grounded{{Arg: "title", Value: value.OfString(a.title), Source: "user message"}}
		}
		if a.done {
			t.Status = verify.Done
		}
		r.Reconcile.Intents = append(r.Reconcile.Intents, verify.Intent{ID: a.id, Request: "wish " + a.id, Intent: a.intent})
		r.Traverse = append(r.Traverse, t)
	}
	body, err := r.Text()
	if err != nil {
		panic(err)
	}
	return says("Reasoning.\n\n" + body)
}

var (
	spine     = []string{"intake", "identify.ask_id", "identify.look_up", "classify"}
	toCreate  = append(append([]string{}, spine...), "add.get_title", "add.agree.summarize", "add.agree.confirm")
	atAsk     = at{id: "a", intent: "add_task", target: "Water plants", node: "identify.ask_id", walk: spine[:1], remediation: "Ask for the member id."}
	atConfirm = at{id: "a", intent: "add_task", target: "Water plants", node: "add.agree.confirm", walk: toCreate[:6], remediation: "Wait for a yes."}
	atCreate  = at{id: "a", intent: "add_task", target: "Water plants", node: "add.authorize_create", walk: toCreate, tool: "create_task", title: "Water plants", remediation: "Call create_task."}
	gapped    = at{id: "a", intent: "add_task", target: "Water plants", node: "add.authorize_create", walk: append(append([]string{}, toCreate[:5]...), toCreate[6]), tool: "create_task", title: "Water plants", remediation: "Call create_task."}
	again     = at{id: "b", intent: "add_task", target: "Water plants, again", node: "add.authorize_create", walk: toCreate, tool: "create_task", title: "Water plants", remediation: "Call create_task once more."}
	finished  = at{id: "a", intent: "add_task", target: "Water plants", node: "exit_done", walk: []string{"add.authorize_create", "add.verify_create"}, done: true}
)

// TestPolicyGuideConversations holds conversations with verifiers, agents and users that say what they are given, and
// compares what happened with golden files.
func TestPolicyGuideConversations(t *testing.T) {
	hello := text("Please put 'Water plants' on my list. I am user_1.")
	for _, c := range []struct {
		name    string
		params  string
		guide   []llm.Message
		agent   []sim.Message
		user    []sim.Message
		writes  int // successful mutating calls
		silence bool
	}{
		{"two_requests", `{}`, []llm.Message{
			answer(false, atAsk, at{id: "b", intent: "add_task", target: "Feed cat", node: "identify.ask_id", walk: spine[:1], remediation: "Ask for the member id, again."}),
			answer(false, at{id: "a", intent: "add_task", target: "Water plants", node: "add.agree.confirm", walk: []string{"identify.ask_id", "identify.look_up", "classify", "add.get_title", "add.agree.summarize"}, remediation: "Wait."},
				at{id: "b", intent: "add_task", target: "Feed cat", node: "add.agree.summarize", walk: []string{"identify.ask_id", "identify.look_up", "classify", "add.get_title"}, remediation: "Summarize."}),
		}, []sim.Message{text("Your id?"), text("Shall I add both?")}, []sim.Message{hello, text("user_1, and 'Feed cat' too")}, 0, false},
		{"abandoned_and_merged", `{}`, []llm.Message{
			answer(false, atAsk, at{id: "b", intent: "add_task", target: "Feed cat", node: "identify.ask_id", walk: spine[:1], remediation: "Ask."}),
			answer(false, atAsk, at{id: "c", intent: "add_task", target: "Water plants", node: "identify.ask_id", walk: spine[:1], remediation: "Ask."}),
		}, []sim.Message{text("Your id?"), text("Well?")}, []sim.Message{hello, text("Forget the cat. As I said: water plants!")}, 0, false},
		{"advisory_retry_passes", `{}`, []llm.Message{answer(false, atAsk), answer(false, atAsk)},
			[]sim.Message{asks(plants), asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"strict_never_passes", `{"gate":"strict","max_refusals":3}`, []llm.Message{answer(false, atAsk), answer(false, atAsk)},
			[]sim.Message{asks(plants), asks(plants), asks(plants), asks(plants)}, []sim.Message{hello}, 0, false},
		{"strict_authorized_once", `{"gate":"strict"}`, []llm.Message{answer(false, atCreate), answer(false, atCreate), answer(false, finished)},
			[]sim.Message{asks(plants), asks(plants), asks(feedCat), text("Done.")}, []sim.Message{hello, text("Thanks")}, 1, false},
		{"strict_other_arguments", `{"gate":"strict"}`, []llm.Message{answer(false, atCreate), answer(false, atCreate)},
			[]sim.Message{asks(feedCat), asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"monitor", `{"gate":"monitor"}`, []llm.Message{answer(false, atAsk)},
			[]sim.Message{asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"transfer_until_signalled", `{}`, []llm.Message{answer(false, atAsk), answer(false, atAsk), answer(true, atAsk)},
			[]sim.Message{asks(pass), asks(pass), asks(pass), text("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.")}, []sim.Message{hello, text("And now?")}, 0, false},
		{"transfer_at_most_three", `{}`, []llm.Message{answer(false, atAsk), answer(false, atAsk), answer(false, atAsk), answer(false, atAsk)},
			[]sim.Message{asks(pass), asks(pass), asks(pass), asks(pass), text("Bye.")}, []sim.Message{hello}, 0, false},
		{"garbage_fails_open", `{}`, []llm.Message{says("I do not know."), says("Still not.")},
			[]sim.Message{asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"garbage_stays_closed_when_strict", `{"gate":"strict"}`, []llm.Message{says("I do not know."), says("Still not."), answer(false, atAsk)},
			[]sim.Message{asks(plants), text("Sorry.")}, []sim.Message{hello}, 0, false},
		{"asked_again", `{}`, []llm.Message{says("I do not know."), answer(false, atAsk)},
			[]sim.Message{text("Your id?")}, []sim.Message{hello}, 0, false},
		{"unknown_node", `{}`, []llm.Message{answer(false, at{id: "a", intent: "add_task", node: "nowhere", tool: "create_task", remediation: "Go on."}), answer(false, atAsk)},
			[]sim.Message{asks(plants), text("Your id?")}, []sim.Message{hello}, 0, false},
		{"timeout_fails_open", `{"timeout":"20ms"}`, nil,
			[]sim.Message{asks(plants), text("Done.")}, []sim.Message{hello}, 1, true},
		{"omitted_node_asked_again", `{"walk_check":"path"}`, []llm.Message{answer(false, gapped), answer(false, atCreate)},
			[]sim.Message{asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"omitted_node_twice", `{"walk_check":"path"}`, []llm.Message{answer(false, gapped), answer(false, gapped), answer(false, atCreate)},
			[]sim.Message{asks(plants), asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"omitted_node_then_garbage", `{"walk_check":"path"}`, []llm.Message{answer(false, gapped), says("I do not know."), answer(false, atCreate)},
			[]sim.Message{asks(plants), asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"omitted_node_without_a_check", `{}`, []llm.Message{answer(false, gapped)},
			[]sim.Message{asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"strict_failed_call_spends_nothing", `{"gate":"strict"}`, []llm.Message{answer(false, atCreate)},
			[]sim.Message{asks(nobodys), asks(plants), text("Done.")}, []sim.Message{hello}, 1, false},
		{"strict_the_same_again", `{"gate":"strict"}`, []llm.Message{answer(false, atCreate), answer(false, finished), answer(false, again)},
			[]sim.Message{asks(plants), text("Done."), text("Anything else?"), asks(plants), text("Done again.")}, []sim.Message{hello, text("Thanks"), text("The same once more.")}, 2, false},
		{"strict_fires_once_in_each_turn", `{"gate":"strict"}`, []llm.Message{answer(false, atAsk), answer(false, atAsk), answer(false, atAsk), answer(false, atAsk)},
			[]sim.Message{asks(plants), asks(plants), text("No."), asks(plants), text("No.")}, []sim.Message{hello, text("But why?")}, 0, false},
		{"strict_failure_disarms", `{"gate":"strict"}`, []llm.Message{answer(false, atCreate), says("I do not know."), says("Still not."), answer(false, atAsk)},
			[]sim.Message{text("Shall I?"), asks(plants), text("Sorry.")}, []sim.Message{hello, text("Yes")}, 0, false},
		{"transfer_after_a_failed_firing", `{}`, []llm.Message{says("I do not know."), says("Still not."), answer(false, atAsk), answer(false, atAsk)},
			[]sim.Message{text("Your id?"), asks(pass), text("Well then.")}, []sim.Message{hello, text("user_1")}, 0, false},
		{"passed_once_its_call_succeeded", `{"walk_check":"path"}`, []llm.Message{answer(false, atCreate), answer(false, finished)},
			[]sim.Message{asks(plants), text("Done.")}, []sim.Message{hello, text("Thanks")}, 1, false},
		{"passed_without_its_call", `{"walk_check":"path"}`, []llm.Message{answer(false, atCreate), answer(false, finished), answer(false, finished)},
			[]sim.Message{asks(nobodys), text("Done.")}, []sim.Message{hello, text("Thanks")}, 0, false},
		{"read_by_meaning", `{}`, []llm.Message{says("Reasoning.\n" + `{"traverse":{"id":"a","node":"identify.ask-id","status":"OPEN","remediation":["Ask","for the id."]}}`)},
			[]sim.Message{text("Your id?")}, []sim.Message{hello}, 0, false},
		{"several_calls", `{}`, []llm.Message{answer(false, atConfirm), answer(false, atConfirm)},
			[]sim.Message{asks(look, plants), asks(look), text("Shall I?")}, []sim.Message{hello}, 0, false},
	} {
		for _, params := range []string{c.params, explicit(t, c.params)} {
			t.Run(c.name, func(t *testing.T) {
				w := world(t, domains.Options{})
				s, m := setup(t, w, "add_task", c.guide...)
				if c.silence {
					s.Model.Client = llm.Func(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
						<-ctx.Done()
						return llm.Response{}, &llm.Error{Kind: llm.KindTimeout, Message: "no answer", Err: ctx.Err()}
					})
				}
				s.Params = agents.Params(params)
				overlay, err := agents.NewPolicyGuideOverlay(s)
				if err != nil {
					t.Fatal(err)
				}
				rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(),
					Agent: overlay(lines(domains.RoleAssistant, c.agent...)), User: lines(domains.RoleUser, c.user...)})
				if err != nil || rec.Fault != nil {
					t.Fatalf("error %v, fault %+v", err, rec.Fault)
				}
				if !c.silence && len(m.requests) != len(c.guide) {
					t.Errorf("the verifier was asked %d times, want %d", len(m.requests), len(c.guide))
				}
				for _, r := range m.requests {
					if in, err := verify.ReadTask(r.Messages[1].Text()); err != nil || slices.ContainsFunc(in.Messages, func(m domains.Message) bool { return strings.Contains(m.TextOf(), "[Policy guide]") }) {
						t.Errorf("the verifier is shown guidance, or nothing it can read: %v", err)
					}
				}
				if got := written(w, rec); got != c.writes {
					t.Errorf("%d changes were made, want %d", got, c.writes)
				}
				golden(t, "guide/"+c.name+".golden", transcript(t, rec))
			})
		}
	}
}

// explicit adds the defaults to parameters, as somebody would write them who leaves nothing out.
func explicit(t *testing.T, params string) string {
	t.Helper()
	all := map[string]any{"verifier": "llm", "gate": "advisory", "walk_check": "exists", "stall": 5, "timeout": "3m", "bundle": "", "max_refusals": 10}
	if err := json.Unmarshal([]byte(params), &all); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// written counts the changes that a conversation made.
func written(w *domains.World, rec sim.Record) int {
	calls := map[string]string{}
	n := 0
	for _, m := range rec.Messages {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c.Name
		}
		if m.Role == domains.RoleTool && !m.Error && w.Agent.Mutates(calls[m.ID]) {
			n++
		}
	}
	return n
}

// transcript writes what happened, for people.
func transcript(t *testing.T, rec sim.Record) string {
	t.Helper()
	var b strings.Builder
	events := rec.Events
	flush := func(i int) {
		for len(events) > 0 && events[0].Index <= i {
			e := events[0]
			events = events[1:]
			fmt.Fprintf(&b, "    %s %s\n", e.Kind, strings.ReplaceAll(e.Text, "\n", "\n      "))
			for _, m := range e.Messages {
				fmt.Fprintf(&b, "      | %s %s%s\n", m.Role, strings.ReplaceAll(m.TextOf(), "\n", " / "), shownCalls(m))
			}
			for _, key := range slices.Sorted(maps.Keys(e.Data)) {
				if line := datum(key, e.Data[key]); line != "" {
					fmt.Fprintf(&b, "      %s\n", line)
				}
			}
		}
	}
	for i, m := range rec.Messages {
		flush(i)
		said := m.TextOf()
		if m.Role == domains.RoleTool {
			said = fmt.Sprintf("error %v", m.Error)
		}
		if thought, ok := m.Provider["thought"]; ok {
			said += fmt.Sprintf(" (thought: %s)", thought)
		}
		fmt.Fprintf(&b, "%d %s: %s%s\n", i, m.Role, said, shownCalls(m))
	}
	flush(len(rec.Messages))
	fmt.Fprintf(&b, "steps %d, %s\n", rec.Steps, rec.Termination)
	return b.String()
}

// datum writes what an event keeps under a key; long things are only named.
func datum(key string, value any) string {
	switch key {
	case "before", "after":
		return ""
	case "record":
		return fmt.Sprintf("record of %d", len(value.(verify.Record).Traverse))
	case "raw":
		return fmt.Sprintf("raw of %d bytes", len(value.(string)))
	case "reask":
		return fmt.Sprintf("asked again: %s", value)
	}
	return fmt.Sprintf("%s %v", key, value)
}

func shownCalls(m sim.Message) string {
	out := ""
	for _, c := range m.ToolCalls {
		args, err := json.Marshal(c.Arguments)
		if err != nil {
			return err.Error()
		}
		out += fmt.Sprintf(" → %s%s", c.Name, args)
	}
	return out
}
