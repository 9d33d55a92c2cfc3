package report

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// The documents of the telecom policy.
const (
	mainDocument   = "main_policy.md"
	manualDocument = "tech_support_manual.md"
)

// requirementsOf are the rows of a domain's catalog that a document states: those that the main policy has, or those that
// it leaves to the manual. "" is all of them.
func requirementsOf(domain, document string) ([]guide.Row, error) {
	c, err := guide.ShippedCatalog(domain)
	if err != nil {
		return nil, err
	}
	if document == "" {
		return c.Rows, nil
	}
	return slices.DeleteFunc(slices.Clone(c.Rows), func(r guide.Row) bool {
		inMain := slices.ContainsFunc(r.Lines["tau2"], func(s guide.Span) bool { return s.File == mainDocument })
		return inMain != (document == mainDocument)
	}), nil
}

// policy is a row of Table 6.
type policy struct {
	label, domain, document, key string
	count                        map[guide.Class]int
	total                        int
}

// requirements is Table 6.
func requirements(in Input, t *Table) error {
	rows := []policy{{label: "airline", domain: "airline", key: "airline"}, {label: "retail", domain: "retail", key: "retail"},
		{label: "telecom (main)", domain: "telecom", document: mainDocument, key: "telecom_main"},
		{label: "telecom (manual)", domain: "telecom", document: manualDocument, key: "telecom_manual"},
		{label: "telecom (both)", domain: "telecom", key: "telecom_both"}}
	for i, p := range rows {
		all, err := requirementsOf(p.domain, p.document)
		if err != nil {
			return err
		}
		rows[i].count, rows[i].total = map[guide.Class]int{}, len(all)
		for _, r := range all {
			rows[i].count[r.Class]++
		}
	}
	percent := func(part, whole int) Cell { return Number(100*float64(part)/float64(whole), 1) }
	fill(t, []column[policy]{
		{"policy", "Policy", words, "", func(p policy) Cell { return Label(p.label) }},
		{"a", "A", 0, "table6.$policy.argument", func(p policy) Cell { return Whole(p.count[guide.ArgumentLevel]) }},
		{"p", "P", 0, "table6.$policy.process", func(p policy) Cell { return Whole(p.count[guide.ProcessLevel]) }},
		{"w", "W", 0, "table6.$policy.workflow", func(p policy) Cell { return Whole(p.count[guide.WorkflowLevel]) }},
		{"total", "Total", 0, "table6.$policy.total", func(p policy) Cell { return Whole(p.total) }},
		{"p_w_percent", "% P+W", 1, "table6.$policy.procedural", func(p policy) Cell {
			return percent(p.count[guide.ProcessLevel]+p.count[guide.WorkflowLevel], p.total)
		}},
		{"w_percent", "% W", 1, "table6.$policy.ordered", func(p policy) Cell { return percent(p.count[guide.WorkflowLevel], p.total) }},
	}, rows, func(p policy, path string) *float64 { return in.paperFigure(path, "$policy", p.key) })
	t.Notes = append(t.Notes, "A: the call's arguments suffice; P: needs what was said or read before, in any order; W: needs an order of events",
		"counted from the catalogs of guide/catalog, which list the requirements in our words")
	return nil
}

// catalog makes Tables 7 to 9, and the like for airline.
func catalog(domain, document string) func(Input, *Table) error {
	return func(_ Input, t *Table) error {
		rows, err := requirementsOf(domain, document)
		if err != nil {
			return err
		}
		fill(t, []column[guide.Row]{
			{"id", "ID", words, "", func(r guide.Row) Cell { return Label(r.ID) }},
			{"section", "Section", words, "", func(r guide.Row) Cell { return Label(r.Section) }},
			{"lines", "Lines (τ²)", words, "", func(r guide.Row) Cell { return Label(spans(r.Lines["tau2"])) }},
			{"requirement", "Requirement", words, "", func(r guide.Row) Cell { return Label(r.Text) }},
			{"class", "Class", words, "", func(r guide.Row) Cell { return Label(string(r.Class)) }},
			{"subtype", "Reads", words, "", func(r guide.Row) Cell { return Label(r.Subtype) }},
		}, rows, nil)
		t.Notes = append(t.Notes, "A: the call's arguments suffice; P: needs what was said (D) or read (T) before, in any order; W: needs an order of events")
		return nil
	}
}

func spans(list []guide.Span) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.String()
	}
	return strings.Join(out, ", ")
}
