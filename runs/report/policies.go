package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

// The documents of the telecom policy.
const (
	mainDocument   = "main_policy.md"
	manualDocument = "tech_support_manual.md"
)

// document is the part of a catalog whose requirements a document states: those that the main policy has, or those that
// it leaves to the manual. "" is all of them.
func document(c *guide.Catalog, name string) []guide.Row {
	if name == "" {
		return c.Rows
	}
	var out []guide.Row
	for _, r := range c.Rows {
		inMain := slices.ContainsFunc(r.Lines["tau2"], func(s guide.Span) bool { return s.File == mainDocument })
		if inMain == (name == mainDocument) {
			out = append(out, r)
		}
	}
	return out
}

// requirements is Table 6.
func requirements(in Input) (Table, error) {
	t := Table{Number: 6, Name: "requirements", Title: "Requirements of the policies by class", Columns: []Column{{Key: "policy", Title: "Policy"},
		{"a", "A", true}, {"p", "P", true}, {"w", "W", true}, {"total", "Total", true}, {"p_w_percent", "% P+W", true}, {"w_percent", "% W", true}},
		Notes: []string{"A: the call's arguments suffice; P: needs what was said or read before, in any order; W: needs an order of events",
			"counted from the catalogs of guide/catalog, which list the requirements in our words"}}
	for _, p := range []struct{ label, domain, document, key string }{
		{"airline", "airline", "", "airline"}, {"retail", "retail", "", "retail"}, {"telecom (main)", "telecom", mainDocument, "telecom_main"},
		{"telecom (manual)", "telecom", manualDocument, "telecom_manual"}, {"telecom (both)", "telecom", "", "telecom_both"},
	} {
		c, err := guide.ShippedCatalog(p.domain)
		if err != nil {
			return t, err
		}
		rows := document(c, p.document)
		n := map[guide.Class]int{}
		for _, r := range rows {
			n[r.Class]++
		}
		total := len(rows)
		a, pr, w := n[guide.ArgumentLevel], n[guide.ProcessLevel], n[guide.WorkflowLevel]
		paper := func(column int) *float64 { return in.paper6(p.key, column) }
		t.Rows = append(t.Rows, []Cell{Label(p.label), Whole(a).beside(paper(0), 0), Whole(pr).beside(paper(1), 0), Whole(w).beside(paper(2), 0),
			Whole(total).beside(paper(3), 0), percent(pr+w, total).beside(paper(4), 1), percent(w, total).beside(paper(5), 1)})
	}
	return t, nil
}

// percent is a share of a whole that is known to be there.
func percent(part, whole int) Cell {
	if whole == 0 {
		return Dash("there are none")
	}
	return Number(100*float64(part)/float64(whole), 1)
}

// catalogTable makes Tables 7 to 9, and the like for airline.
func catalogTable(number int, domain, doc string) func(Input) (Table, error) {
	return func(Input) (Table, error) {
		name, title := "requirements-"+domain, "Requirements of the "+domain+" policy"
		if doc == manualDocument {
			name, title = "requirements-manual", "Requirements of the telecom manual"
		}
		t := Table{Number: number, Name: name, Title: title, Columns: []Column{{Key: "id", Title: "ID"}, {Key: "section", Title: "Section"},
			{Key: "lines", Title: "Lines (τ²)"}, {Key: "requirement", Title: "Requirement"}, {Key: "class", Title: "Class"}, {Key: "subtype", Title: "Reads"}},
			Notes: []string{"A: the call's arguments suffice; P: needs what was said (D) or read (T) before, in any order; W: needs an order of events"}}
		c, err := guide.ShippedCatalog(domain)
		if err != nil {
			return t, err
		}
		for _, r := range document(c, doc) {
			t.Rows = append(t.Rows, []Cell{Label(r.ID), Label(r.Section), Label(spans(r.Lines["tau2"])), Label(r.Text), Label(string(r.Class)), Label(r.Subtype)})
		}
		return t, nil
	}
}

func spans(list []guide.Span) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.String()
	}
	return strings.Join(out, ", ")
}

// validator is Table 16: the bundles of the program, validated now.
func validator(in Input) (Table, error) {
	t := Table{Number: 16, Name: "validator", Title: "Workflows and what the validator finds", Columns: []Column{{Key: "domain", Title: "Domain"},
		{"nodes", "Nodes", true}, {"authorization_nodes", "Auth. nodes", true}, {"flags", "Flags", true}, {"errors", "Errors", true},
		{"evaluated", "Judged nodes", true}, {"decidable", "by code alone", true}},
		Notes: []string{"the bundles that are built into the program; flags are warnings and errors (tauguide workflow validate DOMAIN lists them)",
			"the paper's workflows are others, of another model's making: only the kind of figure is the same"}}
	for _, d := range paperDomains() {
		row, flags, err := in.validated(d)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, row)
		for _, f := range flags {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %s", d, f.Text))
		}
	}
	return t, nil
}

func (in Input) validated(domain string) ([]Cell, guide.Findings, error) {
	b, err := guide.LoadShipped(domain)
	if err != nil {
		return nil, nil, err
	}
	g, err := guide.Compose(b)
	if err != nil {
		return nil, nil, err
	}
	d, err := all.Domain(domain)
	if err != nil {
		return nil, nil, err
	}
	w, err := d.Open(domains.Embedded(), domains.Options{})
	if err != nil {
		return nil, nil, err
	}
	ctx := guide.Context{Inventory: guide.InventoryOf(w)}
	if ctx.Vocabulary, err = checks.For(domain); err != nil {
		return nil, nil, err
	}
	if ctx.Catalog, err = guide.ShippedCatalog(domain); err != nil {
		return nil, nil, err
	}
	found := guide.Validate(b, ctx)
	gates := 0
	for _, n := range g.Nodes {
		if n.Type == guide.Authorization {
			gates++
		}
	}
	decidable, evaluated := g.Share()
	paper := func(column int) *float64 { return in.paper16(domain, column) }
	return []Cell{Label(domain), Whole(len(g.Nodes)).beside(paper(0), 0), Whole(gates).beside(paper(1), 0), Whole(len(found)).beside(paper(2), 0),
		Whole(len(found.Errors())), Whole(evaluated), Whole(decidable)}, found, nil
}
