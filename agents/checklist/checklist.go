package checklist

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Role is the part that a verifier's model plays in tags and bills.
const Role = "guard"

// RulesFile is the file of a set that holds for all of its tools.
const RulesFile = "general_rules.yaml"

// Kind names the field in which a requirement says what it asks for.
type Kind string

// The kinds of requirement; each has exactly one of these fields.
const (
	Method  Kind = "method"  // a way of proceeding in the dialogue
	Tool    Kind = "tool"    // a look-up that the policy names; its value is a tool of the agent's, or several as a|b
	Logic   Kind = "logic"   // a condition on values
	Details Kind = "details" // what is to be known or collected
	Rule    Kind = "rule"    // a rule in words
)

// Kinds lists the kinds in the order in which files name them.
func Kinds() []Kind { return []Kind{Method, Tool, Logic, Details, Rule} }

// Requirement is one thing that must hold before the call of a tool, such that it can be told from the conversation
// whether it is met.
type Requirement struct {
	Name         string
	Purpose      string // what it is good for; optional, like the next
	Condition    string // when it applies; always if empty
	Kind         Kind
	Text         string // of the field that Kind names
	Constraints  []string
	ValidValues  []string
	Verification string // how the conversation shows that it is met
	OnIneligible string // what the agent is to do where the case is not eligible
	OnViolation  string // what the agent is to do where it is not met
	Catalog      []string
}

// Checklist is the requirements of one mutating tool.
type Checklist struct {
	Tool         string
	Description  string
	Requirements []Requirement
}

// Behavior is a rule for every turn of the agent.
type Behavior struct {
	Name         string
	Rule         string
	Verification string // optional
	Catalog      []string
}

// Rules are what holds for all tools of a domain: how the agent behaves, what it can do and what not, and facts that
// conditions speak of.
type Rules struct {
	Behavior    []Behavior
	Can, Cannot []string
	Facts       []string
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
func (c *Checklist) Text(catalog bool) string {
	reqs := make([]yaml.MapSlice, len(c.Requirements))
	for i, r := range c.Requirements {
		var m yaml.MapSlice
		m = put(m, "name", r.Name)
		m = put(m, "purpose", r.Purpose)
		m = put(m, "condition", r.Condition)
		m = put(m, string(r.Kind), r.Text)
		m = putList(m, "constraints", r.Constraints)
		m = putList(m, "valid_values", r.ValidValues)
		m = put(m, "verification", r.Verification)
		m = put(m, "on_ineligible", r.OnIneligible)
		m = put(m, "on_violation", r.OnViolation)
		if catalog {
			m = putList(m, "catalog", r.Catalog)
		}
		reqs[i] = m
	}
	return text(yaml.MapSlice{{Key: "tool", Value: c.Tool}, {Key: "description", Value: c.Description}, {Key: "requirements", Value: reqs}})
}

// Text writes the rules as YAML, like a checklist's.
func (r *Rules) Text(catalog bool) string {
	list := make([]yaml.MapSlice, len(r.Behavior))
	for i, b := range r.Behavior {
		var m yaml.MapSlice
		m = put(m, "name", b.Name)
		m = put(m, "rule", b.Rule)
		m = put(m, "verification", b.Verification)
		if catalog {
			m = putList(m, "catalog", b.Catalog)
		}
		list[i] = m
	}
	out := yaml.MapSlice{{Key: "behavior", Value: list}}
	var can yaml.MapSlice
	can = putList(can, "can", r.Can)
	if can = putList(can, "cannot", r.Cannot); can != nil {
		out = append(out, yaml.MapItem{Key: "capabilities", Value: can})
	}
	return text(putList(out, "facts", r.Facts))
}

func put(m yaml.MapSlice, key, value string) yaml.MapSlice {
	if value == "" {
		return m
	}
	return append(m, yaml.MapItem{Key: key, Value: value})
}

func putList(m yaml.MapSlice, key string, values []string) yaml.MapSlice {
	if len(values) == 0 {
		return m
	}
	return append(m, yaml.MapItem{Key: key, Value: values})
}

// text cannot fail on maps, lists and strings.
func text(m yaml.MapSlice) string {
	b, err := yaml.MarshalWithOptions(m, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b)) + "\n"
}
