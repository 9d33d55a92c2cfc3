package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/tau2"
)

// dataVariable names the environment variable that says where τ² data is, as it does for the reference.
const dataVariable = "TAU2_DATA_DIR"

func importCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Take over recorded runs of other programs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o tau2.ImportOptions
	var domain, system string
	var asJSON bool
	tau := &cobra.Command{
		Use:   "tau2 FILE|DIR",
		Short: "Take over a τ²-bench result as a run",
		Long: "Take over a τ²-bench result as a run, with its rewards as they were recorded. Read are a results.json, the folder of one with its\n" +
			"simulations, bare lists of simulations, single simulations and folders of them, of all versions. What the run format has no field\n" +
			"for is kept under extra; whatever is odd is counted and told on stderr. Keys of models are masked. On error no run is left behind.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Out == "" {
				return usage(fmt.Errorf("name the run to write with --out"))
			}
			return importTau2(cmd, p, args[0], domain, system, o, asJSON)
		},
	}
	flags := tau.Flags()
	flags.StringVar(&o.Out, "out", "", "run directory to write; must not exist")
	flags.StringVar(&o.Note, "note", "", "note for the run; default: where it is from")
	flags.StringVar(&o.Data, "data", "", "τ² data folder that the runs were made with; default: $"+dataVariable)
	flags.StringVar(&domain, "domain", "", "domain of a file that does not name it")
	flags.StringVar(&system, "system", "", "name for the system under test; default: its program and model")
	flags.BoolVar(&asJSON, "json", false, "print what was imported as JSON")
	cmd.AddCommand(tau)
	return cmd
}

func importTau2(cmd *cobra.Command, p process, file, domain, system string, o tau2.ImportOptions, asJSON bool) error {
	s, err := tau2.Open(file)
	if err != nil {
		return err
	}
	if err := s.NameAs(domain, system, all.Domains()); err != nil {
		return usage(err)
	}
	if o.Data == "" {
		o.Data = p.env(dataVariable)
	}
	if o.Data != "" && o.Data != "embedded" {
		if o.Data, err = filepath.Abs(o.Data); err != nil { // the run may be looked at from elsewhere
			return err
		}
	}
	if o.World, err = sourceSplit(s, o.Data, tau2.ImportedSplit); err != nil {
		return err
	}
	o.Now = time.Now()
	done, err := tau2.Import(cmd.Context(), s, o)
	if err != nil {
		return err
	}
	for _, odd := range done.Deviations {
		fmt.Fprintf(p.stderr, "%s\n", odd)
	}
	if asJSON {
		return printJSON(p, done)
	}
	reward := "none with a recorded reward"
	if done.Reward != nil {
		reward = fmt.Sprintf("%d with a recorded reward, mean %.4f", done.Scored, *done.Reward)
	}
	fmt.Fprintf(p.stdout, "%s: %d simulations of %d tasks on %s by %s; %s\n", done.Dir, done.Simulations, done.Tasks, done.Domain, done.System, reward)
	return nil
}

// sourceWorld opens the domain of a τ² result, as the result was made, on a data folder or, without one, on the
// embedded data, with the tasks of all splits.
func sourceWorld(s *tau2.Source, data string) (*domains.World, error) {
	return sourceSplit(s, data, domains.EverySplit)
}

func sourceSplit(s *tau2.Source, data, split string) (*domains.World, error) {
	d, err := openData(data)
	if err != nil {
		return nil, err
	}
	domain, err := all.Domain(s.Domain())
	if err != nil {
		return nil, err
	}
	_, policy := s.Header.Facts.Domain()
	w, err := domain.Open(d, domains.Options{Policy: policy, Solo: s.Header.Facts.Solo(), Split: split})
	if err != nil {
		return nil, fmt.Errorf("open domain %s: %w", domain.Name, err)
	}
	return w, nil
}
