package report

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
)

// Bar is the error bar of a cell's figure, in its unit: standard error and interval, or why there is none.
type Bar struct {
	metrics.Interval
	whole  string // low and high in brackets
	folded string // the distance to the farther of them
}

// barred adds the error bar of an estimate, each unit of which is so many of the cell's; limits have one decimal less.
func (c Cell) barred(e metrics.Estimate, scale float64, digits int) Cell {
	i := e.Interval
	i.Lo, i.Hi, i.SE = scale*i.Lo, scale*i.Hi, scale*i.SE
	c.Bar = &Bar{Interval: i}
	switch digits = max(0, digits-1); {
	case i.Defined:
		limit := func(v float64) string {
			text := strconv.FormatFloat(v, 'f', digits, 64)
			if digits > 0 {
				text = strings.TrimPrefix(text, "0")
			}
			return text
		}
		c.Bar.whole = "[" + limit(i.Lo) + "–" + limit(i.Hi) + "]"
		c.Bar.folded = "±" + limit(max(i.Hi-scale*e.Value, scale*e.Value-i.Lo))
	case e.Defined:
		c.Bar.whole, c.Bar.folded = "[-]", "±-"
	}
	return c
}

// WithBar is the text with the interval behind it.
func (c Cell) WithBar() string { return strings.TrimSpace(c.Text + " " + c.interval(wholeBars)) }

// bars says how much of the intervals is shown.
type bars uint8

const (
	wholeBars bars = iota
	foldedBars
	noBars
)

func (c Cell) interval(b bars) string {
	switch {
	case c.Bar == nil || b == noBars:
		return ""
	case b == foldedBars:
		return c.Bar.folded
	}
	return c.Bar.whole
}

// matches reports whether a key is one of those that patterns stand for.
func matches(patterns []string, key string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, key); return ok })
}

// methods says below a table how its intervals were computed.
func (t Table) methods() (notes []string) {
	by := map[metrics.Method]bool{}
	for _, r := range t.Rows {
		for _, c := range r {
			if c.Bar != nil && c.Bar.Defined {
				by[c.Bar.Method] = true
			}
		}
	}
	for _, m := range []metrics.Method{metrics.Adjusted, metrics.LogNormal, metrics.Resampled} {
		if by[m] {
			notes = append(notes, fmt.Sprintf("%d %% intervals: %s", metrics.Level, m))
		}
	}
	return notes
}

// rates are patterns of the keys of columns of shares of trials, which missing trials could move, and so have bounds.
func rates() []string { return []string{"pass^*", "pass@*", "asr", "policy", "selection"} }

// further are what follows the key of a column in those that programs get beside it: of its standard errors, limits and
// methods, and of its bounds.
func (c Column) further() (keys []string) {
	if c.bars {
		keys = []string{"_se", "_lo", "_hi", "_method"}
	}
	if c.bounds {
		keys = append(keys, "_min", "_max")
	}
	return keys
}

// furtherValues are those of further, nil where there is none, and why there is none of an interval: the key with the first that
// is lacking.
func (c Column) furtherValues(x Cell) (values []any, lacking, why string) {
	if c.bars {
		var bar [4]any
		bar, lacking, why = x.barValues()
		values = bar[:]
	}
	if c.bounds {
		bounds := make([]any, 2)
		for i, v := range x.Bounds {
			bounds[i] = v
		}
		values = append(values, bounds...)
	}
	return values, lacking, why
}

// barValues are the standard error, the limits and the method, as furtherValues has them.
func (c Cell) barValues() (values [4]any, lacking, why string) {
	switch {
	case c.Bar == nil || c.Value == nil:
		return values, "", ""
	case !c.Bar.Defined:
		return values, "_lo", c.Bar.Reason
	case c.Bar.SE == 0:
		lacking, why = "_se", "all tasks agree: their spread says nothing of others"
	default:
		values[0] = c.Bar.SE
	}
	values[1], values[2], values[3] = c.Bar.Lo, c.Bar.Hi, string(c.Bar.Method)
	return values, lacking, why
}
