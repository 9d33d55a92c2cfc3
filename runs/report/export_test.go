package report

import (
	"bytes"
	"encoding/csv"
)

// PublishedForTest makes a table of one column from pairs of our figure and the paper's, and returns its published form
// as CSV, without the columns that every CSV has.
func PublishedForTest(pairs [][]*float64) [][]string {
	t := Table{Columns: []Column{{Key: "pass", Title: "Pass", Numeric: true}}}
	for _, p := range pairs {
		c := Dash("none")
		if p[0] != nil {
			c = Number(*p[0], 3)
		}
		t.Rows = append(t.Rows, []Cell{c.beside(p[1], 3)})
	}
	var b bytes.Buffer
	if err := t.withPaper().Write(&b, CSV); err != nil {
		panic(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		panic(err)
	}
	for i := range rows {
		rows[i] = rows[i][:len(rows[i])-2]
	}
	return rows
}

// SystemOf describes a system of a config.
var SystemOf = systemOf
