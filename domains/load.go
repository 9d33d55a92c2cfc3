package domains

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// LoadJSON reads a database file of the domain as a record of type t.
func LoadJSON[T any](f *Files, name string, t record.Type[T]) (T, error) {
	var zero T
	v, err := f.Value(name)
	if err != nil {
		return zero, err
	}
	out, err := t.Load(v)
	if err != nil {
		return zero, fmt.Errorf("%s: %w", f.Path(name), err)
	}
	return out, nil
}

// Value reads a JSON file of the domain in dynamic form.
func (f *Files) Value(name string) (value.Value, error) {
	b, err := f.Read(name)
	if err != nil {
		return value.Value{}, err
	}
	v, err := value.Parse(b)
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", f.Path(name), err)
	}
	return v, nil
}

// Complete fills in what all domains load alike: tasks, splits, guidelines, tool texts, sources.
func (f *Files) Complete(w *World, agent, user *Kit) (err error) {
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
	rules, err := fs.ReadFile(f.fs, "invariants.yaml") // no source: trials do not depend on it
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	w.Invariants = string(rules)
	return err
}
