package compare_test

import (
	"encoding/json"
	"fmt"
	"path"
	"testing"
	"testing/fstest"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// foreign writes a workflow in the released layout as somebody else would have it: files and nodes under names of their
// own, and nothing in it that the layout does not know.
func foreign(t *testing.T, b *guide.Bundle) *guide.Bundle {
	t.Helper()
	names := map[string]string{}
	for i, f := range b.Subflows {
		names[f.ID] = fmt.Sprintf("procedure_%d", i+1)
	}
	for _, f := range b.Subflows {
		f.ID = names[f.ID]
		f.Path = path.Join("subflows", f.ID+".yaml")
	}
	for _, f := range b.Files() {
		ids := map[string]string{}
		for i, n := range f.Nodes {
			ids[n.ID] = fmt.Sprintf("step_%d", i+1)
		}
		for i, in := range f.Intents {
			f.Intents[i].Target = names[in.Target] + ids[in.Target] // a subflow or an exit
		}
		f.Entry = ids[f.Entry]
		for i, id := range f.Exits {
			f.Exits[i] = ids[id]
		}
		for _, n := range f.Nodes {
			n.ID, n.Local, n.Subflow = ids[n.ID], ids[n.ID], names[n.Subflow]
			for i, e := range n.Edges {
				n.Edges[i].To = ids[e.To]
			}
		}
	}
	files, err := export.WriteReleased(b)
	if err != nil {
		t.Fatal(err)
	}
	layout := fstest.MapFS{}
	for name, text := range files {
		var file map[string]any
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		delete(file, "tauguide")
		nodes, _ := file["nodes"].([]any)
		for _, n := range nodes {
			delete(n.(map[string]any), "tauguide")
		}
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		layout[name] = &fstest.MapFile{Data: text}
	}
	out, notes, err := export.ReadReleased(layout)
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	return out
}

// A released workflow of a built-in domain is compared with ours in full: on the tools, the graph and the conversations.
// Names tell nothing. It differs where ours has a call that is needed only sometimes, for which that layout has no place.
func TestForeign(t *testing.T) {
	for _, domain := range []string{"airline", "retail", "telecom"} {
		t.Run(domain, func(t *testing.T) {
			theirs := foreign(t, shipped(t, domain))
			golden(t, "testdata/foreign_"+domain+".txt", printed(t, report(t, theirs, shipped(t, domain), basisOf(t, "embedded", domain))))
		})
	}
}
