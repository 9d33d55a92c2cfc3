package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

// runFlags are the flags of the run command that config.Options does not hold.
type runFlags struct {
	debug       bool
	format      string
	minCoverage float64
	schema      bool
	dryRun      bool
	like        string
}

func runCommand(p process) *cobra.Command {
	var o config.Options
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run CONFIG",
		Short: "Run an experiment and print its tables",
		Long: "Run the trials that a config describes, in parallel, and print the tables. Every trial is stored as soon as it ends;\n" +
			"a run that was stopped is continued with --resume.\n\n" + exitHelp,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.schema {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.schema {
				_, err := p.stdout.Write(append(config.Schema(), '\n'))
				return err
			}
			return execute(cmd, p, args[0], o, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Out, "out", "", "run directory (default results/<name>)")
	flags.BoolVar(&o.Resume, "resume", false, "continue the run in the run directory")
	flags.BoolVar(&o.Fresh, "fresh", false, "move an existing run aside and start anew")
	flags.StringArrayVar(&o.Only, "only", nil, "run a part: key=value[,value] with key domain, system, agent, task or trial (may be repeated)")
	flags.IntVar(&o.Limit, "limit", 0, "run only the first so many tasks of each domain")
	flags.IntVar(&o.Trials, "trials", 0, "trials of each task, instead of the config's")
	flags.IntVar(&o.Concurrency, "concurrency", 0, "conversations at once, instead of the config's")
	flags.StringVar(&o.Data, "data", "", "τ² data folder, or the word embedded, instead of the config's")
	flags.StringVar(&o.BaseURL, "base-url", "", "send every model to this endpoint")
	flags.BoolVar(&o.Synthetic, "synthetic", false, "replace every model by its scripted twin")
	flags.StringVar(&o.Cassette, "cassette", "", "off, record, replay or verify, with :FOLDER behind it for other recordings than the run's own")
	flags.BoolVar(&f.debug, "debug", false, "log every model call in the run's log.jsonl")
	flags.StringVar(&f.format, "format", string(report.Term), fmt.Sprintf("of the tables: %v", report.Formats()))
	flags.Float64Var(&f.minCoverage, "min-coverage", 0, "exit with 4 if less than this share of the planned trials is evaluable")
	flags.BoolVar(&f.schema, "schema", false, "print the JSON Schema of a config")
	flags.BoolVar(&f.dryRun, "dry-run", false, "check everything, print the plan and an estimate of calls, tokens and dollars; run nothing")
	flags.StringVar(&f.like, "like", "", "run directory that the estimate of --dry-run goes by")
	return cmd
}

func execute(cmd *cobra.Command, p process, file string, o config.Options, f runFlags) error {
	if err := checkFormat(f.format); err != nil {
		return err
	}
	if f.minCoverage < 0 || f.minCoverage > 1 || f.minCoverage != f.minCoverage {
		return usage(fmt.Errorf("--min-coverage %v is no share: give a number from 0 to 1", f.minCoverage))
	}
	if f.like != "" && !f.dryRun {
		return usage(errors.New("--like is for the estimate of --dry-run: add --dry-run, or leave it out"))
	}
	cfg, err := config.Load(file, p.env)
	if err != nil {
		return usage(err)
	}
	plan, err := config.Resolve(cmd.Context(), cfg, o)
	if err != nil {
		return usageIf(err)
	}
	if f.dryRun {
		return dryRun(p, plan, f.like)
	}
	tracer, sent, err := tracing(cmd.Context(), p)
	if err != nil {
		return usage(err)
	}
	s, err := runs.Execute(cmd.Context(), plan, runs.Options{Debug: f.debug, Trace: tracer, Progress: runs.NewReporter(p.progress, p.env)})
	sent()
	if err != nil {
		return usageIf(err)
	}
	summarize(p, s)
	if err := printTables(p, []string{s.Dir}, report.Format(f.format), nil); err != nil {
		return err
	}
	return verdict(s, f.minCoverage)
}

// usageIf marks what the caller of the command can mend on the command line or in the config.
func usageIf(err error) error {
	var exists *store.ExistsError
	var changed *store.ChangedError
	if errors.Is(err, config.ErrConfig) || errors.As(err, &exists) || errors.As(err, &changed) {
		return usage(err)
	}
	return err
}

// summarize tells on stderr how the execution ended.
func summarize(p process, s *runs.Summary) {
	fmt.Fprintf(p.stderr, "%s: %d of %d trials evaluable, %d held now, in %s\n",
		s.Dir, s.Evaluable-s.Pending, s.Planned, s.Executed, s.Elapsed.Round(1e7))
	if n := s.Pending - s.NeedsJudge; n > 0 {
		fmt.Fprintf(p.stderr, "%d trials wait for the judge; --resume asks it again (an answer that is recorded comes again: `tauguide score %s --judge MODEL --cassette off` asks anew)\n", n, s.Dir)
	}
	if s.NeedsJudge > 0 {
		fmt.Fprintf(p.stderr, "%d trials need a judge: name one under judge, then --resume\n", s.NeedsJudge)
	}
	for _, c := range s.Causes {
		fmt.Fprintln(p.stderr, causeLine(c))
	}
	if s.OverBudget > 0 {
		fmt.Fprintf(p.stderr, "%d trials reached a budget of limits.conversation and would again: raise it, then --resume\n", s.OverBudget)
	}
	if s.Stopped != "" {
		fmt.Fprintf(p.stderr, "stopped early: %s\n", s.Stopped)
	}
}

// causeLine tells of one cause of void attempts.
func causeLine(c runs.Cause) string {
	what := string(c.Reason)
	if c.Fault != "" {
		what += " (" + c.Fault + ")"
	}
	line := fmt.Sprintf("void: %s: %d attempts at %d trials, %d of them still void", what, c.Attempts, c.Trials, c.Void)
	if c.Example != "" {
		line += "; e.g. " + c.Example
	}
	return line
}

// verdict is the exit code of a run that could be reported on.
func verdict(s *runs.Summary, minCoverage float64) error {
	switch {
	case s.Interrupted:
		return coded{exitInterrupted, fmt.Errorf("interrupted; continue with the same command and --resume --out %s", s.Dir)}
	case s.Coverage() < minCoverage:
		return coded{exitThreshold, fmt.Errorf("coverage %.3f is below --min-coverage %g", s.Coverage(), minCoverage)}
	case s.Evaluable-s.Pending < s.Planned:
		return coded{exitIncomplete, fmt.Errorf("%d of %d trials are void or unscored; run again with --resume", s.Planned-s.Evaluable+s.Pending, s.Planned)}
	}
	return nil
}

// runDirectory opens a run argument: a directory with a run in it. What is damaged there is told on stderr.
func runDirectory(p process, arg string) (*store.Run, error) {
	if st, err := os.Stat(filepath.Join(arg, "manifest.json")); err != nil || st.IsDir() {
		return nil, usage(fmt.Errorf("%s is no run directory: it has no manifest.json", arg))
	}
	r, err := store.Open(arg)
	if err != nil {
		return nil, err
	}
	for _, broken := range r.Broken() {
		fmt.Fprintf(p.stderr, "warning: %v\n", broken)
	}
	if planned, held := len(r.Plan()), len(r.Index()); held < planned {
		fmt.Fprintf(p.stderr, "warning: %d of the %d planned trials of %s have no record: they count as void; run its config again with --resume to hold them\n",
			planned-held, planned, arg)
	}
	return r, nil
}
