package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/rescore"
	"github.com/tauguide/tauguide/runs/tau2"
)

type importOptions struct {
	tau2.ImportOptions
	domain, system string
	json           bool
}

func (o *importOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Out, "out", "", "run directory to write; must not exist")
	f.StringVar(&o.Note, "note", "", "note for the run; default: where it is from")
	f.StringVar(&o.Data, "data", "", "τ² data folder that the runs were made with; default: $"+rescore.DataVariable)
	f.StringVar(&o.domain, "domain", "", "domain of a file that does not name it")
	f.StringVar(&o.system, "system", "", "name for the system under test; default: its program and model")
	f.BoolVar(&o.json, "json", false, "print what was imported as JSON")
}

func importCommand(p process) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:     "tau2 FILE|DIR",
		Short:   "Take over a τ²-bench result as a run",
		Example: "  tauguide import tau2 results.json --domain retail --out results/imported",
		Long: "Take over a τ²-bench result as a run, with its rewards as they were recorded. Read are a results.json, the folder of one with its\n" +
			"simulations, bare lists of simulations, single simulations and folders of them, of all versions. What the run format has no field\n" +
			"for is kept under extra; whatever is odd is counted and told on stderr. Keys of models are masked. On error no run is left behind.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd.Context(), p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return parent("import", "Take over recorded runs of other programs", cmd)
}

func runImport(ctx context.Context, p process, o importOptions, file string) error {
	if o.Out == "" {
		return usage(errors.New("--out is missing\nhint: name the run to write"))
	}
	s, err := tau2.Open(file)
	if err != nil {
		return err
	}
	if err := s.NameAs(o.domain, o.system, all.Domains()); err != nil {
		return usage(err)
	}
	if o.Data == "" {
		o.Data = p.env(rescore.DataVariable)
	}
	if o.Data != "" && o.Data != "embedded" {
		if o.Data, err = filepath.Abs(o.Data); err != nil { // the run may be looked at from elsewhere
			return err
		}
	}
	if o.World, err = s.World(o.Data, tau2.ImportedSplit); err != nil {
		return err
	}
	o.Now = time.Now()
	done, err := tau2.Import(ctx, s, o.ImportOptions)
	if err != nil {
		return err
	}
	for _, d := range done.Deviations {
		p.note(d.String())
	}
	if o.json {
		return p.json(done)
	}
	reward := "none with a recorded reward"
	if done.Reward != nil {
		reward = fmt.Sprintf("%d with a recorded reward, mean %.4f", done.Scored, *done.Reward)
	}
	if lacking := done.Planned - done.Simulations; lacking > 0 {
		p.warn(fmt.Sprintf("%d of the %d planned trials are not in %s: they count as void", lacking, done.Planned, file))
	}
	p.printf("%s: %d simulations of %d tasks on %s by %s; %s\n", done.Dir, done.Simulations, done.Tasks, done.Domain, done.System, reward)
	return nil
}
