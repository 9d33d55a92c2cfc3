package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/sim"
)

type guardOptions struct {
	show.Options
	judge                        authorModel
	data, domain, verifier, gate string
	json                         bool
}

func (o *guardOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.verifier, "verifier", "", "deterministic, llm or hybrid; default: llm with a model, else deterministic")
	f.StringVar(&o.gate, "gate", string(verify.Advisory), "advisory, strict or monitor")
	f.StringVar(&o.judge.name, "model", "", "model that judges for llm and hybrid; named as in author")
	f.StringVar(&o.judge.config, "config", "", "config that has the model; without one the key is read from $OPENAI_API_KEY")
	f.StringVar(&o.judge.baseURL, "base-url", "", "endpoint to ask in place of the model's own")
	f.BoolVar(&o.judge.synthetic, "synthetic", false, "ask a scripted model that judges as code does")
	f.StringVar(&o.domain, "domain", "", domainHelp)
	f.StringVar(&o.data, "data", "embedded", "τ² data folder with the policy, or the word embedded")
	f.BoolVar(&o.Full, "full", false, "fold nothing: whole results, and all that the guide decided")
	f.BoolVar(&o.json, "json", false, "print JSON: for each conversation the changes with their verdicts, and the events as records have them")
}

func guardCommand(p process) *cobra.Command {
	var o guardOptions
	cmd := &cobra.Command{
		Use:     "guard DOMAIN|DIR CONVERSATION...",
		Short:   "Read recorded conversations as PolicyGuide would have guarded them",
		Example: "  tauguide workflow guard mock configs/conversations/plants.json",
		Long: "Read recorded conversations as PolicyGuide would have guarded them by a workflow: at each firing where the requests are and what the\n" +
			"agent would have been told, and for each change and transfer of the agent's whether it was due, or what would have been intercepted\n" +
			"and what was missing. What the agent did then stays as it was. A CONVERSATION is a file of chat completions: a list of messages, or an\n" +
			"object that has it under messages, or several of these after each other, as in JSON Lines (docs/workflow-commands.md).\n\n" +
			"Exit code 4 if anything would have been intercepted.",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return runGuard(cmd.Context(), p, o, args[0], args[1:]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

// check looks at the flags, and chooses the verifier that they leave open.
func (o *guardOptions) check() error {
	model := o.judge.name != "" || o.judge.synthetic
	if o.verifier == "" {
		o.verifier = string(verify.ByCode)
		if model {
			o.verifier = string(verify.ByModel)
		}
	}
	switch kind := verify.Kind(o.verifier); {
	case !slices.Contains([]verify.Kind{verify.ByCode, verify.ByModel, verify.Mixed}, kind):
		return fmt.Errorf("--verifier %s is unknown\nhint: choose deterministic, llm or hybrid", kind)
	case !slices.Contains([]verify.Mode{verify.Advisory, verify.Strict, verify.Monitor}, verify.Mode(o.gate)):
		return fmt.Errorf("--gate %s is unknown\nhint: choose advisory, strict or monitor", o.gate)
	case kind == verify.ByCode && model:
		return errors.New("--model and --synthetic: a deterministic verifier asks none\nhint: remove them, or choose another --verifier")
	case kind != verify.ByCode && !model:
		return fmt.Errorf("--verifier %s needs a model\nhint: add --model, or try it out with --synthetic", kind)
	}
	return nil
}

func runGuard(ctx context.Context, p process, o guardOptions, name string, files []string) error {
	if err := o.check(); err != nil {
		return usage(err)
	}
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	w, err := b.world(o.data, o.domain, "")
	if err != nil {
		return err
	}
	b.Domain = w.Name // whatever the folder is called
	workflow, err := verify.OfBundle(w, b.Bundle)
	if err != nil {
		return fmt.Errorf("%s cannot guard: %w", name, err)
	}
	chats, err := readChats(files)
	if err != nil {
		return err
	}
	if err := knownTools(w, chats); err != nil {
		return err
	}
	verifier, err := o.open(p, workflow)
	if err != nil {
		return err
	}
	return guardAll(ctx, p, o, chats, func(c sim.Chat) (*verify.Session, error) {
		v, err := verifier(c)
		return verify.NewSession(v, workflow.Rules(false), verify.Mode(o.gate), false), err
	})
}

// knownTools checks that all calls of the agent that did not fail are of tools that the workflow's domain has: what others
// change, nobody would have guarded.
func knownTools(w *domains.World, chats []sim.Chat) error {
	for _, chat := range chats {
		failed := map[string]bool{}
		for _, m := range chat.Messages {
			failed[m.ID] = failed[m.ID] || m.Error
		}
		for _, c := range chat.AgentCalls() {
			if _, ok := w.Agent.Tool(c.Name); !ok && !failed[c.ID] {
				return fmt.Errorf("%s: the agent calls %q, and %s has no such tool\nhint: write the tools' names as the workflow has them", chat.Name, c.Name, w.Name)
			}
		}
	}
	return nil
}

// maxChats bounds the bytes of a file of conversations.
const maxChats = 256 << 20

func readChats(files []string) (out []sim.Chat, err error) {
	for _, file := range files {
		text, err := domains.ReadFile(file, maxChats)
		if err != nil {
			return nil, usage(fmt.Errorf("conversation: %w", err))
		}
		list, err := sim.ParseChats(file, text)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// open makes verifiers of conversations, and says of those by code how much they leave to a model.
func (o guardOptions) open(p process, workflow *verify.Workflow) (func(sim.Chat) (verify.Verifier, error), error) {
	kind := verify.Kind(o.verifier)
	var model *sim.Model
	switch {
	case kind == verify.ByCode:
		if decidable, all := workflow.Graph.Share(); decidable < all {
			p.warn(fmt.Sprintf("code decides %d of %d nodes; the others count as met", decidable, all))
		}
	case !o.judge.synthetic:
		a, err := o.judge.connect(p, workflow.World)
		if err != nil {
			return nil, usage(err)
		}
		model = a.model.Verifier(verify.Role)
	}
	return func(c sim.Chat) (verify.Verifier, error) {
		if o.judge.synthetic {
			model = &sim.Model{Name: "scripted", Client: scripted.Verifier(workflow, c.AgentCalls())}
		}
		return workflow.Verifier(kind, model, false, 0)
	}, nil
}

func guardAll(ctx context.Context, p process, o guardOptions, chats []sim.Chat, session func(sim.Chat) (*verify.Session, error)) error {
	list := []show.Guarded{}
	var all sim.Record // what all sessions did
	bad := 0
	var failed error
	for _, c := range chats {
		g := show.Guarded{Chat: c}
		s, err := session(c)
		if err != nil {
			return err
		}
		if g.Replayed, failed = s.Replay(ctx, c.Messages); failed != nil {
			failed = fmt.Errorf("%s: %w", c.Name, failed)
			break
		}
		list = append(list, g)
		all.Events, all.Calls = append(all.Events, g.Events...), append(all.Calls, g.Calls...)
		if g.Count(verify.Intercepted) > 0 {
			bad++
		}
		if o.json {
			continue
		}
		o.Page = p.out.Page
		if err := g.Print(p.out.Styled(), o.Options); err != nil {
			return err
		}
	}
	if o.json {
		failed = errors.Join(failed, p.json(list))
	}
	if len(all.Calls) > 0 {
		p.note(sim.Bill(all.Calls))
	}
	switch v := all.Oversight(); {
	case failed != nil:
		return failed
	case v.Failed > 0:
		return fmt.Errorf("the verifier failed in %d of %d firings, so that not all is judged: %s", v.Failed, v.Firings, v.Cause)
	case bad > 0:
		return coded{exitThreshold, fmt.Errorf("in %d of %d conversations something would have been intercepted", bad, len(chats))}
	}
	return nil
}
