package export_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// What is below an anchor that is not open is one box, which has the edges of all in it.
func TestFolded(t *testing.T) {
	_, g := load(t)
	for _, tt := range []struct{ open, boxes, edges string }{
		{"", "identify add status", "identify>classify; status>exit_done"},
		{"status", "identify add status.agree", "status.agree>status.authorize_update; status.verify_update>exit_done"},
		{"status status.agree", "identify add", "status.agree.summarize>status.agree.confirm"},
		{"status.agree", "identify add status", "status>exit_done"}, // within one that is not open
	} {
		t.Run(tt.open, func(t *testing.T) {
			open := strings.Fields(tt.open)
			p := export.Folded(g, func(a string) bool { return slices.Contains(open, a) })
			var boxes, edges []string
			for _, n := range p.Nodes {
				if n.Type == guide.Anchor {
					boxes = append(boxes, n.ID)
				}
				for _, e := range n.Edges {
					edges = append(edges, n.ID+">"+e.To)
					if !slices.ContainsFunc(p.Nodes, func(m *guide.Node) bool { return m.ID == e.To }) {
						t.Errorf("%s leads to %s, which is not drawn", n.ID, e.To)
					}
				}
			}
			if d := cmp.Diff(tt.boxes, strings.Join(boxes, " ")); d != "" {
				t.Error(d)
			}
			for _, want := range strings.Split(tt.edges, "; ") {
				if !slices.Contains(edges, want) {
					t.Errorf("no edge %s: %v", want, edges)
				}
			}
		})
	}
}

// Branches that were not walked are set one below the other.
func TestNarrowGolden(t *testing.T) {
	_, g := load(t)
	p := export.Folded(g, func(a string) bool { return a == "status" })
	golden(t, "mock.narrow.dot", export.Narrow(p, func(id string) bool {
		return strings.HasPrefix(id, "status.") || slices.Contains([]string{"start", "intake", "identify", "classify"}, id)
	}))
}
