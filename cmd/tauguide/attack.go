package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	attacking "github.com/tauguide/tauguide/sim/attack"
)

// attackLines says what a plan's user attacks with, nothing if it does not.
func attackLines(plan *config.Plan) []string {
	var out []string
	sets := plan.Attacks.Sets
	for _, domain := range slices.Sorted(maps.Keys(sets)) {
		s := sets[domain]
		line := fmt.Sprintf("the user attacks on %s: %s, %d attacks on %s data", domain, plan.Config.User.Attack, len(s.Tasks), s.Data)
		if s.Note != "" {
			line += " (" + s.Note + ")"
		}
		out = append(out, line)
	}
	return out
}

// withAttacks are the usual tables with that of attacks before them; as CSV, that alone.
func (f tableFlags) withAttacks() ([]report.Spec, error) {
	f.names = append([]string{"asr"}, defaultTables()...)
	if report.Format(f.format) == report.CSV && f.out == "" {
		f.names = f.names[:1]
	}
	return f.specs()
}

// attack puts attack sets among the tasks of worlds that models are served for: each named file, and for default those
// that are shipped for the data.
func attack(worlds map[string]*domains.World, data string, files []string) error {
	for _, file := range files {
		sets, err := attackSets(worlds, data, file)
		if err != nil {
			return fmt.Errorf("--attacks: %w", err)
		}
		for _, s := range sets {
			if worlds[s.Domain], err = s.With(worlds[s.Domain]); err != nil {
				return fmt.Errorf("--attacks %s: %w", file, err)
			}
		}
	}
	return nil
}

func attackSets(worlds map[string]*domains.World, data, file string) ([]*attacking.Set, error) {
	kind := config.DataKind(data)
	if file != "default" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s, err := attacking.Load(file, text)
		switch {
		case err != nil:
			return nil, err
		case worlds[s.Domain] == nil:
			return nil, fmt.Errorf("%s is for domain %s, which is not served", file, s.Domain)
		case s.Data != kind:
			return nil, fmt.Errorf("%s is for %s data, but the data here is %s: choose other data with --data", file, s.Data, kind)
		}
		return []*attacking.Set{s}, nil
	}
	var out []*attacking.Set
	for _, domain := range slices.Sorted(maps.Keys(worlds)) {
		if !slices.Contains(configs.AttackNames(), domain+"-"+kind) {
			continue
		}
		s, err := config.LoadAttacks(domain, kind, "")
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
