package checklist

import (
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Role is the part that a verifier's model plays in tags and bills.
const Role = "guard"

// RulesFile is the file of a set that holds for all of its tools.
const RulesFile = "general_rules.yaml"

// Phrase is a text that is not blank, without white space around it.
type Phrase string

// UnmarshalYAML reads a text.
func (p *Phrase) UnmarshalYAML(read func(any) error) error {
	var s string
	if err := read(&s); err != nil {
		return err
	}
	if *p = Phrase(strings.TrimSpace(s)); *p == "" {
		return errors.New("it is empty\nhint: write it, or leave the key out")
	}
	return nil
}

// Requirement is one thing that must hold before the call of a tool, such that it can be told from the conversation
// whether it is met.
type Requirement struct {
	Name      Phrase `yaml:"name,omitempty"`
	Purpose   Phrase `yaml:"purpose,omitempty"`   // what it is good for; optional, like the next
	Condition Phrase `yaml:"condition,omitempty"` // when it applies; always if empty
	// What it asks for is in exactly one of these.
	Method  Phrase `yaml:"method,omitempty"`  // a way of proceeding in the dialogue
	Tool    Phrase `yaml:"tool,omitempty"`    // a look-up that the policy names: a tool of the agent's, or several as a|b
	Logic   Phrase `yaml:"logic,omitempty"`   // a condition on values
	Details Phrase `yaml:"details,omitempty"` // what is to be known or collected
	Rule    Phrase `yaml:"rule,omitempty"`    // a rule in words

	Constraints  yamlfile.Words `yaml:"constraints,omitempty"`
	ValidValues  yamlfile.Words `yaml:"valid_values,omitempty"`
	Verification Phrase         `yaml:"verification,omitempty"`  // how the conversation shows that it is met
	OnIneligible Phrase         `yaml:"on_ineligible,omitempty"` // what the agent is to do where the case is not eligible
	OnViolation  Phrase         `yaml:"on_violation,omitempty"`  // what the agent is to do where it is not met
	Catalog      yamlfile.Words `yaml:"catalog,omitempty"`
}

// kinds are the keys of which a requirement has one.
const kinds = "method, tool, logic, details, rule"

// asks lists the keys that say what a requirement asks for.
func (r Requirement) asks() []string {
	var out []string
	for i, text := range []Phrase{r.Method, r.Tool, r.Logic, r.Details, r.Rule} {
		if text != "" {
			out = append(out, strings.Split(kinds, ", ")[i])
		}
	}
	return out
}

// Checklist is the requirements of one mutating tool.
type Checklist struct {
	Tool         string        `yaml:"tool"`
	Description  Phrase        `yaml:"description"`
	Requirements []Requirement `yaml:"requirements"`
}

// Behavior is a rule for every turn of the agent.
type Behavior struct {
	Name         Phrase         `yaml:"name,omitempty"`
	Rule         Phrase         `yaml:"rule,omitempty"`
	Verification Phrase         `yaml:"verification,omitempty"` // optional
	Catalog      yamlfile.Words `yaml:"catalog,omitempty"`
}

// Rules are what holds for all tools of a domain: how the agent behaves, what it can do and what not, and facts that
// conditions speak of.
type Rules struct {
	Behavior     []Behavior     `yaml:"behavior"`
	Capabilities Capabilities   `yaml:"capabilities,omitempty"`
	Facts        yamlfile.Words `yaml:"facts,omitempty"`
}

// Capabilities are what an agent can do and what not.
type Capabilities struct {
	Can    yamlfile.Words `yaml:"can,omitempty"`
	Cannot yamlfile.Words `yaml:"cannot,omitempty"`
}

// Set is the checklists of a domain.
type Set struct {
	Domain string
	Rules  Rules
	Tools  []Checklist // by name
}

// Tool returns the checklist of a tool.
func (s *Set) Tool(name string) (*Checklist, bool) {
	i := slices.IndexFunc(s.Tools, func(c Checklist) bool { return c.Tool == name })
	if i < 0 {
		return nil, false
	}
	return &s.Tools[i], true
}

// FileOf is the file of a tool's checklist.
func FileOf(tool string) string { return tool + ".yaml" }

// Text writes a checklist as YAML, in a fixed order of keys, so that equal checklists are equal bytes. The references
// to the requirement catalog are for people and tests; they are left out for a model.
func (c Checklist) Text(catalog bool) string {
	if !catalog {
		c.Requirements = slices.Clone(c.Requirements)
		for i := range c.Requirements {
			c.Requirements[i].Catalog = nil
		}
	}
	return text(c)
}

// Text writes the rules as YAML, like a checklist's.
func (r Rules) Text(catalog bool) string {
	if !catalog {
		r.Behavior = slices.Clone(r.Behavior)
		for i := range r.Behavior {
			r.Behavior[i].Catalog = nil
		}
	}
	return text(r)
}

// text cannot fail on structs of lists and strings.
func text(v any) string {
	b, err := yaml.MarshalWithOptions(v, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b)) + "\n"
}
