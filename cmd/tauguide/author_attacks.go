package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/config"
	attacking "github.com/tauguide/tauguide/sim/attack"
)

// attackFlags are the flags of author attacks.
type attackFlags struct {
	authorModel
	data, attacks, out string
	force              bool
}

func authorAttacksCommand(p process) *cobra.Command {
	var f attackFlags
	cmd := &cobra.Command{
		Use:   "attacks DOMAIN",
		Short: "Have a model work out plans for the attacks on a domain",
		Long: "Have a model work out how a user could get what the policy forbids, once for each attack of a set, in three roles: the analyser picks\n" +
			"the passages of the policy that bear on the request, the planner devises a false premise, and the advisor lists what not to say. An\n" +
			"answer that cannot be used is asked for once more.\n\n" +
			"The plans go into --out, each with a hash of what it was made from. If the file is there, only those plans are made that are\n" +
			"missing, or whose attack, policy, prompts or model have changed; plans written by hand are kept. Use the file with\n" +
			"user: {attack: craft, plans: FILE}. docs/red-teaming.md describes the format.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.write(cmd.Context(), p, args[0]) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", "embedded", "τ² data folder with policy and tasks, or the word embedded")
	flags.StringVar(&f.attacks, "attacks", "default", "file of attacks, or the word default for those that come with the program")
	flags.StringVar(&f.out, "out", "", "file for the plans")
	flags.BoolVar(&f.force, "force", false, "make all plans again")
	return cmd
}

func (f *attackFlags) write(ctx context.Context, p process, domain string) error {
	if f.out == "" {
		return usage(fmt.Errorf("--out is missing: give the file for the plans"))
	}
	old, err := oldPlans(f.out)
	if err != nil {
		return usage(err)
	}
	worlds, err := openWorlds(f.data, []string{domain})
	if err != nil {
		return err
	}
	set, err := config.LoadAttacks(domain, config.DataKind(f.data), f.attacks)
	if err != nil {
		return usage(fmt.Errorf("--attacks: %w", err))
	}
	w, err := set.With(worlds[0])
	if err != nil {
		return usage(fmt.Errorf("--attacks: %w", err))
	}
	m, scripted, err := f.open(p, w)
	if err != nil {
		return err
	}
	f.out = filepath.Clean(f.out)
	kept, err := f.keep(p, f.out, m, scripted)
	if err != nil {
		return usage(err)
	}
	var unsaved error
	job := attacking.Authoring{World: w, Set: set, Model: m, Old: old, All: f.force, Synthetic: scripted,
		Save: func(plans *attacking.Plans) error { unsaved = savePlans(f.out, plans); return unsaved },
		Log:  func(line string) { fmt.Fprintln(p.stderr, line) }}
	done, err := job.Write(ctx)
	if len(done.Calls) > 0 {
		fmt.Fprintln(p.stderr, spent(done.Calls))
	}
	if err != nil {
		what := "no plan was made"
		if n := len(done.Made); n > 0 && unsaved == nil {
			what = fmt.Sprintf("%d plans were made and are in %s", n, f.out)
		}
		return kept.broke(ctx, what, ctx.Err() == nil && unsaved == nil && !fromModel(err), err)
	}
	if err := savePlans(f.out, done.Plans); err != nil {
		return kept.broke(ctx, "the plans were made, but not written", false, err)
	}
	if err := kept.ended(); err != nil {
		return err
	}
	label := ""
	if done.Plans.Synthetic {
		label = " (*synthetic*)"
	}
	fmt.Fprintf(p.stdout, "%s: %d plans in %s, %d of them made now%s\n", domain, len(done.Plans.Plans), f.out, len(done.Made), label)
	return nil
}

// oldPlans reads the plans that are there already; nil if none are.
func oldPlans(file string) (*attacking.Plans, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	p, err := attacking.LoadPlans(file, text)
	if err != nil {
		return nil, fmt.Errorf("--out: %w; give another file", err)
	}
	return p, nil
}

// savePlans replaces the file as a whole, so that it never holds half of anything.
func savePlans(file string, plans *attacking.Plans) (err error) {
	text, err := plans.YAML()
	if err != nil {
		return err
	}
	fresh, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".new-")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("--out: %w", err), os.Remove(fresh.Name()))
		}
	}()
	_, err = fresh.Write(text)
	if err = errors.Join(err, fresh.Chmod(0o644), fresh.Sync(), fresh.Close()); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), file)
}
