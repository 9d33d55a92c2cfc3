package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/export"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// inspected is the log of a system.
func inspected(t *testing.T, r *store.Run, s export.Selection) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := export.Inspect(t.Context(), r, s, "test", &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// members are the files of a log, as JSON.
func members(t *testing.T, log []byte) map[string]any {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(log), int64(len(log)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		out[f.Name] = v
	}
	return out
}

// odd is a run with calls of both sides, arguments that are no object, a failed call, events, a void trial and a pending one.
func odd(t *testing.T) *store.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "odd")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	arguments, err := value.Parse([]byte(`{"id": "<1>"}`))
	if err != nil {
		t.Fatal(err)
	}
	one, half := 1.0, 0.5
	talk := []sim.Message{
		{Role: domains.RoleAssistant, Content: domains.Text(domains.Greeting)},
		{Role: domains.RoleUser, Content: domains.Text("I lost <b>signal</b>.")},
		{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{{ID: "c1", Name: "look", Arguments: arguments, Requestor: sim.AgentSide},
			{ID: "c2", Name: "look", Malformed: "{id", Reason: "cut off", Requestor: sim.AgentSide}}},
		{Role: domains.RoleTool, ID: "c1", Content: domains.Text("found"), Requestor: sim.AgentSide, Timestamp: "2026-01-02T03:04:06+01:00"},
		{Role: domains.RoleTool, ID: "c2", Content: domains.Text("Error: no arguments"), Requestor: sim.AgentSide, Error: true},
		{Role: domains.RoleUser, ToolCalls: []sim.ToolCall{{ID: "u1", Name: "reboot", Arguments: arguments, Requestor: sim.UserSide}}},
		{Role: domains.RoleTool, ID: "u1", Content: domains.Text("on again"), Requestor: sim.UserSide},
	}
	events := []sim.Event{{Kind: "firing", Index: 3, Text: "look first", Data: map[string]any{"raw": "<x>"}}, {Kind: "intercept", Index: 7, Text: "held back"}}
	calls := []sim.ModelCall{
		{Role: "agent", Model: "m", Usage: llm.Usage{PromptTokens: llm.Known(10), CachedTokens: llm.Known(4), CompletionTokens: llm.Known(2)}, Cost: &half},
		{Role: "user", Model: "other"}}
	times := sim.Times{Started: "2026-01-02T03:04:05.5Z", Finished: "2026-01-02T03:04:07Z", Seconds: 1.5}
	for _, r := range []sim.Record{
		{Key: sim.Key{Task: "a"}, Termination: sim.UserStop, Messages: talk, Events: events, Calls: calls, Times: times},
		{Key: sim.Key{Task: "a", Trial: 1}, Termination: sim.Infra, Fault: &sim.Fault{Kind: "transport", Text: "broken pipe"}},
		{Key: sim.Key{Task: "b"}, Termination: sim.MaxSteps, Messages: talk[:2]},
		{Key: sim.Key{Task: "b", System: "other"}, Termination: sim.MaxSteps},
	} {
		r.Version, r.Domain = sim.RecordVersion, "mock"
		if r.System == "" {
			r.System = "S"
		}
		var score *sim.Score
		if r.Termination == sim.UserStop {
			score = &sim.Score{Version: sim.ScoreVersion, Key: r.Key, Reward: &one, Info: sim.RewardInfo{Reward: 1}, Components: []sim.Component{
				{Type: "DB", State: sim.Pass, Counted: true, Why: "as wanted"}, {Type: "COMMUNICATE", State: sim.NA, Counted: true}, {Type: "ACTION", State: sim.Fail}}}
		}
		if err := f.Add(config.Planned{Key: r.Key, Mut: r.Task == "a"}, r, score); err != nil {
			t.Fatal(err)
		}
	}
	f.Plan(config.Planned{Key: sim.Key{Domain: "mock", System: "S", Task: "b", Trial: 1}})
	c := runtest.Parse(t, "note: odd\nmodels: {m: {synthetic: true}}\nuser: {model: m}\ndomains: [{name: mock}]\nsystems: [{name: S, agent: react, model: m}]\n")
	if err := f.Finish(store.Manifest{ID: "id", Name: "odd", Note: "odd ones", Synthetic: true, Config: c}, time.Unix(1767323045, 0).UTC()); err != nil {
		t.Fatal(err)
	}
	return runtest.Open(t, dir)
}

// TestInspect compares a log with the golden one, which inspect_ai 0.3.285 has read: what is in it is as its models want it.
func TestInspect(t *testing.T) {
	r := odd(t)
	log := inspected(t, r, export.Selection{Domain: "mock", System: "S"})
	if again := inspected(t, r, export.Selection{Domain: "mock", System: "S"}); !bytes.Equal(log, again) {
		t.Error("two exports of one run differ")
	}
	var b bytes.Buffer
	if _, err := export.InspectBy(t.Context(), r, export.Selection{Domain: "mock", System: "S"}, "test", &b, 1); err != nil || !bytes.Equal(log, b.Bytes()) {
		t.Errorf("with one score in memory the log is another: %v", err)
	}
	got, err := json.MarshalIndent(members(t, log), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "inspect.json")
	if *update {
		runtest.Write(t, golden, got)
		if to := os.Getenv("INSPECT_OUT"); to != "" {
			runtest.Write(t, to, log)
		}
	}
	if diff := cmp.Diff(string(runtest.Text(t, golden)), string(got)); diff != "" {
		t.Errorf("the log differs (-want +got):\n%s", diff)
	}
}
