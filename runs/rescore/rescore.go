// Package rescore scores recorded trials again, of runs and of τ²-bench results, and compares the rewards with the
// recorded ones.
package rescore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// DataVariable names the environment variable that says where τ² data is, as it does for the reference.
const DataVariable = "TAU2_DATA_DIR"

// Options say what is scored, and how.
type Options struct {
	Strictness tau2.Strictness
	Tasks      tau2.TaskChoice
	Data       string // folder, or embedded; "" is the run's own, and for τ² results that of DataVariable
	Domain     string // of τ² results that do not name theirs
	Hashes     bool
	Update     bool // store scores that differ in their run; those that a run lacks are stored anyway
	Accept     bool // take over edited records and plans, and store the scores that come of it

	Judge    string         // model of Config that grades outcomes again; "" uses recorded verdicts
	Opinion  string         // name under which its scores are kept beside those of runs; "" keeps none
	Config   *config.Config // nil without Judge
	Cassette string

	Env  func(string) string
	Note func(text string) // is told what is worth a line beside the results
}

// Result is what came of all trials.
type Result struct {
	Total      Tally
	Unreadable int   // records that count as missing, since they are damaged or were edited
	Unjudged   int   // trials whose judge could not be asked; a reward may be certain without it
	Failure    error // the first of these
}

// Paths scores everything that the paths mean: runs, τ² results, and folders of them. What cannot be read is told and
// passed over, and counted in the error at the end.
func Paths(ctx context.Context, paths []string, o Options, out Printer) (Result, error) {
	s := &scoring{Options: o, out: out, worlds: map[string]*domains.World{}}
	list, err := s.find(paths)
	if err != nil {
		return Result{}, err
	}
	all := len(list) + len(s.failed)
	within, stop := context.WithCancel(ctx)
	defer stop()
	for path, begun := range s.ahead(within, list) {
		if err := s.path(ctx, path, begun); err != nil {
			s.failed = append(s.failed, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	for _, o := range s.odd {
		s.Note(o.String())
	}
	return Result{Total: s.total, Unreadable: s.unreadable, Unjudged: s.unjudged.n, Failure: s.unjudged.first}, errors.Join(s.failure(ctx, all), out.End(s.total))
}

// failure is the error of all that could not be scored, of so many results.
func (s *scoring) failure(ctx context.Context, of int) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(s.failed) == 0 || of == 1:
		return errors.Join(s.failed...)
	}
	for _, err := range s.failed {
		s.Note(fmt.Sprintf("not scored to the end: %v", err))
	}
	return fmt.Errorf("%d of %d results could not be scored to the end, such as this: %w", len(s.failed), of, s.failed[0])
}

type scoring struct {
	Options
	out        Printer
	opening    sync.Mutex
	worlds     map[string]*domains.World
	total      Tally
	unjudged   judgeFailures
	sent       *ledgers // to the judge, of the group that is scored
	odd        []oddity // of the results that were scored
	failed     []error  // of results that could not be read, or not to the end
	unreadable int
}

func (s *scoring) find(paths []string) (list []string, err error) {
	for _, path := range paths {
		found, skipped, err := tau2.Find(path)
		if err != nil {
			return nil, err
		}
		for _, x := range skipped {
			if x.Damaged() {
				s.failed = append(s.failed, x.Err)
			} else {
				s.Note(fmt.Sprintf("passed over: %v", x.Err))
			}
		}
		list = append(list, found...)
	}
	return list, nil
}

func (s *scoring) path(ctx context.Context, path string, r *result) error {
	if r == nil {
		return s.run(ctx, path)
	}
	return s.result(ctx, path, r)
}

// result scores a τ² result, or tells what came of it where that has begun.
func (s *scoring) result(ctx context.Context, path string, r *result) error {
	if s.Opinion != "" {
		return domains.Usage(fmt.Errorf("%s is no run, beside which opinions are kept\nhint: make it one with tauguide import tau2", path))
	}
	select {
	case <-r.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.err != nil {
		return r.err
	}
	g := Group{Path: path, Layout: string(r.src.Layout), Domain: r.world.Name, System: r.src.System()}
	var err error
	if s.Config == nil {
		err = s.tell(g, r.all(), func(tau2.Comparison) {})
	} else {
		err = s.compare(ctx, g, r.world, nil, tau2.Jobs(r.src, r.world, s.Tasks), func(tau2.Comparison) {})
	}
	if err != nil {
		return err
	}
	for _, d := range r.src.Deviations() {
		s.note(path, d)
	}
	return nil
}

// resultWorld opens the data that a τ² result was made with.
func (s *scoring) resultWorld(src *tau2.Source) (*domains.World, error) {
	data := s.Data
	if data == "" {
		data = s.Env(DataVariable)
	}
	if data == "" {
		if src.Header.Export == nil || !src.Header.Export.Embedded() {
			return nil, domains.Usage(fmt.Errorf("%s was recorded on databases of its own\nhint: name the τ²-bench data folder with --data or in $%s", src.Name, DataVariable))
		}
		data = "embedded"
	}
	key := fmt.Sprint(data, src.Domain(), src.Header.Facts.Solo())
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.worlds[key] == nil {
		w, err := src.World(data, domains.EverySplit)
		if err != nil {
			return nil, err
		}
		s.worlds[key] = w
	}
	return s.worlds[key], nil
}

// run scores a run directory, domain by domain.
func (s *scoring) run(ctx context.Context, dir string) error {
	r, err := s.open(dir)
	if err != nil {
		return err
	}
	head, err := tau2.ReadHead(r)
	if err != nil {
		return err
	}
	scores, err := r.Scores()
	if err != nil {
		return err
	}
	var fresh []store.Grading
	var opinions []sim.Score
	for _, d := range r.Manifest().Config.Domains {
		var w *domains.World
		if w, err = s.runWorld(r, head, d.Name); err != nil {
			break
		}
		g := Group{Path: dir, Layout: "run", Domain: d.Name, System: systemsOf(r, d.Name)}
		err = s.compare(ctx, g, w, r, runJobs(r, head, scores, w, s.Tasks), func(c tau2.Comparison) {
			lacking := c.Outcome == tau2.Unrecorded
			if s.Opinion != "" && !lacking && c.Computed != nil && len(c.Score.Info.NLAssertions) > 0 {
				opinions = append(opinions, *c.Score)
			}
			if c.Score != nil && c.Computed != nil && (lacking || (s.Update || s.Accept) && c.Outcome == tau2.Differ) {
				fresh = append(fresh, store.Grading{Score: *c.Score, Requests: s.sent.get(store.Ref{Key: c.Score.Key, Attempt: c.Score.Attempt})})
			}
		})
		if err != nil {
			break
		}
	}
	return errors.Join(err, s.keep(r, fresh, opinions)) // what was judged before an error was paid for
}

// keep stores the scores of a run that are new or changed, and opinions beside them.
func (s *scoring) keep(r *store.Run, fresh []store.Grading, opinions []sim.Score) error {
	dir := r.Dir()
	switch {
	case len(opinions) > 0:
		if err := r.AppendOpinions(s.Opinion, opinions...); err != nil {
			return err
		}
		s.Note(fmt.Sprintf("%s: %d opinions of %s kept; `tauguide tables %s --table judges` compares them", dir, len(opinions), s.Opinion, dir))
	case s.Opinion != "":
		s.Note(fmt.Sprintf("%s: no opinion of %s to keep: no trial that has a reward has outcomes in words, which a judge would grade", dir, s.Opinion))
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := r.AppendScores(fresh...); err != nil {
		return err
	}
	s.Note(fmt.Sprintf("%s: %d scores added", dir, len(fresh)))
	return nil
}

// open opens a run directory, and tells what is wrong with it.
func (s *scoring) open(dir string) (*store.Run, error) {
	if s.Accept {
		files, err := store.AcceptEdits(dir, time.Now())
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			s.Note(fmt.Sprintf("%s: edited %s taken over", dir, file))
		}
	}
	r, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	for _, broken := range r.Broken() {
		s.Note(fmt.Sprintf("warning: %v", broken))
	}
	s.unreadable += r.Unreadable()
	return r, nil
}

// runWorld opens a domain of a run; head is nil unless the run was imported.
func (s *scoring) runWorld(r *store.Run, head *tau2.Header, domain string) (*domains.World, error) {
	data := s.Data
	if head != nil && data == "" && len(r.Manifest().Data[domain]) == 0 {
		data = s.Env(DataVariable) // imported without naming its data
	}
	if data != "" {
		return tau2.RunWorld(r, domain, data)
	}
	w, err := r.World(domain, s.Env)
	if err != nil && head != nil {
		return nil, domains.Usage(fmt.Errorf("the run was imported, and its databases are not at hand: %w\nhint: name the τ²-bench data folder with --data", err))
	}
	return w, err
}

func systemsOf(r *store.Run, domain string) string {
	var out []string
	for _, p := range r.Plan() {
		if p.Domain == domain && !slices.Contains(out, p.System) {
			out = append(out, p.System)
		}
	}
	return strings.Join(out, ", ")
}

// runJobs are the records of a domain of a run, with their scores as the recorded outcomes.
func runJobs(r *store.Run, head *tau2.Header, scores map[store.Ref]sim.Score, w *domains.World, choice tau2.TaskChoice) iter.Seq2[tau2.Job, error] {
	return func(yield func(tau2.Job, error) bool) {
		for _, e := range r.Index() {
			if e.Domain != w.Name {
				continue
			}
			rec, err := r.Attempt(e.Ref)
			if err != nil {
				yield(tau2.Job{}, err)
				return
			}
			j := tau2.Job{Record: rec}
			if s, ok := scores[e.Ref]; ok && s.Reward != nil {
				info := s.Info
				info.Reward = *s.Reward
				j.Recorded = &info
			}
			var recorded *tau2.Task
			if head != nil {
				recorded, _ = head.Task(rec.Task)
			}
			j.Choose(choice, recorded, w)
			if !yield(j, nil) {
				return
			}
		}
	}
}

// compare scores the jobs of a group, of r where it is a run, and prints what comes of it.
func (s *scoring) compare(ctx context.Context, g Group, w *domains.World, r *store.Run, jobs iter.Seq2[tau2.Job, error], each func(tau2.Comparison)) error {
	workers := runtime.GOMAXPROCS(0)
	var judge func(sim.Record) sim.Judge
	if s.Config != nil {
		judges, err := s.judges(w, r)
		if err != nil {
			return domains.Usage(err)
		}
		defer s.tellReplayed(g, judges)
		judge = s.watch(judges, r)
		workers = max(workers, s.Config.Limits.Concurrency)
	}
	return s.tell(g, tau2.CompareAll(ctx, w, jobs, workers, judge, s.options()), each)
}

func (s *scoring) options() tau2.Options {
	return tau2.Options{Strictness: s.Strictness, Hashes: s.Hashes}
}

// tell prints the comparisons of a group.
func (s *scoring) tell(g Group, list iter.Seq2[tau2.Comparison, error], each func(tau2.Comparison)) error {
	g.Tasks, g.Strictness = s.Tasks, s.Strictness
	s.out.Begin(g)
	t := newTally()
	defer func() {
		s.total.merge(t)
		s.out.Close(t)
	}()
	for c, err := range list {
		if err != nil {
			return err
		}
		each(c)
		t.add(c)
		s.out.Trial(c)
	}
	return nil
}
