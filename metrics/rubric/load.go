package rubric

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

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
	ID     string    `yaml:"id"`
	Family Family    `yaml:"family"`
	Text   string    `yaml:"text"`
	Policy words     `yaml:"policy"` // requirement ids of the domain's catalog that it comes from
	When   when      `yaml:"applies_when"`
	Rule   namedRule `yaml:"rule"`
}

type words = yamlfile.Words

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
	text, err := shipped.ReadFile(path.Join("data", domain+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("no rubric for domain %q\nhint: there are rubrics for %s", domain, strings.Join(Domains(), ", "))
	}
	return Parse(domain+".yaml", text)
}

// Parse reads a rubric from YAML; name is what errors call it. Unknown keys and names, and checks without a rule or with
// several, are errors that name the file, the check and the field.
func Parse(name string, text []byte) (*Rubric, error) {
	var file struct {
		Domain   string               `yaml:"domain"`
		Title    string               `yaml:"title"`
		Patterns map[string]*pattern  `yaml:"patterns"`
		Events   map[string]*selector `yaml:"events"`
		Checks   []Check              `yaml:"checks"`
	}
	if err := yamlfile.Decode(name, text, &file); err != nil {
		return nil, err
	}
	r := &Rubric{Domain: file.Domain, Title: file.Title, Checks: file.Checks, patterns: file.Patterns, events: file.Events}
	f := faults{file: name}
	for _, id := range slices.Sorted(maps.Keys(r.patterns)) {
		r.patterns[id].compile("pattern "+id, &f)
	}
	for _, id := range slices.Sorted(maps.Keys(r.events)) {
		r.checkEvent(id, &f)
	}
	for _, c := range r.Checks {
		where := "check " + c.ID
		for _, name := range c.When.Done {
			r.hasEvent(name, where+": applies_when.done", &f)
		}
		r.checkRule(c.Rule, where+": rule", &f)
	}
	if len(f.found) > 0 {
		return nil, errors.Join(f.found...)
	}
	return r, nil
}

// faults collects what is wrong with a file.
type faults struct {
	file  string
	found []error
}

func (f *faults) add(where, format string, args ...any) {
	f.found = append(f.found, fmt.Errorf("%s: %s: %s", f.file, where, fmt.Sprintf(format, args...)))
}

func (r *Rubric) checkEvent(id string, f *faults) {
	where := "event " + id
	s := r.events[id]
	if s == nil || len(s.Call) == 0 && s.Said == "" && len(s.Any) == 0 {
		f.add(where, "is empty\nhint: name one of call, said and any")
		return
	}
	for field, name := range map[string]string{"said": s.Said, "result": s.Result} {
		if name != "" {
			r.hasPattern(name, where+": "+field, f)
		}
	}
	for _, name := range s.Any {
		r.hasEvent(name, where+": any", f)
		if other := r.events[name]; other != nil && len(other.Any) > 0 {
			f.add(where+": any", "event %q is a list of events itself\nhint: name what is in it", name)
		}
	}
}

func (r *Rubric) checkRule(n namedRule, where string, f *faults) {
	if n.kind == "" {
		f.add(where, "is missing\nhint: write one of %s", names(judges()))
		return
	}
	x := n.rule
	where += "." + n.kind
	for _, e := range []struct {
		key    string
		names  words
		needed bool
	}{
		{"event", words{x.Event}, n.kind != "order"},
		{"need", x.Need, slices.Contains([]string{"before", "after", "between"}, n.kind)},
		{"since", words{x.Since}, n.kind == "between"},
		{"until", words{x.Until}, false},
		{"after", words{x.After}, n.kind == "never" && len(x.Need) > 0},
	} {
		if strings.Join(e.names, "") != "" {
			for _, name := range e.names {
				r.hasEvent(name, where+"."+e.key, f)
			}
		} else if e.needed {
			f.add(where+"."+e.key, "is missing\nhint: name an event")
		}
	}
	if n.kind == "agreed" {
		r.hasPattern(x.Offer, where+".offer", f)
		r.hasPattern(x.Yes, where+".yes", f)
	}
}

func (r *Rubric) hasEvent(name, where string, f *faults) {
	if r.events[name] == nil {
		f.add(where, "there is no event %q\nhint: choose one of %s", name, names(r.events))
	}
}

func (r *Rubric) hasPattern(name, where string, f *faults) {
	if r.patterns[name] == nil {
		f.add(where, "there is no pattern %q\nhint: choose one of %s", name, names(r.patterns))
	}
}

func names[V any](m map[string]V) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }
