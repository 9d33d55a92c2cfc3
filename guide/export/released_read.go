package export

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
)

// ReadReleased reads a bundle from a folder in the layout of PolicyGuide's released implementation: _manifest.json,
// main.workflow.json, subflows/<name>.subflow.json. Notes name what was found there that a bundle has no place for.
func ReadReleased(fsys fs.FS) (b *guide.Bundle, notes []string, err error) {
	var m manifest
	text, err := readText(fsys, manifestFile)
	if err != nil {
		return nil, nil, err
	}
	if err := decode(manifestFile, text, &m); err != nil {
		return nil, nil, err
	}
	if err := needed(manifestFile, "domain", m.Domain); err != nil {
		return nil, nil, err
	}
	r := &releasedReader{domain: m.Domain}
	b = &guide.Bundle{Domain: m.Domain}
	read := func(name string) (*guide.File, error) {
		text, err := readText(fsys, name)
		if err != nil {
			return nil, err
		}
		return r.file(name, text)
	}
	if b.Main, err = read(MainFile); err != nil {
		return nil, nil, err
	}
	names, err := fs.Glob(fsys, "subflows/*"+subflowSuffix)
	if err != nil {
		return nil, nil, fmt.Errorf("list subflows: %w", err)
	}
	for _, name := range names {
		f, err := read(name)
		if err != nil {
			return nil, nil, err
		}
		b.Subflows = append(b.Subflows, f)
	}
	return b, r.notes, nil
}

// ReadReleasedFile reads one file of the layout, which is at that path in the folder.
func ReadReleasedFile(domain, name string, text []byte) (f *guide.File, notes []string, err error) {
	r := &releasedReader{domain: domain}
	f, err = r.file(name, text)
	return f, r.notes, err
}

// SubflowFile is the path of a subflow in the layout.
func SubflowFile(name string) string { return "subflows/" + name + subflowSuffix }

func readText(fsys fs.FS, name string) ([]byte, error) {
	text, err := domains.ReadText(fsys, name, yamlfile.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there\nhint: name the folder of a released workflow, which contains it", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

func decode(name string, text []byte, to any) error {
	if err := value.CheckEncoding(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w\nhint: correct the JSON", name, err)
	}
	return nil
}

func needed(where, key, text string) error {
	if text == "" {
		return fmt.Errorf("%s: member %q is missing\nhint: add it", where, key)
	}
	return nil
}

type releasedReader struct {
	domain string
	notes  []string
}

func (r *releasedReader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *releasedReader) dropped(where string, members unknown) {
	for _, key := range slices.Sorted(maps.Keys(members)) {
		r.note("%s: member %q was dropped", where, key)
	}
}

// file reads a file, and then what its text in our format is read as, so that findings have the line numbers of the
// files that an import writes.
func (r *releasedReader) file(name string, text []byte) (*guide.File, error) {
	var in releasedFile
	if err := decode(name, text, &in); err != nil {
		return nil, err
	}
	as, kind := "main.yaml", "main"
	if name != MainFile {
		as, kind = "subflows/"+strings.TrimSuffix(path.Base(name), subflowSuffix)+".yaml", "subflow"
	}
	f := &guide.File{Path: as, ID: in.Name, Title: cmp.Or(in.Description, in.Name), Entry: in.Entry, Exits: in.Exits}
	if err := r.check(name, kind, &in); err != nil {
		return nil, err
	}
	for i := range in.Nodes {
		n, err := r.node(&in.Nodes[i], fmt.Sprintf("%s: nodes[%d]", name, i))
		if err != nil {
			return nil, err
		}
		f.Nodes = append(f.Nodes, n)
	}
	if err := r.edges(in.Edges, name, f); err != nil {
		return nil, err
	}
	err := eachText(in.Own.Intents, name+": tauguide.intents", func(label, target string) {
		f.Intents = append(f.Intents, guide.Intent{Label: label, Target: target})
	})
	if err != nil {
		return nil, err
	}
	r.enter(f, name)
	if f.Intents == nil && kind == "main" {
		f.Intents = intents(f)
	}
	if base := strings.TrimSuffix(path.Base(name), subflowSuffix); kind == "subflow" && f.ID != base {
		return nil, fmt.Errorf("%s: its name is %q\nhint: name the file %s%s", name, f.ID, f.ID, subflowSuffix)
	}
	again, found := guide.ParseFile(as, guide.Format(f))
	if len(found) > 0 {
		return nil, fmt.Errorf("the imported workflow does not make a bundle: %w", found)
	}
	return again, nil
}

// check looks at what a file says of itself.
func (r *releasedReader) check(name, kind string, in *releasedFile) error {
	for _, m := range []struct{ key, got, want string }{{"kind", in.Kind, kind}, {"domain", in.Domain, r.domain}} {
		if m.got != m.want {
			return fmt.Errorf("%s: member %q is %q, want %q", name, m.key, m.got, m.want)
		}
	}
	if in.Version != 1 {
		return fmt.Errorf("%s: schema_version is not 1: this layout is not known here", name)
	}
	if in.MaxDirectives != 0 && in.MaxDirectives != maxDirectives(kind) {
		r.note("%s: max_directives_per_node was dropped; the stall rule is a setting of the verifier", name)
	}
	r.dropped(name, in.Unknown)
	for key, missing := range map[string]bool{"exits": in.Exits == nil, "nodes": in.Nodes == nil, "edges": in.Edges == nil} {
		if missing {
			return fmt.Errorf("%s: member %q is not a list\nhint: add it", name, key)
		}
	}
	return errors.Join(needed(name, "name", in.Name), needed(name, "entry", in.Entry))
}

// node reads a node. The layout has fewer fields than a bundle; guess fills the rest, and the node's own fields, where
// the bundle came from here, say what they really are.
func (r *releasedReader) node(in *releasedNode, where string) (*guide.Node, error) {
	if err := needed(where, "id", in.ID); err != nil {
		return nil, err
	}
	where += " (" + in.ID + ")"
	if !slices.Contains(guide.Types(), in.Type) {
		return nil, fmt.Errorf("%s: there is no node type %q", where, in.Type)
	}
	r.dropped(where, in.Unknown)
	n := &guide.Node{ID: in.ID, Local: in.ID, Type: in.Type, Subflow: in.Subflow, Policy: in.Own.Policy}
	if in.Tool != "" {
		n.Tools = strings.Split(in.Tool, "|")
	}
	if n.Type == guide.Decision {
		checks, _ := in.Own.BranchChecks.Map()
		about, _ := in.Descriptions.Map()
		err := eachText(in.Branches, where+": branches", func(label, target string) {
			n.Edges = append(n.Edges, guide.Edge{To: target, When: label, Describe: text(about, label), Check: text(checks, label)})
		})
		if err != nil {
			return nil, err
		}
	}
	guess(n, in)
	fields := texts(n)
	for i, own := range in.Own.texts() {
		if *own != nil {
			*fields[i] = **own
		}
	}
	if e := in.Own.Event; e != nil {
		n.Event = &guide.Event{Kind: e.Kind, Tools: e.Tools, Pattern: e.Pattern}
	}
	return n, nil
}

func text(m *value.Map, key string) string {
	v, _ := m.Get(key)
	s, _ := v.Text()
	return s
}

// eachText goes through an object of texts in its order; null has none.
func eachText(v value.Value, where string, each func(key, text string)) error {
	m, ok := v.Map()
	if !ok && !v.IsNull() {
		return fmt.Errorf("%s is not an object of texts", where)
	}
	for key, x := range m.All() {
		s, ok := x.Text()
		if !ok {
			return fmt.Errorf("%s: %q is not a text", where, key)
		}
		each(key, s)
	}
	return nil
}

// enter gives the file an entry node where its first node is one that does something.
func (r *releasedReader) enter(f *guide.File, name string) {
	n, ok := f.Node(f.Entry)
	if !ok || n.Type == guide.Entry {
		return
	}
	id := "start"
	for _, taken := f.Node(id); taken; _, taken = f.Node(id) {
		id += "_"
	}
	r.note("%s: an entry node %s was put before %s", name, id, f.Entry)
	first := &guide.Node{ID: id, Local: id, Type: guide.Entry, Edges: []guide.Edge{{To: f.Entry, When: guide.Satisfied}}}
	f.Nodes = append([]*guide.Node{first}, f.Nodes...)
	f.Entry = id
}

func (r *releasedReader) edges(list []releasedEdge, name string, f *guide.File) error {
	for i, e := range list {
		switch n, ok := f.Node(e.From); {
		case !ok:
			return fmt.Errorf("%s: edges[%d]: there is no node %q to leave", name, i, e.From)
		case n.Type == guide.Decision:
			r.note("%s: edges[%d]: an edge that leaves the decision %s was dropped; its branches are what counts", name, i, e.From)
		default:
			n.Edges = append(n.Edges, guide.Edge{To: e.To, When: cmp.Or(e.When, guide.Satisfied)})
		}
	}
	return nil
}
