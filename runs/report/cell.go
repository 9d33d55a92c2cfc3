package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/terminal"
)

// Cell is one entry: what people read, and the value behind it for programs; null where there is none.
type Cell struct {
	Text  string
	Value any
	Why   string // why there is no value

	Paper  *float64 // what the paper has in this place; nil if nothing
	Digits int      // decimals of Text, and so of the paper's value and the difference
	Signed bool     // Text has a plus sign

	Style terminal.Style // how it looks in colour
	Best  bool           // of its column
	Bar   *Bar           // of its figure; nil if that has none

	Bounds []float64 // the least and the most that its figure can be, whatever became of missing trials; nil if not known
}

// Label is a cell of plain text.
func Label(s string) Cell { return Cell{Text: s, Value: s} }

// Whole is a cell of a whole number.
func Whole(n int) Cell { return Cell{Text: strconv.Itoa(n), Value: n} }

// Number is a cell of a number with so many decimals. A number that is not finite becomes a dash.
func Number(v float64, digits int) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Dash("the figure is not finite")
	}
	return Cell{Text: strconv.FormatFloat(v, 'f', digits, 64), Value: v, Digits: digits}
}

// Signed is Number with its sign always there, for a difference.
func Signed(v float64, digits int) Cell {
	c := Number(v, digits)
	if c.Value == nil {
		return c
	}
	c.Signed = true
	switch {
	case strings.Trim(c.Text, "-0.") == "": // zero has no sign
		c.Text = strings.TrimPrefix(c.Text, "-")
	case v > 0:
		c.Text = "+" + c.Text
	}
	return c
}

// Dash is a cell without a value, and why it has none.
func Dash(why string) Cell { return Cell{Text: "-", Why: why} }

// estimate is a cell of an estimate with so many decimals, or a dash with the reason, and its error bar if it has one.
func estimate(e metrics.Estimate, digits int) Cell { return scaled(e, 1, digits) }

// scaled is an estimate in a unit of which its own has so many.
func scaled(e metrics.Estimate, scale float64, digits int) Cell {
	c := Dash(e.Reason)
	if e.Defined {
		c = Number(scale*e.Value, digits)
	}
	if e.Interval == (metrics.Interval{}) {
		return c
	}
	return c.barred(e, scale, digits)
}

// share is a figure between 0 and 1, such as Pass^k.
func share(e metrics.Estimate) Cell { return estimate(e, 3) }

// rate is a share of one domain's trials, with its bounds.
func rate(all []metrics.Outcome, figure func([]metrics.Outcome) metrics.Estimate) Cell {
	return share(figure(all)).within([][]metrics.Outcome{all}, func(one [][]metrics.Outcome) metrics.Estimate { return figure(one[0]) })
}

// within sets the bounds of a figure of these outcomes by domain.
func (c Cell) within(domains [][]metrics.Outcome, figure func([][]metrics.Outcome) metrics.Estimate) Cell {
	bound := func(missing metrics.State) metrics.Estimate {
		counted := make([][]metrics.Outcome, len(domains))
		for i, all := range domains {
			counted[i] = metrics.Counted(all, missing)
		}
		return figure(counted)
	}
	if !slices.ContainsFunc(domains, func(all []metrics.Outcome) bool { return metrics.Cover(all).Evaluable < len(all) }) {
		if v, ok := c.number(); ok {
			c.Bounds = []float64{v, v}
		}
		return c
	}
	if worst, best := bound(metrics.Failure), bound(metrics.Success); worst.Defined {
		c.Bounds = []float64{worst.Value, best.Value}
	}
	return c
}

// percent is a share in percent.
func percent(e metrics.Estimate) Cell { return scaled(e, 100, 1) }

// difference is a cell of a difference of shares.
func difference(e metrics.Estimate) Cell {
	if !e.Defined {
		return Dash(e.Reason)
	}
	return Signed(e.Value, 3)
}

// probability is a cell of a p value.
func probability(p float64) Cell {
	c := Number(p, 4)
	if c.Value != nil && p < 1e-4 {
		c.Text = fmt.Sprintf("%.1e", p)
	}
	return c
}

// beside sets what the paper has in the cell's place.
func (c Cell) beside(paper *float64, digits int) Cell {
	c.Paper = paper
	if c.Value == nil {
		c.Digits = digits
	}
	return c
}

// number is the cell's value where it has one.
func (c Cell) number() (float64, bool) {
	switch v := c.Value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// column is a column of a table whose rows are made of R.
type column[R any] struct {
	key, title string // a | in the title: see Column
	digits     int    // decimals of the paper's figure; words for a column of words
	paper      string // path of the paper's figure in configs.Published, with $domain and the like for the row's; "" for none
	value      func(R) Cell
}

// words marks a column that has no numbers.
const words = -1

// lift makes columns of a part of R columns of R.
func lift[R, Part any](cols []column[Part], part func(R) Part) []column[R] {
	out := make([]column[R], len(cols))
	for i, c := range cols {
		out[i] = column[R]{c.key, c.title, c.digits, c.paper, func(r R) Cell { return c.value(part(r)) }}
	}
	return out
}

// fill adds columns and rows to a table. paper looks up what the paper has for a row.
func fill[R any](t *Table, cols []column[R], rows []R, paper func(r R, path string) *float64) {
	for _, c := range cols {
		bars := matches(t.bars, c.key)
		t.Columns = append(t.Columns, Column{c.key, c.title, c.digits != words, bars, bars && matches(rates(), c.key)})
		t.places = append(t.places, place{c.paper, c.digits})
	}
	for _, r := range rows {
		cells := make([]Cell, len(cols))
		for i, c := range cols {
			cells[i] = c.value(r)
			if c.paper != "" {
				cells[i] = cells[i].beside(paper(r, c.paper), c.digits)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
}
