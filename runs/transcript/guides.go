package transcript

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/flow"
	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	facts "github.com/tauguide/tauguide/guide/checks"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
)

// Guides are what guides and guards of a system know before a conversation begins: the same in all trials of a domain.
// Safe for concurrent use.
type Guides struct {
	Names   []string // the overlays, the outermost first, and the agent
	Graph   *guide.Graph
	Flow    *flow.Procedure
	Missing []string // what is not at hand, and why

	layers  []layer
	guards  []toolguard.Rule
	layouts sync.Map                       // svg.Layout by graph in DOT
	checker func() (*guide.Checker, error) // nil without a graph or the data
	catalog *guide.Catalog
	texts   map[string]string // policy documents, by name
	source  string            // of the lines that the catalog's rows name
}

// layer is an overlay or an agent with its parameters.
type layer struct {
	name   string
	params json.RawMessage
}

// graphed are the agents and overlays that know the workflow as a graph.
func graphed(name string) bool {
	return slices.Contains([]string{"policyguide", "policyguide-self"}, name)
}

// GuidesOf finds what guided a system in a domain of a run. The world is nil where the data is not at hand, and the policy is
// not quoted then.
func GuidesOf(m store.Manifest, system string, w *domains.World, domain string) *Guides {
	g := &Guides{texts: map[string]string{}, source: "tau2"}
	if m.Config == nil {
		return g
	}
	at := slices.IndexFunc(m.Config.Systems, func(s config.System) bool { return s.Name == system })
	if at < 0 {
		return g
	}
	s := m.Config.Systems[at]
	for _, o := range s.Overlays {
		g.layers = append(g.layers, layer{o.Name, o.Params})
	}
	g.layers = append(g.layers, layer{s.Agent, s.Params})
	for _, l := range g.layers {
		g.Names = append(g.Names, l.name)
		var err error
		switch {
		case graphed(l.name), l.name == "flowagent":
			err = g.load(l, m, system, domain, w)
		case l.name == "toolguard":
			g.guards, err = agents.Guards(domain, agents.Params(l.params))
		}
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), "\nhint: ")
			g.Missing = append(g.Missing, "what "+l.name+" went by is not at hand: "+text)
		}
	}
	if w != nil {
		g.cite(m, w)
	}
	if w != nil && g.Graph != nil {
		g.checker = sync.OnceValues(func() (*guide.Checker, error) { return guide.NewChecker(g.Graph, guide.InventoryOf(w), facts.For(w)) })
	}
	return g
}

// load reads the workflow of a layer, which must be the one that the run had.
func (g *Guides) load(l layer, m store.Manifest, system, domain string, w *domains.World) error {
	var p struct{ Bundle string }
	if len(l.params) > 0 {
		if err := json.Unmarshal(l.params, &p); err != nil {
			return err
		}
	}
	was := func(hash string) error {
		known := false
		for _, f := range m.Workflows {
			if f.System == system && f.Domain == domain {
				if known = true; f.SHA256 == hash {
					return nil
				}
			}
		}
		if !known { // the manifests of older programs
			return fmt.Errorf("the run does not say which one it had")
		}
		return fmt.Errorf("it has changed since the run")
	}
	b, err := loadBundle(domain, p.Bundle)
	if err != nil {
		return err
	}
	if l.name == "flowagent" {
		return g.procedure(b, w, was)
	}
	graph, err := guide.Compose(b)
	if err != nil {
		return err
	}
	if err := was(fmt.Sprintf("%x", sha256.Sum256([]byte(export.Prompt(graph))))); err != nil || g.Graph != nil {
		return err
	}
	g.Graph = graph
	return g.beside(p.Bundle)
}

// loadBundle reads a bundle without looking for faults: the run has done that.
func loadBundle(domain, folder string) (*guide.Bundle, error) {
	if folder == "" {
		return guide.LoadShipped(domain)
	}
	b, err := guide.LoadFolder(folder)
	if b != nil {
		b.Domain = domain // whatever the folder is called
	}
	return b, err
}

// procedure compiles the procedure of a bundle, for the tools of the world.
func (g *Guides) procedure(b *guide.Bundle, w *domains.World, was func(hash string) error) error {
	if w == nil {
		return fmt.Errorf("the data of %s is not at hand", b.Domain)
	}
	d, err := export.CompilePDL(b, w.AgentTools())
	if err != nil {
		return err
	}
	p, err := flow.NewProcedure(w, d)
	if err == nil {
		err = was(p.Hash)
	}
	if err == nil {
		g.Flow = p
	}
	return err
}

// beside reads the policy that a bundle's folder has.
func (g *Guides) beside(folder string) (err error) {
	if folder == "" {
		return nil
	}
	texts, err := guide.ReadBeside(folder)
	if texts != nil {
		g.texts = texts
	}
	return err
}

// cite prepares to quote the policy.
func (g *Guides) cite(m store.Manifest, w *domains.World) {
	if m.Config.Data == "embedded" {
		g.source = "embedded"
	}
	for _, d := range w.Documents {
		if _, has := g.texts[d.Name]; !has {
			g.texts[d.Name] = d.Text
		}
	}
	g.catalog, _ = guide.ShippedCatalog(w.Name) // it is the program's own, and tested
}

// Sentence is a sentence of a policy that nodes of a workflow enforce.
type Sentence struct {
	Ref    string // a row of the requirement catalog, or a place in a document
	Text   string // the requirement; "" for a place
	Quotes []Quote
	Nodes  []Enforcer
}

// Enforcer is a node that enforces a sentence: of which request, and which of its nodes.
type Enforcer struct {
	Node
	Request, At int
}

// Quote is lines of a policy document as they are.
type Quote struct{ Place, Text string }

// sentence looks a reference of a node up.
func (g *Guides) sentence(ref string) Sentence {
	s := Sentence{Ref: ref}
	var spans []guide.Span
	if span, err := guide.ParseSpan(ref); err == nil {
		spans = append(spans, span)
	} else if g.catalog != nil {
		if row, ok := g.catalog.Row(ref); ok {
			s.Text, spans = row.Text, row.Lines[g.source]
		}
	}
	for _, at := range spans {
		lines := strings.Split(g.texts[at.File], "\n")
		if at.To <= len(lines) {
			s.Quotes = append(s.Quotes, Quote{at.String(), strings.Join(lines[at.From-1:at.To], "\n")})
		}
	}
	return s
}
