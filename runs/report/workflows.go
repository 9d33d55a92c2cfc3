package report

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

// workflow is the bundle of a domain that is built into the program, and what the validator finds in it.
type workflow struct {
	domain                                   string
	nodes, authorizations, judged, decidable int
	findings                                 guide.Findings
}

// validator is Table 16. It validates the bundles now.
func validator(in Input, t *Table) error {
	t.Notes = append(t.Notes, "the bundles that are built into the program; flags are warnings and errors (tauguide workflow validate DOMAIN lists them)",
		"the paper's workflows are others, of another model's making: only the kind of figure is the same")
	var rows []workflow
	for _, d := range paperDomains() {
		w, err := validated(d)
		if err != nil {
			return err
		}
		rows = append(rows, w)
		for _, f := range w.findings {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %s", d, f.Text))
		}
	}
	fill(t, []column[workflow]{
		{"domain", "Domain", words, "", func(w workflow) Cell { return Label(w.domain) }},
		{"nodes", "Nodes", 0, "table16.$domain.nodes", func(w workflow) Cell { return Whole(w.nodes) }},
		{"authorization_nodes", "Auth. nodes", 0, "table16.$domain.authorizations", func(w workflow) Cell { return Whole(w.authorizations) }},
		{"flags", "Flags", 0, "table16.$domain.flags", func(w workflow) Cell { return Whole(len(w.findings)) }},
		{"errors", "Errors", 0, "", func(w workflow) Cell { return Whole(len(w.findings.Errors())) }},
		{"evaluated", "Judged nodes", 0, "", func(w workflow) Cell { return Whole(w.judged) }},
		{"decidable", "by code alone", 0, "", func(w workflow) Cell { return Whole(w.decidable) }},
	}, rows, func(w workflow, path string) *float64 { return in.paperFigure(path, "$domain", w.domain) })
	return nil
}

func validated(domain string) (workflow, error) {
	out := workflow{domain: domain}
	b, err := guide.LoadShipped(domain)
	if err != nil {
		return out, err
	}
	g, err := guide.Compose(b)
	if err != nil {
		return out, err
	}
	d, err := all.Domain(domain)
	if err != nil {
		return out, err
	}
	w, err := d.Open(domains.Embedded(), domains.Options{})
	if err != nil {
		return out, err
	}
	ctx := guide.Context{Inventory: guide.InventoryOf(w), Vocabulary: checks.For(w)}
	if ctx.Catalog, err = guide.ShippedCatalog(domain); err != nil {
		return out, err
	}
	out.findings = guide.Validate(b, ctx)
	out.nodes = len(g.Nodes)
	for _, n := range g.Nodes {
		if n.Type == guide.Authorization {
			out.authorizations++
		}
	}
	out.decidable, out.judged = g.Share()
	return out, nil
}
