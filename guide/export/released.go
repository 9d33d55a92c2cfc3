package export

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

const (
	manifestFile = "_manifest.json"
	// MainFile is the path of the main file in the layout.
	MainFile      = "main.workflow.json"
	subflowSuffix = ".subflow.json"
)

// The layout of PolicyGuide's released implementation. What it has no place for (checks, events, catalog references)
// travels in a member "tauguide", which the other side ignores. Reading what was written gives the same bundle; writing
// what was read gives the same files, apart from members that the notes name.

type manifest struct {
	Domain  string `json:"domain"`
	Version int    `json:"schema_version"`
}

// unknown are members that the layout does not have.
type unknown map[string]jsontext.Value

type releasedFile struct {
	Version       int            `json:"schema_version"`
	Kind          string         `json:"kind"` // main or subflow
	Domain        string         `json:"domain"`
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	Entry         string         `json:"entry"`
	Exits         []string       `json:"exits"`
	MaxDirectives int            `json:"max_directives_per_node"`
	Nodes         []releasedNode `json:"nodes"`
	Edges         []releasedEdge `json:"edges"`
	Own           struct {
		Intents value.Value `json:"intents,omitempty"` // label → target, where the branches do not tell
	} `json:"tauguide,omitempty"`
	Unknown unknown `json:",embed"`
}

type releasedEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
	When string `json:"when"`
}

type releasedNode struct {
	ID           string      `json:"id"`
	Type         guide.Type  `json:"type"`
	Actor        string      `json:"actor,omitempty"` // agent, user, tool or verifier
	Tool         string      `json:"tool,omitempty"`  // alternatives are separated by |
	Subflow      string      `json:"subflow,omitempty"`
	Description  string      `json:"description,omitempty"`
	Expectation  string      `json:"expectation,omitempty"`
	Prompt       string      `json:"evaluation_prompt,omitempty"`
	Directive    string      `json:"directive_template,omitempty"`
	Branches     value.Value `json:"branches,omitzero"`            // label → node
	Descriptions value.Value `json:"branch_descriptions,omitzero"` // label → text
	Own          ownFields   `json:"tauguide,omitempty"`
	Unknown      unknown     `json:",embed"`
}

// ownFields are what a node of a bundle has beyond a released one, and texts that guess does not find.
type ownFields struct {
	Actor         *string     `json:"actor,omitzero"`
	Action        *string     `json:"action,omitzero"`
	Expect        *string     `json:"expect,omitzero"`
	SatisfiedWhen *string     `json:"satisfied_when,omitzero"`
	Remediation   *string     `json:"remediation,omitzero"`
	Check         *string     `json:"check,omitzero"`
	OnlyIf        *string     `json:"only_if,omitzero"`
	Policy        []string    `json:"policy,omitempty"`
	Event         *ownEvent   `json:"event,omitzero"`
	BranchChecks  value.Value `json:"branch_checks,omitempty"` // label → CEL
}

type ownEvent struct {
	Kind    guide.EventKind `json:"kind"`
	Tools   []string        `json:"tools,omitempty"`
	Pattern string          `json:"pattern,omitempty"`
}

// texts lists the texts of a node in the order of ownFields.texts.
func texts(n *guide.Node) []*string {
	return []*string{(*string)(&n.Actor), &n.Action, &n.Expect, &n.SatisfiedWhen, &n.Remediation, &n.Check, &n.OnlyIf}
}

func (o *ownFields) texts() []**string {
	return []**string{&o.Actor, &o.Action, &o.Expect, &o.SatisfiedWhen, &o.Remediation, &o.Check, &o.OnlyIf}
}

func maxDirectives(kind string) int {
	if kind == "main" {
		return 15
	}
	return 5
}

// guess fills the fields of an evaluated node from what the layout has.
func guess(n *guide.Node, r *releasedNode) {
	if !n.Type.Evaluated() {
		return
	}
	n.Actor, n.Expect, n.SatisfiedWhen, n.Remediation = guide.ByAgent, r.Expectation, r.Prompt, r.Directive
	tools := strings.Join(n.Tools, " or ")
	switch n.Type {
	case guide.UserInput:
		n.Actor = guide.ByUser
	case guide.Authorization:
		n.Actor = guide.ByRuntime
		n.Expect = cmp.Or(r.Description, callOf(tools))
		n.SatisfiedWhen = "A call of " + tools + " has succeeded."
		n.Remediation = "Call " + tools + " with the values agreed on."
	case guide.Decision:
		n.Actor = guide.ByRuntime
		n.Expect = cmp.Or(n.Expect, n.SatisfiedWhen)
		n.Remediation = cmp.Or(n.Remediation, "Find out which of the branches applies.")
	case guide.ToolCall:
		n.Expect = cmp.Or(n.Expect, resultOf(tools))
	}
	if a := guide.Actor(r.Actor); a == guide.ByAgent || a == guide.ByUser {
		n.Actor = a
	}
	n.Action = n.Expect
}

// What is guessed for a tool node that says nothing of itself, and therefore left out again.
func callOf(tools string) string   { return "A call of " + tools + "." }
func resultOf(tools string) string { return "A result of " + tools + "." }

// intents makes the main file's intents of the classifier's branches: each leads to the subflow or exit that comes
// first on its way.
func intents(f *guide.File) []guide.Intent {
	c := f.Classifier()
	if c == nil {
		return nil
	}
	var out []guide.Intent
	for _, e := range c.Edges {
		if target := firstEnd(f, e.To, c.ID); target != "" {
			out = append(out, guide.Intent{Label: e.When, Target: target})
		}
	}
	return out
}

func firstEnd(f *guide.File, from, classifier string) string {
	seen := map[string]bool{classifier: true}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		n, ok := f.Node(todo[0])
		if !ok || seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		switch n.Type {
		case guide.Anchor:
			return n.Subflow
		case guide.Exit:
			return n.ID
		}
		for _, e := range n.Edges {
			todo = append(todo, e.To)
		}
	}
	return ""
}
