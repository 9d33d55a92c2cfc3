package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// meaning compares bundles apart from where things are in their files.
func meaning() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreFields(guide.Node{}, "Line", "Keys"), cmpopts.IgnoreFields(guide.File{}, "Line"),
		cmpopts.IgnoreFields(guide.Edge{}, "Line"), cmpopts.IgnoreFields(guide.Intent{}, "Line"), cmpopts.IgnoreFields(guide.Event{}, "Line"),
	}
}

func folder(files map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: text}
	}
	return m
}

// Every shipped bundle survives the way there and back.
func TestExportImport(t *testing.T) {
	if len(guide.Shipped()) == 0 {
		t.Fatal("no bundle is shipped")
	}
	for _, name := range guide.Shipped() {
		t.Run(name, func(t *testing.T) {
			b, err := guide.LoadShipped(name)
			if err != nil {
				t.Fatal(err)
			}
			files, err := export.WriteReleased(b)
			if err != nil {
				t.Fatal(err)
			}
			got, notes, err := export.ReadReleased(folder(files))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(b, got, meaning()); d != "" {
				t.Error(d)
			}
			if len(notes) > 0 {
				t.Errorf("import of an export has notes: %q", notes)
			}
		})
	}
}

// A bundle in the released layout comes out again as the same bytes, and is a valid bundle here.
func TestImportExport(t *testing.T) {
	dir := "testdata/released"
	b, notes, err := export.ReadReleased(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) > 0 {
		t.Errorf("notes: %q", notes)
	}
	if errs := guide.Validate(b, guide.Context{}).Errors(); len(errs) > 0 {
		t.Errorf("the imported bundle is not valid:\n%v", errs)
	}
	wantIntents := []guide.Intent{{Label: "refund", Target: "refund"}, {Label: "general", Target: "exit_general"}, {Label: "transfer", Target: "exit_transfer"}}
	if d := cmp.Diff(wantIntents, b.Main.Intents, meaning()); d != "" {
		t.Error(d)
	}
	files, err := export.WriteReleased(b)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range files {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if len(files) != 3 {
		t.Errorf("%d files, want 3", len(files))
	}
}

func TestImportRefusesAndNotes(t *testing.T) {
	base := map[string]string{}
	for _, name := range []string{"_manifest.json", "main.workflow.json", "subflows/refund.subflow.json"} {
		text, err := os.ReadFile(filepath.Join("testdata/released", name))
		if err != nil {
			t.Fatal(err)
		}
		base[name] = string(text)
	}
	for _, tt := range []struct {
		name, file, old, new string
		err, note            string
	}{
		{"no manifest", "_manifest.json", "", "", "_manifest.json is not there", ""},
		{"other domain", "main.workflow.json", `"domain": "shop"`, `"domain": "bank"`, `main.workflow.json: member "domain" is "bank", want "shop"`, ""},
		{"other version", "main.workflow.json", `"schema_version": 1`, `"schema_version": 2`, "schema_version is not 1", ""},
		{"bad json", "main.workflow.json", `"nodes": [`, `"nodes": [,`, "correct the JSON", ""},
		{"no nodes", "main.workflow.json", `"nodes"`, `"knots"`, `member "nodes" is not a list`, ""},
		{"unknown type", "main.workflow.json", `"type": "decision"`, `"type": "fork"`, `(classify): there is no node type "fork"`, ""},
		{"edge from nowhere", "main.workflow.json", `"from": "intake"`, `"from": "outtake"`, `there is no node "outtake" to leave`, ""},
		{"renamed", "subflows/refund.subflow.json", `"name": "refund"`, `"name": "payback"`, `name the file payback.subflow.json`, ""},
		{"unknown member", "main.workflow.json", `"id": "intake",`, `"id": "intake", "colour": "red",`, "", `member "colour" was dropped`},
		{"other limit", "main.workflow.json", `"max_directives_per_node": 15`, `"max_directives_per_node": 3`, "", "max_directives_per_node was dropped"},
		{"edge of a decision", "main.workflow.json", `"from": "intake",`, `"from": "classify",`, "", "leaves the decision classify was dropped"},
		{"entry that acts", "subflows/refund.subflow.json", `"entry": "start"`, `"entry": "load"`, "", "an entry node start_ was put before load"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string][]byte{}
			for name, text := range base {
				if name == tt.file {
					if tt.old == "" {
						continue
					}
					if !strings.Contains(text, tt.old) {
						t.Fatalf("%s has no %s", name, tt.old)
					}
					text = strings.Replace(text, tt.old, tt.new, 1)
				}
				files[name] = []byte(text)
			}
			_, notes, err := export.ReadReleased(folder(files))
			switch {
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error %v, want one with %q", err, tt.err)
			case tt.err == "" && err != nil:
				t.Error(err)
			case tt.note != "" && !strings.Contains(strings.Join(notes, "\n"), tt.note):
				t.Errorf("notes %q, want one with %q", notes, tt.note)
			}
		})
	}
}
