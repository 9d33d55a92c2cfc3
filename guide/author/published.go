package author

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// Published is a workflow in its folder, with what was kept of how it was written.
type Published struct {
	Dir      string
	Manifest Manifest

	files     map[string]string // all of the folder, by path
	bundle    *guide.Bundle     // as it is now
	published *guide.Bundle
	plan      *Plan
	policy    []domains.Document // that it was written for
	rows      []Requirement      // where that states the requirements
	job       string             // the folder for what is asked now, in authoring
}

// ReadPublished reads the folder of a workflow that Write made.
func ReadPublished(dir string) (*Published, error) {
	p := &Published{Dir: dir, files: map[string]string{}}
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no regular file\nhint: move it out of the folder, which is written anew", name)
		}
		text, err := fs.ReadFile(fsys, name)
		p.files[name] = string(text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	for name, to := range map[string]any{guide.ManifestFile: &p.Manifest, planFile: &p.plan, requirementsFile: &p.rows} {
		text, ok := p.files[name]
		if !ok && name == requirementsFile {
			continue
		}
		if !ok {
			return nil, fmt.Errorf("%s has no %s\nhint: name the folder of a workflow that tauguide author workflow wrote", dir, name)
		}
		if err := json.Unmarshal([]byte(text), to); err != nil {
			return nil, fmt.Errorf("%s: %s: %w\nhint: bring back what was published", dir, name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if rest, ok := strings.CutPrefix(name, policyDir+"/"); ok {
			p.policy = append(p.policy, domains.Document{Name: rest, Text: p.files[name]})
		}
	}
	for _, d := range p.policy {
		if p.Manifest.Policy[d.Name] != hash(d.Text) {
			return nil, fmt.Errorf("%s: %s/%s is not what the workflow was written for, by the hash in %s\nhint: bring back both", dir, policyDir, d.Name, guide.ManifestFile)
		}
	}
	if len(p.policy) != len(p.Manifest.Policy) || p.plan == nil {
		return nil, fmt.Errorf("%s: %s does not hold the policy and the plan that the workflow was written by\nhint: bring them back, or have the workflow written anew", dir, provenance)
	}
	if p.bundle, err = guide.Load(fsys, p.Manifest.Domain); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if p.published, err = guide.LoadPublished(fsys, p.Manifest.Domain); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return p, nil
}

// Stands checks that the folder is as it was read: what somebody changed there since is not part of what replaces it.
func (p *Published) Stands() error {
	now, err := ReadPublished(p.Dir)
	if err != nil {
		return err
	}
	all := maps.Clone(p.files)
	maps.Copy(all, now.files)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, before := p.files[name]
		if text, after := now.files[name]; before != after || old != text {
			return fmt.Errorf("%s was changed while the model was asked", path.Join(p.Dir, name))
		}
	}
	return nil
}

// resume takes up a published workflow where it stands, as models see it: without what only code reads.
func (p *Published) resume(j Job, job string) (*writing, error) {
	w, err := begin(j)
	if err != nil {
		return nil, err
	}
	w.base, w.plan = p, p.plan
	for n := 1; ; n++ {
		p.job = fmt.Sprintf("%s-%d", job, n)
		if _, taken := p.files[path.Join(provenance, p.job, "calls.jsonl")]; !taken {
			break
		}
	}
	words, err := clone(p.bundle)
	if err != nil {
		return nil, err
	}
	for _, f := range words.Files() {
		for _, n := range f.Nodes {
			forget(n)
		}
	}
	if err := w.hold(words); err != nil {
		return nil, err
	}
	// The classifier's branches count, whoever wrote them.
	plan := *p.plan
	w.plan = &plan
	plan.Intents = nil
	for _, in := range p.bundle.Main.Intents {
		if in.Label == guide.General || in.Label == guide.Transfer {
			continue
		}
		at := slices.IndexFunc(p.plan.Intents, func(x Intent) bool { return x.Label == in.Label })
		intent := Intent{Label: in.Label, Description: strings.ReplaceAll(in.Label, "_", " ")}
		if at >= 0 {
			intent = p.plan.Intents[at]
		}
		intent.Subflow = in.Target
		plan.Intents = append(plan.Intents, intent)
	}
	return w, nil
}

// updated reports whether the workflow was brought up to date with another policy, or other tools, since it was written.
func (p *Published) updated() bool {
	_, ok := p.files[path.Join(provenance, "updated-1", "calls.jsonl")]
	return ok
}

// asOf is a source whose requirements are those that the workflow was written for, where that policy states them: those
// of the program may belong to another state of it.
func (p *Published) asOf(src Source) Source {
	if src.Catalog == nil {
		return src
	}
	catalog := *src.Catalog
	catalog.Rows = nil
	for _, r := range p.rows {
		row := guide.Row{ID: r.ID}
		if known, ok := src.Catalog.Row(r.ID); ok {
			row = *known
		}
		row.Text, row.Lines = r.Text, map[string][]guide.Span{}
		for _, at := range strings.Split(r.Lines, ", ") {
			if span, err := guide.ParseSpan(at); err == nil {
				row.Lines[src.Lines] = append(row.Lines[src.Lines], span)
			}
		}
		catalog.Rows = append(catalog.Rows, row)
	}
	src.Catalog = &catalog
	return src
}

func policyHashes(src Source) map[string]string {
	out := map[string]string{}
	for _, d := range src.Documents {
		out[d.Name] = hash(d.Text)
	}
	return out
}

// clone reads a bundle again.
func clone(b *guide.Bundle) (*guide.Bundle, error) {
	out := &guide.Bundle{Domain: b.Domain}
	for _, f := range b.Files() {
		again, found := guide.ParseFile(f.Path, guide.Format(f))
		if len(found) > 0 {
			return nil, found
		}
		if f == b.Main {
			out.Main = again
		} else {
			out.Subflows = append(out.Subflows, again)
		}
	}
	return out, nil
}

// forget drops what only code reads.
func forget(n *guide.Node) {
	n.Check, n.Event = "", nil
	for i := range n.Edges {
		n.Edges[i].Check = ""
	}
}

// hold takes a bundle for the files that are there.
func (w *writing) hold(b *guide.Bundle) error {
	texts, err := export.WriteReleased(b)
	if err != nil {
		return err
	}
	w.files = map[string]*written{}
	for name, text := range texts {
		if !filePattern.MatchString(name) {
			continue // the manifest
		}
		f, notes, err := export.ReadReleasedFile(w.Source.Name, name, text)
		if err != nil {
			return err
		}
		w.files[name] = &written{path: name, text: strings.TrimSpace(string(text)), file: f, notes: notes}
	}
	return nil
}

// carry gives nodes back what only code reads, as far as they say what they said and have nothing new, and it can still be
// read: a tool that it goes by may be gone. What is lost is said; a person's check that cannot be read is an error.
func (w *writing) carry() {
	says := func(n *guide.Node) string {
		bare := *n
		forgotten := slices.Clone(n.Edges)
		bare.Edges, bare.Policy = forgotten, nil
		forget(&bare)
		bare.Edges = nil
		return guide.FormatNode(&bare)
	}
	drop := func(f *guide.File, n *guide.Node, why string) {
		w.Log(fmt.Sprintf("%s.%s: its check was dropped, for %s", f.Name(), n.ID, why))
	}
	for _, f := range w.bundle().Files() {
		for _, old := range fileOf(w.base.bundle, f.Path).Nodes {
			n, ok := f.Node(old.ID)
			if !ok || decidedByCode(n) {
				continue
			}
			if says(n) == says(old) {
				n.Check, n.Event = old.Check, old.Event
				for i := range n.Edges {
					for _, e := range old.Edges {
						if e.When == n.Edges[i].When && e.Describe == n.Edges[i].Describe {
							n.Edges[i].Check = e.Check
						}
					}
				}
			}
			if proposalOf(n).String() != proposalOf(old).String() {
				drop(f, n, "the node says something else now")
			}
		}
		for _, x := range guide.Validate(w.bundle(), guide.Context{Inventory: w.Source.Inventory, Vocabulary: w.Source.Vocabulary}).Errors() {
			n, ok := f.Node(x.Node)
			if x.File == f.Path && ok && decidedByCode(n) && !slices.Contains(w.base.bundle.Origin.Edited, f.Name()+"."+n.ID) {
				Proposal{}.put(n)
				drop(f, n, x.Text)
			}
		}
	}
}

// fileOf is a file of a bundle; one without nodes, if it has none at that path.
func fileOf(b *guide.Bundle, path string) *guide.File {
	for _, f := range b.Files() {
		if f.Path == path {
			return f
		}
	}
	return &guide.File{Path: path}
}

// republish replaces a published workflow by what became of it. before is the workflow as it was asked about.
func (w *writing) republish(ctx context.Context, before *guide.Bundle) error {
	now, err := clone(w.bundle())
	if err != nil {
		return err
	}
	w.draft.Changed = guide.Differing(before, now)
	edited := w.base.bundle.Origin.Edited
	overwritten := w.base.overwritten(edited, w.draft.Changed)
	if len(overwritten) > 0 && !w.OverwriteEdits {
		return &EditedError{overwritten, w.base.bundle, now}
	}
	w.base.bundle.Origin.Edited = slices.DeleteFunc(slices.Clone(edited), func(name string) bool { return slices.Contains(overwritten, name) })
	for _, name := range overwritten {
		w.Log(name + ": what was edited by hand is overwritten")
	}
	if w.decided == nil { // which has carried them
		w.carry()
	}
	for name, text := range w.base.files {
		own := w.Source.Described != nil && (name == described.ToolsFile || strings.HasPrefix(name, described.PolicyDir+"/"))
		if !own && name != "main.yaml" && !strings.HasPrefix(name, "subflows/") && !strings.HasPrefix(name, guide.FrozenDir+"/") && !strings.HasPrefix(name, policyDir+"/") {
			w.draft.Files[name] = text
		}
	}
	if errs := w.lint().Errors(); len(errs) > 0 {
		return &RefusedError{errs}
	}
	if err := w.assess(ctx); err != nil {
		return err
	}
	return w.publish()
}

// overwritten are what was edited by hand and is among what changed: the node, or a node of a file that is a person's.
func (p *Published) overwritten(edited, changed []string) (out []string) {
	for _, name := range changed {
		file, _, _ := strings.Cut(name, ".")
		_, model := p.published.Subflow(file)
		if slices.Contains(edited, name) || slices.Contains(edited, file) && !model && file != mainName {
			out = append(out, name)
		}
	}
	return out
}

// EditedError says which nodes were edited by hand and would be overwritten.
type EditedError struct {
	Names       []string
	before, now *guide.Bundle
}

func (e *EditedError) Error() string {
	var b strings.Builder
	b.WriteString("it would overwrite what was edited by hand:")
	for _, name := range e.Names {
		fmt.Fprintf(&b, "\n%s, by hand:\n%s%s, in its place:\n%s", name, textIn(e.before, name), name, textIn(e.now, name))
	}
	return b.String()
}

// textIn is the text of what guide.Differing names: a node, or what a file has beside nodes.
func textIn(b *guide.Bundle, name string) string {
	file, node, _ := strings.Cut(name, ".")
	for _, f := range b.Files() {
		if f.Name() != file {
			continue
		}
		if n, ok := f.Node(node); ok {
			return guide.FormatNode(n)
		}
		if node == "" {
			head := *f
			head.Nodes = nil
			return string(guide.Format(&head))
		}
	}
	return "  (nothing)\n"
}

// origin says who wrote the workflow, and which nodes are a person's.
func (w *writing) origin() guide.Origin {
	out := guide.Origin{Domain: w.Source.Name, Model: w.Model.Name, Synthetic: w.Synthetic, Files: map[string]string{}}
	if w.base != nil {
		old := w.base.Manifest.Origin
		out.Synthetic = out.Synthetic || old.Synthetic
		out.Edited = w.base.bundle.Origin.Edited
		out.Model = old.Model
		if !slices.Contains(strings.Split(old.Model, ", "), w.Model.Name) && len(w.calls) > 0 {
			out.Model += ", " + w.Model.Name
		}
	}
	return out
}

// textOf is the text of a file: the one that is there, with whatever comments, where that says the same.
func (w *writing) textOf(f *guide.File) string {
	if w.base != nil && fileOf(w.base.bundle, f.Path).Hash() == f.Hash() {
		return w.base.files[f.Path]
	}
	return w.header() + string(guide.Format(f))
}
