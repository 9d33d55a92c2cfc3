package runs_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// overflow, moderated and halved are replies of a model that is at fault.
var (
	overflow = &runtest.Reply{Status: 400, Body: json.RawMessage(`{"error":{"message":"This model's maximum context length is 8192 tokens",` +
		`"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)}
	moderated = &runtest.Reply{Status: 403, Body: json.RawMessage(`{"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["violence"]}}}`)}
	thought   = &runtest.Reply{Body: runtest.Answer("length", map[string]any{"role": "assistant", "content": ""})}
	empty     = &runtest.Reply{Body: runtest.Says("")}
	halved    = &runtest.Reply{Body: runtest.Answer("length", map[string]any{"role": "assistant", "content": "Please create a ta"})}
	censored  = &runtest.Reply{Body: runtest.Answer("content_filter", map[string]any{"role": "assistant", "content": "Please create a ta"})}
	page      = &runtest.Reply{Body: json.RawMessage(`"<html>"`)}
)

// TestUsersModelAtFault: a trial that the user's model broke is in no figure and runs again; one that the agent's model
// broke is a failure.
func TestUsersModelAtFault(t *testing.T) {
	t.Parallel()
	own := func(model string, all ...*runtest.Reply) func(*testing.T) runtest.Situation {
		return func(*testing.T) runtest.Situation { return runtest.Own(map[string][]*runtest.Reply{model: all}) }
	}
	for _, tt := range []struct {
		name    string
		of      func(*testing.T) runtest.Situation
		ending  sim.Reason
		fault   string // its kind and, behind a space, a part of its text
		counted sim.Reason
	}{
		{"field: full context", func(t *testing.T) runtest.Situation {
			return runtest.Field(t, domaintest.Shared(t), "06-user-model-overflow")
		},
			sim.UserFault, "context_window 8192 tokens", sim.ContextWindow},
		{"full context", own("u", nil, overflow), sim.UserFault, "context_window 8192 tokens", sim.ContextWindow},
		{"all of the limit thought", own("u", nil, thought), sim.UserFault, "context_window output limit", sim.ContextWindow},
		{"moderated", own("u", moderated), sim.UserFault, "content_filter flagged", sim.UserError},
		{"unreadable", own("u", nil, page), sim.UserFault, "malformed ", sim.Infra},
		{"empty", own("u", empty), sim.UserFault, "speaker no text and no tool call, 3 times", sim.UserError},
		{"cut off", own("u", nil, halved), sim.UserFault, "speaker cut off at the output limit, 3 times", sim.MaxSteps},
		{"cut off once", own("u", halved, nil), sim.UserStop, "", sim.UserStop},
		{"filtered in the middle", own("u", nil, censored), sim.UserFault, "content_filter Please create a ta", sim.MaxSteps},
		{"the agent's: full context", own("a", overflow), sim.ContextWindow, "context_window 8192 tokens", sim.ContextWindow},
		{"the agent's: moderated", own("a", moderated), sim.AgentError, "content_filter flagged", sim.AgentError},
		{"the agent's: empty", own("a", empty), sim.AgentError, "speaker no text", sim.AgentError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.ReplaceAll(tt.of(t).Config(t, 1), "key: ", "retry: {attempts: 1}, key: ")
			s, r := played(t, text)
			e := r.Index()[0]
			rec := recordOf(t, r)
			kind, part, _ := strings.Cut(tt.fault, " ")
			if e.Termination != tt.ending || e.Fault != kind || tt.fault != "" && !strings.Contains(rec.Fault.Text, part) {
				t.Fatalf("ended %s, fault %+v; want %s, %s", e.Termination, rec.Fault, tt.ending, tt.fault)
			}
			void := tt.ending == sim.UserFault
			if s.Complete() == void || s.Terminations[tt.ending] != 1 || void && (len(s.Causes) != 1 || s.Causes[0].Reason != sim.UserFault || e.Reward != nil || e.Pending != "") {
				t.Errorf("summary %+v, entry %+v", s, e)
			}
			_, r = played(t, strings.Replace(text, "user: {model: u}", "user: {model: u, faults: counted}", 1))
			if got := r.Index()[0].Termination; got != tt.counted {
				t.Errorf("ended %s where faults count, want %s", got, tt.counted)
			}
		})
	}
}

func recordOf(t *testing.T, r *store.Run) sim.Record {
	t.Helper()
	rec, err := r.Record(r.Index()[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// passTable is the table of Pass^k of a run.
func passTable(t *testing.T, dir string) string {
	t.Helper()
	source, err := report.FromRun(runtest.Open(t, dir), runtest.NoEnv)
	if err != nil {
		t.Fatal(err)
	}
	table, err := report.Build("pass", report.Input{Sources: []report.Source{source}})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := table.Write(&out, report.CSV); err != nil {
		t.Fatal(err)
	}
	return out.String() + strings.Join(table.Notes, "\n")
}

// TestUsersFaultsInFigures: of four trials the user's model breaks one, the agent's model another. A resume has the first
// run again, and the run's first table says why trials are missing.
func TestUsersFaultsInFigures(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	// A whole trial asks each side twice; the agent breaks in the third, the user in the fourth.
	text := runtest.Own(map[string][]*runtest.Reply{
		"u": {nil, nil, nil, nil, nil, overflow, nil},
		"a": {nil, nil, nil, nil, overflow, nil},
	}).Config(t, 4)
	s := runtest.Execute(t, text, config.Options{Out: dir})
	if s.Evaluable != 3 || s.Complete() || len(s.Causes) != 1 || s.Causes[0].Void != 1 {
		t.Errorf("summary %+v", s)
	}
	if got := passTable(t, dir); !strings.Contains(got, "3,4,0.6666") || !strings.Contains(got, "R on mock: 1 void by faults of the simulated user's model (user_fault)") {
		t.Errorf("table:\n%s", got)
	}
	s = runtest.Execute(t, text, config.Options{Out: dir, Resume: true})
	if !s.Complete() || s.Executed != 1 {
		t.Errorf("after the resume: %+v", s)
	}
	if got := passTable(t, dir); !strings.Contains(got, "4,4,0.75,") || strings.Contains(got, "user_fault") {
		t.Errorf("table:\n%s", got)
	}
}
