package guide

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

const (
	mainFile   = "main.yaml"
	subflowDir = "subflows"
)

// Load reads a bundle from a folder: main.yaml and subflows/*.yaml. domain names it in renderings. The error is a
// Findings that lists everything that is wrong with the files' form (syntax, unknown keys, wrong types); what is wrong
// with the workflow itself is for Validate.
func Load(fsys fs.FS, domain string) (*Bundle, error) {
	b := &Bundle{Domain: domain}
	var found Findings
	read := func(name string) *File {
		text, err := domains.ReadText(fsys, name, yamlfile.MaxBytes)
		if errors.Is(err, fs.ErrNotExist) {
			found = append(found, Finding{Code: "file-missing", Severity: Error, File: name,
				Text: "the bundle has no " + name, Mend: "name the folder that contains it"})
			return nil
		}
		if err != nil {
			found = append(found, Finding{Code: "file-missing", Severity: Error, File: name,
				Text: err.Error(), Mend: "make the file readable"})
			return nil
		}
		f, bad := ParseFile(name, text)
		found = append(found, bad...)
		return f
	}
	b.Main = read(mainFile)
	names, err := fs.Glob(fsys, subflowDir+"/*")
	if err != nil {
		return nil, fmt.Errorf("bundle %s: list subflows: %w", domain, err)
	}
	for _, name := range names {
		if path.Ext(name) != ".yaml" {
			found = append(found, Finding{Code: "file-name", Severity: Error, File: name,
				Text: "not a subflow: its name does not end in .yaml", Mend: "rename it to " + strings.TrimSuffix(name, path.Ext(name)) + ".yaml, or remove it"})
			continue
		}
		if f := read(name); f != nil {
			b.Subflows = append(b.Subflows, f)
		}
	}
	if len(found) == 0 {
		if b.Origin, err = origin(fsys, b); err != nil {
			found = append(found, Finding{Code: "manifest", Severity: Error, File: ManifestFile, Text: err.Error(),
				Mend: "bring back what was published, or remove authoring, after which the bundle is one of your own"})
		}
	}
	return b, found.err()
}

// ParseFile reads one file of a bundle. The File is as complete as the text allows; findings are empty exactly if the
// text is well formed.
func ParseFile(name string, text []byte) (*File, Findings) {
	y := &yamlFile{path: name}
	f := &File{Path: name}
	if n := y.root(text); n != nil {
		y.file(n, f)
	}
	return f, y.found.sorted()
}

// Name is the name by which anchors call the file: its base name without the extension.
func (f *File) Name() string { return strings.TrimSuffix(path.Base(f.Path), ".yaml") }

func (y *yamlFile) file(n *yamlfile.Node, f *File) {
	table := []field{
		{"id", y.into(&f.ID, "id")},
		{"title", y.into(&f.Title, "title")},
		{"entry", y.into(&f.Entry, "entry")},
		{"exits", y.list(&f.Exits, "exits")},
		{"nodes", func(n *yamlfile.Node) {
			for _, item := range y.items(n, "nodes") {
				f.Nodes = append(f.Nodes, y.node(item, f.Path))
			}
		}},
	}
	if f.Path == mainFile {
		table = append(table, field{"intents", func(n *yamlfile.Node) { f.Intents = y.intents(n) }})
	}
	f.Line = y.fields(n, "the file", table)
	for _, key := range []string{"id", "title", "entry", "exits", "nodes"} {
		if _, ok := f.Line[key]; !ok {
			y.add("missing-key", yamlfile.Place{}, "the file has no key "+key, "add it")
		}
	}
}

func (y *yamlFile) intents(n *yamlfile.Node) []Intent {
	var out []Intent
	for _, e := range y.entries(n, "intents") {
		target, _ := y.text(e.Value, "intent "+e.Key)
		out = append(out, Intent{Label: e.Key, Target: target, Line: e.At.Line})
	}
	return out
}

func (y *yamlFile) node(n *yamlfile.Node, file string) *Node {
	d := &Node{File: file}
	d.Line = n.Line
	var typ, actor, tool string
	before := len(y.found)
	d.Keys = y.fields(n, "a node", []field{
		{"id", y.into(&d.ID, "a node's id")},
		{"type", y.into(&typ, "type")},
		{"actor", y.into(&actor, "actor")},
		{"action", y.into(&d.Action, "action")},
		{"tool", y.into(&tool, "tool")},
		{"tools", y.list(&d.Tools, "tools")},
		{"only_if", y.into(&d.OnlyIf, "only_if")},
		{"event", func(n *yamlfile.Node) { d.Event = y.event(n) }},
		{"expect", y.into(&d.Expect, "expect")},
		{"satisfied_when", y.into(&d.SatisfiedWhen, "satisfied_when")},
		{"remediation", y.into(&d.Remediation, "remediation")},
		{"check", y.into(&d.Check, "check")},
		{"policy", y.list(&d.Policy, "policy")},
		{"subflow", y.into(&d.Subflow, "subflow")},
		{"edges", func(n *yamlfile.Node) {
			for _, item := range y.items(n, "edges") {
				d.Edges = append(d.Edges, y.edge(item))
			}
		}},
	})
	d.Type, d.Actor, d.Local = Type(typ), Actor(actor), d.ID
	if l, ok := d.Keys["id"]; ok {
		d.Line = l
	}
	if tool != "" {
		d.Tools = append([]string{tool}, d.Tools...)
	}
	for i := before; i < len(y.found); i++ {
		y.found[i].Node = d.ID
	}
	return d
}

func (y *yamlFile) edge(n *yamlfile.Node) Edge {
	e := Edge{}
	e.Line = n.Line
	keys := y.fields(n, "an edge", []field{
		{"to", y.into(&e.To, "to")},
		{"when", y.into(&e.When, "when")},
		{"describe", y.into(&e.Describe, "describe")},
		{"check", y.into(&e.Check, "check")},
	})
	if l, ok := keys["to"]; ok {
		e.Line = l
	}
	return e
}

// event reads `call_ok`, `{call_ok: tool}`, `{call_ok: [a, b]}` or `{user_said: pattern}`.
func (y *yamlFile) event(n *yamlfile.Node) *Event {
	e := &Event{}
	e.Line = n.Line
	if n.Kind == yamlfile.Text {
		e.Kind = EventKind(strings.TrimSpace(n.Text))
		if e.Kind != AgentCalled && e.Kind != CallOK {
			y.add("bad-event", n.Place, fmt.Sprintf("%q alone is no event", n.Text),
				"write agent_called, call_ok, {user_said: PATTERN} or {agent_said: PATTERN}")
			return nil
		}
		return e
	}
	tools := func(kind EventKind) field {
		return field{string(kind), func(n *yamlfile.Node) {
			e.Kind = kind
			if n.Kind == yamlfile.List {
				y.list(&e.Tools, string(kind))(n)
			} else if s, ok := y.text(n, string(kind)); ok {
				e.Tools = []string{s}
			}
		}}
	}
	said := func(kind EventKind) field {
		return field{string(kind), func(n *yamlfile.Node) { e.Kind = kind; e.Pattern, _ = y.text(n, string(kind)) }}
	}
	keys := y.fields(n, "an event", []field{tools(AgentCalled), tools(CallOK), said(UserSaid), said(AgentSaid)})
	if len(keys) != 1 {
		y.add("bad-event", n.Place, fmt.Sprintf("an event has exactly one key, this has %d", len(keys)), "keep one, or write a check")
		return nil
	}
	return e
}
