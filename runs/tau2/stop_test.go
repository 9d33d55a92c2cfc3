package tau2_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// TestExportTellsWhereAStrictReplayStops: of two trials one has a call that the reference answers otherwise, as its
// arguments were not JSON; the summary and the file say so of that trial alone.
func TestExportTellsWhereAStrictReplayStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := runtest.Resolve(t, ownConfig, config.Options{Out: filepath.Join(dir, "run"), Only: []string{"domain=retail", "system=Noop"}, Limit: 2, Trials: 1})
	next, broken := p.MakeAgent, p.Trials[0].Task
	p.MakeAgent = func(s config.System, setup agents.Setup) (sim.Participant, error) {
		inner, err := next(s, setup)
		called := setup.Task.ID != broken
		return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
			if called {
				return inner.Next(ctx, v)
			}
			called = true
			return sim.Turn{Message: sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{
				{ID: "c", Name: "cancel_pending_order", Malformed: `{"order_id": `, Reason: "unexpected end"}}}}, nil
		}), err
	}
	if _, err := runs.Execute(context.Background(), p, runs.Options{}); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.json")
	done, err := tau2.Export(context.Background(), runtest.Open(t, p.Dir), tau2.ExportOptions{Out: out, Layout: tau2.LayoutJSON, Domain: "retail", System: "Noop", World: p.Worlds["retail"]})
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Stops) != 1 || done.Stops[0].Trial != "retail/Noop/"+broken+"/0" || !strings.HasPrefix(done.Stops[0].Why, "message ") ||
		!strings.Contains(done.Stops[0].Why, "cancel_pending_order returned ") || done.Simulations != 2 {
		t.Errorf("exported %+v", done)
	}
	if n := strings.Count(string(runtest.Text(t, out)), `"tauguide_strict_replay"`); n != 1 {
		t.Errorf("the file says so of %d trials", n)
	}
}
