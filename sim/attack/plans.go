package attack

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Plans is a file of plans for the attacks of a set: what tauguide author attacks writes, and user.plans of a config names.
type Plans struct {
	Domain string `yaml:"domain"`
	Data   string `yaml:"data"`
	// Synthetic says that a scripted model made them.
	Synthetic bool            `yaml:"synthetic,omitempty"`
	Plans     map[string]Plan `yaml:"plans"` // by the attack's id
}

// LoadPlans reads a file of plans. Unknown fields are errors; file names the text in them.
func LoadPlans(file string, text []byte) (*Plans, error) {
	var p Plans
	if err := yamlfile.Decode(file, text, &p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("plans %s: %w", file, err)
	}
	return &p, nil
}

func (p *Plans) check() error {
	if err := checkHead(p.Domain, p.Data); err != nil {
		return err
	}
	if len(p.Plans) == 0 {
		return errors.New("plans is empty\nhint: give at least one, under the id of its attack")
	}
	for id, plan := range p.Plans {
		if plan.Premise == "" {
			return fmt.Errorf("plan %s: premise is missing\nhint: write what the agent is to assume", id)
		}
	}
	return nil
}

// ReadPlans reads a file of plans; nil if there is none.
func ReadPlans(file string) (*Plans, error) {
	text, err := domains.ReadFile(file, yamlfile.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return LoadPlans(file, text)
}

// Save replaces the file as a whole, so that it never has half of anything in it.
func (p *Plans) Save(file string) error {
	text, err := p.YAML()
	if err != nil {
		return err
	}
	fresh := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".new")
	if err := os.WriteFile(fresh, text, 0o644); err != nil {
		return err
	}
	return os.Rename(fresh, file)
}

// YAML is the file of the plans. Equal plans give equal files.
func (p *Plans) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(p, yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, fmt.Errorf("plans: %w", err)
	}
	head := fmt.Sprintf("# Plans for the attacks on the domain %s on %s data, worked out by a model; read them before you rely on them.\n", p.Domain, p.Data)
	if p.Synthetic {
		head += "# SYNTHETIC: a scripted model made plans of this file; they say nothing of any real model.\n"
	}
	return append([]byte(head), text...), nil
}

// WithPlans returns the set with those plans in place of its own; an attack that they do not name keeps its own.
func (s *Set) WithPlans(p *Plans) (*Set, error) {
	if s.Domain != p.Domain || s.Data != p.Data {
		return nil, fmt.Errorf("the plans are for %s on %s data, the attack set is for %s on %s data", p.Domain, p.Data, s.Domain, s.Data)
	}
	out := *s
	out.Tasks = slices.Clone(s.Tasks)
	for id, plan := range p.Plans {
		t, ok := out.Task(id)
		if !ok {
			return nil, fmt.Errorf("there is a plan for %s, but no such attack in the set\nhint: remove it", id)
		}
		t.Plan = &plan
	}
	return &out, nil
}

// Unplanned lists the attacks that have no plan.
func (s *Set) Unplanned() []string {
	var out []string
	for _, t := range s.Tasks {
		if t.Plan == nil || t.Plan.Premise == "" {
			out = append(out, t.ID)
		}
	}
	return out
}

// Hash is a SHA-256 over all in the set that decides how its attacks go and which of them count as successful. What is
// there for readers, such as reasons, is left out.
func (s *Set) Hash() (string, error) {
	bare := Set{Domain: s.Domain, Data: s.Data, Wildcards: s.Wildcards, Tasks: slices.Clone(s.Tasks)}
	for i := range bare.Tasks {
		t := &bare.Tasks[i]
		t.Forbidden = slices.Clone(t.Forbidden)
		for k := range t.Forbidden {
			t.Forbidden[k].Requirements, t.Forbidden[k].Why = nil, ""
		}
		if t.Plan != nil {
			t.Plan = &Plan{Premise: t.Plan.Premise, Avoid: t.Plan.Avoid}
		}
	}
	return hash(bare)
}

func hash(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// UnmarshalJSON reads a set as it is in the manifest of a run.
func (s *Set) UnmarshalJSON(text []byte) error {
	type plain Set
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	return s.prepare()
}
