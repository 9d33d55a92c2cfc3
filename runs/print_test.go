package runs_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestSummaryInWords is what a run says at its end, and how to go on.
func TestSummaryInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		s    runs.Summary
		want string
	}{
		{"all is well", runs.Summary{Dir: "d", Planned: 4, Evaluable: 4, Executed: 3, Elapsed: 1234567890}, "d: 4 of 4 trials evaluable, 3 run now, in 1.23s\n"},
		{"one refusal of no known kind", runs.Summary{Dir: "d", Usage: map[string]llm.Totals{"agent": {Unknown: 1}, "user": {}}},
			"d: 0 of 0 trials evaluable, 0 run now, in 0s\n1 calls were refused in words that no row of configs/failures.yaml fits, see the warning above and log.jsonl\n"},
		{"one of each", runs.Summary{Dir: "d", Planned: 9, Evaluable: 5, Pending: 2, NeedsJudge: 1, OverBudget: 1, Stopped: "enough", Usage: map[string]llm.Totals{"agent": {Unknown: 1}, "user": {Unknown: 2}},
			Causes: []runs.Cause{{Reason: sim.Infra, Fault: "timeout", Attempts: 3, Trials: 2, Void: 1, Example: "too late\nhint: wait"}, {Reason: sim.Cancelled, Attempts: 1, Trials: 1, Example: "\nhint: x"}}},
			"d: 3 of 9 trials evaluable, 0 run now, in 0s\n" +
				"1 trials wait for the judge\nhint: --resume asks it again; an answer that is recorded comes again, `tauguide score d --judge MODEL --cassette off` asks it afresh\n" +
				"1 trials need a judge\nhint: name one under judge, then --resume\n" +
				"void: infrastructure_error (timeout): 3 attempts at 2 trials, 1 of them still void; e.g. too late\n" +
				"void: cancelled: 1 attempts at 1 trials, 0 of them still void\n" +
				"3 calls were refused in words that no row of configs/failures.yaml fits, see the warning above and log.jsonl\n" +
				"1 trials reached a budget of limits.conversation and would again\nhint: raise it, then --resume\n" +
				"stopped early: enough\n"},
	} {
		var out strings.Builder
		c.s.Print(&out)
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	for name, o := range map[string]sim.Oversight{"failed": {Firings: 100, Failed: 1}, "asked again": {Firings: 100, Reasked: 1}, "coerced": {Firings: 100, Coerced: 1}, "rejected": {Firings: 100, Rejected: 1}, "": {Firings: 100}} {
		var out strings.Builder
		(&runs.Summary{Oversight: []runs.Watched{{System: "G", Oversight: o}}}).Print(&out)
		if told := strings.Contains(out.String(), "\nverifier of G: "); told != (name != "") || strings.Contains(out.String(), "warning") {
			t.Errorf("once %s:\n%s", name, &out)
		}
	}
	for want, u := range map[string]metrics.Usage{
		"0 answers, what failed cost 1 tokens, $0\n":   {Calls: 1, Failed: 1, FailedPrompt: 1},
		"0 answers, what failed cost 2 tokens, $?\n":   {Calls: 1, Failed: 1, FailedCompletion: 2, UnknownCost: 1},
		"1 answers, what failed cost 0 tokens, $0.5\n": {Calls: 1, FailedCost: 0.5},
		"99 answers, 1 refused or filtered\n":          {Calls: 99, Refusals: 1},
	} {
		var out strings.Builder
		(&runs.Summary{Dir: "d", Answers: []runs.Answers{{System: "S", Role: "agent", Usage: u}}}).Print(&out)
		if got := out.String(); !strings.HasSuffix(got, "\nagent of S: "+want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (runs.Summary{}).Coverage(); got != 0 {
		t.Errorf("coverage of nothing %v", got)
	}
}

// TestProgressSaysWhatIsNotNothing: a figure of 1 is told, one of 0 is not, and numbers keep about three digits.
func TestProgressSaysWhatIsNotNothing(t *testing.T) {
	t.Parallel()
	cost := 1.0
	one := runs.Progress{Name: "x", Planned: 1, Done: 1, Running: 1, Faults: 1, Pending: 1, Waiting: 1, Pace: 1, Retrying: 1, Oldest: 10 * time.Second, CallRate: 1, Replayed: 1,
		WouldCost: &cost, Elapsed: time.Second, Cost: &cost, Billed: true}
	want := "x: 1/1, 0 % evaluable, 1 running, 1 void, $1.00 (billed), 1 unscored, 1 waiting (slowed to 1 calls/s), 1 retrying, oldest call 10s, 60 trials/min, 1 calls/s, TOKENS tokens, 1 answers replayed, which cost $1.00 when they were recorded"
	for n, short := range map[int64]string{0: "0", 999: "999", 1000: "1k", 1e6: "1M", 1e9: "1G", 2345678: "2.35M"} {
		one.Tokens = &n
		if got, want := one.Line(), strings.Replace(want, "TOKENS", short, 1); got != want {
			t.Errorf("%d tokens: %q, want %q", n, got, want)
		}
	}
	if got, want := (runs.Progress{Name: "x", Oldest: 10*time.Second - 1, Elapsed: time.Second}).Line(), "x: 0/0, 0 running, 0 void, $?, 1s so far, ? tokens"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLinesComeEveryMinute, the first at once, each fault and warning once, and the end always; a file that is no terminal
// gets lines.
func TestLinesComeEveryMinute(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out, quiet strings.Builder
	r, w := runs.NewReporter(file, &out, runtest.NoEnv), runs.NewWarningReporter(&quiet)
	for i, p := range []runs.Progress{
		{}, {Elapsed: time.Minute - 1}, {Elapsed: time.Minute}, {Elapsed: 2*time.Minute - 1, LastFault: "one"}, {Elapsed: 2 * time.Minute, LastFault: "one"},
		{Elapsed: 121 * time.Second, LastFault: "two", Warnings: []string{"a"}}, {Elapsed: 122 * time.Second, LastFault: "two", Warnings: []string{"a", "b"}, Final: true},
	} {
		p.Name, p.Planned, p.Running = "x", 9, i
		r.Update(p)
		w.Update(p)
	}
	want := `x: 0/9, 0 running, 0 void, $?, 0s so far, ? tokens
x: 0/9, 2 running, 0 void, $?, 1m0s so far, ? tokens
x: void trial: one
x: 0/9, 4 running, 0 void, $?, 2m so far, ? tokens
warning: a
x: void trial: two
warning: b
x: 0/9, 6 running, 0 void, $?, 2m so far, ? tokens
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if quiet.String() != "warning: a\nwarning: b\n" {
		t.Errorf("quiet: %q", quiet.String())
	}
}

// TestForecast: dollars and time for what is left go by what is done, and nothing that costs nothing has dollars.
func TestForecast(t *testing.T) {
	t.Parallel()
	cost := 1.2
	for want, p := range map[string]runs.Progress{
		"x: 100/400, 99 % evaluable, 8 running, 1 void, $1.20 of ~$4.80, 3m left, 100 trials/min, ? tokens":   {Done: 100, Faults: 1, Running: 8, Cost: &cost, Elapsed: time.Minute},
		"x: 399/400, 99 % evaluable, 1 running, 1 void, 20s left, 3 trials/min, ? tokens":                     {Scripted: true, Done: 399, Faults: 1, Running: 1, Cost: &cost, Elapsed: 133 * time.Minute},
		"x: 200/400, 100 % evaluable, 9 running, 0 void, $1.20 of ~$2.40, 3h20m left, 1 trials/min, ? tokens": {Done: 200, Running: 9, Cost: &cost, Elapsed: 200 * time.Minute},
		"x: 400/400, 100 % evaluable, 0 running, 0 void, 400 trials/min, ? tokens, 2 answers replayed":        {Scripted: true, Done: 400, Elapsed: time.Minute, Replayed: 2},
	} {
		p.Name, p.Planned = "x", 400
		if got := p.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestEstimatesInWords pins what is told of every domain, role and source of figures.
func TestEstimatesInWords(t *testing.T) {
	t.Parallel()
	const text = `
note: estimates
trials: 50
models:
  known: {model: gpt-4.1, key: x}
  unknown: {model: nobodys-model, base_url: 'http://127.0.0.1:1/v1'}
  scripted: {synthetic: true}
user: {model: known}
judge: {model: known}
domains: [{name: DOMAIN}]
systems:
  - {name: Guided, agent: policyguide, model: known}
  - {name: Guarded, agent: policyguard, model: scripted, params: {model: unknown}}
`
	var out strings.Builder
	for _, domain := range []string{"airline", "retail", "telecom", "mock"} {
		e := estimate(t, strings.Replace(text, "DOMAIN", domain, 1), "", config.Options{})
		out.WriteString("== " + domain + "\n")
		if err := e.Print(&out); err != nil {
			t.Fatal(err)
		}
	}
	out.WriteString("== the rest of a run\n")
	part := runs.Estimate{Trials: 3, Finished: 1, Basis: []string{"a", "b"}, Lines: []runs.EstimateLine{{Role: "agent", Model: "m", Scripted: true, Calls: 1}}, Cost: new(float64)}
	if err := part.Print(&out); err != nil {
		t.Fatal(err)
	}
	out.WriteString("== nothing\n")
	if err := (&runs.Estimate{Trials: 3}).Print(&out); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "estimates.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, e := range []*runs.Estimate{{}, &part} {
		if e.Print(closed) == nil {
			t.Error("printing into a closed file is no error")
		}
	}
}
