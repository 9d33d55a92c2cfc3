// Command workflow-svg turns a Graphviz DOT text on standard input into SVG on standard output:
//
//	tauguide workflow render airline --format dot | go run ./guide/workflow-svg > airline.svg
//
// It is a command of its own because the layout engine costs a tenth of a second at every start of a program that
// links it, and is not safe for concurrent use.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/goccy/go-graphviz"
)

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "workflow-svg: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the graph: %w", err)
	}
	g, err := graphviz.ParseBytes(text)
	if err != nil || g == nil {
		return fmt.Errorf("the input is no DOT graph (%v): pipe in the output of tauguide workflow render --format dot", err)
	}
	defer g.Close()
	engine, err := graphviz.New(ctx)
	if err != nil {
		return fmt.Errorf("start the layout engine: %w", err)
	}
	defer engine.Close()
	var svg bytes.Buffer
	if err := engine.Render(ctx, g, graphviz.SVG, &svg); err != nil {
		return fmt.Errorf("lay the graph out: %w", err)
	}
	_, err = svg.WriteTo(out)
	return err
}
