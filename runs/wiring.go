package runs

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm/cassette"
)

// logOptions are those of a run's log.
func (o Options) logOptions() *slog.HandlerOptions {
	if !o.Debug {
		return nil
	}
	return &slog.HandlerOptions{Level: slog.LevelDebug}
}

// wiring opens what surrounds the models of an execution.
func (x *execution) wiring() (w wiring, err error) {
	c := x.plan.Config
	w = wiring{replays: c.Replays(), trace: x.options.Trace, log: &callLog{x.log}, warn: x.warn}
	w.trace.Hide(x.writer.Hide)
	run := x.writer.RunID
	var once sync.Once
	w.cassette, err = openCassette(c, x.plan.CassetteDir(), cassette.Options{Hide: x.writer.Hide.Redact, Run: run, Failed: func(err error) {
		x.log.Error("answer used but not recorded", "error", err.Error())
		once.Do(func() {
			x.warn(fmt.Sprintf("an answer was used but not recorded: %v; further ones are told in %s", err, store.LogName))
		})
	}})
	limit, earlier := c.Limits.Budget, store.PaidFor(maps.Values(x.writer.Entries()))
	switch {
	case w.replays:
		limit = config.Budget{MaxWall: limit.MaxWall} // nothing is spent, whatever it once cost
	case err == nil && w.cassette != nil && (limit.MaxCost > 0 || limit.MaxTokens > 0):
		var lost store.Spending
		lost, err = x.unrecorded(w.cassette, run)
		earlier = earlier.And(lost)
	}
	x.budget = runBudget(limit, x.meter, earlier)
	return w, err
}

// warn tells what turned up during the run, once and on one line.
func (x *execution) warn(text string) {
	text = strings.Join(strings.Fields(text), " ")
	x.mu.Lock()
	known := slices.Contains(x.progress.Warnings, text)
	if !known {
		x.progress.Warnings = append(slices.Clip(x.progress.Warnings), text)
	}
	x.mu.Unlock()
	if !known {
		x.log.Warn("warning", "text", text)
	}
}

func faultText(r sim.Record) string {
	if r.Fault == nil {
		return ""
	}
	return r.Fault.Text
}

// openCassette opens the recordings in a folder, as the config says; nil without any.
func openCassette(c *config.Config, dir string, o cassette.Options) (*cassette.Cassette, error) {
	mode := cassette.Mode(c.Cassette.Mode)
	if mode == cassette.Off || mode == "" {
		return nil, nil
	}
	return cassette.Open(dir, mode, o)
}
