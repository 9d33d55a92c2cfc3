package guide_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/guide"
)

const head = "id: x\ntitle: X\nentry: a\nexits: [b]\nnodes:\n"

func TestParseFileErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // what the first finding contains, with its place
	}{
		{"empty", "", "main.yaml:1:1: error [yaml-document] the file is empty"},
		{"only a comment", "# nothing\n", "[yaml-document] the file is empty"},
		{"two documents", head + "  - {id: a, type: entry}\n---\nid: y\n", "[yaml-document] a second YAML document begins here"},
		{"not UTF-8", "id: \xff\n", "[yaml-syntax] the file is not UTF-8"},
		{"a list", "- 1\n", "[wrong-type] the file is a list, not a map"},
		{"a word", "hello\n", "[wrong-type] the file is a text, not a map"},
		{"unclosed", "id: [x\n", "[yaml-syntax]"},
		{"tab", "id: x\n\ttitle: y\n", "[yaml-syntax]"},
		{"unknown key", head + "  - {id: a, type: entry}\ntitel: Y\n", `main.yaml:7:1: error [unknown-key] the file has no key "titel"; did you mean "title"?`},
		{"unknown key far from all", head + "  - id: a\n    colour: red\n", `main.yaml:7:5: node a: error [unknown-key] a node has no key "colour"; use one of action,`},
		{"unknown key of an edge", head + "  - id: a\n    edges: [{to: b, wen: c}]\n", `error [unknown-key] an edge has no key "wen"; did you mean "when"?`},
		{"key twice", head + "  - id: a\n    id: b\n", `main.yaml:7:5: error [duplicate-key]`},
		{"number for text", "id: 12\n", `main.yaml:1:5: error [wrong-type] id is a number, not a text; put quotes around it`},
		{"boolean for text", head + "  - {id: a, type: true}\n", `node a: error [wrong-type] type is true or false`},
		{"empty value", head + "  - {id: a, type: entry, check: }\n", `[wrong-type] check is empty`},
		{"blank text", head + "  - {id: a, type: entry, check: ' '}\n", `[wrong-type] check is empty; write its text, or drop the key`},
		{"text for list", "exits: a\n", `[wrong-type] exits is a text, not a list`},
		{"number in list", "exits: [1]\n", `[wrong-type] an element of exits is a number`},
		{"alias", "id: x\ntitle: *x\n", `main.yaml:2:8: error`},
		{"tag", "id: !!str x\n", `[wrong-type] tag !!str: tags are not used`},
		{"event of no kind", head + "  - {id: a, event: said}\n", `node a: error [bad-event] "said" alone is no event`},
		{"event with a misspelt kind", head + "  - {id: a, event: {user_sad: x}}\n", `[unknown-key] an event has no key "user_sad"; did you mean "user_said"?`},
		{"event of two kinds", head + "  - {id: a, event: {user_said: x, agent_said: y}}\n", `[bad-event] an event has exactly one key, this has 2`},
		{"missing key", "id: x\ntitle: X\nentry: a\nnodes: []\n", `[missing-key] the file has no key exits; add it`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, found := guide.ParseFile("main.yaml", []byte(tt.text))
			var all []string
			for _, f := range found {
				all = append(all, f.String())
			}
			if len(found) == 0 || !strings.Contains(strings.Join(all, "\n"), tt.want) {
				t.Errorf("got:\n%s\nwant: %s", strings.Join(all, "\n"), tt.want)
			}
		})
	}
}

// All mistakes of a file are reported at once, in order.
func TestParseFileReportsAll(t *testing.T) {
	_, found := guide.ParseFile("subflows/x.yaml", []byte(head+"  - id: 1\n    tipe: entry\n  - id: b\n    edges: [{too: c}]\nintents: {a: b}\n"))
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%d %s", f.Line, f.Code))
	}
	want := []string{"6 wrong-type", "7 unknown-key", "9 unknown-key", "10 unknown-key"} // intents are main's only
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestParseFile(t *testing.T) {
	text := head + `  - id: a
    type: tool_call
    tools: [x, "y"]
    action: >
      Two
      lines.
    event: {call_ok: [x, y]}
    edges:
      - {to: b, when: satisfied, describe: d, check: 'true'}
  - {id: b, type: exit}
`
	f, found := guide.ParseFile("main.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	want := []*guide.Node{
		{ID: "a", Local: "a", Type: guide.ToolCall, Tools: []string{"x", "y"}, Action: "Two lines.",
			Event: &guide.Event{Kind: guide.CallOK, Tools: []string{"x", "y"}, Line: 12}, File: "main.yaml", Line: 6,
			Edges: []guide.Edge{{To: "b", When: "satisfied", Describe: "d", Check: "true", Line: 14}}},
		{ID: "b", Local: "b", Type: guide.Exit, File: "main.yaml", Line: 15},
	}
	if d := cmp.Diff(want, f.Nodes, cmpopts.IgnoreFields(guide.Node{}, "Keys")); d != "" {
		t.Error(d)
	}
}

func TestLoadFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	for name, text := range map[string]string{"main.yaml": head + "  - {id: b, type: exit}\n", "subflows/s.yaml": strings.Replace(head, "x", "s", 1) + "  - {id: b, type: exit}\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := guide.LoadFolder(dir + "/")
	if err != nil {
		t.Fatal(err)
	}
	if b.Domain != "shop" || b.Main.ID != "x" || len(b.Subflows) != 1 || b.Subflows[0].Name() != "s" {
		t.Errorf("got %+v", b)
	}
	for name, path := range map[string]string{"no folder": filepath.Join(dir, "none"), "a file": filepath.Join(dir, "main.yaml")} {
		if _, err := guide.LoadFolder(path); err == nil || !strings.Contains(err.Error(), "name") {
			t.Errorf("%s: error %v does not say what to name", name, err)
		}
	}
	var found guide.Findings
	if _, err := guide.LoadFolder(t.TempDir()); !errors.As(err, &found) || found[0].Code != "file-missing" {
		t.Errorf("an empty folder gives %v", err)
	}
	if _, err := guide.LoadShipped("nowhere"); err == nil || !strings.Contains(err.Error(), "mock") {
		t.Errorf("error %v does not name the shipped bundles", err)
	}
}

// drawText draws texts with what YAML and JSON make much of.
func drawText(t *rapid.T, label string) string {
	piece := rapid.SampledFrom([]string{"a", " ", "\n", "\t", `"`, `'`, `\`, ":", ": ", "#", " #", "{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "-", "- ", "?", "é", "漢", "\u2028", "\u00a0", "~", "null", "true", "1", "0x1", "<", "\x01", "\U0001F600"})
	s := strings.TrimSpace(strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, label), ""))
	if s == "" {
		return "x"
	}
	return s
}

func drawFile(t *rapid.T) *guide.File {
	id := rapid.StringMatching(`[a-z][a-z0-9_]{0,6}`)
	f := &guide.File{Path: "main.yaml", ID: id.Draw(t, "id"), Title: drawText(t, "title"), Entry: id.Draw(t, "entry"),
		Exits: rapid.SliceOfN(id, 1, 3).Draw(t, "exits")}
	for range rapid.IntRange(0, 3).Draw(t, "intents") {
		label := id.Draw(t, "label")
		for _, in := range f.Intents {
			if in.Label == label {
				label += "_"
			}
		}
		f.Intents = append(f.Intents, guide.Intent{Label: label, Target: id.Draw(t, "target")})
	}
	for range rapid.IntRange(1, 4).Draw(t, "nodes") {
		n := &guide.Node{File: f.Path, ID: id.Draw(t, "node"), Type: rapid.SampledFrom(guide.Types()).Draw(t, "type")}
		n.Local = n.ID
		for _, at := range []*string{&n.Action, &n.Expect, &n.SatisfiedWhen, &n.Remediation, &n.Check, (*string)(&n.Actor)} {
			if rapid.Bool().Draw(t, "has") {
				*at = drawText(t, "text")
			}
		}
		n.Tools = rapid.SliceOfN(id, 0, 2).Draw(t, "tools")
		switch rapid.IntRange(0, 4).Draw(t, "event") {
		case 0:
			n.Event = &guide.Event{Kind: guide.CallOK}
		case 1:
			n.Event = &guide.Event{Kind: guide.AgentCalled, Tools: rapid.SliceOfN(id, 1, 2).Draw(t, "of")}
		case 2:
			n.Event = &guide.Event{Kind: guide.UserSaid, Pattern: drawText(t, "pattern")}
		}
		for range rapid.IntRange(0, 2).Draw(t, "edges") {
			e := guide.Edge{To: id.Draw(t, "to"), When: drawText(t, "when")}
			if rapid.Bool().Draw(t, "described") {
				e.Describe, e.Check = drawText(t, "describe"), drawText(t, "check")
			}
			n.Edges = append(n.Edges, e)
		}
		f.Nodes = append(f.Nodes, n)
	}
	return f
}

// What Format writes, ParseFile reads back, whatever is in the texts.
func TestFormatParse(t *testing.T) {
	ignore := cmp.Options{cmpopts.IgnoreFields(guide.Node{}, "Line", "Keys"), cmpopts.IgnoreFields(guide.File{}, "Line"),
		cmpopts.IgnoreFields(guide.Edge{}, "Line"), cmpopts.IgnoreFields(guide.Intent{}, "Line"), cmpopts.IgnoreFields(guide.Event{}, "Line"), cmpopts.EquateEmpty()}
	rapid.Check(t, func(t *rapid.T) {
		f := drawFile(t)
		text := guide.Format(f)
		got, found := guide.ParseFile(f.Path, text)
		if len(found) > 0 {
			t.Fatalf("%v\n%s", found, text)
		}
		if d := cmp.Diff(f, got, ignore); d != "" {
			t.Fatalf("%s\n%s", d, text)
		}
	})
}

func FuzzLoad(f *testing.F) {
	for _, name := range []string{"bundles/mock/main.yaml", "bundles/mock/subflows/set_status.yaml", "catalog/mock.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(head + "  - {id: a, type: subflow, subflow: s, edges: [{to: b, when: satisfied}]}\n  - {id: b, type: exit}\n")
	f.Add("a: &a [*a]\n<<: *a\n? {x: y}\n: z\n")
	f.Fuzz(func(t *testing.T, text string) {
		fsys := fstest.MapFS{"main.yaml": {Data: []byte(text)}, "subflows/s.yaml": {Data: []byte(text)}}
		b, err := guide.Load(fsys, "fuzz")
		var found guide.Findings
		if err != nil && !errors.As(err, &found) {
			t.Fatalf("error without findings: %v", err)
		}
		for _, x := range found {
			if x.Text == "" || x.Mend == "" || x.File == "" {
				t.Errorf("finding without text, file or mend: %+v", x)
			}
		}
		_, _ = guide.ParseCatalog("catalog.yaml", []byte(text))
		if err != nil {
			return
		}
		// Whatever loads is either composed or refused with findings, and never validated as sound when it is not composed.
		valid := len(guide.Validate(b, guide.Context{}).Errors()) == 0
		if _, err := guide.Compose(b); err != nil && valid {
			t.Errorf("a bundle without errors does not compose: %v", err)
		}
		again, more := guide.ParseFile("main.yaml", guide.Format(b.Main))
		if len(more) > 0 && valid {
			t.Errorf("the formatted file does not load: %v", more)
		} else if valid && len(again.Nodes) != len(b.Main.Nodes) {
			t.Error("formatting lost nodes")
		}
	})
}
