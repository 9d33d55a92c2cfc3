package runs_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/runtest"
)

// TestProgressOnATerminal: a bar that says the same as the lines, cut to the width of the terminal, with warnings above it; lines
// where the environment asks for them.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	cost := 1.5
	play := func(width uint16, env map[string]string) (screen, text string) {
		tty, shown := runtest.Terminal(t, width, 24)
		var out strings.Builder
		r := runs.NewReporter(tty, &out, func(name string) string { return env[name] })
		p := runs.Progress{Name: "trip", Planned: 4, Running: 3, Cost: &cost, Warnings: []string{"first"}}
		r.Update(p)
		p.Warnings, p.Done = []string{"first", "second"}, 2
		r.Update(p)
		p.Done, p.Final = 4, true
		r.Update(p)
		return shown(), out.String()
	}
	screen, text := play(200, nil)
	for _, want := range []string{"trip: 3 running, 0 void, ? tokens, $1.50", "(4/4)", "100%"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the bar does not say %q: %q", want, screen)
		}
	}
	if text != "trip: warning: first\ntrip: warning: second\n" || !strings.HasSuffix(screen, "\n") {
		t.Errorf("beside the bar %q, the screen ends in %q", text, screen[max(0, len(screen)-10):])
	}
	if screen, _ := play(80, nil); !strings.Contains(screen, "trip: 3 running,") || strings.Contains(screen, "trip: 3 running, 0 v") {
		t.Errorf("80 columns leave 16 for words: %q", screen)
	}
	for _, env := range []map[string]string{{"CI": "true"}, {"TERM": "dumb"}} {
		screen, text := play(200, env)
		if screen != "" || !strings.Contains(text, "trip: 4/4 done, 3 running") {
			t.Errorf("%v: on the screen %q, in lines %q", env, screen, text)
		}
	}
}
