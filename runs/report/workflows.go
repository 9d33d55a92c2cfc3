package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
	"github.com/tauguide/tauguide/runs/config"
)

// workflow is a bundle with its size and what the validator finds in it.
type workflow struct {
	guide.Validation
	folder string // "" for one that is built into the program
	origin *guide.Origin
	types  map[guide.Type]int // nodes of the composed graph
}

// validator is Table 16. It validates now: the bundles of the program, those that are named, and those that the runs'
// systems were given.
func validator(in Input, t *Table) error {
	t.Notes = append(t.Notes, "flags are warnings and errors (tauguide workflow validate lists them)",
		"the paper's workflows are others, of another model's making: only the kind of figure is the same")
	var rows []workflow
	for _, d := range paperDomains() {
		w, err := validated("", d)
		if err != nil {
			return err
		}
		rows = append(rows, w)
	}
	for _, dir := range in.Bundles {
		w, err := validated(filepath.Clean(dir), "")
		if err != nil {
			return fmt.Errorf("workflow in %s: %w", dir, err)
		}
		rows = append(rows, w)
	}
	for _, s := range in.Sources {
		for _, b := range s.Bundles {
			w, err := validated(filepath.Clean(b.Folder), b.Domain)
			if err != nil { // the run may be of another machine, and the folder gone since
				why, _, _ := strings.Cut(err.Error(), "\n")
				t.Notes = append(t.Notes, fmt.Sprintf("the workflow in %s, of run %s, is left out: %s", b.Folder, s.Name, why))
			} else if !slices.ContainsFunc(rows, func(x workflow) bool { return x.folder == w.folder && x.Domain == w.Domain }) {
				rows = append(rows, w)
			}
		}
	}
	for _, w := range rows {
		t.Synthetic = t.Synthetic || w.origin != nil && w.origin.Synthetic
		if w.folder == "" {
			for _, f := range w.Findings {
				t.Notes = append(t.Notes, fmt.Sprintf("%s: %s", w.Domain, f.Text))
			}
		}
	}
	cols := []column[workflow]{
		{"domain", "Domain", words, "", func(w workflow) Cell { return Label(w.Domain) }},
		{"workflow", "Workflow", words, "", func(w workflow) Cell { return Label(cmp.Or(w.folder, "built in")) }},
		{"author", "Written by", words, "", workflow.author},
		{"nodes", "Nodes", 0, "table16.$domain.nodes", func(w workflow) Cell { return Whole(w.Nodes) }},
		{"authorization_nodes", "Auth. nodes", 0, "table16.$domain.authorizations", func(w workflow) Cell { return Whole(w.Authorizations) }},
		{"flags", "Flags", 0, "table16.$domain.flags", func(w workflow) Cell { return Whole(len(w.Findings)) }},
		{"errors", "Errors", 0, "", func(w workflow) Cell { return Whole(w.Errors) }},
		{"evaluated", "Judged nodes", 0, "", func(w workflow) Cell { return Whole(w.Evaluated) }},
		{"decidable", "by code alone", 0, "", func(w workflow) Cell { return Whole(w.Decidable) }},
	}
	for _, n := range guide.Types() {
		if n != guide.Authorization && n != guide.Anchor { // the one has its column, of the other composing leaves none
			cols = append(cols, column[workflow]{string(n), string(n), 0, "", func(w workflow) Cell { return Whole(w.types[n]) }})
		}
	}
	fill(t, cols, rows, func(w workflow, path string) *float64 { return in.paperFigure(path, "$domain", w.Domain) })
	return nil
}

// author says who wrote a workflow, and whether a person has changed it since.
func (w workflow) author() Cell {
	switch {
	case w.folder == "":
		return Label("people")
	case w.origin == nil:
		return Dash(w.folder + " does not say who wrote it")
	}
	out := w.origin.Model
	if w.origin.Synthetic {
		out += ", synthetic"
	}
	if len(w.origin.Edited) > 0 {
		out += ", edited"
	}
	return Label(out)
}

// Bundle is a workflow in a folder, and the domain that it is used on; "" where nobody says.
type Bundle struct{ Folder, Domain string }

// bundlesOf are the folders from which the systems of a config have their workflows.
func bundlesOf(c *config.Config) []Bundle {
	var out []Bundle
	for _, s := range c.Systems {
		all := []json.RawMessage{s.Params}
		for _, o := range s.Overlays {
			all = append(all, o.Params)
		}
		for _, params := range all {
			var p struct{ Bundle string }
			if json.Unmarshal(params, &p) != nil || p.Bundle == "" {
				continue
			}
			for _, d := range c.Domains {
				if len(s.Domains) == 0 || slices.Contains(s.Domains, d.Name) {
					out = append(out, Bundle{p.Bundle, d.Name})
				}
			}
		}
	}
	return out
}

// validated reads a workflow, from a folder or the program's own, and validates it.
func validated(folder, domain string) (workflow, error) {
	out := workflow{folder: folder, types: map[guide.Type]int{}}
	var b *guide.Bundle
	var err error
	if folder == "" {
		b, err = guide.LoadShipped(domain)
	} else {
		b, err = guide.LoadFolder(folder)
	}
	if err != nil {
		return out, err
	}
	out.origin = b.Origin
	g, err := guide.Compose(b)
	if err != nil {
		return out, err
	}
	w, err := worldOf(folder, cmp.Or(domain, b.Domain))
	if err != nil {
		return out, err
	}
	out.Domain = w.Name
	ctx := guide.Context{Inventory: guide.InventoryOf(w), Vocabulary: checks.For(w), Documents: guide.Documents{}}
	if ctx.Catalog, err = guide.ShippedCatalog(w.Name); err != nil {
		return out, err
	}
	if folder != "" {
		if ctx.Documents[guide.Beside], err = guide.ReadBeside(folder); err != nil {
			return out, err
		}
	}
	found := guide.Validate(b, ctx)
	out.Findings, out.Errors = found, len(found.Errors())
	out.Measure(g)
	for _, n := range g.Nodes {
		out.types[n.Type]++
	}
	return out, nil
}

// worldOf opens the domain that the workflow in a folder is for: the folder's own, or one of the program.
func worldOf(folder, domain string) (*domains.World, error) {
	if folder != "" && described.Described(folder) {
		return described.Open(folder)
	}
	d, err := all.Domain(domain)
	if err != nil {
		return nil, err
	}
	return d.Open(domains.Embedded(), domains.Options{})
}
