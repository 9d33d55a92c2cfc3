package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// scoreFlags are the flags of the score command.
type scoreFlags struct {
	strict, tasks, judge, config, cassette, data, domain string
	hash, all, update, asJSON                            bool
	minAgreement                                         float64
}

func scoreCommand(p process) *cobra.Command {
	var f scoreFlags
	cmd := &cobra.Command{
		Use:   "score RUN|FILE|DIR...",
		Short: "Score recorded conversations again and compare with the recorded rewards",
		Long: "Replay recorded conversations, score them, and compare the rewards with the recorded ones: of runs, of τ²-bench results, or of all\n" +
			"that a folder holds. Each trial whose reward differs is listed with the components that differ and why. Replay is lenient: results\n" +
			"that differ from the recorded ones are noted. --strict wants the results of all writes, all ids and the pairing of calls and results\n" +
			"to be right, --strict=full runs reads again as well; what is not right is an error then.\n\n" +
			"Recorded verdicts of a judge are used again, unless --judge names a model of the config in --config. Its answers are recorded and\n" +
			"replayed as the config's cassette says, and without one as the run's did; --cassette off asks anew. Scores that a run lacks are\n" +
			"added to it; changed ones only with --update.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return scorePaths(cmd.Context(), p, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.strict, "strict", "", "fail trials that do not replay exactly: writes, or full to run reads again too")
	flags.Lookup("strict").NoOptDefVal = string(tau2.Writes)
	flags.StringVar(&f.tasks, "tasks", string(tau2.RecordedTasks), "recorded: the tasks that came with the record; current: those of the data")
	flags.StringVar(&f.judge, "judge", "", "model of the config that grades outcomes anew")
	flags.StringVar(&f.config, "config", "", "config that has the judge's model")
	flags.StringVar(&f.cassette, "cassette", "", "for the judge's answers: off, record, replay or verify, with :FOLDER behind it for another folder than the config's or the run's")
	flags.StringVar(&f.data, "data", "", "τ² data folder, or the word embedded; default: the run's own, for τ² files $"+dataVariable)
	flags.StringVar(&f.domain, "domain", "", "domain of τ² files that do not name it")
	flags.BoolVar(&f.hash, "hash", false, "print τ²-compatible hashes of the databases at the end")
	flags.BoolVar(&f.all, "all", false, "list all trials, with their components")
	flags.BoolVar(&f.update, "update", false, "store changed scores in the run")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.Float64Var(&f.minAgreement, "min-agreement", 0, "exit with 4 if a smaller share of the recorded rewards is reproduced")
	return cmd
}

// scoring is one execution of the command.
type scoring struct {
	p       process
	flags   scoreFlags
	options tau2.Options
	tasks   tau2.TaskChoice
	worlds  map[string]*domains.World
	judges  *config.Config // nil without --judge
	printer printer
	total   tally
	unheard judgeFailures
}

func scorePaths(ctx context.Context, p process, paths []string, f scoreFlags) error {
	s := &scoring{p: p, flags: f, worlds: map[string]*domains.World{}, tasks: tau2.TaskChoice(f.tasks)}
	if err := s.check(); err != nil {
		return usage(err)
	}
	s.printer = newPrinter(p, f)
	var list []string
	for _, path := range paths {
		found, skipped, err := tau2.Find(path)
		if err != nil {
			return err
		}
		for _, x := range skipped {
			fmt.Fprintf(p.stderr, "passed over: %v\n", x.Err)
		}
		list = append(list, found...)
	}
	for _, path := range list {
		if err := s.path(ctx, path); err != nil {
			return errors.Join(err, s.printer.end(s.total))
		}
	}
	if err := s.printer.end(s.total); err != nil {
		return err
	}
	return s.verdict()
}

func (s *scoring) check() error {
	switch s.options.Strictness = tau2.Strictness(s.flags.strict); s.options.Strictness {
	case "":
		s.options.Strictness = tau2.Lenient
	case tau2.Lenient, tau2.Writes, tau2.Full:
	default:
		return fmt.Errorf("--strict=%s: choose %s or %s", s.flags.strict, tau2.Writes, tau2.Full)
	}
	if s.tasks != tau2.RecordedTasks && s.tasks != tau2.CurrentTasks {
		return fmt.Errorf("--tasks %s: choose %s or %s", s.flags.tasks, tau2.RecordedTasks, tau2.CurrentTasks)
	}
	s.options.Hashes = s.flags.hash
	if s.flags.judge == "" && s.flags.cassette != "" {
		return errors.New("--cassette is for the answers of a judge: name one with --judge, or leave it out")
	}
	if s.flags.judge == "" {
		return nil
	}
	if s.flags.config == "" {
		return errors.New("--judge needs the config that has the model: give it with --config")
	}
	c, err := config.Load(s.flags.config, s.p.env)
	s.judges = c
	return err
}

func (s *scoring) path(ctx context.Context, path string) error {
	if _, err := os.Stat(filepath.Join(path, "manifest.json")); err == nil {
		return s.run(ctx, path)
	}
	src, err := tau2.Open(path)
	if err != nil {
		return err
	}
	if err := src.NameAs(s.flags.domain, "", all.Domains()); err != nil {
		return usage(err)
	}
	w, err := s.sourceWorld(src)
	if err != nil {
		return err
	}
	g := group{Path: path, Layout: string(src.Layout), Domain: w.Name, System: src.System()}
	if err := s.compare(ctx, g, w, nil, tau2.Jobs(src, w, s.tasks), func(tau2.Comparison) error { return nil }); err != nil {
		return err
	}
	for _, o := range src.Deviations() {
		fmt.Fprintf(s.p.stderr, "%s: %s\n", path, o)
	}
	return nil
}

// sourceWorld opens the data that a τ² result was made with.
func (s *scoring) sourceWorld(src *tau2.Source) (*domains.World, error) {
	data := s.flags.data
	if data == "" {
		data = s.p.env(dataVariable)
	}
	if data == "" {
		if src.Header.Export == nil || !src.Header.Export.Embedded() {
			return nil, usage(fmt.Errorf("%s was recorded on databases of its own: name the τ²-bench data folder with --data or in $%s", src.Name, dataVariable))
		}
		data = "embedded"
	}
	key := fmt.Sprint(data, src.Domain(), src.Header.Facts.Solo())
	if s.worlds[key] == nil {
		w, err := sourceWorld(src, data)
		if err != nil {
			return nil, err
		}
		s.worlds[key] = w
	}
	return s.worlds[key], nil
}

// run scores a run directory, domain by domain.
func (s *scoring) run(ctx context.Context, dir string) error {
	r, err := store.Open(dir)
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
	var fresh []sim.Score
	for _, d := range r.Manifest().Config.Domains {
		data := s.flags.data
		if head != nil && data == "" && len(r.Manifest().Data[d.Name]) == 0 {
			data = s.p.env(dataVariable) // imported without naming its data
		}
		w, err := runWorld(s.p, r, d.Name, data)
		if err != nil && head != nil && data == "" {
			return usage(fmt.Errorf("the run was imported, and its databases are not at hand (%w): name the τ²-bench data folder with --data", err))
		}
		if err != nil {
			return err
		}
		g := group{Path: dir, Layout: "run", Domain: d.Name, System: systemsOf(r, d.Name)}
		err = s.compare(ctx, g, w, r, runJobs(r, head, scores, w, s.tasks), func(c tau2.Comparison) error {
			lacking := c.Outcome == tau2.Unrecorded
			if c.Score != nil && c.Computed != nil && (lacking || s.flags.update && c.Outcome == tau2.Differ) {
				fresh = append(fresh, *c.Score)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := r.AppendScores(fresh...); err != nil {
		return err
	}
	fmt.Fprintf(s.p.stderr, "%s: %d scores added\n", dir, len(fresh))
	return nil
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
func (s *scoring) compare(ctx context.Context, g group, w *domains.World, r *store.Run, jobs iter.Seq2[tau2.Job, error], each func(tau2.Comparison) error) error {
	workers := runtime.GOMAXPROCS(0)
	var judge func(sim.Record) sim.Judge
	if s.judges != nil {
		judges, err := s.judgesOf(w, r)
		if err != nil {
			return usage(err)
		}
		defer s.told(g, judges)
		judge = func(rec sim.Record) sim.Judge { return s.unheard.watch(judges.Of(rec)) }
		workers = max(workers, s.judges.Limits.Concurrency)
	}
	g.Tasks, g.Strictness = s.tasks, s.options.Strictness
	s.printer.begin(g)
	t := newTally()
	for c, err := range tau2.CompareAll(ctx, w, jobs, workers, judge, s.options) {
		if err == nil {
			err = each(c)
		}
		if err != nil {
			return errors.Join(err, s.printer.close(g, t))
		}
		t.add(c)
		if err := s.printer.trial(c); err != nil {
			return err
		}
	}
	s.total.merge(t)
	return s.printer.close(g, t)
}

// verdict is the exit code.
func (s *scoring) verdict() error {
	t := s.total
	switch {
	case t.Outcomes[tau2.Failed] > 0:
		return fmt.Errorf("%d of %d trials cannot be scored", t.Outcomes[tau2.Failed], t.Trials)
	case s.unheard.n > 0:
		return coded{exitIncomplete, fmt.Errorf("%d trials could not be judged, such as this: %w", s.unheard.n, s.unheard.first)}
	case t.agreement() < s.flags.minAgreement:
		return coded{exitThreshold, fmt.Errorf("agreement %.4f is below --min-agreement %g", t.agreement(), s.flags.minAgreement)}
	case t.Outcomes[tau2.Waiting] > 0:
		return coded{exitIncomplete, fmt.Errorf("%d trials need a judge: name one with --judge and --config", t.Outcomes[tau2.Waiting])}
	}
	return nil
}
