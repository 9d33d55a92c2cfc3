package runs_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/tauguide/tauguide/runs"
)

// terminal opens a terminal of that width, and what is shown on it until it is closed.
func terminal(t *testing.T, width uint16) (tty *os.File, shown func() string) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	ioctl := func(request uintptr, arg unsafe.Pointer) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request, uintptr(arg)); e != 0 {
			t.Skipf("no terminals here: %v", e)
		}
	}
	var locked, number int32
	ioctl(syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	ioctl(syscall.TIOCGPTN, unsafe.Pointer(&number))
	ioctl(syscall.TIOCSWINSZ, unsafe.Pointer(&[4]uint16{24, width}))
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	text := make(chan string)
	go func() {
		var b strings.Builder
		buf := make([]byte, 4096)
		for {
			n, err := control.Read(buf)
			if b.Write(buf[:n]); err != nil { // the last side of the terminal was closed
				text <- b.String()
				return
			}
		}
	}()
	return tty, func() string {
		tty.Close()
		defer control.Close()
		return <-text
	}
}

// TestProgressOnATerminal: a bar that says the same as the lines, cut to the width of the terminal, with warnings above it; lines
// where the environment asks for them.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	cost := 1.5
	play := func(width uint16, env map[string]string) (screen, text string) {
		tty, shown := terminal(t, width)
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
