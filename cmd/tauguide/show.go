package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/sim"
)

type showOptions struct {
	full, walk, raw, json, noPager bool
	html, beside, call             string
	calls                          bool

	passed, failed, faults, intercepted bool
	fields                              map[string]*[]string // what trials are chosen by, by trials.Fields
	search, sort                        string
}

func (o *showOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.full, "full", false, "fold nothing: whole results, all that a guide told and decided, components that do not apply")
	f.BoolVar(&o.walk, "walk", false, "in place of the conversation, what guides and guards made of it: each request's nodes, the walk of each firing, rulings")
	f.BoolVar(&o.raw, "raw", false, "write the file of the record, byte for byte (on a terminal, what steers one is escaped)")
	f.BoolVar(&o.json, "json", false, "print the record and its score as JSON; without KEY, the list")
	f.StringVar(&o.html, "html", "", "write the trial's page as one file, which must not exist, with all that opens from it; it loads nothing")
	f.StringVar(&o.beside, "beside", "", "tell the trial and that of this system apart, or another of the task by its key, instead of printing it")
	f.BoolVar(&o.calls, "calls", false, "list the trial's model calls")
	f.StringVar(&o.call, "call", "", "print what was sent for a model call, such as agent/0, and what came; with --raw the request alone, byte for byte; with --json each try")
	f.BoolVar(&o.noPager, "no-pager", false, "write to the terminal itself, not through $PAGER")
	f.BoolVar(&o.passed, "passed", false, "only trials that passed")
	f.BoolVar(&o.failed, "failed", false, "only trials that failed")
	f.BoolVar(&o.faults, "faults", false, "only trials in which something broke outside of the agent, or that are void")
	f.BoolVar(&o.intercepted, "intercepted", false, "only trials in which a guide or a guard stopped the agent")
	help := map[string]string{"system": "of this system (may be repeated, as those below)", "domain": "of this domain", "task": "of this task, or of those that have this in their id",
		"outcome": "with this outcome: passed, failed, void, pending, waiting", "slice": "of tasks that are PV, Mut or unclassified", "ending": "that ended like this, such as max_steps",
		"fault": "in which this broke, such as transport", "trouble": "in which answers were like this, such as \"agent: failed\" or \"verifier failed open\"",
		"tool": "in which this tool was called", "stopped": "in which the agent was stopped at this node, or calling this tool"}
	o.fields = map[string]*[]string{}
	for _, field := range trials.Fields() {
		o.fields[field.Name] = f.StringArray(field.Name, nil, "only trials "+help[field.Name])
	}
	f.StringVar(&o.search, "search", "", "only trials in which all of these words are said, called or returned; \"several in quotes\" are in a row")
	f.StringVar(&o.sort, "sort", "", "sort by this column: "+strings.Join(trials.ColumnKeys(), ", ")+"; with a minus before it from the end")
}

// query is what is asked for.
func (o *showOptions) query() trials.Query {
	v := url.Values{trials.Text: {o.search}, trials.Sort: {o.sort}}
	for name, values := range o.fields {
		v[name] = slices.Clone(*values)
	}
	for _, short := range []struct {
		given       bool
		name, value string
	}{{o.passed, "outcome", string(trials.Passed)}, {o.failed, "outcome", string(trials.Failed)}, {o.faults, "fault", trials.Any}, {o.intercepted, "stopped", trials.Any}} {
		if short.given {
			v.Add(short.name, short.value)
		}
	}
	return trials.NewQuery(v)
}

func showCommand(p process) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show RUN [KEY]",
		Short: "Print one recorded conversation, or list the trials of a run",
		Long: "Print the conversation of one trial as a transcript: messages, calls, and of long results what changed or what later calls used;\n" +
			"where a guide's requests are and what it told, and what was held back; then the reward by component, the gold actions, and where\n" +
			"the database differs from the wanted one. Where the user attacks, the calls that it is after are marked.\n\n" +
			"KEY is domain/system/task/trial, with trials counted from 0, or a part of that which no other trial has. Without KEY the trials\n" +
			"are listed. The flags that say only narrow both; those of one name add up.",
		Example: "  tauguide show results/quickstart --failed --system ReAct\n" +
			"  tauguide show results/quickstart --tool cancel_pending_order --search refund --sort -steps\n" +
			"  tauguide show results/quickstart PolicyGuide/cancel-gift-card-order/0\n" +
			"  tauguide show results/quickstart retail/ReAct/cancel-gift-card-order/0 --full\n" +
			"  tauguide show results/quickstart retail/ReAct/cancel-gift-card-order/0 --html trial.html\n" +
			"  tauguide show results/quickstart retail/ReAct/cancel-gift-card-order/0 --beside PolicyGuide\n" +
			"  tauguide show results/quickstart retail/ReAct/cancel-gift-card-order/0 --calls",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), p, o, args[0], args[1:]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runShow(ctx context.Context, p process, o showOptions, dir string, key []string) error {
	chosen := 0
	for _, form := range []bool{o.full || o.beside != "", o.walk, o.raw, o.json, o.html != "", o.calls} {
		if form {
			chosen++
		}
	}
	if chosen > 1 {
		return usage(errors.New("--full, --walk, --raw, --json, --html and --calls exclude each other, and --beside all but --full\nhint: choose one"))
	}
	r, err := openRun(p, dir)
	if err != nil {
		return err
	}
	if err := trials.CheckSort(o.sort); err != nil {
		return usage(err)
	}
	lines, err := trials.List(ctx, r, o.query())
	if bad := (*trials.UnknownError)(nil); errors.As(err, &bad) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	switch {
	case len(lines) == 0:
		return usage(errors.New("no trial is like that\nhint: loosen a filter"))
	case len(key) > 0:
		return showTrial(p, o, dir, r, lines, key[0])
	case o.raw || o.full || o.walk || o.html != "" || o.beside != "" || o.calls || o.call != "":
		return usage(fmt.Errorf("--raw, --full, --walk, --html, --beside, --calls and --call are of one trial\nhint: name it, as in tauguide show %s %s", dir, lines[0].Key.String()))
	case o.json:
		return p.json(lines)
	}
	return p.paged(!o.noPager, func(w io.Writer, page terminal.Page) error {
		return report.Print(w, page, false, show.Table(lines))
	})
}

func showTrial(p process, o showOptions, dir string, r *store.Run, lines []trials.Line, name string) error {
	plan := make([]config.Planned, len(lines))
	for i, l := range lines {
		plan[i] = l.Planned
	}
	key, err := config.ParseKey(name, plan)
	if err != nil {
		return usage(err)
	}
	switch {
	case o.calls, o.call != "":
		return showCalls(p, o, r, key)
	case o.raw:
		return rawRecord(p, r, key)
	}
	if o.html != "" {
		return htmlTrial(p, o, dir, key)
	}
	if o.beside != "" {
		return besideTrial(p, o, r, key)
	}
	v, err := readTrial(p, report.Reader(r, p.env), key)
	if err != nil {
		return err
	}
	if o.json {
		out := map[string]any{"record": v.Record, "score": v.Score}
		if v.Note != "" {
			out["note"] = v.Note
		}
		return p.json(out)
	}
	return p.paged(!o.noPager, func(w io.Writer, page terminal.Page) error {
		return show.Print(w, v, show.Options{Page: page, Full: o.full, Walk: o.walk})
	})
}

// besideTrial tells a trial and another one of its task apart.
func besideTrial(p process, o showOptions, r *store.Run, key sim.Key) error {
	other, same := key, false
	other.System = o.beside
	var rest []config.Planned
	for _, t := range r.Plan() {
		same = same || t.Key == other
		if t.Domain == key.Domain && t.Task == key.Task && t.Key != key {
			rest = append(rest, t)
		}
	}
	if !same {
		var err error
		if other, err = config.ParseKey(o.beside, rest); err != nil {
			return usage(fmt.Errorf("--beside: %w", err))
		}
	}
	var both [2]transcript.Conversation
	reader := report.Reader(r, p.env)
	for i, k := range []sim.Key{key, other} {
		v, err := readTrial(p, reader, k)
		if err != nil {
			return err
		}
		if both[i], err = transcript.NewConversation(v); err != nil {
			return err
		}
	}
	return p.paged(!o.noPager, func(w io.Writer, page terminal.Page) error {
		return show.Beside(w, transcript.Beside(both[0], both[1]), show.Options{Page: page, Full: o.full})
	})
}

// rawRecord writes the file of a trial's record as it is; for a terminal it is made harmless.
func rawRecord(p process, r *store.Run, key sim.Key) error {
	e, ok := r.Counting(key)
	if !ok {
		_, err := r.Record(key)
		return err
	}
	_, text, err := r.RecordInside(e.Ref)
	if err != nil {
		return err
	}
	return rawText(p, text)
}

// rawText writes a text as it is; for a terminal it is made harmless.
func rawText(p process, text []byte) error {
	var to io.Writer = p.out
	if !p.out.Terminal {
		to = p.out.Raw()
	}
	_, err := to.Write(text)
	return err
}

// htmlTrial writes the page of a trial as one file.
func htmlTrial(p process, o showOptions, dir string, key sim.Key) error {
	site, err := view.Open([]string{dir}, p.env)
	if err != nil {
		return err
	}
	page, err := site.Single(key)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(o.html, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usage(fmt.Errorf("--html %s exists already\nhint: name a file that does not", o.html))
	}
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	_, err = f.Write(page)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("--html: %w", err), os.Remove(o.html))
	}
	p.printf("%s: %d kB\n", o.html, (len(page)+999)/1000)
	return nil
}

// readTrial reads the attempt at a trial that counts, and says what of it cannot be read.
func readTrial(p process, reader *transcript.Reader, key sim.Key) (transcript.Trial, error) {
	e, ok := reader.Run.Counting(key)
	if !ok {
		_, err := reader.Run.Record(key) // says why
		return transcript.Trial{}, err
	}
	planned := config.Planned{Key: key}
	for _, one := range reader.Run.Plan() {
		if one.Key == key {
			planned = one
		}
	}
	v, err := reader.Read(planned, e.Attempt)
	for _, notice := range v.Notices() {
		p.notef("%s", notice)
	}
	return v, err
}
