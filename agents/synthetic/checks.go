package synthetic

import (
	"strings"

	"github.com/tauguide/tauguide/guide"
	workflow "github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/guide/export"
)

// batchOf is what only code reads of a file.
func batchOf(path string, b *guide.Bundle) (batch workflow.Batch) {
	for _, f := range b.Files() {
		if path != export.SubflowFile(f.Name()) && !(f == b.Main && path == export.MainFile) {
			continue
		}
		for _, n := range f.Nodes {
			p := workflow.Proposal{Node: n.ID, Check: n.Check, Event: n.Event, Branches: map[string]string{}}
			for _, e := range n.Edges {
				if e.Check != "" {
					p.Branches[e.When] = e.Check
				}
			}
			if p.Check != "" || p.Event != nil || len(p.Branches) > 0 {
				batch.Checks = append(batch.Checks, p)
			} else if n.Type.Evaluated() && n.Type != guide.ToolCall && n.Type != guide.Authorization && n != f.Classifier() {
				batch.Left = append(batch.Left, workflow.Left{Node: n.ID, Reason: "only a reader can tell"})
			}
		}
	}
	return batch
}

// checkDefects are those of what only code reads.
func checkDefects() []Defect {
	return []Defect{CheckSyntax, CheckUnknownName, CheckUnknownFact, CheckType, CheckAlwaysTrue, CheckAlwaysFalse, CheckOtherNode}
}

// miswrite makes a mistake in the checks of a file; false where it has none.
func (s spoiler) miswrite(d Defect, batch object) bool {
	p := s.pick(objects(batch["checks"]), func(p object) bool { return p["check"] != nil })
	if p == nil {
		return false
	}
	check := strings.TrimSpace(p["check"].(string))
	switch d {
	case CheckOtherNode:
		p["node"] = "nowhere"
	case CheckSyntax:
		check += " &&"
	case CheckUnknownName:
		check = "all_is_well && " + check
	case CheckUnknownFact:
		check = `facts.nobody_knows == "" && ` + check
	case CheckType:
		check = "size(calls)"
	case CheckAlwaysTrue:
		check = "(" + check + ") || 1 < 2"
	case CheckAlwaysFalse:
		check = "(" + check + ") && 2 < 1"
	}
	p["check"] = check
	return true
}
