package report

import (
	"fmt"
	"slices"
	"strings"
)

// layout says how a table is set for people: the values of one label head groups of columns, and what the figures are of, such
// as Pass^1 and Pass^4, stands below each other. Programs get the long form, a row for each system and domain.
type layout struct {
	across []string // key of that label: the first that the table has
	by     []string // keys of labels each of whose values has rows of its own
	also   []string // keys of labels that are put beside these
	narrow []string // as in Spec, of keys like airline_PV
}

// byDomain sets domains side by side; also are labels to be put beside those of the systems.
func byDomain(also ...string) *layout {
	return &layout{across: []string{"domain"}, by: []string{"run", "system"}, also: append([]string{"verifier"}, also...),
		narrow: []string{"mean_PV mean_Mut", "*_PV *_Mut", "verifier"}}
}

// byKindOfSystem sets systems side by side, those of a model in a row.
func byKindOfSystem() *layout {
	return &layout{across: []string{"kind", "system"}, by: []string{"run", "model"}, also: []string{"verifier"}, narrow: []string{"*_PV *_Mut", "verifier"}}
}

// label reports whether a column says which system a row is about.
func (l *layout) label(key string) bool {
	return l != nil && slices.Contains(slices.Concat(l.across, l.by, l.also), key)
}

// within names the rows among which the best are told: those of a run on a domain, and of a model where the table is of several.
func (t *Table) within(row int) (out string) {
	for i, c := range t.Columns {
		if c.Key == "run" || c.Key == "domain" || c.Key == "model" {
			out += t.Rows[row][i].Text + "\x00"
		}
	}
	return out
}

// counts are the keys of columns that say how many tasks and trials a row is of: headings and notes say so where a table is set.
var counts = map[string]string{"tasks": "all", "tasks_PV": "PV", "tasks_Mut": "Mut", "evaluable": "", "planned": ""}

// sheet is a table that is being set.
type sheet struct {
	Table
	*layout
	column  map[string]int
	figures []int             // columns
	heads   []string          // values of the label across that have a figure
	rows    []string          // identities of the rows of one figure
	cells   map[[2]string]int // row of the table, by identity and head
}

// set is the table as people read it.
func (t Table) set() Table {
	if t.layout == nil {
		return t
	}
	s := newSheet(t)
	out := t
	out.layout, out.narrow, out.Columns, out.Rows, out.Notes = nil, s.layout.narrow, nil, nil, slices.Clone(t.Notes)
	out.contest = "the systems on the same tasks"
	groups, kinds := s.parts()
	if len(groups) > 1 {
		out.Columns = append(out.Columns, Column{Key: "figure"})
	}
	labels := slices.DeleteFunc(slices.Concat(s.by, s.also), func(key string) bool { _, ok := s.column[key]; return !ok })
	for _, key := range labels {
		out.Columns = append(out.Columns, t.Columns[s.column[key]])
	}
	for _, head := range s.heads {
		for _, kind := range kinds {
			out.Columns = append(out.Columns, s.heading(head, kind))
		}
	}
	for _, group := range groups {
		for i, row := range s.rows {
			var cells []Cell
			if len(groups) > 1 {
				cells = append(cells, Label(map[bool]string{true: group}[i == 0]))
			}
			for _, key := range labels {
				cells = append(cells, s.label(row, key))
			}
			for _, head := range s.heads {
				for _, kind := range kinds {
					cells = append(cells, s.figure(row, head, group, kind))
				}
			}
			out.Rows = append(out.Rows, cells)
		}
	}
	if note := s.coverage(); note != "" {
		out.Notes = append(out.Notes, note)
	}
	return out
}

func newSheet(t Table) *sheet {
	s := &sheet{Table: t, layout: t.layout, column: map[string]int{}, cells: map[[2]string]int{}}
	for i, c := range t.Columns {
		s.column[c.Key] = i
		if _, count := counts[c.Key]; c.Numeric && !count {
			s.figures = append(s.figures, i)
		}
	}
	found := map[string]bool{}
	for n, r := range t.Rows {
		head, row := s.head(n), ""
		for _, key := range s.by {
			if at, ok := s.column[key]; ok {
				row += r[at].Text + "\x00"
			}
		}
		for _, taken := s.cells[[2]string{row, head}]; taken; _, taken = s.cells[[2]string{row, head}] {
			row += "\x00" // two systems of a kind and a model
		}
		s.cells[[2]string{row, head}] = n
		if !slices.Contains(s.rows, row) {
			s.rows = append(s.rows, row)
		}
		if !slices.Contains(s.heads, head) {
			s.heads = append(s.heads, head)
		}
		found[head] = found[head] || slices.ContainsFunc(s.figures, func(i int) bool { return r[i].Value != nil })
	}
	if len(found) > 0 && slices.ContainsFunc(s.heads, func(h string) bool { return found[h] }) {
		s.heads = slices.DeleteFunc(s.heads, func(h string) bool { return !found[h] }) // notes say what no run has
	}
	return s
}

// head is the value of the label across in a row of the table.
func (s *sheet) head(row int) string {
	for _, key := range s.across {
		if at, ok := s.column[key]; ok {
			return s.Rows[row][at].Text
		}
	}
	return ""
}

// parts are what the figures are of, and the kinds of figures of each.
func (s *sheet) parts() (groups, kinds []string) {
	for _, i := range s.figures {
		group, kind := s.Columns[i].split()
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return groups, kinds
}

// heading is the column of a kind of figures, with the number of tasks where all rows have it in common.
func (s *sheet) heading(head, kind string) Column {
	var out Column
	for _, i := range s.figures {
		if _, k := s.Columns[i].split(); k == kind {
			out = s.Columns[i]
		}
	}
	_, rest, split := strings.Cut(out.Key, "_")
	if !split {
		rest = kind
	}
	out.Key = head + "_" + rest
	out.Title = head + "|" + kind
	for key, slice := range counts {
		at, ok := s.column[key]
		if !ok || slice != kind {
			continue
		}
		tasks := map[any]bool{}
		for n, r := range s.Rows {
			if s.head(n) == head && r[at].Value != nil {
				tasks[r[at].Value] = true
			}
		}
		for n := range tasks {
			if len(tasks) == 1 {
				out.Title += fmt.Sprintf(" (%v)", n)
			}
		}
	}
	return out
}

// label is what the table says of a row: of several domains or systems, each once.
func (s *sheet) label(row, key string) Cell {
	var said []string
	out := Dash("")
	for _, head := range s.heads {
		n, ok := s.cells[[2]string{row, head}]
		if !ok {
			continue
		}
		if c := s.Rows[n][s.column[key]]; c.Value == nil {
			out = c
		} else if !slices.Contains(said, c.Text) {
			said = append(said, c.Text)
		}
	}
	if len(said) > 0 {
		return Label(strings.Join(said, ", "))
	}
	return out
}

// figure is a cell of the table; where that has no such row, the figure does not apply.
func (s *sheet) figure(row, head, group, kind string) Cell {
	n, ok := s.cells[[2]string{row, head}]
	for _, i := range s.figures {
		if g, k := s.Columns[i].split(); ok && g == group && k == kind {
			return s.Rows[n][i]
		}
	}
	return notApplicable()
}

// notApplicable is a cell of what there cannot be.
func notApplicable() Cell { return Cell{Text: "–"} }

// coverage says of which rows some trials have no result.
func (s *sheet) coverage() string {
	var out []string
	for n, r := range s.Rows {
		eval, ok := s.column["evaluable"]
		if !ok || r[eval].Value == r[s.column["planned"]].Value {
			continue
		}
		var of []string
		for _, key := range s.by {
			if at, ok := s.column[key]; ok {
				of = append(of, r[at].Text)
			}
		}
		out = append(out, fmt.Sprintf("%s on %s %s of %s", strings.Join(of, " "), s.head(n), r[eval].Text, r[s.column["planned"]].Text))
	}
	if len(out) == 0 {
		return ""
	}
	return "trials with a result: " + strings.Join(out, ", ")
}
