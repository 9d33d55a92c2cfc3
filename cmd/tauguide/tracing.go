package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tauguide/tauguide/sim/llm/trace"
)

// sendFor bounds how long a command waits for its last spans to be sent.
const sendFor = 5 * time.Second

// tracing returns a tracer if the environment asks for traces, and the function that sends what is left at the end. Spans
// that are lost are told and fail nothing.
func tracing(ctx context.Context, p process) (*trace.Tracer, func(), error) {
	t, err := trace.FromEnv(ctx, p.env, version())
	if err != nil {
		return nil, nil, err
	}
	return t, func() {
		// The command's own context may be cancelled by now.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendFor)
		defer cancel()
		if err := t.Close(ctx); err != nil {
			fmt.Fprintf(p.stderr, "warning: %v\n", err)
		}
	}, nil
}
