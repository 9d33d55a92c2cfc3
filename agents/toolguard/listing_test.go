package toolguard_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
)

// TestListing pins what people read of guards and gold plans.
func TestListing(t *testing.T) {
	rules := []toolguard.Rule{
		{ID: "d.a.1", Tool: "a", Text: "first", Requirements: []string{"B1", "B2"}, Reads: []string{"get_x", "get_y"}},
		{ID: "d.other.1", Tool: "other", Text: "second"},
	}
	long := value.OfMap(value.MapOf(value.Pair{Key: "text", Value: value.OfString(strings.Repeat("x", 200))}))
	miss := toolguard.Miss{Task: "7", Action: 2, Tool: "a", Arguments: long, Rule: "d.a.1", Message: "No."}
	for _, c := range []struct {
		list toolguard.Listing
		want string
	}{
		{toolguard.Listing{Domain: "d", Published: true, Now: "then", Rules: rules, Gold: &toolguard.Report{Release: true, Calls: 3, Blocked: 1, BlockedTasks: 1, Changing: 2, Failing: 1, AlsoFailing: 1, Misses: []toolguard.Miss{miss}}},
			`d: the guards as released, 2 rules; the moment of every call is then
  d.a.1: a (B1, B2), reads get_x, get_y
    first
  d.other.1: other (no requirement), reads nothing
    second
  gold plans: 1 of 3 changes refused (33.3 %), in 1 of 2 tasks that change something
  the tools themselves refuse 1 of the changes, 1 of them among these
  refused: task 7, action 2 a` + value.Clip(long, 120) + `
    d.a.1: No.

`},
		{toolguard.Listing{Domain: "d", Published: true, Now: "then", Gold: &toolguard.Report{}}, `d: the released guards with their faults mended, 0 rules; the moment of every call is then
  gold plans: 0 of 0 changes refused (0.0 %), in 0 of 0 tasks that change something

`},
		{toolguard.Listing{Domain: "d", Gold: &toolguard.Report{Release: true}}, `d: our own guards, 0 rules; the moment of every call is 
  gold plans: 0 of 0 changes refused (0.0 %), in 0 of 0 tasks that change something

`},
	} {
		var out strings.Builder
		if err := c.list.Print(&out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	closed, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := (toolguard.Listing{Gold: &toolguard.Report{}}).Print(closed); !errors.Is(err, os.ErrClosed) {
		t.Errorf("printing into a closed file: %v", err)
	}
}

// TestGoldCounts: what a gold plan asks for that its tool or a guard refuses is counted by call and by task, the user's
// own calls and reads are not changes, and the option for conversations is without effect.
func TestGoldCounts(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	book, _ := find(t, w, "book_reservation")
	gold := func(c domains.ToolCall, side domains.Side) domains.Action {
		return domains.Action{Requestor: side, Name: c.Name, Arguments: c.Arguments}
	}
	nobody, nothing := with(t, book, `{"user_id":"nobody"}`), call(t, `cancel_reservation{"reservation_id":"NONE"}`)
	user, _ := book.ArgumentsMap().Get("user_id")
	name, _ := user.Text()
	tasks := []*domains.Task{
		{ID: "no criteria"},
		{ID: "reads only", Criteria: &domains.Criteria{Actions: []domains.Action{gold(call(t, `get_user_details{"user_id":"x"}`), domains.AgentSide)}}},
		{ID: "three changes", Criteria: &domains.Criteria{Actions: []domains.Action{gold(nobody, domains.UserSide), gold(nobody, domains.AgentSide), gold(nothing, domains.AgentSide),
			gold(call(t, `send_certificate{"user_id":"`+name+`","amount":50}`), domains.AgentSide)}}},
	}
	for _, release := range []bool{false, true} {
		set := guards(t, "airline", toolguard.Options{Release: release, History: release})
		list, err := set.List(t.Context(), w, tasks)
		if err != nil {
			t.Fatal(err)
		}
		got := *list.Gold
		if got.Reads == 0 || len(got.Misses) != 1 || got.Misses[0].Action != 1 || got.Misses[0].Task != "three changes" || !got.Misses[0].Fails {
			t.Errorf("release=%t: %+v", release, got)
		}
		got.Reads, got.Misses = 0, nil
		want := toolguard.Report{Domain: "airline", Release: release, Tasks: 3, Changing: 1, Calls: 3, Guarded: 2, Failing: 2, Blocked: 1, AlsoFailing: 1, BlockedTasks: 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("release=%t (-want +got):\n%s", release, diff)
		}
		if list.Domain != "airline" || !list.Published || len(list.Rules) != 18 {
			t.Errorf("release=%t: %s, published %t, %d rules", release, list.Domain, list.Published, len(list.Rules))
		}
	}
	all, err := w.Select("")
	if err != nil {
		t.Fatal(err)
	}
	deaf, err := guards(t, "airline", toolguard.Options{Release: true}).Gold(t.Context(), w, all)
	if err != nil {
		t.Fatal(err)
	}
	hearing, err := guards(t, "airline", toolguard.Options{Release: true, History: true}).Gold(t.Context(), w, all)
	if diff := cmp.Diff(deaf.Blocked, hearing.Blocked); err != nil || diff != "" {
		t.Errorf("gold plans have no conversation to look at, but: %s (%v)", diff, err)
	}
	if got := (&toolguard.Report{Calls: 1, Blocked: 1}).Share(); got != 1 {
		t.Errorf("share of one of one %v", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	set := guards(t, "airline", toolguard.Options{})
	if _, err := set.List(ctx, w, tasks); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	broken := &domains.Task{ID: "broken", Criteria: &domains.Criteria{}, InitialState: &domains.InitialState{Actions: []domains.EnvCall{{Side: domains.AgentSide, Func: "no_such_function"}}}}
	if _, err := set.Gold(t.Context(), w, []*domains.Task{broken}); err == nil {
		t.Error("a task that cannot be opened gives a report")
	}
}
