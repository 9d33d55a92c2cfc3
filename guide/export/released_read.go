package export

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

const (
	manifestFile  = "_manifest.json"
	mainFile      = "main.workflow.json"
	subflowSuffix = ".subflow.json"
	extension     = "tauguide"
)

// ReadReleased reads a bundle from a folder in the layout of PolicyGuide's released implementation: _manifest.json,
// main.workflow.json, subflows/<name>.subflow.json. Notes name what was found there that a bundle has no place for.
//
// What that layout has no place for (checks, events, catalog references) travels in a member "tauguide" of the node,
// which the other side ignores. Reading what was written gives the same bundle; writing what was read gives the same
// files, apart from members that the notes name.
func ReadReleased(fsys fs.FS) (b *guide.Bundle, notes []string, err error) {
	r := &releasedReader{}
	manifest, err := r.object(fsys, manifestFile)
	if err != nil {
		return nil, nil, err
	}
	b = &guide.Bundle{}
	if b.Domain, err = r.text(manifest, manifestFile, "domain"); err != nil {
		return nil, nil, err
	}
	if b.Main, err = r.file(fsys, mainFile, "main.yaml", "main", b.Domain); err != nil {
		return nil, nil, err
	}
	names, err := fs.Glob(fsys, "subflows/*"+subflowSuffix)
	if err != nil {
		return nil, nil, fmt.Errorf("list subflows: %w", err)
	}
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), subflowSuffix)
		f, err := r.file(fsys, name, "subflows/"+base+".yaml", "subflow", b.Domain)
		if err != nil {
			return nil, nil, err
		}
		if f.ID != base {
			return nil, nil, fmt.Errorf("%s: its name is %q: name the file %s%s", name, f.ID, f.ID, subflowSuffix)
		}
		b.Subflows = append(b.Subflows, f)
	}
	if b.Main.Intents == nil {
		b.Main.Intents = intents(b.Main)
	}
	return b, r.notes, settle(b)
}

// settle replaces each file by what its text in our format is read as, so that findings have the line numbers of the
// files that an import writes.
func settle(b *guide.Bundle) error {
	read := func(f *guide.File) (*guide.File, error) {
		again, found := guide.ParseFile(f.Path, guide.Format(f))
		if len(found) > 0 {
			return nil, fmt.Errorf("the imported workflow does not make a bundle: %w", found)
		}
		return again, nil
	}
	var err error
	if b.Main, err = read(b.Main); err != nil {
		return err
	}
	for i := range b.Subflows {
		if b.Subflows[i], err = read(b.Subflows[i]); err != nil {
			return err
		}
	}
	return nil
}

type releasedReader struct{ notes []string }

func (r *releasedReader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *releasedReader) object(fsys fs.FS, name string) (*value.Map, error) {
	text, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there: name the folder of a released workflow, which contains it", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	v, err := value.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; correct the JSON", name, err)
	}
	m, ok := v.Map()
	if !ok {
		return nil, fmt.Errorf("%s: want a JSON object, not %s", name, v.TypeName())
	}
	return m, nil
}

func (r *releasedReader) text(m *value.Map, where, key string) (string, error) {
	v, ok := m.Get(key)
	s, isText := v.Text()
	if !ok || !isText || s == "" {
		return "", fmt.Errorf("%s: member %q is not a text: add it", where, key)
	}
	return s, nil
}

func optional(m *value.Map, key string) string {
	v, _ := m.Get(key)
	s, _ := v.Text()
	return s
}

// list returns the objects of a list member.
func (r *releasedReader) list(m *value.Map, where, key string) ([]*value.Map, error) {
	v, _ := m.Get(key)
	items, ok := v.Items()
	if !ok {
		return nil, fmt.Errorf("%s: member %q is not a list: add it", where, key)
	}
	var out []*value.Map
	for i, item := range items {
		o, ok := item.Map()
		if !ok {
			return nil, fmt.Errorf("%s: %s[%d] is not an object", where, key, i)
		}
		out = append(out, o)
	}
	return out, nil
}

func (r *releasedReader) unknown(m *value.Map, where string, known ...string) {
	for k := range m.All() {
		if !slices.Contains(known, k) {
			r.note("%s: member %q was dropped", where, k)
		}
	}
}

func (r *releasedReader) file(fsys fs.FS, name, as, kind, domain string) (*guide.File, error) {
	m, err := r.object(fsys, name)
	if err != nil {
		return nil, err
	}
	for key, want := range map[string]string{"kind": kind, "domain": domain} {
		if got := optional(m, key); got != want {
			return nil, fmt.Errorf("%s: member %q is %q, want %q", name, key, got, want)
		}
	}
	if v, ok := m.Get("schema_version"); !ok || !value.Equal(v, value.OfInt(1)) {
		return nil, fmt.Errorf("%s: schema_version is not 1: this layout is not known here", name)
	}
	if v, ok := m.Get("max_directives_per_node"); ok && !value.Equal(v, value.OfInt(maxDirectives(kind))) {
		r.note("%s: max_directives_per_node was dropped; the stall rule is a setting of the verifier", name)
	}
	f := &guide.File{Path: as, Title: optional(m, "description")}
	if f.ID, err = r.text(m, name, "name"); err != nil {
		return nil, err
	}
	if f.Title == "" {
		f.Title = f.ID
	}
	if f.Entry, err = r.text(m, name, "entry"); err != nil {
		return nil, err
	}
	exits, _ := m.Get("exits")
	items, ok := exits.Items()
	if !ok {
		return nil, fmt.Errorf("%s: member %q is not a list: add it", name, "exits")
	}
	for _, e := range items {
		s, _ := e.Text()
		f.Exits = append(f.Exits, s)
	}
	r.unknown(m, name, "schema_version", "kind", "domain", "name", "description", "entry", "exits", "max_directives_per_node", "nodes", "edges", extension)
	if f.Intents, err = ownIntents(m, name); err != nil {
		return nil, err
	}
	nodes, err := r.list(m, name, "nodes")
	if err != nil {
		return nil, err
	}
	for i, o := range nodes {
		n, err := r.node(o, fmt.Sprintf("%s: nodes[%d]", name, i))
		if err != nil {
			return nil, err
		}
		n.File = as
		f.Nodes = append(f.Nodes, n)
	}
	if err := r.edges(m, name, f); err != nil {
		return nil, err
	}
	r.enter(f, name)
	return f, nil
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
	first := &guide.Node{ID: id, Local: id, Type: guide.Entry, File: f.Path, Edges: []guide.Edge{{To: f.Entry, When: guide.Satisfied}}}
	f.Nodes = append([]*guide.Node{first}, f.Nodes...)
	f.Entry = id
}

func (r *releasedReader) edges(m *value.Map, name string, f *guide.File) error {
	edges, err := r.list(m, name, "edges")
	if err != nil {
		return err
	}
	for i, o := range edges {
		where := fmt.Sprintf("%s: edges[%d]", name, i)
		from, err := r.text(o, where, "from")
		if err != nil {
			return err
		}
		e := guide.Edge{When: guide.Satisfied}
		if e.To, err = r.text(o, where, "to"); err != nil {
			return err
		}
		if when := optional(o, "when"); when != "" {
			e.When = when
		}
		n, ok := f.Node(from)
		switch {
		case !ok:
			return fmt.Errorf("%s: there is no node %q to leave", where, from)
		case n.Type == guide.Decision:
			r.note("%s: an edge that leaves the decision %s was dropped; its branches are what counts", name, from)
		default:
			n.Edges = append(n.Edges, e)
		}
	}
	return nil
}

// ownIntents reads the intents from the extension of a main file that was exported from here.
func ownIntents(m *value.Map, name string) ([]guide.Intent, error) {
	ext, ok := m.Get(extension)
	if !ok {
		return nil, nil
	}
	own, _ := ext.Map()
	v, _ := own.Get("intents")
	targets, ok := v.Map()
	if !ok {
		return nil, fmt.Errorf("%s: member %s.intents is not an object of labels to targets", name, extension)
	}
	var out []guide.Intent
	for label, target := range targets.All() {
		s, ok := target.Text()
		if !ok {
			return nil, fmt.Errorf("%s: %s.intents: the target of %q is not a text", name, extension, label)
		}
		out = append(out, guide.Intent{Label: label, Target: s})
	}
	return out, nil
}

// intents makes the main file's intents of the classifier's branches: each leads to the subflow or exit that comes
// first on its way.
func intents(f *guide.File) []guide.Intent {
	c := f.Classifier()
	if c == nil {
		return nil
	}
	var out []guide.Intent
	for _, e := range c.Edges {
		if target := firstEnd(f, e.To, c.ID); target != "" {
			out = append(out, guide.Intent{Label: e.When, Target: target})
		}
	}
	return out
}

func firstEnd(f *guide.File, from, classifier string) string {
	seen := map[string]bool{classifier: true}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		n, ok := f.Node(todo[0])
		if !ok || seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		switch n.Type {
		case guide.Anchor:
			return n.Subflow
		case guide.Exit:
			return n.ID
		}
		for _, e := range n.Edges {
			todo = append(todo, e.To)
		}
	}
	return ""
}
