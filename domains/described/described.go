// Package described has domains that are known from files only: the documents of a policy, and a list of tools that
// nobody can call here. Such a domain has neither a database nor tasks, but it has all that a workflow is written,
// checked, drawn and compared with.
//
// ReadTools reads a list of tools in any of the usual forms, ReadPolicy the documents; Tools.World makes a World of both.
// A workflow's folder that has a tools.yaml and the documents in policy/ is one of a described domain, as Described
// tells; Open makes its World, and Files gives what to put into such a folder.
package described

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Other is the kind of a tool that neither reads nor changes the desk's data: a transfer, a calculation.
const Other = domains.Generic

// Tools are those of a domain.
type Tools struct {
	Name   string   // of the domain; "" in a list that does not say
	Policy []string // names of the policy's documents, in their order
	Agent  []Tool
	User   []Tool // on a device of the user's own
}

// Tool is a tool with what is known of it.
type Tool struct {
	domains.ToolSpec
	Kind domains.Kind // Read, Write or Other; "" if nobody has said
	// Confirm says on whose word the kind rests, as long as no person has confirmed it; "" otherwise.
	Confirm string
}

// Unknown are the names of the agent's tools whose kind nobody has said, in their order.
func (t Tools) Unknown() (out []string) {
	for _, x := range t.Agent {
		if x.Kind == "" {
			out = append(out, x.Name)
		}
	}
	return out
}

// Unconfirmed are the tools whose kind no person has confirmed, in their order.
func (t Tools) Unconfirmed() (out []Tool) {
	for _, x := range t.Agent {
		if x.Confirm != "" {
			out = append(out, x)
		}
	}
	return out
}

// Knowing gives tools of no known kind that of the tool of their name among others.
func (t Tools) Knowing(others Tools) Tools {
	t.Agent = slices.Clone(t.Agent)
	for i, tool := range t.Agent {
		for _, x := range others.Agent {
			if tool.Kind == "" && x.Name == tool.Name {
				t.Agent[i].Kind, t.Agent[i].Confirm = x.Kind, x.Confirm
			}
		}
	}
	return t
}

// WithUser has the tools of another list as those of the user.
func (t Tools) WithUser(user Tools) (Tools, error) {
	if len(t.User) > 0 || len(user.User) > 0 {
		return t, errors.New("the user's tools are listed twice\nhint: leave out the list of the user's tools, or that part of the other file")
	}
	t.User = user.Agent
	return t, t.check()
}

var (
	namePattern     = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	toolPattern     = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
	documentPattern = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*$`)
)

// CheckName says what is wrong with the name of a domain.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q is no name of a domain\nhint: use lower-case letters, digits, _ and -, a letter first", name)
	}
	return nil
}

// check lists all that is wrong with the tools, whatever form they were read from.
func (t Tools) check() error {
	if len(t.Agent) == 0 {
		return errors.New("there is no tool of the agent\nhint: list at least one")
	}
	var bad []error
	side := map[string]string{}
	for _, part := range []struct {
		whose string
		tools []Tool
	}{{"the agent", t.Agent}, {"the user", t.User}} {
		for _, x := range part.tools {
			switch other := side[x.Name]; {
			case !toolPattern.MatchString(x.Name):
				bad = append(bad, fmt.Errorf("tool %q of %s: name: models cannot call it so\nhint: use letters, digits, _, - and ., 128 at most", x.Name, part.whose))
			case other != "":
				bad = append(bad, fmt.Errorf("tool %s of %s: name: a tool of %s has it already\nhint: rename one, or remove it", x.Name, part.whose, other))
			}
			side[x.Name] = part.whose
			if err := checkSchema(x.Parameters); err != nil {
				bad = append(bad, fmt.Errorf("tool %s of %s: parameters: %w", x.Name, part.whose, err))
			}
			if x.Returns == nil {
				continue
			}
			if err := checkSchema(x.Returns); err != nil {
				bad = append(bad, fmt.Errorf("tool %s of %s: returns: %w", x.Name, part.whose, err))
			}
		}
	}
	return errors.Join(bad...)
}

// World makes a domain of the tools and the documents of its policy. Every tool of the agent has to have a kind.
func (t Tools) World(documents []domains.Document) (*domains.World, error) {
	if err := CheckName(t.Name); err != nil {
		return nil, err
	}
	if left := t.Unknown(); len(left) > 0 {
		return nil, fmt.Errorf("nobody has said what kind of tool %s is\nhint: add kind: %s, %s or other", strings.Join(left, ", "), domains.Read, domains.Write)
	}
	w := &domains.World{Name: t.Name, Policy: policyText(documents), Documents: documents, Agent: kit(t.Name, t.Agent),
		Fresh: func() (domains.Database, domains.Database) { return nothing{}, nil }}
	if len(t.User) > 0 {
		w.User = kit(t.Name, t.User)
		w.Fresh = func() (domains.Database, domains.Database) { return nothing{}, nothing{} }
	}
	return w, nil
}

// policyText is the policy as it goes into prompts: a single document as it is, several each between marks.
func policyText(documents []domains.Document) string {
	if len(documents) == 1 {
		return documents[0].Text
	}
	var out []string
	for _, d := range documents {
		out = append(out, fmt.Sprintf("<document name=%q>\n%s\n</document>", d.Name, strings.TrimRight(d.Text, "\n")))
	}
	return strings.Join(out, "\n")
}

func kit(domain string, tools []Tool) *domains.Kit {
	var out []domains.Tool
	for _, t := range tools {
		kind := t.Kind
		if kind == "" {
			kind = Other // of the user's, where nothing depends on it
		}
		out = append(out, domains.Tool{Kind: kind, Spec: t.ToolSpec, Call: func(domains.Database, *value.Map) (domains.Output, error) {
			return nil, fmt.Errorf("the tools of %s are only described here: %s cannot be called", domain, t.Name)
		}})
	}
	return domains.NewKit(domain, out, nil)
}

// nothing is the database of a domain that has none.
type nothing struct{}

func (nothing) Class() string            { return "nothing" }
func (nothing) Hash() string             { return "" }
func (nothing) Value() value.Value       { return value.Value{} }
func (nothing) Schemas() *value.Map      { return nil }
func (nothing) Diff(any) []record.Change { return nil }
func (nothing) Patch(v value.Value) error {
	return errors.New("a described domain has no database to fill")
}
