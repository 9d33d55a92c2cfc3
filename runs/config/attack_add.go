package config

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/attack"
)

// AddAttacks puts attack sets among the tasks of worlds that models are served for: each named file, and for default those
// that are shipped for the data.
func AddAttacks(worlds map[string]*domains.World, data string, files []string) error {
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

func attackSets(worlds map[string]*domains.World, data, file string) ([]*attack.Set, error) {
	kind := DataKind(data)
	if file != "default" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s, err := attack.Load(file, text)
		switch {
		case err != nil:
			return nil, err
		case worlds[s.Domain] == nil:
			return nil, fmt.Errorf("%s is for domain %s, which is not served", file, s.Domain)
		case s.Data != kind:
			return nil, fmt.Errorf("%s is for %s data, but the data here is %s\nhint: choose other data with --data", file, s.Data, kind)
		}
		return []*attack.Set{s}, nil
	}
	var out []*attack.Set
	for _, domain := range slices.Sorted(maps.Keys(worlds)) {
		if !slices.Contains(configs.AttackNames(), domain+"-"+kind) {
			continue
		}
		s, err := LoadAttacks(domain, kind, "")
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
