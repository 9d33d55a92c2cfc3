package runs_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// played runs a situation once and returns its summary and its records in order.
func played(t *testing.T, text string) (*runs.Summary, *store.Run) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	s := runtest.Execute(t, text, config.Options{Out: dir})
	return s, runtest.Open(t, dir)
}

// quirks are those of all calls of a run's records.
func quirks(t *testing.T, r *store.Run) (out []string) {
	t.Helper()
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range rec.Calls {
			out = append(out, c.Quirks...)
		}
	}
	return out
}

// TestSituationIsSolved: without odd replies, a situation's trial is a success; the others differ from it by one reply.
func TestSituationIsSolved(t *testing.T) {
	t.Parallel()
	_, r := played(t, runtest.Own(nil).Config(t, 2))
	for _, e := range r.Index() {
		if e.Termination != sim.UserStop || e.Reward == nil || *e.Reward != 1 {
			t.Errorf("%+v", e)
		}
	}
}

// TestOddRepliesAreRead: a reply of an odd form is read as what it says, with a quirk.
func TestOddRepliesAreRead(t *testing.T) {
	t.Parallel()
	trailed := "\ufeff" + string(runtest.Says("Please create a task Buy bread for user_1")) + "\n: keep-alive\n\ndata: [DONE]\n\n"
	second := json.RawMessage(strings.Replace(string(runtest.Calls("create_task", map[string]string{"user_id": "user_1", "title": "Buy bread"})),
		`"choices":[`, `"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"One moment."}},`, 1))
	field := func(folder string) func(*testing.T) runtest.Situation {
		return func(t *testing.T) runtest.Situation { return runtest.Field(t, domaintest.Shared(t), folder) }
	}
	own := func(model string, reply *runtest.Reply) func(*testing.T) runtest.Situation {
		return func(*testing.T) runtest.Situation {
			return runtest.Own(map[string][]*runtest.Reply{model: {reply, nil}})
		}
	}
	for _, tt := range []struct {
		name   string
		of     func(*testing.T) runtest.Situation
		quirk  string
		ending sim.Reason
		reward float64
	}{
		{"field: a call in the second choice", field("04-call-in-second-choice"), "further_choices call_in_further_choice", sim.UserStop, 1},
		// This user says the same for ever.
		{"field: JSON, then done", field("13-json-then-done"), "stream_end", sim.MaxSteps, 0},
		{"a call in the second choice", own("a", &runtest.Reply{Body: second}), "further_choices call_in_further_choice", sim.UserStop, 1},
		{"a mark before, trailers behind", own("u", &runtest.Reply{Text: &trailed, Type: "text/event-stream"}), "byte_order_mark stream_end", sim.UserStop, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, r := played(t, tt.of(t).Config(t, 1))
			e := r.Index()[0]
			if q := strings.Join(slices.Compact(quirks(t, r)), " "); q != tt.quirk {
				t.Errorf("quirks %q, want %q", q, tt.quirk)
			}
			if e.Termination != tt.ending || e.Reward == nil || *e.Reward != tt.reward {
				t.Errorf("ended %s with %v, want %s with %v", e.Termination, e.Reward, tt.ending, tt.reward)
			}
		})
	}
}

// TestFaultsAreToldWhole: what tells is not always the first line of what a server says.
func TestFaultsAreToldWhole(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(map[string]any{"error": map[string]any{"message": "Internal error\nTraceback (most recent call last):\n  File \"serve.py\", line 3\nValueError: no such adapter\n"}})
	if err != nil {
		t.Fatal(err)
	}
	s, r := played(t, runtest.Own(map[string][]*runtest.Reply{"a": {{Status: 422, Body: body}}}).Config(t, 1))
	var said strings.Builder
	s.Print(&said)
	lines := strings.Split(said.String(), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "void: infrastructure_error (bad_request)") })
	if at < 0 || !strings.Contains(lines[at], "ValueError: no such adapter") {
		t.Errorf("the summary lacks the telling line:\n%s", &said)
	}
	for rec, err := range r.Records() {
		if err != nil || !strings.Contains(rec.Fault.Text, "ValueError: no such adapter") || !strings.Contains(rec.Fault.Text, "\nhint: check the endpoint's model name") {
			t.Errorf("%v; fault %+v", err, rec.Fault)
		}
	}
}
