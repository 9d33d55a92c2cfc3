package described

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestForms reads the tools in each form, and holds what is written of them against golden files.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("testdata/forms/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			tools, err := ReadTools(file)
			if err != nil {
				t.Fatal(err)
			}
			got := tools.YAML()
			golden := filepath.Join("testdata/golden", filepath.Base(file)+".tools.yaml")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := ParseTools(golden, got)
			if diff := cmp.Diff(tools, again); diff != "" || err != nil {
				t.Errorf("read again (-written +read): %v\n%s", err, diff)
			}
		})
	}
}

// TestReferenceTools reads the lists that come with the reference's data.
func TestReferenceTools(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(domaintest.Shared(t), "tau2/tau2/domains/*/tool_schemas.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		tools, err := ReadTools(file)
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := ParseTools("tools.yaml", tools.YAML())
		if diff := cmp.Diff(tools, again); diff != "" || err != nil {
			t.Errorf("%s: read again (-written +read): %v\n%s", file, err, diff)
		}
	}
}

func TestBadTools(t *testing.T) {
	one := func(members string) string {
		return `[{"type": "function", "function": {"name": "get_loan", ` + members + `}}]`
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty file", " \n", "f: this file is empty\nhint: give function definitions"},
		{"UTF-16", "\xff\xfe[\x00", "UTF-16 text"},
		{"Latin-1", "[\"\xe9\"]", "f: this is no UTF-8 text"},
		{"not JSON", "[{\"name\":\n }]", `f: line 2: invalid character '}' at start of value within "/0/name"` + "\nhint: correct the JSON"},
		{"cut off", "[{\"name\": \"a\"},\n\n", "f: line 3: unexpected EOF within \""},
		{"prose", "Here are my tools.", "f:1:1: this is the text \"Here are my tools.\", not a map"},
		{"another object", `{"openapi": "3.1.0"}`, "f: this is no list of tools\nhint: give function definitions"},
		{"empty list", `[]`, "f: there is no tool of the agent\nhint: list at least one"},
		{"no tools in the result", `{"jsonrpc": "2.0", "result": {"tools": []}}`, "there is no tool of the agent"},
		{"error of the server", `{"jsonrpc": "2.0", "error": {"code": -32601, "message": "no such method"}}`, "f: the server answered with an error: {"},
		{"further pages", `{"tools": [{"name": "a"}], "nextCursor": "p2"}`, "f: nextCursor: the server has more tools than these\nhint: ask for the other pages"},
		{"tools of another kind", `{"tools": {"name": "a"}}`, "f: tools: want a list of tools, got: "},
		{"a name alone", `["get_loan"]`, "f: tool 1 of the agent: want an object, got: "},
		{"function of another kind", `[{"function": "get_loan"}]`, "f: tool 1 of the agent: function: want an object"},
		{"no function", `[{"type": "web_search"}]`, "f: tool 1 of the agent: type: 'web_search' is no function, which alone can be guarded\nhint: remove it"},
		{"no name", `[{"description": "x"}]`, `f: tool "" of the agent: name: models cannot call it so`},
		{"name of another kind", `[{"name": 7}]`, "f: tool 1 of the agent: name: want a text, got: "},
		{"name with a space", `[{"name": "get loan"}]`, `f: tool "get loan" of the agent: name: models cannot call it so` + "\nhint: use letters"},
		{"name twice", `[{"name": "a"}, {"name": "a"}]`, "f: tool a of the agent: name: a tool of the agent has it already\nhint: rename one"},
		{"both sides", `{"assistant": [{"name": "a"}], "user": [{"name": "a"}]}`, "f: tool a of the user: name: a tool of the agent has it already"},
		{"description of another kind", one(`"description": ["x"]`), "f: tool get_loan of the agent: description: want a text"},
		{"schema is a list", one(`"parameters": []`), "f: tool get_loan of the agent: parameters: want the JSON Schema of an object\nhint: write {"},
		{"schema of a text", one(`"parameters": {"type": "string"}`), "f: tool get_loan of the agent: parameters: want the JSON Schema of an object"},
		{"no schema", one(`"parameters": {"type": "object", "required": true}`), "f: tool get_loan of the agent: parameters: it is no JSON Schema: "},
		{"schema elsewhere", one(`"parameters": {"type": "object", "properties": {"a": {"$ref": "file:///etc/hostname"}}}`), "file:///etc/hostname is elsewhere"},
		{"hint of another kind", `[{"name": "a", "annotations": {"readOnlyHint": "yes"}}]`, "f: tool a of the agent: annotations.readOnlyHint: want true or false, got: "},
		{"all at once", `[{"name": "a b"}, {"name": "c", "parameters": 1}]`, "f: tool c of the agent: parameters: "},
		{"misspelt key", "agents:\n  - name: a\n", `f:1:1: unknown key "agents"` + "\nhint: did you mean \"agent\"?"},
		{"unknown kind", "agent:\n  - {name: a, kind: writes}\n", "f: tool a: kind: \"writes\" is no kind of tool\nhint: write read, write or other"},
		{"document elsewhere", "policy: [../x.md]\nagent: [{name: a}]\n", `f: policy: "../x.md" is no name of a file in policy`},
		{"name of the domain", "name: My Desk\nagent: [{name: a}]\n", `f: "My Desk" is no name of a domain`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseTools("f", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestReadPolicy(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	desk, fees := put("desk.md", "\ufeffOne.\r\nTwo.\r\n"), put("fees.md", "Three.\n")
	got, err := ReadPolicy([]string{fees, desk})
	if diff := cmp.Diff([]domains.Document{{Name: "fees.md", Text: "Three.\n"}, {Name: "desk.md", Text: "One.\nTwo.\n"}}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, c := range []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none.md"), "there is no file "},
		{"folder", dir, "is no regular file"},
		{"equal names", put("other/desk.md", "x"), "have the same name, by which lines are cited\nhint: rename one"},
		{"empty", put("empty.md", " \n\n"), "empty.md: there is nothing in it\nhint: write the policy into it"},
		{"PDF", put("p.pdf", "%PDF-1.7\n"), "p.pdf: this is a PDF\nhint: save its text"},
		{"binary", put("b.doc", "ab\x00c"), "b.doc: this is no UTF-8 text\nhint: save the policy as plain text"},
		{"Latin-1", put("l.md", "caf\xe9"), "l.md: this is no UTF-8 text"},
		{"packed", put("z.gz", "\x1f\x8b\x08"), "z.gz: this file is packed with gzip\nhint: unpack it"},
		{"name", put("my policy.md", "x"), "lines could not be cited by its name\nhint: rename it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ReadPolicy([]string{desk, c.path}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	tools, err := ReadTools("testdata/forms/own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := []domains.Document{{Name: "fees.md", Text: "Renewing is free.\n"}, {Name: "desk.md", Text: "Renew once.\n"}}
	if _, err := tools.World(documents); err == nil || !strings.Contains(err.Error(), "nobody has said what kind of tool later is\nhint: add kind") {
		t.Errorf("a tool without a kind: %v", err)
	}
	tools.Agent = tools.Agent[:3]
	dir := t.TempDir()
	if Described(dir) {
		t.Error("an empty folder has no domain")
	}
	for name, text := range Files(tools, documents) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(dir)
	if err != nil || !Described(dir) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(documents, w.Documents); diff != "" || w.Name != "lending" || !strings.Contains(w.Policy, "<document name=\"desk.md\">\nRenew once.\n</document>") {
		t.Errorf("%s\n%s%s", w.Name, w.Policy, diff)
	}
	if !w.Agent.Mutates("renew_loan") || w.Agent.Mutates("get_loan") || w.Agent.Mutates("transfer_to_human_agents") || len(w.User.Specs()) != 1 || len(w.Sources) != 3 {
		t.Errorf("%v, %v, %v", w.Agent.Tools, w.User, w.Sources)
	}
	e, err := w.New(&domains.Task{ID: "none"})
	if err != nil {
		t.Fatal(err)
	}
	got := e.Call(domains.AgentSide, domains.ToolCall{Name: "renew_loan", Arguments: value.OfMap(&value.Map{})})
	if !got.Error || got.Content != "Error: the tools of lending are only described here: renew_loan cannot be called" {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		want  string
		spoil func() error
	}{
		{"there is no file", func() error { return os.Remove(filepath.Join(dir, "policy/fees.md")) }},
		{"policy: no document is named\nhint: list the names of those in policy", func() error {
			tools.Policy = nil
			return os.WriteFile(filepath.Join(dir, "tools.yaml"), tools.YAML(), 0o644)
		}},
	} {
		if err := c.spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func TestWithUser(t *testing.T) {
	agent, device := Tools{Agent: tools("a")}, Tools{Agent: tools("b")}
	got, err := agent.WithUser(device)
	if err != nil || len(got.User) != 1 || got.User[0].Name != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := got.WithUser(device); err == nil || !strings.Contains(err.Error(), "the user's tools are listed twice") {
		t.Errorf("twice: %v", err)
	}
	if _, err := agent.WithUser(agent); err == nil || !strings.Contains(err.Error(), "a tool of the agent has it already") {
		t.Errorf("the same tool: %v", err)
	}
}

func tools(names ...string) (out []Tool) {
	for _, name := range names {
		out = append(out, Tool{ToolSpec: domains.ToolSpec{Name: name, Parameters: orNone(nil)}})
	}
	return out
}

// FuzzParseTools: whatever is read can be written, and is the same when it is read again.
func FuzzParseTools(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tools, err := ParseTools("f", text)
		if err != nil {
			return
		}
		written := tools.YAML()
		again, err := ParseTools("tools.yaml", written)
		if diff := cmp.Diff(tools, again); diff != "" || err != nil {
			t.Errorf("read again (-written +read): %v\n%s\n%s", err, diff, written)
		}
	})
}

// FuzzYAML writes any text as a name of a key, a value and a description, and reads it back.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{"", "no", "1", "1_000", "~", "a: b # c", " x\n  y\n", "\ttab\n", "- a\n- b", "'\"", "…\u0085\u2028", "<<", "2026-01-01", "\r\n", "\x00\x1b", "a\n\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		schema := value.OfMap(value.MapOf(value.Pair{Key: "type", Value: value.OfString("object")},
			value.Pair{Key: "properties", Value: value.OfMap(value.MapOf(value.Pair{Key: strings.ToValidUTF8(s, "?"), Value: value.OfMap(value.MapOf(
				value.Pair{Key: "description", Value: value.OfString(s)}, value.Pair{Key: "enum", Value: value.OfStrings([]string{s, "x"})}))}))}))
		raw, err := schema.MarshalJSON()
		if err != nil || !utf8.ValidString(s) {
			return
		}
		want := Tools{Agent: []Tool{{ToolSpec: domains.ToolSpec{Name: "a", Description: s, Parameters: raw}, Kind: domains.Write, Confirm: s}}}
		if want.check() != nil { // the same text twice in an enumeration
			return
		}
		written := want.YAML()
		got, err := ParseTools("tools.yaml", written)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("(-written +read): %v\n%s\n%s", err, diff, written)
		}
	})
}
