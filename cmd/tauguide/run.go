package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
)

type runOptions struct {
	config.Options
	format         string
	minCoverage    float64
	schema, dryRun bool
	debug          bool
	full, quiet    bool
	like           string
	acceptCost     float64
}

func (o *runOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Out, "out", "", "run directory (default results/<name>)")
	f.BoolVar(&o.Resume, "resume", false, "continue the run in the run directory")
	f.BoolVar(&o.Fresh, "fresh", false, "move an existing run aside and start over")
	f.StringArrayVar(&o.Only, "only", nil, "run a part: key=value[,value] with key domain, system, agent, task or trial (may be repeated)")
	f.Var((*count)(&o.Limit), "limit", "run only the first so many tasks of each domain")
	f.Var((*count)(&o.Trials), "trials", "trials of each task, instead of the config's")
	f.Var((*count)(&o.Concurrency), "concurrency", "conversations at once, instead of the config's")
	f.StringVar(&o.Data, "data", "", "τ² data folder, or the word embedded, instead of the config's")
	f.StringVar(&o.BaseURL, "base-url", "", "send every model to this endpoint")
	f.BoolVar(&o.Synthetic, "synthetic", false, "replace every model by its scripted twin")
	f.StringVar(&o.Cassette, "cassette", "", "off, record, replay or verify, with :FOLDER behind it for other recordings than the run's own")
	f.BoolVar(&o.debug, "debug", false, "log every model call in the run's log.jsonl")
	f.StringVar(&o.format, "format", string(report.Term), fmt.Sprintf("of the tables: %v", report.Formats()))
	f.BoolVar(&o.full, "full", false, "print the tables that tauguide tables prints, and what runs are in full; without, a terminal gets the overview")
	f.BoolVar(&o.quiet, "quiet", false, "no progress, summary or next steps: data, warnings and errors alone")
	f.Float64Var(&o.minCoverage, "min-coverage", 0, "exit with 4 if less than this share of the planned trials is evaluable")
	f.BoolVar(&o.schema, "schema", false, "print the JSON Schema of a config")
	f.BoolVar(&o.dryRun, "dry-run", false, "check everything, print the plan and an estimate of calls, tokens and dollars; run nothing")
	f.Float64Var(&o.acceptCost, "accept-cost", 0, "begin a run that is estimated at up to so many dollars (default limits.max_cost, or 20 without it)")
	f.StringVar(&o.like, "like", "", "run directory that the estimate of --dry-run goes by")
}

// count is a flag for a number of things. 0 is that it was not given, and cannot be given.
type count int

// Set reads what was given.
func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("want a whole number from 1, or the flag left out")
	}
	*c = count(n)
	return nil
}

func (c *count) String() string {
	if *c == 0 {
		return ""
	}
	return strconv.Itoa(int(*c))
}

// Type is for the help.
func (c *count) Type() string { return "int" }

func runCommand(p process) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run CONFIG",
		Short: "Run an experiment and print its tables",
		Example: "  tauguide run quickstart\n" +
			"  tauguide run configs/quickstart.yaml --only domain=retail --only system=ReAct,PolicyGuide --trials 2 --out results/part\n" +
			"  tauguide run paper/table1 --data embedded --dry-run\n" +
			"  tauguide run quickstart --resume",
		Long: "Run the trials that a config describes, in parallel, and print the tables. Every trial is stored as soon as it ends;\n" +
			"a run that was stopped is continued with --resume. CONFIG is a file, or a config that comes with the program:\n" +
			strings.Join(configs.Names(), ", ") + "\n\n" + exitHelp,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.schema {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.schema {
				p.printf("%s\n", config.Schema())
				return nil
			}
			return runRun(cmd.Context(), p, o, args[0])
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runRun(ctx context.Context, p process, o runOptions, file string) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if o.minCoverage < 0 || o.minCoverage > 1 || o.minCoverage != o.minCoverage {
		return usage(fmt.Errorf("--min-coverage %v is no share\nhint: give a number from 0 to 1", o.minCoverage))
	}
	if o.acceptCost < 0 || o.acceptCost != o.acceptCost {
		return usage(fmt.Errorf("--accept-cost %v is no amount of dollars\nhint: give what the run may be estimated at, as in --accept-cost 50", o.acceptCost))
	}
	if o.like != "" && !o.dryRun {
		return usage(errors.New("--like is for the estimate of --dry-run\nhint: add --dry-run, or leave --like out"))
	}
	cfg, err := config.Load(file, p.env)
	if err != nil {
		return usage(err)
	}
	if o.Resume {
		o.Begun = store.BegunWith(cfg.Dir(o.Options))
	}
	plan, err := config.Resolve(ctx, cfg, o.Options)
	if err != nil {
		return err
	}
	estimate, err := runs.NewEstimate(plan, o.like)
	if err != nil {
		return err
	}
	if o.dryRun {
		for _, w := range plan.Warnings {
			p.warn(w)
		}
		plan.Print(p.out.Prose())
		power, err := plannedPower(plan, 1, estimate)
		if err != nil {
			return err
		}
		if err := estimate.Print(p.out.Prose()); err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.out.Prose(), power)
		return err
	}
	if err := estimate.Affordable(plan.Config.Limits, o.acceptCost); err != nil {
		return err
	}
	tracer, sendTraces, err := tracing(ctx, p)
	if err != nil {
		return usage(err)
	}
	s, err := runs.Execute(ctx, plan, runs.Options{Debug: o.debug, Trace: tracer, Progress: o.reporter(p)})
	sendTraces()
	if err != nil {
		return err
	}
	resume := p.command(plan.Command("--resume"))
	if o.acceptCost > 0 { // what is left may be as dear
		resume += " --accept-cost " + strconv.FormatFloat(o.acceptCost, 'f', -1, 64)
	}
	if s.Interrupted {
		return coded{exitInterrupted, fmt.Errorf("interrupted: %d of %d trials are finished and saved in %s\nhint: continue with `%s`", s.Evaluable, s.Planned, s.Dir, resume)}
	}
	o.summary(p, s)
	if err := o.tables(p, s.Dir); err != nil {
		return err
	}
	switch {
	case s.Coverage() < o.minCoverage:
		return coded{exitThreshold, fmt.Errorf("coverage %.3f is below --min-coverage %g", s.Coverage(), o.minCoverage)}
	case s.Evaluable-s.Pending < s.Planned:
		cure := "run again with"
		if s.Stopped != "" {
			cure = "see to what stopped it, then run again with"
		}
		return coded{exitIncomplete, fmt.Errorf("%d of %d trials are void or unscored\nhint: %s `%s`", s.Planned-s.Evaluable+s.Pending, s.Planned, cure, resume)}
	}
	return nil
}

func (o runOptions) reporter(p process) runs.Reporter {
	if o.quiet {
		return runs.NewWarningReporter(p.live)
	}
	return runs.NewReporter(p.progress, p.live, p.env)
}

// summary tells how a run ended; if quiet, its warnings and what stopped it alone.
func (o runOptions) summary(p process, s *runs.Summary) {
	if !o.quiet {
		s.Print(p.stderr)
		return
	}
	var b strings.Builder
	s.Print(&b)
	warned := false
	for line := range strings.Lines(b.String()) {
		warned = strings.HasPrefix(line, "warning: ") || warned && strings.HasPrefix(line, "hint: ")
		if warned || strings.HasPrefix(line, "stopped early: ") {
			fmt.Fprint(p.stderr, line)
		}
	}
}

// tables prints what a run has found. The overview is for people; programs get what they always got.
func (o runOptions) tables(p process, dir string) error {
	tables := tablesOptions{format: o.format, usual: defaultTables(), provenance: o.full, Options: report.Options{Seed: report.DefaultSeed}}
	people := report.Format(o.format) == report.Term
	switch {
	case people && o.full:
		tables.usual = append([]string{"overview"}, tables.usual...)
	case people:
		tables.usual = []string{"overview"}
	}
	built, err := tables.build(p, []string{dir})
	if err != nil {
		return err
	}
	if err := tables.print(p, built...); err != nil || o.quiet || !people {
		return err
	}
	overview := slices.IndexFunc(built, func(t report.Table) bool { return t.Name == "overview" })
	next(p, dir, built[overview].Rivals)
	return nil
}

// next says how to look closer, each step a command that works as printed, and what for, where all lines have room for it; then
// the address of the pages that the last one serves.
func next(p process, dir string, rivals []string) {
	name := config.ShellWord(dir)
	steps := [][2]string{{"tables " + name, "slices, calls"}, {"tables " + name + " --table all", "the paper's"}}
	if len(rivals) == 2 {
		steps = append(steps, [2]string{fmt.Sprintf("compare %s %s %s", name, config.ShellWord(rivals[0]), config.ShellWord(rivals[1])), "is it chance?"})
	}
	steps = append(steps, [2]string{"view " + name, "in a browser, at"})
	width := 0
	for i, s := range steps {
		steps[i][0] = "  " + p.command("tauguide "+s[0])
		width = max(width, len(steps[i][0]))
	}
	const what = len("  # in a browser, at")
	p.note("next:")
	for _, s := range steps {
		if p.err.Width == 0 || width+what <= p.err.Width {
			p.notef("%-*s  # %s", width, s[0], s[1])
		} else {
			p.note(s[0])
		}
	}
	p.note("  " + view.Address(dir))
}
