// Package flow holds what FlowAgent adds to a tool-calling agent (docs/reference/baselines.md#flowagent): the procedure
// description (PDL) that its prompt shows, the two controllers that look at its calls before they are made, and the text
// protocol of the released implementation. The description is compiled from the same workflow bundle that PolicyGuide
// verifies, without a model.
package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
	"github.com/tauguide/tauguide/guide/export"
)

// Procedure is what all conversations of a domain share. It is immutable and safe for concurrent use.
type Procedure struct {
	World    *domains.World
	Document *export.PDL
	// Text is the description as prompts show it: without the list of APIs, whose preconditions only the controllers see.
	Text string
	// Hash is the SHA-256 of the whole description, preconditions included.
	Hash string

	// Origin is that of the bundle; nil if people wrote it.
	Origin *guide.Origin

	before map[string][]string
}

// Load compiles the description of a world: of a folder with a workflow bundle, or of the shipped bundle for "".
func Load(w *domains.World, bundle string) (*Procedure, error) {
	load := guide.LoadFolder
	if bundle == "" {
		load, bundle = guide.LoadShipped, w.Name
	}
	b, err := load(bundle)
	if err != nil {
		return nil, err
	}
	if bad := guide.Validate(b, guide.Context{Inventory: guide.InventoryOf(w), Vocabulary: checks.For(w)}).Errors(); len(bad) > 0 {
		return nil, fmt.Errorf("workflow in %s, for %s: %w", bundle, w.Name, bad)
	}
	d, err := export.CompilePDL(b, w.AgentTools())
	if err != nil {
		return nil, err
	}
	s, err := NewProcedure(w, d)
	if err == nil {
		s.Origin = b.Origin
	}
	return s, err
}

// NewProcedure makes a procedure of a description. Every precondition must be an API of it.
func NewProcedure(w *domains.World, d *export.PDL) (*Procedure, error) {
	s := &Procedure{World: w, Document: d, before: map[string][]string{}}
	for _, a := range d.APIs {
		s.before[a.Name] = a.Preconditions
	}
	for _, a := range d.APIs {
		for _, p := range a.Preconditions {
			if _, ok := s.before[p]; !ok {
				return nil, fmt.Errorf("procedure %s: API %s has the precondition %s, which is no API\nhint: add it to the APIs, or remove it", d.Name, a.Name, p)
			}
		}
	}
	shown := *d
	shown.APIs = nil
	s.Text = shown.String()
	sum := sha256.Sum256([]byte(d.String()))
	s.Hash = hex.EncodeToString(sum[:])
	return s, nil
}
