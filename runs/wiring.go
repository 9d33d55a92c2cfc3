package runs

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/tauguide/tauguide/sim"
)

// logOptions are those of a run's log.
func (o Options) logOptions() *slog.HandlerOptions {
	if !o.Debug {
		return nil
	}
	return &slog.HandlerOptions{Level: slog.LevelDebug}
}

// wiring opens what stands around the models of an execution.
func (x *execution) wiring() (wiring, error) {
	j := x.job
	w := wiring{replays: j.Config.replays(), trace: j.options.Trace, log: &callLog{x.log}, warn: x.warn}
	w.trace.Hide(x.writer.hide.secrets)
	m, err := readManifest(j.Dir)
	if err != nil {
		return w, err
	}
	var once sync.Once
	w.cassette, err = j.openCassette(x.writer.hide, m.id(), func(err error) {
		x.log.Error("answer used but not recorded", "error", err.Error())
		once.Do(func() {
			x.warn(fmt.Sprintf("an answer was used but not recorded: %v; further ones are told in %s", err, logName))
		})
	})
	switch {
	case w.replays:
		// Nothing is spent, whatever it once cost.
		x.budget.Budget = Budget{MaxWall: x.budget.MaxWall}
	case err == nil && w.cassette != nil && (x.budget.MaxCost > 0 || x.budget.MaxTokens > 0):
		var lost Spending
		if lost, err = x.unrecorded(w.cassette, m.id()); err == nil {
			x.budget.earlier = x.budget.earlier.and(lost)
		}
	}
	return w, err
}

// warn tells what turned up during the run, once.
func (x *execution) warn(text string) {
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
