package checklist

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// phrase is a text that is not blank, without white space around it.
type phrase string

// UnmarshalYAML reads a text.
func (p *phrase) UnmarshalYAML(read func(any) error) error {
	var s string
	if err := read(&s); err != nil {
		return err
	}
	if *p = phrase(strings.TrimSpace(s)); *p == "" {
		return errors.New("it is empty\nhint: write it, or leave the key out")
	}
	return nil
}

func trimmed(list yamlfile.Words) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// decode reads a file; what is wrong with it becomes findings.
func decode(file string, text []byte, into any) error {
	err := yamlfile.Decode(file, text, into)
	var one *yamlfile.Error
	var list yamlfile.Errors
	if errors.As(err, &one) {
		list = yamlfile.Errors{one}
	} else {
		errors.As(err, &list)
	}
	var found Findings
	for _, e := range list {
		found = append(found, Finding{Severity: Error, File: file, Line: e.Line, Column: e.Column, Field: e.Path, Text: e.Text, Mend: e.Hint})
	}
	return found.err()
}

// ParseChecklist reads a tool's checklist. The error is a Findings.
func ParseChecklist(file string, text []byte) (*Checklist, error) {
	var t struct {
		Tool         phrase        `yaml:"tool"`
		Description  phrase        `yaml:"description"`
		Requirements []Requirement `yaml:"requirements"`
	}
	err := decode(file, text, &t)
	return &Checklist{Tool: string(t.Tool), Description: string(t.Description), Requirements: t.Requirements}, err
}

// UnmarshalYAML reads a requirement, whose kind is the name of a key.
func (q *Requirement) UnmarshalYAML(read func(any) error) error {
	var t struct {
		Name         phrase         `yaml:"name"`
		Purpose      phrase         `yaml:"purpose"`
		Condition    phrase         `yaml:"condition"`
		Method       phrase         `yaml:"method"`
		Tool         phrase         `yaml:"tool"`
		Logic        phrase         `yaml:"logic"`
		Details      phrase         `yaml:"details"`
		Rule         phrase         `yaml:"rule"`
		Constraints  yamlfile.Words `yaml:"constraints"`
		ValidValues  yamlfile.Words `yaml:"valid_values"`
		Verification phrase         `yaml:"verification"`
		OnIneligible phrase         `yaml:"on_ineligible"`
		OnViolation  phrase         `yaml:"on_violation"`
		Catalog      yamlfile.Words `yaml:"catalog"`
	}
	if err := read(&t); err != nil {
		return err
	}
	*q = Requirement{
		Name: string(t.Name), Purpose: string(t.Purpose), Condition: string(t.Condition), Constraints: trimmed(t.Constraints),
		ValidValues: trimmed(t.ValidValues), Verification: string(t.Verification), OnIneligible: string(t.OnIneligible),
		OnViolation: string(t.OnViolation), Catalog: trimmed(t.Catalog),
	}
	texts := map[Kind]phrase{Method: t.Method, Tool: t.Tool, Logic: t.Logic, Details: t.Details, Rule: t.Rule}
	for _, k := range Kinds() {
		switch {
		case texts[k] == "":
		case q.Kind != "":
			return fmt.Errorf("it has both %s and %s\nhint: keep one of %s", q.Kind, k, kindList())
		default:
			q.Kind, q.Text = k, string(texts[k])
		}
	}
	return nil
}

func kindList() string {
	list := make([]string, len(Kinds()))
	for i, k := range Kinds() {
		list[i] = string(k)
	}
	return strings.Join(list, ", ")
}

// ParseRules reads the rules for all tools. The error is a Findings.
func ParseRules(file string, text []byte) (*Rules, error) {
	var t struct {
		Behavior []struct {
			Name         phrase         `yaml:"name"`
			Rule         phrase         `yaml:"rule"`
			Verification phrase         `yaml:"verification"`
			Catalog      yamlfile.Words `yaml:"catalog"`
		} `yaml:"behavior"`
		Capabilities struct {
			Can    yamlfile.Words `yaml:"can"`
			Cannot yamlfile.Words `yaml:"cannot"`
		} `yaml:"capabilities"`
		Facts yamlfile.Words `yaml:"facts"`
	}
	err := decode(file, text, &t)
	out := &Rules{Can: trimmed(t.Capabilities.Can), Cannot: trimmed(t.Capabilities.Cannot), Facts: trimmed(t.Facts)}
	for _, b := range t.Behavior {
		out.Behavior = append(out.Behavior, Behavior{string(b.Name), string(b.Rule), string(b.Verification), trimmed(b.Catalog)})
	}
	return out, err
}
