package view

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// snapshot is a run as it was at one moment: all that lists are made of. It is never changed.
type snapshot struct {
	run      *store.Run
	manifest store.Manifest
	source   report.Source
	rows     []row                     // every planned trial, and those that only the folder has, in the order of compare
	others   map[sim.Key][]store.Entry // the attempts that do not count, of trials that have any
	domains  *names
	systems  *names
	tasks    *names
	spend    string
	live     bool // some process is writing
}

// row is a trial.
type row struct {
	sim.Key
	domain, task, system int // ranks of the names
	mut, planned, held   bool
	attempts             int
	outcome              outcome
	ending               sim.Reason
	fault                string
}

func (r *row) slice() metrics.Slice {
	if r.mut {
		return metrics.Mut
	}
	return metrics.PV
}

// take opens a run and lays out its trials. env resolves the variables of the run's data folder.
func take(dir string, env func(string) string) (*snapshot, error) {
	live, err := store.Writing(dir)
	if err != nil {
		return nil, err
	}
	r, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &snapshot{run: r, manifest: r.Manifest(), others: map[sim.Key][]store.Entry{}, live: live}
	var figures errgroup.Group
	figures.Go(func() (err error) {
		s.source, err = report.FromRun(r, env)
		return err
	})
	s.layOut()
	if err := figures.Wait(); err != nil {
		return nil, err
	}
	return s, nil
}

// layOut lists the trials.
func (s *snapshot) layOut() {
	r := s.run
	plan := r.Plan()
	s.rows = make([]row, 0, len(plan))
	held := 0
	for _, p := range plan {
		w := s.row(p.Key)
		w.mut, w.planned = p.Mut, true
		if w.held {
			held++
		}
		s.rows = append(s.rows, w)
	}
	if held < r.Trials() { // foreign files bring trials that nobody planned
		for _, e := range r.Index()[held:] {
			s.rows = append(s.rows, s.row(e.Key))
		}
	}
	var sum spending
	for e := range r.Entries() {
		sum.add(&e)
		if counting, ok := r.Counting(e.Key); ok && counting.Attempt != e.Attempt {
			s.others[e.Key] = append(s.others[e.Key], e)
		}
	}
	s.spend = sum.String()
	s.order()
}

// row is what the index says of a trial.
func (s *snapshot) row(k sim.Key) row {
	w := row{Key: k, outcome: waiting}
	e, ok := s.run.Counting(k)
	if ok {
		w.held, w.outcome, w.ending, w.fault, w.attempts = true, outcomeOf(e), e.Termination, e.Fault, 1
	}
	return w
}

// order names domains, systems and tasks in the order of the plan, and sorts the trials by it.
func (s *snapshot) order() {
	var ds, ys, ts []string
	seen := [3]map[string]int{{}, {}, {}}
	rank := func(k int, name string, list *[]string) int {
		n, ok := seen[k][name]
		if !ok {
			n = len(*list)
			seen[k][name] = n
			*list = append(*list, name)
		}
		return n
	}
	for i := range s.rows {
		r := &s.rows[i]
		r.domain, r.system, r.task = rank(0, r.Domain, &ds), rank(1, r.System, &ys), rank(2, r.Task, &ts)
		r.attempts += len(s.others[r.Key])
	}
	s.domains, s.systems, s.tasks = newNames(ds), newNames(ys), newNames(ts)
	slices.SortFunc(s.rows, compare)
}

func compare(a, b row) int {
	switch {
	case a.domain != b.domain:
		return a.domain - b.domain
	case a.task != b.task:
		return a.task - b.task
	case a.system != b.system:
		return a.system - b.system
	}
	return a.Trial - b.Trial
}

// find returns the place of a trial in rows.
func (s *snapshot) find(k sim.Key) (int, bool) {
	w := row{Key: k}
	var d, y, t bool
	w.domain, d = s.domains.rank[k.Domain]
	w.system, y = s.systems.rank[k.System]
	w.task, t = s.tasks.rank[k.Task]
	if !d || !y || !t {
		return 0, false
	}
	return slices.BinarySearchFunc(s.rows, w, compare)
}

// task returns all trials of a trial's task.
func (s *snapshot) task(r *row) []row {
	at, _ := s.find(r.Key)
	from, to := at, at
	for from > 0 && s.rows[from-1].task == r.task && s.rows[from-1].domain == r.domain {
		from--
	}
	for to < len(s.rows) && s.rows[to].task == r.task && s.rows[to].domain == r.domain {
		to++
	}
	return s.rows[from:to:to]
}

// attempts returns the entries of all attempts at a trial, in their order.
func (s *snapshot) attempts(k sim.Key) []store.Entry {
	out := slices.Clone(s.others[k])
	if e, ok := s.run.Counting(k); ok {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b store.Entry) int { return a.Attempt - b.Attempt })
	return out
}

func outcomeOf(e store.Entry) outcome {
	switch {
	case !e.Termination.Evaluable():
		return void
	case e.Reward == nil:
		return pending
	case sim.Success(*e.Reward):
		return passed
	}
	return failed
}

// coverage counts the planned trials.
func (s *snapshot) coverage() metrics.Coverage { return metrics.Cover(s.source.Outcomes) }

// state says in words how far the run has come.
func (s *snapshot) state() string {
	c := s.coverage()
	held, extra := 0, 0
	for i := range s.rows {
		if r := &s.rows[i]; r.planned && r.held {
			held++
		} else if !r.planned {
			extra++
		}
	}
	out := fmt.Sprintf("%d of %d planned trials held, %d evaluable", held, c.Planned, c.Evaluable)
	if n := c.Void - (c.Planned - held); n > 0 {
		out += fmt.Sprintf(", %d void", n)
	}
	if c.Pending > 0 {
		out += fmt.Sprintf(", %d pending", c.Pending)
	}
	if extra > 0 {
		out += fmt.Sprintf("; %d more that the plan does not have", extra)
	}
	switch {
	case s.live:
		return out + "; a process is writing now"
	case c.Evaluable == c.Planned:
		return out + "; complete"
	}
	return out + "; not complete: resume the run to go on"
}

// count is a number of trials that share something.
type count struct {
	name string
	n    int
}

// endings counts the trials by how they ended.
func (s *snapshot) endings() []count {
	return s.counts(func(r *row) string { return string(r.ending) })
}

// faults counts the trials that broke, by ending and fault.
func (s *snapshot) faults() []count {
	return s.counts(func(r *row) string {
		if r.fault == "" {
			return ""
		}
		return fmt.Sprintf("%s (%s)", r.ending, r.fault)
	})
}

func (s *snapshot) counts(of func(*row) string) []count {
	n := map[string]int{}
	for i := range s.rows {
		if r := &s.rows[i]; r.held {
			if name := of(r); name != "" {
				n[name]++
			}
		}
	}
	var out []count
	for name, k := range n {
		out = append(out, count{name, k})
	}
	slices.SortFunc(out, func(a, b count) int { return cmp.Or(b.n-a.n, cmp.Compare(a.name, b.name)) })
	return out
}
