package agents

import (
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// Workflow is a workflow that an agent is guided by, as runs record it.
type Workflow struct {
	// SHA256 is of the composed workflow as prompts show it, or of FlowAgent's procedure.
	SHA256    string   `json:"sha256"`
	Model     string   `json:"model,omitempty"` // that wrote it; "" if people did
	Synthetic bool     `json:"synthetic,omitempty"`
	Edited    []string `json:"edited,omitempty"` // nodes and files that are not as the model wrote them
}

func workflowFrom(hash string, o *guide.Origin) Workflow {
	if o == nil {
		return Workflow{SHA256: hash}
	}
	return Workflow{hash, o.Model, o.Synthetic, o.Edited}
}

// String tells its hash, its author, and whether it is still the author's.
func (w Workflow) String() string {
	out := []string{w.SHA256[:min(12, len(w.SHA256))]}
	if w.Model != "" {
		out = append(out, "written by "+w.Model)
	}
	if w.Synthetic {
		out = append(out, "synthetic")
	}
	if len(w.Edited) > 0 {
		out = append(out, "edited: "+strings.Join(w.Edited, ", "))
	}
	return strings.Join(out, ", ")
}

// Workflows are those that an agent and the overlays around it are guided by, the outermost first.
func Workflows(p sim.Participant) []Workflow {
	if g, ok := p.(interface{ Workflows() []Workflow }); ok {
		return g.Workflows()
	}
	return nil
}

// Workflows passes on what the agent below is guided by.
func (g *guarded) Workflows() []Workflow { return Workflows(g.inner) }

// Workflows are that of the guide, unless it judges by the policy alone, and those below.
func (g *policyGuide) Workflows() []Workflow {
	if g.raw {
		return g.guarded.Workflows()
	}
	return append([]Workflow{workflowOf(g.workflow)}, g.guarded.Workflows()...)
}

// Workflows are that of the procedure and those below.
func (c *controlled) Workflows() []Workflow {
	return append([]Workflow{c.workflow}, c.guarded.Workflows()...)
}

// Workflows are the one in the prompt, if there is one.
func (r *react) Workflows() []Workflow { return r.workflows }

func workflowOf(w *verify.Workflow) Workflow { return workflowFrom(w.Hash, w.Origin) }
