package transcript_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

func mockWorld(t *testing.T) *domains.World {
	t.Helper()
	d, err := all.Domain("mock")
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Open(domains.Embedded(), domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// What guided a run is looked up again, and where it is another one now, or not there, that is said, and walks are listed.
func TestGuidesOf(t *testing.T) {
	w := mockWorld(t)
	own := filepath.Join(t.TempDir(), "own")
	if err := os.CopyFS(own, os.DirFS("../../guide/bundles/mock")); err != nil {
		t.Fatal(err)
	}
	built, err := verify.Load(w, "")
	if err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(t.TempDir(), "edited")
	if err := os.CopyFS(edited, os.DirFS(own)); err != nil {
		t.Fatal(err)
	}
	main, err := os.ReadFile(filepath.Join(edited, "main.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(edited, "main.yaml"), []byte(strings.Replace(string(main), "Greet the member", "Ignore the member", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	guided := func(agent, params string, hashes ...string) store.Manifest {
		s := config.System{Name: "S", Agent: agent}
		if params != "" {
			s.Params = []byte(params)
		}
		m := store.Manifest{Config: &config.Config{Data: "embedded", Systems: []config.System{s}}}
		for _, h := range hashes {
			m.Workflows = append(m.Workflows, config.Workflow{System: "S", Domain: "mock", Workflow: agents.Workflow{SHA256: h}})
		}
		return m
	}
	for _, tt := range []struct {
		name     string
		manifest store.Manifest
		world    *domains.World
		missing  string // "" for nothing
		graph    bool
	}{
		{"built in", guided("policyguide", "", built.Hash), w, "", true},
		{"in the agent's prompt", guided("policyguide-self", "", built.Hash), w, "", true},
		{"without the data", guided("policyguide", "", built.Hash), nil, "", true},
		{"in a folder", guided("policyguide", `{"bundle": "`+own+`"}`, built.Hash), w, "", true},
		{"one of several", guided("policyguide", "", "another", built.Hash), w, "", true},
		{"edited since", guided("policyguide", `{"bundle": "`+edited+`"}`, built.Hash), w, "what policyguide went by is not at hand: it has changed since the run", false},
		{"gone", guided("policyguide", `{"bundle": "`+own+`.gone"}`, built.Hash), w, "own.gone", false},
		{"not noted", guided("policyguide", ""), w, "the run does not say which one it had", false},
		{"policy alone", guided("policyguide-raw", ""), w, "", false},
		{"no guide", guided("react", ""), w, "", false},
		{"a procedure without the data", guided("flowagent", "", "x"), nil, "the data of mock is not at hand", false},
		{"another procedure", guided("flowagent", "", "x"), w, "it has changed since the run", false},
		{"guards of a domain that has none", guided("toolguard", ""), w, `domain "mock" has no guards`, false},
		{"imported", store.Manifest{}, w, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := transcript.GuidesOf(tt.manifest, "S", tt.world, "mock")
			if got := strings.Join(g.Missing, "; "); (got == "") != (tt.missing == "") || !strings.Contains(got, tt.missing) || strings.Contains(got, "hint:") {
				t.Errorf("missing is %q, want %q", got, tt.missing)
			}
			if (g.Graph != nil) != tt.graph {
				t.Errorf("there is a graph: %v", g.Graph != nil)
			}
			rec := sim.Record{Events: []sim.Event{firing(0, "intake", []string{"start"}, met("start"), notMet("intake"))}}
			c, err := transcript.NewConversation(transcript.Trial{Record: rec, Guides: g})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(c.Walks.Requests[0].Nodes); n != 2 {
				t.Errorf("%d nodes are listed, want 2", n)
			}
			if drawn := c.Pictures(context.Background()) != nil; drawn != tt.graph {
				t.Errorf("there is a picture: %v", drawn)
			}
		})
	}
}

// Nodes name the requirements that they enforce, which quote the policy as the run's data has it.
func TestSentences(t *testing.T) {
	w := mockWorld(t)
	built, err := verify.Load(w, "")
	if err != nil {
		t.Fatal(err)
	}
	m := store.Manifest{Config: &config.Config{Data: "embedded", Systems: []config.System{{Name: "S", Agent: "policyguide"}}},
		Workflows: []config.Workflow{{System: "S", Domain: "mock", Workflow: agents.Workflow{SHA256: built.Hash}}}}
	rec := sim.Record{Events: []sim.Event{firing(0, "classify", []string{"start"}, met("start"), notMet("classify"))}}
	c, err := transcript.NewConversation(transcript.Trial{Record: rec, Guides: transcript.GuidesOf(m, "S", w, "mock")})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := guide.ShippedCatalog("mock")
	if err != nil {
		t.Fatal(err)
	}
	row, _ := catalog.Row("G1")
	if len(c.Walks.Policy) != 1 {
		t.Fatalf("%+v", c.Walks.Policy)
	}
	s := c.Walks.Policy[0]
	if s.Ref != "G1" || s.Text != row.Text || len(s.Nodes) != 1 || s.Nodes[0].ID != "classify" || s.Nodes[0].State != transcript.Unmet || !s.Nodes[0].Current {
		t.Errorf("%+v", s)
	}
	if len(s.Quotes) == 0 || s.Quotes[0].Text == "" || !strings.Contains(w.Policy, s.Quotes[0].Text) {
		t.Errorf("quotes are %+v", s.Quotes)
	}
}
