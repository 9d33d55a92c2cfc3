package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	workflow "github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/answers"
	"github.com/tauguide/tauguide/sim/synthetic"
)

func authorCommand(p process) *cobra.Command {
	return parent("author", "Have a model write material for experiments", authorChecklistsCommand(p), authorAttacksCommand(p), authorWorkflowCommand(p))
}

// authorModel is the model that writes, as the flags name it.
type authorModel struct {
	name, config, baseURL string
	synthetic             bool
	scripts               map[string]synthetic.Script // of the model in this process, in place of its own; nil for none
}

func (o *authorModel) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.name, "model", "", "model that writes: a name under models in --config, or what the endpoint calls it")
	f.StringVar(&o.config, "config", "", "config that has the model; without one the key is read from $OPENAI_API_KEY")
	f.StringVar(&o.baseURL, "base-url", "", "endpoint to ask in place of the model's own")
	f.BoolVar(&o.synthetic, "synthetic", false, "ask the scripted models: in this process, or those at --base-url")
}

// authoring is a connected model, with the answers that it gives kept beside the material until that is whole.
type authoring struct {
	p        process
	model    *sim.Model
	answers  *answers.File
	scripted bool
}

// find reads the config, and makes sure that it has the model.
func (o *authorModel) find(p process) (*config.Config, error) {
	if o.name == "" && !o.synthetic {
		return nil, errors.New("no model is named\nhint: add --model, or try it out with --synthetic")
	}
	if o.name == "" {
		o.name = "scripted"
	}
	c, err := o.load(p)
	if err != nil {
		return nil, err
	}
	if _, ok := c.Models[o.name]; !ok {
		return nil, fmt.Errorf("model %s: %s has no such model\nhint: %s", o.name, o.config, yamlfile.Suggest(o.name, slices.Collect(maps.Keys(c.Models))))
	}
	return c, nil
}

// price is that of the model, as far as it is known.
func (o authorModel) price(p process) (llm.Price, error) {
	c, err := o.find(p)
	if err != nil {
		return llm.Price{}, err
	}
	// Nothing is asked, as in a replay, so that no key is needed.
	_, models, err := c.OneModel(o.name, config.Options{Synthetic: o.synthetic, BaseURL: o.baseURL, Cassette: "replay"})
	if err != nil {
		return llm.Price{}, err
	}
	table, err := configs.ModelTable()
	if err != nil {
		return llm.Price{}, err
	}
	return table.Of(models[o.name].Endpoint("")).Price, nil
}

// open connects to the model. out is where the material will be.
func (o authorModel) open(p process, w *domains.World, out string) (*authoring, error) {
	a, err := o.connect(p, w)
	if err != nil {
		return nil, err
	}
	if a.answers, err = answers.Open(out, fmt.Sprintf("%q %q %t", a.model.Name, o.baseURL, a.scripted), p.warn); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	a.model.Client = a.answers.Client(a.model.Client)
	return a, nil
}

// connect connects to the model, and keeps nothing.
func (o authorModel) connect(p process, w *domains.World) (*authoring, error) {
	c, err := o.find(p)
	if err != nil {
		return nil, err
	}
	if len(w.Tasks) == 0 {
		w = w.WithTasks([]domains.Task{{}}) // a scripted model wants to know a task that exists; a real one never sees it
	}
	writers, err := runs.NewJudges(c, o.name, map[string]*domains.World{w.Name: w},
		config.Options{Synthetic: o.synthetic, BaseURL: o.baseURL, Cassette: "off"}, nil, p.warn)
	if err != nil {
		return nil, err
	}
	key := sim.Key{Domain: w.Name, Task: w.Tasks[0].ID, System: workflow.System}
	one, ok := writers.Of(sim.Record{Key: key}).(sim.ModelJudge)
	if !ok {
		return nil, fmt.Errorf("model %s cannot be asked from here", o.name)
	}
	if o.scripts != nil {
		one.Model.Client = synthetic.New(map[string]*domains.World{w.Name: w}, synthetic.Config{Scripts: o.scripts})
	}
	return &authoring{p: p, model: one.Model, scripted: o.synthetic || c.Models[o.name].Synthetic}, nil
}

// load reads the config, or makes one that has only the model: its domain stands for none.
func (o authorModel) load(p process) (*config.Config, error) {
	if o.config != "" {
		return config.Load(o.config, p.env)
	}
	if strings.ContainsAny(o.name, "\"\\\n\r\t$") {
		return nil, fmt.Errorf("--model %q is no name of a model\nhint: give the name that the endpoint knows", o.name)
	}
	text := fmt.Sprintf("note: author\nmodels: {\"%s\": {key: $OPENAI_API_KEY}}\nuser: {model: \"%s\"}\ndomains: [{name: mock}]\nsystems: [{name: none, agent: noop}]\n",
		o.name, o.name)
	return config.Parse("the flags", []byte(text), p.env)
}

// label marks what a scripted model wrote.
func (a *authoring) label() string {
	if a.scripted {
		return " (*synthetic*)"
	}
	return ""
}

// failed is the error of a command that could not finish: what there is, and how to go on. Where the model's answers are
// to blame, those to the last question and to the complaint after it are forgotten: they would come again otherwise.
func (a *authoring) failed(ctx context.Context, done string, unusable bool, err error) error {
	if e := (*llm.Error)(nil); unusable && ctx.Err() == nil && !errors.As(err, &e) {
		const tries = 2
		err = errors.Join(err, a.answers.Forget(tries))
	}
	err = fmt.Errorf("%s: %w\nhint: %s", done, err, a.answers.HowToResume())
	if ctx.Err() != nil {
		return coded{exitInterrupted, fmt.Errorf("interrupted; %w", err)}
	}
	return err
}
