package guide

import (
	"fmt"
	"io"
)

// Validation is what was found in a bundle, and how large it is.
type Validation struct {
	Domain         string    `json:"domain"`
	Edited         []string  `json:"edited,omitempty"` // nodes and files that are not as they were published, see Origin
	Findings       []Finding `json:"findings"`
	Errors         int       `json:"errors"`
	Warnings       int       `json:"warnings"`
	Nodes          int       `json:"nodes"`          // of the composed graph; 0 if it does not compose
	Authorizations int       `json:"authorizations"` // nodes
	Evaluated      int       `json:"evaluated"`
	Decidable      int       `json:"decidable"` // evaluated nodes that code alone decides
}

// Measure counts the nodes of the composed graph.
func (v *Validation) Measure(g *Graph) {
	v.Nodes = len(g.Nodes)
	v.Decidable, v.Evaluated = g.Share()
	for _, n := range g.Nodes {
		if n.Type == Authorization {
			v.Authorizations++
		}
	}
}

// Print lists the findings, for people.
func (v *Validation) Print(out io.Writer) {
	for _, f := range v.Findings {
		fmt.Fprintf(out, "%v\n", f)
	}
	fmt.Fprintf(out, "%s: %d errors, %d warnings", v.Domain, v.Errors, v.Warnings)
	if v.Nodes > 0 {
		fmt.Fprintf(out, "; %d nodes, %d authorizations; code decides %d of %d evaluated nodes", v.Nodes, v.Authorizations, v.Decidable, v.Evaluated)
	}
	fmt.Fprintf(out, "\n")
}
