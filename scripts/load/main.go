// Command load measures how a run holds up: many conversations at once against a slow endpoint, or many workers against
// one that limits its rate. Server and client are processes of their own, the client is the real program.
//
//	go run ./scripts/load                                    # 2,000 conversations at once, answers after 200 ms
//	go run ./scripts/load -rate 10 -workers 64 -trials 75    # an endpoint that takes 10 requests per second
//	go run ./scripts/load -refuse 0.1 -workers 64 -trials 640 # one that refuses a tenth of them at random
//
// The server answers every request with the same few words, so that conversations end by their number of steps. The
// ideal wall time is that of the longest conversation if nothing but the server's latency and the waits that it asks for
// took any time, and at a limited rate that of all requests one after another. Client and server share the machine, so a second client that does nothing
// but send as many requests of the same size tells what it allows at all. What is measured is the program, not a model.
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

	"github.com/tauguide/tauguide/scripts/process"
)

type options struct {
	trials, steps, workers int
	latency                time.Duration
	rate                   float64
	burst                  int
	refuse                 float64
	domain, task, keep     string
	bin, bare              string
	serve, lines           bool
	size                   int
}

func main() {
	var o options
	flag.IntVar(&o.trials, "trials", 2000, "conversations")
	flag.IntVar(&o.steps, "steps", 20, "steps of each conversation, a request each")
	flag.IntVar(&o.workers, "workers", 0, "conversations at once; 0 is all")
	flag.DurationVar(&o.latency, "latency", 200*time.Millisecond, "of the server's answers")
	flag.Float64Var(&o.rate, "rate", 0, "requests per second that the server takes; 0 is no limit")
	flag.IntVar(&o.burst, "burst", 10, "requests that it takes at once after a pause, at a limited rate")
	flag.Float64Var(&o.refuse, "refuse", 0, "share of the requests that the server refuses at random")
	flag.StringVar(&o.domain, "domain", "retail", "domain of the conversations")
	flag.StringVar(&o.task, "task", "cancel-gift-card-order", "task of all conversations")
	flag.StringVar(&o.keep, "out", "", "folder for the run; a temporary one that is removed if empty")
	flag.StringVar(&o.bin, "bin", "", "the program, where it is built already")
	flag.BoolVar(&o.lines, "lines", false, "print the figures as lines of Go's benchmarks instead")
	flag.BoolVar(&o.serve, "serve", false, "be the server: print the address, answer until stdin ends")
	flag.StringVar(&o.bare, "bare", "", "be the bare client of the server at this address")
	flag.IntVar(&o.size, "size", 0, "bytes of a bare client's requests")
	flag.Parse()
	var err error
	switch {
	case o.serve:
		err = serve(o)
	case o.bare != "":
		err = bare(context.Background(), o.filled())
	default:
		err = measure(context.Background(), o.filled())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load: "+err.Error())
		os.Exit(1)
	}
}

func (o options) filled() options {
	if o.workers == 0 {
		o.workers = o.trials
	}
	return o
}

// waits is how long a request waits on the average because it was refused at random: the second that the server asks for,
// and what the program adds to it.
func (o options) waits() time.Duration {
	return time.Duration(o.refuse / (1 - o.refuse) * 1.075 * float64(time.Second))
}

// measure builds the program, starts the server, runs the client and then the bare one, and prints the figures.
func measure(ctx context.Context, o options) error {
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
	program, err := timed(ctx, url, bin, "run", config, "--out", run)
	if err != nil {
		return err
	}
	longest, all, err := callsOf(run)
	if err != nil {
		return err
	}
	ideal := time.Duration(float64(longest) * float64(o.latency+o.waits()) * max(1, float64(o.trials)/float64(o.workers)))
	if o.rate > 0 {
		ideal = max(ideal, time.Duration(float64(all-int64(o.burst))/o.rate*float64(time.Second)))
	}
	if o.lines {
		program.line("program", ideal)
	} else {
		o.describe(program, longest, ideal)
	}
	if o.rate > 0 || o.refuse > 0 {
		return nil // a bare client knows nothing of refusals
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bare, err := timed(ctx, url, self, "-bare", url, "-size", fmt.Sprint(program.size()), "-trials", fmt.Sprint(o.trials), "-workers", fmt.Sprint(o.workers), "-steps", fmt.Sprint(longest))
	if err != nil {
		return err
	}
	if o.lines {
		bare.line("bare", ideal)
		return nil
	}
	bare.print("bare client", ideal)
	fmt.Printf("program to bare %.2f\n", program.Wall.Seconds()/bare.Wall.Seconds())
	return nil
}

// describe prints what the program did, beside what was possible.
func (o options) describe(program timing, longest int64, ideal time.Duration) {
	fmt.Printf("conversations   %d, %d at once, of up to %d requests\n", o.trials, o.workers, longest)
	fmt.Printf("requests        %d answered, %d refused; at most %d in flight; %d bytes each\n", program.Answered, program.Refused, program.Most, program.size())
	fmt.Printf("ideal           %.2f s, if nothing but the server's answers took time\n", ideal.Seconds())
	program.print("program", ideal)
	if o.refuse > 0 {
		fmt.Printf("used            %.1f %% of what is possible\n", 100*ideal.Seconds()/program.Span)
	}
	if o.rate > 0 {
		fmt.Printf("rate            %.2f requests per second of %.2f, %.1f %%\n", float64(program.Answered)/program.Span, o.rate, 100*float64(program.Answered)/program.Span/o.rate)
	}
}

// timing is what a client took, and what the server saw of it.
type timing struct {
	counts
	process.Cost
}

// timed runs a client to its end.
func timed(ctx context.Context, url, bin string, args ...string) (t timing, err error) {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Stderr = os.Stderr
	if t.Cost, err = process.Run(cmd); err != nil {
		return t, fmt.Errorf("the client: %w", err)
	}
	t.counts, err = countsOf(ctx, url)
	return t, err
}

func (t timing) size() int64 { return t.Bytes / max(1, t.Answered+t.Refused) }

func (t timing) print(name string, ideal time.Duration) {
	fmt.Printf("%-15s %.2f s of wall time from start to end, ratio %.2f; first request to last answer %.2f s, ratio %.2f; %.1f s of processor; peak memory %d MiB\n", name,
		t.Wall.Seconds(), t.Wall.Seconds()/ideal.Seconds(), t.Span, t.Span/ideal.Seconds(), t.Processor.Seconds(), t.Peak>>20)
}

func (t timing) line(name string, ideal time.Duration) {
	fmt.Printf("BenchmarkLoad/%s 1 %g sec %g cpu-sec %d peak-B %g span-sec %g ideal-sec %d requests\n", name,
		t.Wall.Seconds(), t.Processor.Seconds(), t.Peak, t.Span, ideal.Seconds(), t.Answered)
}

// config is the experiment: one task, as often as there are conversations.
func (o options) config(url string) string {
	return fmt.Sprintf(`note: how much load the program takes
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
	Most     int64   `json:"most"`  // in flight
	Bytes    int64   `json:"bytes"` // of the requests' bodies
	Span     float64 `json:"span"`  // seconds from the first request to the last answer
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
			Roles []struct {
				Calls int64 `json:"calls"`
			} `json:"roles"`
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
		for _, u := range e.Roles {
			calls += u.Calls
		}
		longest, all = max(longest, calls), all+calls
	}
}
