package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// opener opens the reference's domains, each variant once.
type opener struct {
	data string
	mu   sync.Mutex
	have map[string]*domains.World
}

func (o *opener) world(t *testing.T, name string, solo bool) *domains.World {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	key := fmt.Sprint(name, solo)
	if o.have[key] == nil {
		d, err := all.Domain(name)
		if err != nil {
			t.Fatal(err)
		}
		o.have[key] = domaintest.Real(t, d, domains.Options{Solo: solo})
	}
	return o.have[key]
}

// open opens a result file as the program does.
func (o *opener) open(t *testing.T, file string) (*tau2.Source, *domains.World) {
	t.Helper()
	s, err := tau2.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.NameAs("", "", all.Domains()); err != nil {
		t.Fatal(err)
	}
	return s, o.world(t, s.Domain(), s.Header.Facts.Solo())
}

// outcomes reads a result file with the program's reader.
func (o *opener) outcomes(t *testing.T, file string) []metrics.Outcome {
	t.Helper()
	s, w := o.open(t, file)
	var out []metrics.Outcome
	for one, err := range s.Simulations() {
		if err != nil {
			t.Fatal(err)
		}
		task, ok := w.Task(one.Record.Task)
		if one.Task != nil {
			task, ok = one.Task.Task, one.Task.Err == nil
		}
		if !ok {
			t.Fatalf("%s: no task %s", file, one.Record.Task)
		}
		x := metrics.Outcome{Domain: one.Record.Domain, System: one.Record.System, Task: one.Record.Task, Trial: one.Record.Trial, Mut: task.Mutating(w)}
		switch {
		case !one.Record.Termination.Evaluable():
			x.State = metrics.Void
		case one.Recorded == nil:
			x.State = metrics.Pending
		case sim.Success(one.Recorded.Reward):
			x.State = metrics.Success
		}
		out = append(out, x)
	}
	return out
}

// imported takes a result file the whole way: imported as a run, opened, and read for its tables.
func (o *opener) imported(t *testing.T, file string) []metrics.Outcome {
	t.Helper()
	s, w := o.open(t, file)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := tau2.Import(context.Background(), s, tau2.ImportOptions{Out: dir, World: w, Data: o.data}); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	source, err := report.FromRun(r, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return source.Outcomes
}

// same holds an estimate and its interval against the second way.
func same(t *testing.T, name string, e metrics.Estimate, b bar) {
	t.Helper()
	i := e.Interval
	if !e.Defined || math.Abs(e.Value-b.value) > 1e-9 || i.Defined != b.ok || math.Abs(i.SE-b.se) > 1e-9 && b.ok {
		t.Errorf("%s is %+v; by hand %+v", name, e, b)
	}
	if b.ok && (math.Abs(i.Lo-b.lo) > 1e-6*(1+b.lo) || math.Abs(i.Hi-b.hi) > 1e-6*(1+b.hi)) {
		t.Errorf("%s is %+v; by hand %+v", name, e, b)
	}
}

// small is up to how many simulations a result is also taken the whole way, which writes every record to disk.
const small = 20

// agree holds the program's counts and figures of a slice against the second way.
func agree(t *testing.T, slice metrics.Slice, all []metrics.Outcome, c counts) (figures int) {
	t.Helper()
	some := metrics.Select(all, slice)
	tasks := map[string]bool{}
	got := tally{}
	for _, o := range some {
		tasks[o.Task] = true
		switch o.State {
		case metrics.Success:
			got.success++
		case metrics.Failure:
			got.failure++
		case metrics.Void:
			got.void++
		case metrics.Pending:
			got.unscored++
		}
	}
	if want := c.total(); got != want || len(tasks) != len(c) {
		t.Errorf("%s: %d tasks, %+v; by hand %d tasks, %+v", slice, len(tasks), got, len(c), want)
	}
	if parts := c.rates(); len(parts) > 0 {
		same(t, fmt.Sprintf("%s: ASR, were these attacks", slice), metrics.ASR(some), share([][]part{parts}, 0, 2))
	}
	if v, ok := metrics.SplitOf(some); ok {
		between, within := split(c.repeated())
		if math.Abs(v.Between-exact(between)) > 1e-9 || math.Abs(v.Within-exact(within)) > 1e-9 {
			t.Errorf("%s: %+v; by hand %v, %v", slice, v, between, within)
		}
		figures++
	}
	for k := 1; k <= c.most()+1; k++ {
		worst, best := metrics.Bounds(some, k)
		if least, most := c.bounds(k); worst.Defined != (least != nil) || least != nil && (math.Abs(worst.Value-exact(least)) > 1e-12 || math.Abs(best.Value-exact(most)) > 1e-12) {
			t.Errorf("%s: Pass^%d is between %+v and %+v; by hand %v and %v", slice, k, worst, best, least, most)
		}
		e, want := metrics.PassHat(some, k), c.pass(k)
		if e.Defined != (want != nil) {
			t.Errorf("%s: Pass^%d is %+v; by hand %v", slice, k, e, want)
			continue
		}
		if want != nil {
			v, _ := want.Float64()
			if math.Abs(e.Value-v) > 1e-12 {
				t.Errorf("%s: Pass^%d is %v; by hand %v", slice, k, e.Value, v)
			}
			same(t, fmt.Sprintf("%s: Pass^%d", slice, k), e, share([][]part{c.passes(k)}, 0, 2))
			figures++
		}
	}
	return figures
}

// TestRecordedRuns compares both ways for every recorded result, by slices, and for all results on one domain taken
// together as trials of one system, which gives more than four trials of a task.
func TestRecordedRuns(t *testing.T) {
	shared := domaintest.Shared(t)
	o := &opener{data: filepath.Join(shared, "tau2"), have: map[string]*domains.World{}}
	simulations, figures := 0, 0
	var whole atomic.Int32
	for _, domain := range []string{"airline", "retail", "telecom", "mock"} {
		files, err := filepath.Glob(filepath.Join(shared, "trajectories", domain, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no recorded results of %s (%v)", domain, err)
		}
		other := o.currentTasks(t, domain)
		ours, raw, agreed := make([][]metrics.Outcome, len(files)), make([][]simulation, len(files)), make([]int, len(files))
		t.Run(domain, func(t *testing.T) { // ends when all of its parallel parts have
			for i, file := range files {
				t.Run(filepath.Base(file), func(t *testing.T) {
					t.Parallel()
					var err error
					if raw[i], err = read(file, other); err != nil {
						t.Fatal(err)
					}
					ours[i] = o.outcomes(t, file)
					for _, slice := range []metrics.Slice{metrics.All, metrics.PV, metrics.Mut} {
						agreed[i] += agree(t, slice, ours[i], count(raw[i], string(slice)))
					}
					if len(raw[i]) > small {
						return
					}
					whole.Add(1)
					run := o.imported(t, file)
					for _, slice := range []metrics.Slice{metrics.All, metrics.PV, metrics.Mut} {
						agree(t, slice, run, count(raw[i], string(slice)))
					}
				})
			}
		})
		var together []metrics.Outcome
		for i := range files {
			simulations += len(raw[i])
			figures += agreed[i]
			for _, x := range ours[i] {
				x.System, x.Trial = "together", x.Trial+10*i
				together = append(together, x)
			}
		}
		t.Run(domain+" in pairs", func(t *testing.T) {
			for i := 1; i < len(files); i++ {
				figures += rivals(t, ours[i-1], ours[i], count(raw[i-1], "all"), count(raw[i], "all"))
			}
		})
		t.Run(domain+" together", func(t *testing.T) {
			list := slices.Concat(raw...)
			figures += agree(t, metrics.All, together, count(list, "all"))
			figures += complete(t, together, list)
		})
	}
	t.Logf("%d simulations, %d figures agree; %d results taken the whole way", simulations, figures, whole.Load())
	if simulations < 900 || figures < 80 || whole.Load() < 8 {
		t.Errorf("only %d simulations and %d figures were compared: the corpus has 940", simulations, figures)
	}
}

// complete compares the tasks that every file of the domain has at least four trials of.
func complete(t *testing.T, together []metrics.Outcome, raw []simulation) int {
	all := count(raw, "all")
	var got []metrics.Outcome
	var want []simulation
	enough := func(task string) bool { return all[task].success+all[task].failure >= 4 }
	for _, o := range together {
		if enough(o.Task) {
			got = append(got, o)
		}
	}
	for _, s := range raw {
		if enough(s.TaskID) {
			want = append(want, s)
		}
	}
	return agree(t, metrics.All, got, count(want, "all"))
}

// currentTasks are the tasks of the data folder, for results that carry none.
func (o *opener) currentTasks(t *testing.T, domain string) map[string]task {
	t.Helper()
	out := map[string]task{}
	for _, one := range o.world(t, domain, false).Tasks {
		var x task
		if err := json.Unmarshal(one.Raw, &x); err != nil {
			t.Fatal(err)
		}
		out[x.ID] = x
	}
	return out
}

const mixed = `{"tasks": [{"id": "a", "evaluation_criteria": {"actions": [{"name": "book_reservation"}]}},
  {"id": "b", "evaluation_criteria": {"actions": [{"name": "book_reservation", "requestor": "user"}]}}, {"id": "c"}],
 "simulations": [
  {"task_id": "a", "termination_reason": "user_stop", "reward_info": {"reward": 1.0}},
  {"task_id": "a", "termination_reason": "max_steps", "reward_info": {"reward": 0.0}},
  {"task_id": "b", "termination_reason": "user_stop", "reward_info": {"reward": 0.9999999}},
  {"task_id": "b", "termination_reason": "infrastructure_error", "reward_info": null},
  {"task_id": "c", "termination_reason": "user_stop", "reward_info": null}]}`

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	whole := write("small.json", mixed)
	bare := write("bare.json", `[{"task_id": "x", "reward_info": {"reward": 1}}, {"task_id": "x", "reward_info": {"reward": 1}}]`)
	tasks := write("tasks.json", `[{"id": "x"}]`)
	tests := []struct {
		name string
		args []string
		out  string
		err  string
	}{
		{"a file", []string{whole}, "all 3 2 1 1 1 - - PV 2 1 0 1 1 - - Mut 1 1 1 0 0 0.5000 0.0000", ""},
		{"a list with tasks from elsewhere", []string{"-tasks", tasks, bare}, "all 1 2 0 0 0 1.0000 1.0000 bare.json PV", ""},
		{"a list without tasks", []string{bare}, "", "no task \"x\"\nhint: give a file of tasks"},
		{"nothing", nil, "", "no file given"},
		{"no such file", []string{filepath.Join(dir, "none")}, "", "no such file"},
		{"no such tasks", []string{"-tasks", filepath.Join(dir, "none"), bare}, "", "no such file"},
		{"no tasks", []string{"-tasks", whole, bare}, "", "cannot unmarshal object"},
		{"no result", []string{write("no.json", "{}")}, "", "no simulations"},
		{"no JSON", []string{write("not.json", "{")}, "", "unexpected end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			err := run(tt.args, &out)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("got %v, want %q", err, tt.err)
			}
			words := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "small.json", "")), " ")
			if !strings.Contains(words, tt.out) {
				t.Errorf("got %s\nwant %s", words, tt.out)
			}
		})
	}
}
