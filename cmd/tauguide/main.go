// Command tauguide runs experiments with policy-compliant customer-service agents and reports on them. The packages
// below runs do the work; this one parses flags, prints, and turns errors into exit codes.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

// process is everything that the program uses of its surroundings, so that tests can run the whole command line
// in their own process.
type process struct {
	args   []string
	env    func(string) string
	stdout io.Writer
	stderr io.Writer
	// progress is where live progress goes; a terminal gets a bar.
	progress *os.File
}

func main() {
	// net/http hands what servers send unasked to the standard logger, where nothing masks a key that they repeat.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends what does not listen, such as the reading of a pipe
	code := run(ctx, process{args: os.Args[1:], env: os.Getenv, stdout: os.Stdout, stderr: os.Stderr, progress: os.Stderr})
	stop()
	os.Exit(code)
}
