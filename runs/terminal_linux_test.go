package runs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/runtest"
)

// TestProgressOnATerminal: one line that says what has room at the width of the terminal, what matters most first, with
// warnings above it; lines where the environment asks for them.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	cost := 20.25
	play := func(width uint16, env map[string]string) (screen []string, text string) {
		tty, shown := runtest.Terminal(t, width, 24)
		var out strings.Builder
		r := runs.NewReporter(tty, &out, func(name string) string { return env[name] })
		p := runs.Progress{Name: "trip", Planned: 1400, Running: 200, Cost: &cost, Warnings: []string{"first"}}
		r.Update(p)
		p.Warnings, p.Done, p.Faults, p.Elapsed = []string{"first", "second"}, 1050, 12, 45*time.Minute
		r.Update(p)
		p.Done, p.Running, p.Final = 1400, 0, true
		r.Update(p)
		return strings.Split(strings.ReplaceAll(shown(), "\r\n", "\n"), "\r\x1b[2K")[1:], out.String()
	}
	const start, middle, end = "0/1400, 200 running, 0 void, $20.25, 0s so far", "1050/1400, 98 % evaluable, 200 running, 12 void, $20.25 of ~$27.00", "1400/1400, 99 % evaluable, 0 running, 12 void, $20.25"
	for width, want := range map[uint16][]string{
		200: {start + ", ? tokens", middle + ", 15m left, 23.3 trials/min, ? tokens", end + ", 31.1 trials/min, ? tokens\n"},
		85:  {start + ", ? tokens", middle + ", 15m left", end + ", 31.1 trials/min, ? tokens\n"},
		80:  {start + ", ? tokens", middle + ", 15m left", end + ", 31.1 trials/min\n"},
		60:  {start + ", ? tokens", "1050/1400, 98 % evaluable, 200 running, 12 void", end + "\n"},
	} {
		screen, text := play(width, nil)
		if diff := cmp.Diff(want, screen); diff != "" || text != "warning: first\nwarning: second\n" {
			t.Errorf("%d columns (-want +got):\n%s\nbeside them %q", width, diff, text)
		}
	}
	for _, env := range []map[string]string{{"CI": "true"}, {"TERM": "dumb"}} {
		screen, text := play(200, env)
		if len(screen) > 0 || !strings.Contains(text, "trip: 1400/1400, 99 % evaluable") {
			t.Errorf("%v: on the screen %q, in lines %q", env, screen, text)
		}
	}
}
