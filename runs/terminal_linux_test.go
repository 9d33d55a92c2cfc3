package runs_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/terminal"
)

// barLine is what is said, the percentage, and the bar.
var barLine = regexp.MustCompile(`(?s)^\s*(.*?) +(\d+%) [█░]* *$`)

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
		for _, line := range strings.Split(strings.ReplaceAll(shown(), "\x1b[2K\r", ""), "\x1b[0K") {
			if terminal.Columns(line) > int(width) {
				t.Errorf("%d columns: %q is drawn over two lines", width, line)
			}
			drawn := barLine.FindStringSubmatch(line)
			if drawn == nil {
				continue
			}
			if n := len(screen) - 1; n >= 0 && strings.HasPrefix(screen[n], drawn[1]+"|") { // a new text is drawn with the old bar first
				screen = screen[:n]
			}
			screen = append(screen, drawn[1]+"|"+drawn[2])
		}
		return screen, out.String()
	}
	const start, middle, end = "0/1400, 200 running, 0 void, $20, 0s so far", "1050/1400, 98 % evaluable, 200 running, 12 void, $20 of ~$27", "1400/1400, 99 % evaluable, 0 running, 12 void, $20"
	for width, want := range map[uint16][]string{
		200: {start + ", ? tokens|0%", middle + ", 15m left, 23.3 trials/min, ? tokens|75%", end + ", 31.1 trials/min, ? tokens|100%"},
		85:  {start + ", ? tokens|0%", middle + ", 15m left|75%", end + ", 31.1 trials/min, ? tokens|100%"},
		80:  {start + ", ? tokens|0%", middle + ", 15m left|75%", end + ", 31.1 trials/min|100%"},
		60:  {start + "|0%", "1050/1400, 98 % evaluable, 200 running, 12 void|75%", end + "|100%"},
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
