package checks_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/policy"
)

// retailCall is a call in testdata.
type retailCall struct {
	Name      string         `yaml:"name"`
	Arguments map[string]any `yaml:"arguments"`
}

func (c retailCall) toolCall(t testing.TB) domains.ToolCall {
	t.Helper()
	text, err := yaml.MarshalWithOptions(c.Arguments, yaml.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return call(t, c.Name, string(text), "")
}

// retailViolation is a call that the policy forbids in a conversation in which everything else has been done.
type retailViolation struct {
	Name        string       `yaml:"name"`
	Requirement string       `yaml:"requirement"`
	Customer    string       `yaml:"customer"` // who is writing
	Before      []retailCall `yaml:"before"`   // changes and reads that are made first, as they should be
	Without     []string     `yaml:"without"`  // parts that the agent leaves out
	Says        []string     `yaml:"says"`     // what the customer claims
	Asks        string       `yaml:"asks"`     // what the agent sets out in place of the call
	Recants     bool         `yaml:"recants"`  // the change is set out again and the customer says no
	Beside      bool         `yaml:"beside"`   // the summary is beside a tool call
	Call        retailCall   `yaml:"call"`
	Rests       string       `yaml:"rests"` // node that withholds it
}

func TestRetailViolations(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "retail_violations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []retailViolation
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if len(all) < 30 {
		t.Fatalf("%d violating calls, want at least 30", len(all))
	}
	w := open(t, "embedded", "retail")
	stage := stageOf(t, w)
	catalog, err := guide.ShippedCatalog("retail")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, v := range all {
		rows[v.Requirement] = true
		t.Run(v.Name, func(t *testing.T) {
			k := &audit.Retail{Conversation: converse(t, stage, &w.Tasks[0], v.Without...), Customer: v.Customer, ByID: true}
			k.Answer("Hello, I need your help.")
			k.Identify()
			k.Without = nil
			for _, b := range v.Before {
				before := b.toolCall(t)
				if w.Agent.Mutates(b.Name) {
					k.Prepare(before)
					if ok, stop := k.Due(before); !ok {
						t.Fatalf("%s should be due before: %s", b.Name, stop.Note)
					}
				}
				must(t, k.Conversation, before)
			}
			for _, s := range v.Says {
				k.Answer(s)
			}
			k.Without = v.Without
			next := v.Call.toolCall(t)
			summary := k.Summary(next.Name, policy.Arguments(next.Arguments))
			if v.Beside {
				k.Without = append(k.Without, "proposal")
			}
			k.Prepare(next)
			if v.Beside {
				said := "This is what I will do: " + summary + "."
				k.Trace.Add(domains.Message{Role: domains.RoleAssistant, Content: &said, ToolCalls: []domains.ToolCall{{ID: "beside", Name: "calculate"}}})
				k.Ask("Shall I go ahead?")
				k.Answer("Yes, please.")
			}
			if v.Recants {
				k.Ask("So I will " + summary + ", right?")
				k.Answer("No, wait. I have changed my mind about that.")
			}
			if v.Asks != "" {
				k.Ask(v.Asks)
				k.Answer("Yes, please.")
			}
			p, _ := stage.Check.Authorize(k.Trace, next, 0)
			if p.Authorizes == next.Name {
				t.Fatalf("%s is authorized against %s", next.Name, v.Requirement)
			}
			node := p.Node
			if p.Done {
				node = "the request counts as done already"
			}
			if node != v.Rests {
				t.Errorf("withheld at %s: %s, want %s", node, note(&p), v.Rests)
			}
			if n, found := stage.Check.Graph().Node(node); found && !slices.Contains(n.Policy, v.Requirement) {
				t.Errorf("%s does not enforce %s", node, v.Requirement)
			}
		})
	}
	covered := 0
	for _, r := range catalog.Rows {
		if rows[r.ID] {
			covered++
		}
	}
	t.Logf("%d violating calls against %d requirements", len(all), covered)
}
