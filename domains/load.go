package domains

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/tauguide/tauguide/domains/value"
)

// Load reads a file of the domain, JSON or by its name TOML, and makes of it what load does.
func Load[T any](f *Files, name string, load func(value.Value) (T, error)) (out T, err error) {
	b, err := f.Read(name)
	if err != nil {
		return out, err
	}
	parse := value.Parse
	if path.Ext(name) == ".toml" {
		parse = ParseTOML
	}
	v, err := parse(b)
	if err == nil {
		out, err = load(v)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", f.Path(name), err)
	}
	return out, nil
}

// Complete fills in what all domains load alike: tasks, splits, guidelines, tool texts, sources; and the policy as the one
// document policy.md, where the domain names none.
func (f *Files) Complete(w *World, agent, user *Kit) (err error) {
	w.goals = &sync.Map{}
	if w.Documents == nil {
		w.Documents = []Document{{Name: "policy.md", Text: w.Policy}}
	}
	if w.Tasks == nil {
		if w.Tasks, err = f.Tasks(); err != nil {
			return err
		}
	}
	if w.Splits, err = f.Splits(w.Tasks); err != nil {
		return err
	}
	if err = f.fill(w); err != nil {
		return err
	}
	if w.Agent, err = f.Describe(AgentSide, agent); err != nil {
		return err
	}
	if w.User, err = f.Describe(UserSide, user); err != nil {
		return err
	}
	const dir = "tau2/user_simulator/"
	if w.Guidelines.Plain, _, err = f.SharedText(dir + "simulation_guidelines.md"); err != nil {
		return err
	}
	if w.Guidelines.WithTools, _, err = f.SharedText(dir + "simulation_guidelines_tools.md"); err != nil {
		return err
	}
	w.Sources = f.Sources()
	rules, err := ReadText(f.fs, "invariants.yaml", maxData) // no source: trials do not depend on it
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	w.Invariants = string(rules)
	return err
}
