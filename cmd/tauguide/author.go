package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/agents/checklist/author"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

func authorCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "author",
		Short: "Have a model write material for experiments",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(authorChecklistsCommand(p), authorAttacksCommand(p))
	return cmd
}

// authorModel are the flags that say which model writes.
type authorModel struct {
	name, config, baseURL string
	synthetic             bool
}

func (f *authorModel) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "model", "", "model that writes: a name under models in --config, or what the endpoint calls it")
	flags.StringVar(&f.config, "config", "", "config that has the model; without one the key is read from $OPENAI_API_KEY")
	flags.StringVar(&f.baseURL, "base-url", "", "endpoint to ask in place of the model's own")
	flags.BoolVar(&f.synthetic, "synthetic", false, "ask the scripted models: in this process, or those at --base-url")
}

// open connects to the model. scripted says that it is no real one.
func (f *authorModel) open(p process, w *domains.World) (m *sim.Model, scripted bool, err error) {
	if f.name == "" {
		if !f.synthetic {
			return nil, false, usage(fmt.Errorf("no model is named: add --model, or try it out with --synthetic"))
		}
		f.name = "scripted"
	}
	c, err := f.load(p, w)
	if err != nil {
		return nil, false, usage(err)
	}
	if _, ok := c.Models[f.name]; !ok {
		return nil, false, usage(fmt.Errorf("--model %s: %s has no such model: choose one of %s", f.name, f.config,
			strings.Join(slices.Sorted(maps.Keys(c.Models)), ", ")))
	}
	writers, err := runs.NewJudges(c, f.name, map[string]*domains.World{w.Name: w}, config.Options{Synthetic: f.synthetic, BaseURL: f.baseURL, Cassette: "off"}, nil,
		func(text string) { fmt.Fprintln(p.stderr, "warning: "+text) })
	if err != nil {
		return nil, false, usage(err)
	}
	// A scripted model wants to know a task that exists; a real one never sees it.
	key := sim.Key{Domain: w.Name, System: "author"}
	if len(w.Tasks) > 0 {
		key.Task = w.Tasks[0].ID
	}
	one, ok := writers.Of(sim.Record{Key: key}).(sim.ModelJudge)
	if !ok {
		return nil, false, fmt.Errorf("model %s cannot be asked from here", f.name)
	}
	return one.Model, f.synthetic || c.Models[f.name].Synthetic, nil
}

// keep has the model's answers kept beside out until the command is through.
func (f *authorModel) keep(p process, out string, m *sim.Model, scripted bool) (*keptAnswers, error) {
	k, err := keepAnswers(out, fmt.Sprintf("%q %q %t", f.name, f.baseURL, scripted), func(text string) { fmt.Fprintln(p.stderr, "warning: "+text) })
	if err == nil {
		k.wrap(m)
	}
	return k, err
}

// load reads the config, or makes one that has only the model.
func (f *authorModel) load(p process, w *domains.World) (*config.Config, error) {
	if f.config != "" {
		return config.Load(f.config, p.env)
	}
	if strings.ContainsAny(f.name, "\"\\\n\r\t$") {
		return nil, fmt.Errorf("--model %q: give the name that the endpoint knows", f.name)
	}
	text := fmt.Sprintf("note: author\nmodels: {\"%s\": {key: $OPENAI_API_KEY}}\nuser: {model: \"%s\"}\ndomains: [{name: %s}]\nsystems: [{name: none, agent: noop}]\n",
		f.name, f.name, w.Name)
	return config.Parse("the flags", []byte(text), p.env)
}

// checklistFlags are the flags of author checklists.
type checklistFlags struct {
	authorModel
	data, out string
	force     bool
}

func authorChecklistsCommand(p process) *cobra.Command {
	var f checklistFlags
	cmd := &cobra.Command{
		Use:   "checklists DOMAIN",
		Short: "Have a model write PolicyGuard's checklists out of a policy",
		Long: "Have a model write the checklists that PolicyGuard judges by, out of the domain's policy and tools, in four stages: it sorts the tools,\n" +
			"writes a checklist for each that changes data, writes the general rules, and reviews all files once. An answer that cannot be used is\n" +
			"asked for once more. The files go into --out together, once all is well; use them with params: {checklists: DIR}. A command that\n" +
			"was stopped goes on where it was when it is given again.\n\n" +
			"Read them before you trust them: what is not in them the guard does not look for, and what is too strict in them blocks what\n" +
			"the policy allows. docs/policyguard.md describes the format.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.write(cmd.Context(), p, args[0]) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", "embedded", "τ² data folder with the policy, or the word embedded")
	flags.StringVar(&f.out, "out", "", "folder for the files; new or empty, unless --force is given")
	flags.BoolVar(&f.force, "force", false, "replace checklists that are in --out")
	return cmd
}

func (f *checklistFlags) write(ctx context.Context, p process, domain string) error {
	if f.out == "" {
		return usage(fmt.Errorf("--out is missing: give the folder for the files"))
	}
	if err := author.Free(f.out, f.force); err != nil { // before anything is spent
		return usage(err)
	}
	worlds, err := openWorlds(f.data, []string{domain})
	if err != nil {
		return err
	}
	m, scripted, err := f.open(p, worlds[0])
	if err != nil {
		return err
	}
	kept, err := f.keep(p, f.out, m, scripted)
	if err != nil {
		return usage(err)
	}
	draft, err := author.Write(ctx, author.Job{World: worlds[0], Model: m, Synthetic: scripted,
		Log: func(line string) { fmt.Fprintln(p.stderr, line) }})
	if draft != nil && len(draft.Calls) > 0 {
		fmt.Fprintln(p.stderr, spent(draft.Calls))
	}
	if err != nil {
		return kept.broke(ctx, "nothing was written", ctx.Err() == nil && !fromModel(err), err)
	}
	if err := draft.Save(f.out, f.force); err != nil {
		return kept.broke(ctx, "nothing was written", false, err)
	}
	if err := kept.ended(); err != nil {
		return err
	}
	for _, finding := range draft.Findings {
		fmt.Fprintln(p.stdout, finding)
	}
	label := ""
	if scripted {
		label = " (*synthetic*)"
	}
	fmt.Fprintf(p.stdout, "%s: %d checklists and %s written to %s, %d warnings%s\n",
		domain, len(draft.Files)-1, checklist.RulesFile, f.out, len(draft.Findings), label)
	return nil
}

// spent says what calls came to; what is not known is a question mark.
func spent(calls []sim.ModelCall) string {
	var prompt, completion llm.Count
	cost, known, kept := 0.0, true, 0
	for _, c := range calls {
		if c.Transport.Replayed {
			kept++
			continue
		}
		prompt.N, completion.N = prompt.N+c.Usage.PromptTokens.N, completion.N+c.Usage.CompletionTokens.N
		if c.Cost == nil {
			known = false
			continue
		}
		cost += *c.Cost
	}
	dollars := "?"
	if known {
		dollars = fmt.Sprintf("%.2f", cost)
	}
	text := fmt.Sprintf("%d model calls, %d tokens read, %d written, $ %s", len(calls)-kept, prompt.N, completion.N, dollars)
	if kept > 0 {
		text += fmt.Sprintf("; %d answers were kept from an earlier attempt", kept)
	}
	return text
}
