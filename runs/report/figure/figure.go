// Package figure draws curves over k with their intervals, a panel for each domain or the like and a line for each system, and
// workflows, as SVG, PDF or PNG. It knows no runs: report fills in what is drawn. The same figure always gives the same bytes.
package figure

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Point is a figure at k, or at a time, with the limits of its interval.
type Point struct {
	K             float64
	Value, Lo, Hi float64
}

// Series is a system's curve; it has the points that are defined, in the order of k.
type Series struct {
	Name   string
	Run    string // told where there are several; "" where not
	Look   int    // the system's place among all systems of the runs, which decides how it looks in all their figures
	Paper  bool   // the points are those that the paper has of such a system; they have no interval
	Points []Point
}

// Panel is one plot of a figure.
type Panel struct {
	Title  string
	Series []Series
	Note   string // why there is nothing, where there is nothing
}

// Figure is a grid of panels with common axes.
type Figure struct {
	Number   int // in the paper
	Name     string
	Title    string
	X        string // what the horizontal axis shows where that is not k; values grow along it in steps then
	Y        string // what the vertical axis shows
	Scripted string // what of the results is, such as synthetic; "" for nothing
	Panels   []Panel
	Caption  []string // how to read it: below the picture, and in the file's metadata
	Notes    []string // what else is to be known, such as why points of the paper are missing: in the metadata alone
	Runs     []string // which runs it is of: likewise
}

// Format is a kind of picture.
type Format string

// The formats; each is also the ending of its files.
const (
	SVG Format = "svg"
	PDF Format = "pdf"
	PNG Format = "png"
)

// Formats are all formats.
func Formats() []Format { return []Format{SVG, PDF, PNG} }

// Options are how a figure is to be printed; the zero value has all of it, each panel as wide as is comfortable.
type Options struct {
	NoCaption bool      // without the title and what is below the legend; what says that results are scripted stays
	Width     vg.Length // of the picture; panels that do not fit side by side go below each other, and a workflow gets smaller
}

// The widths that a picture may be asked to have.
const (
	leastWidth = 2 * vg.Inch
	mostWidth  = 40 * vg.Inch
)

// ParseWidth reads a width, such as 84mm, 8.4cm, 3.3in or 240pt.
func ParseWidth(text string) (vg.Length, error) {
	w, err := vg.ParseLength(text)
	if err != nil || strings.Trim(text, "0123456789.") == "" || !(w >= leastWidth && w <= mostWidth) {
		return 0, fmt.Errorf("width %q is no length between 2in and 40in\nhint: give a number with its unit (mm, cm, in or pt), as in 84mm", text)
	}
	return w, nil
}

// Write draws the figure.
func (f Figure) Write(w io.Writer, format Format, o Options) error {
	l := f.layout(o)
	return page{l.width, l.height, f.title(), strings.Join(f.About(), "\n"), l.draw}.write(w, format)
}

// title is the heading, which says what of the results is scripted.
func (f Figure) title() string {
	out := f.Title
	if f.Number > 0 {
		out = fmt.Sprintf("Figure %d: %s", f.Number, f.Title)
	}
	if f.Scripted != "" {
		out += " (" + f.Scripted + ")"
	}
	return out
}

// About is what the metadata says beside the title: how to read it, and which runs it is of.
func (f Figure) About() []string { return slices.Concat(f.Caption, f.Notes, f.Runs) }

// HasIntervals reports whether a point has an interval.
func (f Figure) HasIntervals() bool {
	return slices.ContainsFunc(f.Panels, func(p Panel) bool {
		return slices.ContainsFunc(p.Series, func(s Series) bool {
			return slices.ContainsFunc(s.Points, func(at Point) bool { return at.Lo < at.Hi })
		})
	})
}

// Of keeps the curves of some systems.
func (f Figure) Of(systems []string) Figure {
	f.Panels = slices.Clone(f.Panels)
	for i, p := range f.Panels {
		kept := slices.DeleteFunc(slices.Clone(p.Series), func(s Series) bool { return !slices.Contains(systems, s.Name) })
		if len(kept) == 0 && len(p.Series) > 0 {
			f.Panels[i].Note = "without these systems"
		}
		f.Panels[i].Series = kept
	}
	return f
}

// label is the name of the system, with its run where there are several.
func (s Series) label() string {
	if s.Run != "" {
		return s.Name + " (" + s.Run + ")"
	}
	return s.Name
}

// Lines are what the figure shows in words: the values of each series, or of what grows the last ones.
func (f Figure) Lines() (out []string) {
	for _, p := range f.Panels {
		if len(p.Series) == 0 {
			out = append(out, strings.TrimPrefix(p.Title+": "+p.Note, ": "))
		}
		for _, s := range p.Series {
			points := s.Points
			if f.X != "" {
				points = points[len(points)-1:]
			}
			var values []string
			for _, at := range points {
				if f.X != "" {
					values = append(values, fmt.Sprintf("%.3g at %.3g %s", at.Value, at.K, f.X))
				} else {
					values = append(values, fmt.Sprintf("%.2f (%.2f to %.2f)", at.Value, at.Lo, at.Hi))
				}
			}
			out = append(out, strings.TrimSpace(p.Title+" "+s.label())+": "+strings.Join(values, ", "))
		}
	}
	return out
}
