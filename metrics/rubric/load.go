package rubric

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

//go:embed data
var shipped embed.FS

// Rubric is the checks of a domain, loaded and compiled.
type Rubric struct {
	Domain string
	Title  string
	Checks []Check // in the order of the file

	patterns map[string]*pattern
	events   map[string]*selector
}

// Check is one requirement on the order of events.
type Check struct {
	ID     string
	Family Family
	Text   string
	Policy []string // requirement ids of the domain's catalog that it comes from

	when when
	rule rule
}

// Domains returns the names of the domains for which a rubric is built into the program, sorted.
func Domains() []string {
	files, err := fs.Glob(shipped, "data/*.yaml")
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// Load reads the rubric of a domain that is built into the program.
func Load(domain string) (*Rubric, error) {
	name := path.Join("data", domain+".yaml")
	text, err := shipped.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("no rubric for domain %q\nhint: there are rubrics for %s", domain, strings.Join(Domains(), ", "))
	}
	return Parse(domain+".yaml", text)
}

// file is a rubric as it is written.
type file struct {
	Domain   string              `yaml:"domain"`
	Title    string              `yaml:"title"`
	Patterns map[string]*pattern `yaml:"patterns"`
	Events   map[string]selector `yaml:"events"`
	Checks   []checkText         `yaml:"checks"`
}

type checkText struct {
	ID     string `yaml:"id"`
	Family Family `yaml:"family"`
	Text   string `yaml:"text"`
	Policy words  `yaml:"policy"`
	When   when   `yaml:"applies_when"`
	Rule   rules  `yaml:"rule"`
}

// Parse reads a rubric from YAML; name is what errors call it. Unknown keys, unknown names and what a rule lacks are
// errors that name the file, the check and the field.
func Parse(name string, text []byte) (*Rubric, error) {
	var f file
	if err := yamlfile.Decode(name, text, &f); err != nil {
		return nil, err
	}
	r := &Rubric{Domain: f.Domain, Title: f.Title, patterns: f.Patterns, events: map[string]*selector{}}
	for id, s := range f.Events {
		r.events[id] = &s
	}
	var faults []error
	fault := func(where, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %s: %s", name, where, fmt.Sprintf(format, args...)))
	}
	if f.Domain == "" {
		fault("domain", "is missing\nhint: name the domain")
	}
	if len(f.Checks) == 0 {
		fault("checks", "the rubric has none\nhint: add one")
	}
	r.compile(fault)
	seen := map[string]bool{}
	for i, c := range f.Checks {
		where := "check " + c.ID
		if c.ID == "" {
			where = fmt.Sprintf("check %d", i+1)
		}
		at := func(field, format string, args ...any) { fault(where+": "+field, format, args...) }
		if !idPattern.MatchString(c.ID) {
			at("id", "%q is no id\nhint: write lower-case words joined by dots or underscores", c.ID)
		}
		if seen[c.ID] {
			at("id", "is there twice\nhint: rename one of the two")
		}
		seen[c.ID] = true
		if !slices.Contains(families, c.Family) {
			at("family", "is %q\nhint: choose one of %s", c.Family, joined(families))
		}
		if strings.TrimSpace(c.Text) == "" {
			at("text", "is empty\nhint: say what the check asks for")
		}
		r.checkWhen(c.When, at)
		r.Checks = append(r.Checks, Check{ID: c.ID, Family: c.Family, Text: c.Text, Policy: c.Policy, when: c.When, rule: r.single(c.Rule, at)})
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return r, nil
}

var (
	idPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$`)
	families  = []Family{Identification, Diagnosis, Consent, Order, Verification}
)

type words = yamlfile.Words

// Unknown lists what a rubric names that a domain does not have: tools, sorted. It is empty for the rubrics that are
// built in.
func (r *Rubric) Unknown(w *domains.World) []string {
	var out []string
	tools := func(names []string) {
		for _, n := range names {
			_, agent := w.Agent.Tool(n)
			user := false
			if w.User != nil {
				_, user = w.User.Tool(n)
			}
			if !agent && !user && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, s := range r.events {
		tools(s.Call)
	}
	for _, c := range r.Checks {
		tools(c.when.Gold)
		tools(c.when.GoldAll)
		tools(c.when.GoldNone)
	}
	slices.Sort(out)
	return out
}

func joined[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return strings.Join(out, ", ")
}
