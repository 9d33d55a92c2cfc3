package checklist

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// late finds a verification that waits for the call itself, which a verifier can never see met.
var late = regexp.MustCompile(`(?i)\bafter (this|the) (call|tool)\b`)

// Lint says what is wrong with a set, beyond what keeps it from being read.
func Lint(s *Set, inv Inventory) Findings {
	l := &linter{Inventory: inv}
	for i := range s.Tools {
		l.checklist(&s.Tools[i])
	}
	for _, name := range inv.Guarded {
		if _, ok := s.Tool(name); !ok {
			l.add(FileOf(name), "", "the file is missing, but "+name+" changes data", "write a checklist for it")
		}
	}
	l.rules(&s.Rules)
	return l.Findings.sorted()
}

// LintChecklist is Lint for one checklist.
func LintChecklist(c *Checklist, inv Inventory) Findings {
	l := &linter{Inventory: inv}
	l.checklist(c)
	return l.Findings
}

// LintRules is Lint for the rules.
func LintRules(r *Rules, inv Inventory) Findings {
	l := &linter{Inventory: inv}
	l.rules(r)
	return l.Findings
}

type linter struct {
	Inventory
	Findings
}

func (l *linter) checklist(c *Checklist) {
	file := FileOf(c.Tool)
	if !slices.Contains(l.Guarded, c.Tool) {
		text := fmt.Sprintf("%q is no tool of the agent's that changes data", c.Tool)
		l.add(file, "tool", text, "remove the file, or name one of "+strings.Join(l.Guarded, ", "))
	}
	if c.Description == "" {
		l.add(file, "description", "it is missing", "say in a sentence what the tool does")
	}
	if len(c.Requirements) == 0 {
		l.add(file, "requirements", "there are none", "list what the policy asks for before the call")
	}
	names := map[string]bool{}
	for i, r := range c.Requirements {
		at := fmt.Sprintf("requirements[%d]", i)
		l.name(file, at, string(r.Name), names)
		l.requirement(file, at, r)
	}
}

func (l *linter) name(file, at, name string, seen map[string]bool) {
	switch {
	case name == "":
		l.add(file, at+".name", "it is missing", "give a short name; verdicts refer to it")
	case strings.ContainsAny(name, "\r\n"):
		l.add(file, at+".name", "it has several lines", "give a short name; verdicts refer to it")
	case seen[name]:
		l.add(file, at+".name", fmt.Sprintf("%q is there already", name), "give each a name of its own")
	}
	seen[name] = true
}

func (l *linter) requirement(file, at string, r Requirement) {
	switch asks := r.asks(); {
	case len(asks) == 0:
		l.add(file, at, "it does not say what it asks for", "add one of "+kinds)
	case len(asks) > 1:
		l.add(file, at, "it has both "+strings.Join(asks, " and "), "keep one of "+kinds)
	}
	switch {
	case r.Verification == "":
		l.add(file, at+".verification", "it is missing", "say how the conversation shows that the requirement is met")
	case late.MatchString(string(r.Verification)):
		l.warn(file, at+".verification", "it speaks of what follows the call", "say what can be seen before it")
	}
	if r.Tool != "" {
		for _, name := range strings.Split(string(r.Tool), "|") {
			if !slices.Contains(l.Tools, strings.TrimSpace(name)) {
				l.add(file, at+".tool", fmt.Sprintf("the agent has no tool %q", strings.TrimSpace(name)),
					"name a tool of the agent's, or several as a|b; for anything else use another field")
			}
		}
	}
	l.catalog(file, at, r.Catalog)
}

// catalog checks references to the requirement catalog; of a domain without one nothing is known.
func (l *linter) catalog(file, at string, ids []string) {
	if l.Catalog == nil {
		return
	}
	for _, id := range ids {
		if _, ok := l.Catalog.Row(id); !ok {
			l.add(file, at+".catalog", fmt.Sprintf("%q is no row of %s", id, l.Catalog.Path), "name a row, or leave the key out")
		}
	}
}

func (l *linter) rules(r *Rules) {
	names := map[string]bool{}
	for i, b := range r.Behavior {
		at := fmt.Sprintf("behavior[%d]", i)
		l.name(RulesFile, at, string(b.Name), names)
		if b.Rule == "" {
			l.add(RulesFile, at+".rule", "it is missing", "write the rule")
		}
		l.catalog(RulesFile, at, b.Catalog)
	}
	if len(r.Behavior)+len(r.Capabilities.Can)+len(r.Capabilities.Cannot)+len(r.Facts) == 0 {
		l.warn(RulesFile, "", "it says nothing", "list what holds for all tools: behavior, capabilities, facts")
	}
}
