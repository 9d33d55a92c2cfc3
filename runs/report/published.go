package report

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// place is where the paper's figures of a column are.
type place struct {
	path   string // in configs.Published, with $domain and the like; "" for none
	digits int
}

// names are what a variable of a path can stand for, in the paper's order, and the head of the column that says which it is.
type names struct {
	variable, key, title string
	values               []string
	shown                func(string) string
}

// pathNames are the variables of all paths.
func pathNames() []names {
	var kinds []string
	for _, k := range []Kind{ReAct, ToolGuard, PolicyGuard, FlowAgent, PolicyGuideSelf, PolicyGuideRaw, PolicyGuide} {
		kinds = append(kinds, string(k))
	}
	same := func(s string) string { return s }
	system := func(s string) string { return Kind(s).String() }
	return []names{{"$domain", "domain", "Domain", paperDomains(), same}, {"$family", "model", "Model", families[:], same},
		{"$kind", "system", "System", kinds, system}, {"$opponent", "opponent", "PolicyGuide against", kinds, system}}
}

// found is a figure of the paper.
type found struct {
	names  []int // in the order of pathNames; -1 where the path has no such variable
	column int
	value  float64
}

// verifier is that of the system that the figure is of.
func (f found) verifier() string {
	names, family := pathNames(), ""
	if at := f.names[1]; at >= 0 {
		family = names[1].values[at]
	}
	return Kind(names[2].values[f.names[2]]).verifier(family)
}

// domain is that of the figure; a table without domains is of airline.
func (f found) domain() string { return paperDomains()[max(0, f.names[0])] }

// published is the table with nothing but the paper's figures, a row for whatever the paper has them of.
func (t Table) published(paper map[string]float64) (Table, error) {
	var all []found
	out := Table{Number: t.Number, Name: t.Name, Title: t.Title, layout: t.layout, places: t.places, Notes: []string{"the figures are those published in the paper (arXiv preprint 2026), of no run"}}
	has := map[int]bool{}
	for column, p := range t.places {
		if p.path == "" {
			continue
		}
		pattern := regexp.QuoteMeta(p.path)
		for i, n := range pathNames() {
			var choices []string
			for _, v := range n.values {
				choices = append(choices, regexp.QuoteMeta(v))
			}
			pattern = strings.Replace(pattern, regexp.QuoteMeta(n.variable), fmt.Sprintf("(?P<n%d>%s)", i, strings.Join(choices, "|")), 1)
		}
		form := regexp.MustCompile("^" + pattern + "$")
		for path, value := range paper {
			m := form.FindStringSubmatch(path)
			if m == nil {
				continue
			}
			f := found{column: column, value: value}
			for i, n := range pathNames() {
				at := -1
				if group := form.SubexpIndex(fmt.Sprintf("n%d", i)); group > 0 {
					at = slices.Index(n.values, m[group])
				}
				f.names = append(f.names, at)
			}
			all, has[column] = append(all, f), true
		}
	}
	if len(all) == 0 {
		return Table{}, domains.Usage(errors.New("the paper has no such figures\nhint: name a run to compute it of"))
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(slices.Compare(a.names, b.names), cmp.Compare(a.column, b.column))
	})
	for i, n := range pathNames() {
		if all[0].names[i] >= 0 {
			out.Columns = append(out.Columns, Column{Key: n.key, Title: n.title})
		}
	}
	if t.layout != nil {
		out.Columns = append(out.Columns, Column{Key: "verifier", Title: "Verifier"}, Column{Key: "tasks", Title: "#", Numeric: true},
			Column{Key: "tasks_PV", Title: "#|PV|PV tasks", Numeric: true}, Column{Key: "tasks_Mut", Title: "#|Mut|Mut tasks", Numeric: true})
	}
	labels := len(out.Columns)
	at := map[int]int{} // of our columns, in the new table
	for column, c := range t.Columns {
		if has[column] {
			at[column] = len(out.Columns)
			out.Columns = append(out.Columns, c)
		}
	}
	var last []int
	for _, f := range all {
		if !slices.Equal(f.names, last) {
			var cells []Cell
			for i, n := range pathNames() {
				if f.names[i] >= 0 {
					cells = append(cells, Label(n.shown(n.values[f.names[i]])))
				}
			}
			if t.layout != nil {
				cells = append(cells, verifiedBy().value(row{system: System{Verifier: f.verifier()}}))
				for _, slice := range []string{"all", "pv", "mut"} {
					cells = append(cells, Whole(int(paper[fmt.Sprintf("splits.%s.%s.%s", f.domain(), t.splitOf(f.domain()), slice)])))
				}
			}
			for range out.Columns[labels:] {
				cells = append(cells, Dash("the paper has no such figure"))
			}
			out.Rows, last = append(out.Rows, cells), f.names
		}
		out.Rows[len(out.Rows)-1][at[f.column]] = Number(f.value, t.places[f.column].digits)
	}
	if t.layout != nil {
		out.markBest(out.within, func(int) bool { return true })
	}
	return out, nil
}

// PublishedTables are the paper's tables and figures with nothing but its own figures, and those that need no run with its
// figures beside ours.
func PublishedTables() ([]Table, error) {
	var out []Table
	for _, s := range Tables() {
		if s.Number == 0 && s.Name != "asr" { // which has those of the paper's Figure 6
			continue
		}
		t, err := s.Build(Input{Options: Options{Published: true}})
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(t.places, func(p place) bool { return p.path != "" }) {
			out = append(out, t)
		}
	}
	return out, nil
}
