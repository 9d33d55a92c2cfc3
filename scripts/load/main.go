// Command load measures how a run holds up: many conversations at once against a slow endpoint, or many workers against
// one that limits its rate. Server and client are processes of their own, the client is the real program.
//
//	go run ./scripts/load                                    # 2,000 conversations at once, answers after 200 ms
//	go run ./scripts/load -rate 10 -workers 64 -trials 75    # an endpoint that takes 10 requests per second
//
// The server answers every request with the same few words, so that conversations end by their number of steps. The
// ideal wall time is that of the longest conversation if nothing but the server's latency took any time, and at a limited
// rate that of all requests one after another. What is measured is the program, not a model.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

type options struct {
	trials, steps, workers int
	latency                time.Duration
	rate                   float64
	burst                  int
	domain, task, keep     string
	bin                    string
	serve                  bool
}

func main() {
	var o options
	flag.IntVar(&o.trials, "trials", 2000, "conversations")
	flag.IntVar(&o.steps, "steps", 20, "steps of each conversation, a request each")
	flag.IntVar(&o.workers, "workers", 0, "conversations at once; 0 is all")
	flag.DurationVar(&o.latency, "latency", 200*time.Millisecond, "of the server's answers")
	flag.Float64Var(&o.rate, "rate", 0, "requests per second that the server takes; 0 is no limit")
	flag.IntVar(&o.burst, "burst", 10, "requests that it takes at once after a pause, at a limited rate")
	flag.StringVar(&o.domain, "domain", "retail", "domain of the conversations")
	flag.StringVar(&o.task, "task", "cancel-gift-card-order", "task of all conversations")
	flag.StringVar(&o.keep, "out", "", "folder for the run; a temporary one that is removed if empty")
	flag.StringVar(&o.bin, "bin", "", "the program, where it is built already")
	flag.BoolVar(&o.serve, "serve", false, "be the server: print the address, answer until stdin ends")
	flag.Parse()
	run := measure
	if o.serve {
		run = serve
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "load: "+err.Error())
		os.Exit(1)
	}
}

// measure builds the program, starts the server, runs the client and prints the figures.
func measure(ctx context.Context, o options) error {
	if o.workers == 0 {
		o.workers = o.trials
	}
	dir, err := os.MkdirTemp("", "load-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := o.bin
	if bin == "" {
		bin = filepath.Join(dir, "tauguide")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/tauguide").CombinedOutput(); err != nil {
			return fmt.Errorf("build ./cmd/tauguide (start this from the repository's root): %w\n%s", err, out)
		}
	}
	url, stop, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer stop()
	run := o.keep
	if run == "" {
		run = filepath.Join(dir, "run")
	}
	config := filepath.Join(dir, "load.yaml")
	if err := os.WriteFile(config, []byte(o.config(url)), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, bin, "run", config, "--out", run)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the client: %w", err)
	}
	took := time.Since(start)
	served, err := countsOf(ctx, url)
	if err != nil {
		return err
	}
	longest, all, err := callsOf(run)
	if err != nil {
		return err
	}
	ideal := time.Duration(longest) * o.latency
	if o.rate > 0 {
		ideal = max(ideal, time.Duration(float64(all-int64(o.burst))/o.rate*float64(time.Second)))
	}
	fmt.Printf("conversations   %d, %d at once, of up to %d requests\n", o.trials, o.workers, longest)
	fmt.Printf("requests        %d answered, %d refused; at most %d in flight\n", served.Answered, served.Refused, served.Most)
	fmt.Printf("wall            %.2f s, start of the process to its end\n", took.Seconds())
	fmt.Printf("ideal           %.2f s\n", ideal.Seconds())
	fmt.Printf("ratio           %.2f\n", took.Seconds()/ideal.Seconds())
	fmt.Printf("held            %.2f s, first request to last answer; ratio %.2f\n", served.Span, served.Span/ideal.Seconds())
	if o.rate > 0 {
		fmt.Printf("rate            %.2f requests per second of %.2f, %.1f %%\n", float64(served.Answered)/served.Span, o.rate, 100*float64(served.Answered)/served.Span/o.rate)
	}
	fmt.Printf("client          %.1f s of processor, peak memory %s\n", (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), peak(cmd.ProcessState))
	return nil
}

// config is the experiment: one task, as often as there are conversations.
func (o options) config(url string) string {
	return fmt.Sprintf(`note: how much the program bears
trials: %d
limits: {concurrency: %d, max_steps: %d}
models: {m: {base_url: %q, key: none-needed}}
user: {model: m}
domains: [{name: %s, tasks: [%s]}]
systems: [{name: ReAct, agent: react, model: m}]
`, o.trials, o.workers, o.steps, url, o.domain, o.task)
}

// startServer starts this program as the server.
func startServer(ctx context.Context) (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"-serve"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the server did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// counts is what the server saw.
type counts struct {
	Answered int64   `json:"answered"`
	Refused  int64   `json:"refused"`
	Most     int64   `json:"most"` // in flight
	Span     float64 `json:"span"` // seconds from the first request to the last answer
}

func countsOf(ctx context.Context, url string) (c counts, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/counts", nil)
	if err != nil {
		return c, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return c, err
	}
	defer resp.Body.Close()
	return c, json.NewDecoder(resp.Body).Decode(&c)
}

// callsOf reads off a run's index how many requests the longest conversation took, and all of them.
func callsOf(run string) (longest, all int64, err error) {
	f, err := os.Open(filepath.Join(run, "index.jsonl"))
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	for {
		var e struct {
			Usage []struct {
				Calls int64 `json:"calls"`
			} `json:"usage"`
			Reason string `json:"termination_reason"`
		}
		switch err := dec.Decode(&e); {
		case errors.Is(err, io.EOF):
			return longest, all, nil
		case err != nil:
			return 0, 0, fmt.Errorf("index of %s: %w", run, err)
		case e.Reason != "max_steps":
			return 0, 0, fmt.Errorf("a conversation ended by %s: the figures would be of something else", e.Reason)
		}
		var calls int64
		for _, u := range e.Usage {
			calls += u.Calls
		}
		longest, all = max(longest, calls), all+calls
	}
}
