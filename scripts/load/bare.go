package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/sim/llm"
)

// bare sends as many requests of the same size through the same transport, from a process of its own, and does nothing
// else: what the machine, its HTTP library and the server take at least.
func bare(ctx context.Context, o options) error {
	client := http.Client{Transport: llm.NewTransport()}
	body := bytes.Repeat([]byte(" "), o.size)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.workers)
	for range o.trials {
		g.Go(func() error {
			for range o.steps {
				if err := ask(ctx, &client, o.bare, body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

func ask(ctx context.Context, client *http.Client, url string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}
