// Command tauguide runs experiments with policy-compliant customer-service agents and reports on them. The packages
// below runs do the work; this one parses flags, prints, and turns errors into exit codes. Every command has a file:
// its options, their flags, the command, and the function that runs it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tauguide/tauguide/runs/terminal"
)

// process is everything that the program uses of its surroundings, so that tests can run the whole command line
// in their own process.
type process struct {
	args   []string
	name   string // what to type for the program; "" is tauguide
	env    func(string) string
	stdout io.Writer
	stderr io.Writer
	// out and err are these two streams as run sees them.
	out, err *terminal.Output
	// progress is where live progress goes; a terminal gets a line that moves. live is the same for texts.
	progress *os.File
	live     *terminal.Output
}

// printf writes data to stdout.
func (p process) printf(format string, args ...any) { fmt.Fprintf(p.stdout, format, args...) }

// json writes data to stdout as JSON.
func (p process) json(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// note writes a line to stderr.
func (p process) note(text string) { fmt.Fprintln(p.stderr, text) }

func (p process) notef(format string, args ...any) { p.note(fmt.Sprintf(format, args...)) }

// warn writes a warning to stderr.
func (p process) warn(text string) { p.note("warning: " + text) }

// command is a command line of the program's as it can be typed again.
func (p process) command(line string) string {
	if words, ok := strings.CutPrefix(line, "tauguide "); ok && p.name != "" {
		return p.name + " " + words
	}
	return line
}

// invoked is how the program was started: by its name, by a path, or by go run, which builds it in a folder of its own.
func invoked(arg0 string) string {
	if strings.Contains(filepath.ToSlash(arg0), "/go-build") {
		return "go run ./cmd/tauguide"
	}
	return arg0
}

func main() {
	// net/http hands what servers send unasked to the standard logger, where nothing masks a key that they repeat.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends what does not listen, such as the reading of a pipe
	code := run(ctx, process{name: invoked(os.Args[0]), args: os.Args[1:], env: os.Getenv, stdout: os.Stdout, stderr: os.Stderr, progress: os.Stderr})
	stop()
	os.Exit(code)
}
