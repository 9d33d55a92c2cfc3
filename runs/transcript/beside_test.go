package transcript_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/trace"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// conversation is one of a text, with these events.
func conversation(t testing.TB, text string, events ...sim.Event) transcript.Conversation {
	t.Helper()
	msgs, err := trace.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := transcript.NewConversation(transcript.Trial{Record: sim.Record{Messages: msgs, Events: events}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const call = "agent> get_order_details order_id=#W1 => {}"

func lines(text ...string) string { return strings.Join(text, "\n") }

// shape is a picture of the rows: = for a message that both have, < and > for others.
func shape(p transcript.Pair) string {
	var b strings.Builder
	for _, r := range p.Rows {
		if r.Same {
			b.WriteString("=")
			continue
		}
		b.WriteString(strings.Repeat("<", len(r.Left)) + strings.Repeat(">", len(r.Right)) + " ")
	}
	return strings.TrimSpace(b.String())
}

func TestBeside(t *testing.T) {
	guided := sim.Event{Kind: "guidance", Index: 1, Text: "Ask."}
	for _, tt := range []struct {
		name        string
		left, right transcript.Conversation
		shape       string
		summary     []string
	}{
		{"the same", conversation(t, lines("agent: Hi", call)), conversation(t, lines("agent: Hi", call)), "===",
			[]string{"the same messages to the user (1)", "the same calls (1)"}},
		{"the same but for events", conversation(t, "agent: Hi\nuser: Hello", guided, guided, sim.Event{Kind: "intercept", Index: 1}), conversation(t, "agent: Hi\nuser: Hello"), "==",
			[]string{"the same messages to the user (1)", "no calls", "2 guidances, 1 intercept on the left"}},
		{"events on both sides", conversation(t, "agent: Hi\nuser: Hello", guided), conversation(t, "agent: Hi\nuser: Hello", guided), "==",
			[]string{"the same messages to the user (1)", "no calls", "1 guidance on both sides"}},
		{"one calls, the other asks", conversation(t, lines("agent: Hi", call, "agent: Bye")), conversation(t, lines("agent: Hi", "agent: Which one?", "user: This", call, "agent: Bye")), "=>> ===",
			[]string{"2 messages to the user in common, 1 more on the right", "the same calls (1)",
				`the first difference is at message 1: left calls get_order_details(order_id: "#W1"), right asks "Which one?"`}},
		{"one ends", conversation(t, "agent: Hi\nuser: Hello\nagent: Bye"), conversation(t, "agent: Hi"), "=<<",
			[]string{"1 message to the user in common, 1 more on the left", "no calls",
				`the first difference is at message 1: left has the user say "Hello", right has ended`}},
		{"another result", conversation(t, call), conversation(t, strings.Replace(call, "=> {}", "=>! Error: none", 1)), "=<>",
			[]string{"no messages to the user", "the same calls (1)",
				`the first difference is at message 1: left gets "{}" of get_order_details, right gets the error "Error: none" of get_order_details`}},
		{"an event after the end", conversation(t, "agent: Hi", guided), conversation(t, "agent: Hi"), "=<",
			[]string{"the same messages to the user (1)", "no calls", "1 guidance on the left"}},
		{"nothing in common", conversation(t, "user: A"), conversation(t, "agent: "), "<>", []string{"no messages to the user", "no calls",
			`the first difference is at message 0: left has the user say "A", right says nothing`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := transcript.Beside(tt.left, tt.right)
			if got := shape(p); got != tt.shape {
				t.Errorf("rows %s, want %s", got, tt.shape)
			}
			want := append(tt.summary, "the databases cannot be compared: left: the task and its data are not at hand")
			if diff := cmp.Diff(want, p.Summary); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBesideData(t *testing.T) {
	w, opened := world(t, "mock"), world(t, "mock") // as two runs have it
	of := func(w *domains.World, text string) transcript.Conversation {
		c, err := transcript.NewConversation(acted(t, w, "finish_task", text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const done, bread, milk = "agent> update_task_status task_id=task_1 status=completed => ?\n", "agent> create_task user_id=user_1 title=Bread => ?\n", "agent> create_task user_id=user_1 title=Milk => ?\n"
	for _, tt := range []struct {
		name, left, right       string
		data                    []transcript.Contrast
		leftWrites, rightWrites []string
		summary                 string
	}{
		{"alike in another order", done + bread, bread + done, nil, nil, nil, "the databases end alike"},
		{"a write on one side", done + bread, bread, []transcript.Contrast{{Name: "tasks.task_1.status", Left: `"completed"`, Right: `"pending"`}},
			[]string{"update_task_status"}, nil, "the databases differ at the end in 1 place"},
		{"twice on one side", bread, bread + milk + done + done, []transcript.Contrast{{Name: "tasks.task_1.status", Left: `"pending"`, Right: `"completed"`},
			{Name: "tasks.task_3", Left: "(absent)", Right: `{"description": null, "status": "pending", "task_id": "task_3", "title": "Milk"}`},
			{Name: "users.user_1.tasks.2", Left: "(absent)", Right: `"task_3"`}}, nil, []string{"create_task", "update_task_status"}, "the databases differ at the end in 3 places"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := transcript.Beside(of(w, tt.left), of(opened, tt.right))
			names := func(list []*transcript.Write) (out []string) {
				for _, w := range list {
					out = append(out, w.Name)
				}
				return out
			}
			if diff := cmp.Diff(tt.data, p.Data); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([][]string{tt.leftWrites, tt.rightWrites}, [][]string{names(p.LeftWrites), names(p.RightWrites)}); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if got := p.Summary[len(p.Summary)-1]; got != tt.summary {
				t.Errorf("summary ends with %q", got)
			}
		})
	}
}

func TestBesideScores(t *testing.T) {
	half, one := 0.5, 1.0
	left, right := conversation(t, "agent: Hi"), conversation(t, "agent: Hi")
	left.Score = &sim.Score{Reward: &one, Components: []sim.Component{{Type: "DB", State: sim.Pass, Counted: true}, {Type: "ACTION", State: sim.Fail, Why: "0 of 1"}}}
	right.Score = &sim.Score{Reward: &half, Components: []sim.Component{{Type: "DB", State: sim.Fail, Counted: true, Why: "3 differences"}, {Type: "NL", State: sim.Pending}}}
	want := []transcript.Contrast{{Name: "reward", Left: "1", Right: "0.5"}, {Name: "DB", Left: "pass", Right: "fail: 3 differences"},
		{Name: "ACTION", Left: "fail, not counted: 0 of 1"}, {Name: "NL", Right: "pending, not counted"}}
	if diff := cmp.Diff(want, transcript.Beside(left, right).Scores); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	right.Score = nil
	if got := transcript.Beside(left, right).Scores[0]; got != (transcript.Contrast{Name: "reward", Left: "1", Right: "not scored yet"}) {
		t.Errorf("%+v", got)
	}
}

// TestAlignment: of any two conversations the rows are each side whole and in order, what is the same is, the beginning
// that both have is aligned, and the other way round everything is mirrored.
func TestAlignment(t *testing.T) {
	steps := rapid.SliceOfN(rapid.SampledFrom([]string{"agent: A", "agent: B?", "user: A", call, strings.Replace(call, "{}", "{ }", 1)}), 0, 60)
	rapid.Check(t, func(r *rapid.T) {
		start := steps.Draw(r, "start")
		a, b := append(slices.Clone(start), steps.Draw(r, "a")...), append(slices.Clone(start), steps.Draw(r, "b")...)
		left, right := conversation(t, lines(a...)), conversation(t, lines(b...))
		p, back := transcript.Beside(left, right), transcript.Beside(right, left)
		var l, rr []transcript.Step
		for i, row := range p.Rows {
			l, rr = append(l, row.Left...), append(rr, row.Right...)
			if m := back.Rows[i]; m.Same != row.Same || !cmp.Equal(m.Left, row.Right) || !cmp.Equal(m.Right, row.Left) {
				r.Fatalf("row %d is not mirrored", i)
			}
			if row.Same && (len(row.Left) != 1 || len(row.Right) != 1 || row.Left[0].Message.Text != row.Right[0].Message.Text || row.Left[0].Message.Side != row.Right[0].Message.Side) {
				r.Fatalf("row %d is not of the same message: %+v", i, row)
			}
			if i < len(start) && !row.Same {
				r.Fatalf("row %d is in both", i)
			}
		}
		if whole := cmpopts.EquateEmpty(); !cmp.Equal(l, left.Steps, whole) || !cmp.Equal(rr, right.Steps, whole) {
			r.Fatal("the rows are not the two conversations")
		}
		if (p.First < 0) != slices.Equal(a, b) && len(a)+len(b) > 0 {
			r.Fatalf("first difference %d", p.First)
		}
	})
}
