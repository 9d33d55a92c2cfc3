package tau2

import (
	"context"
	"fmt"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// Job is one record to be scored and compared.
type Job struct {
	Record   sim.Record
	ID       string // of the simulation, where it is from a τ² file
	Recorded *sim.RewardInfo
	Task     *domains.Task // nil if there is none
	Missing  string        // why there is no task
	Other    bool          // the task is not the one of the record
	Notes    []string
}

// TaskChoice says which tasks to score with.
type TaskChoice string

// The choices. Where a file has no task of a simulation, the current one is taken, and the other way round.
const (
	RecordedTasks TaskChoice = "recorded"
	CurrentTasks  TaskChoice = "current"
)

// Choose sets the job's task out of the recorded one and the world's. A note says where it had no choice.
func (j *Job) Choose(choice TaskChoice, recorded *Task, w *domains.World) {
	current, isCurrent := w.Task(j.Record.Task)
	usable, why := recorded.usable()
	switch {
	case usable && (choice == RecordedTasks || !isCurrent):
		j.Task = recorded.Task
		if choice == CurrentTasks {
			j.Notes = append(j.Notes, "the data has no such task: scored with the recorded one")
		}
	case isCurrent:
		j.Task = current
		j.Other = recorded != nil && recorded.Task != nil && string(recorded.Raw) != string(current.Raw)
		if recorded != nil && !usable {
			j.Notes = append(j.Notes, why+standIn)
		}
	case recorded != nil && recorded.Task != nil:
		j.Task = recorded.Task
		j.Notes = append(j.Notes, why+", and the data has no such task: it is scored as one that wants nothing")
	case recorded != nil:
		j.Missing = fmt.Sprintf("the recorded task cannot be read: %v", recorded.Err)
	default:
		j.Missing = fmt.Sprintf("neither the file nor the data has a task %q\nhint: give the data folder that has it with --data", j.Record.Task)
	}
}

// Jobs are the simulations of a source with the tasks to score them with.
func Jobs(s *Source, w *domains.World, choice TaskChoice) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		for one, err := range s.Simulations() {
			if err != nil {
				yield(Job{}, err)
				return
			}
			j := Job{Record: one.Record, ID: one.ID, Recorded: one.Recorded}
			j.Choose(choice, one.Task, w)
			if !yield(j, nil) {
				return
			}
		}
	}
}

// CompareAll scores jobs on so many goroutines while another one reads them, and yields the comparisons in the order of the
// jobs. No more than five records for each goroutine are in memory. judge, which may be nil, makes a judge for a record.
// The first error of jobs ends it.
func CompareAll(ctx context.Context, w *domains.World, jobs iter.Seq2[Job, error], workers int, judge func(sim.Record) sim.Judge, o Options) iter.Seq2[Comparison, error] {
	type result struct {
		Comparison
		err error
	}
	return func(yield func(Comparison, error) bool) {
		within, stop := context.WithCancel(ctx)
		queue := make(chan chan result, 4*workers) // in the order of the jobs
		go func() {
			defer close(queue)
			var g errgroup.Group
			defer g.Wait() // nothing there fails
			g.SetLimit(workers)
			for j, err := range jobs {
				done := make(chan result, 1)
				select {
				case queue <- done:
				case <-within.Done():
					return
				}
				if err != nil {
					done <- result{err: err}
					return
				}
				g.Go(func() error {
					done <- result{Comparison: j.compare(within, w, judge, o)}
					return nil
				})
			}
		}()
		defer func() {
			stop()
			for range queue { // until nobody uses jobs any more
			}
		}()
		for done := range queue {
			r := <-done
			if err := ctx.Err(); err != nil {
				r.err = err
			}
			if !yield(r.Comparison, r.err) || r.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Comparison{}, err)
		}
	}
}

func (j *Job) compare(ctx context.Context, w *domains.World, judge func(sim.Record) sim.Judge, o Options) Comparison {
	o.OtherTask, o.Missing = j.Other, j.Missing
	if judge != nil && j.Task != nil {
		o.Judge = judge(j.Record)
	}
	c := Compare(ctx, w, j.Task, j.Record, j.Recorded, o)
	c.ID, c.Notes = j.ID, append(j.Notes, c.Notes...)
	return c
}
