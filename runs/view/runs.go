package view

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
)

// baseName is what a folder is called where it is, also where it was given as ".".
func baseName(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.Base(dir)
}

// add gives a run its name in addresses, which it keeps.
func (s *Site) add(dir string) *givenRun {
	name := baseName(dir)
	for n := 2; ; n++ {
		slug := newSlugs([]string{name}).slug[name]
		if !slices.ContainsFunc(s.runs, func(r *givenRun) bool { return strings.EqualFold(r.slug, slug) }) {
			s.runs = append(s.runs, &givenRun{dir: dir, slug: slug, env: s.env})
			return s.runs[len(s.runs)-1]
		}
		name = fmt.Sprintf("%s-%d", baseName(dir), n)
	}
}

// list returns the runs as they are there now: those that were given, and those in the folders that were given.
func (s *Site) list() []*givenRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[string]bool{}
	for _, r := range s.runs {
		known[filepath.Clean(r.dir)] = true
	}
	for _, folder := range s.folders {
		inside, _ := store.Folders(folder) // none of one that is gone meanwhile
		for _, dir := range inside {
			if !known[dir] {
				s.add(dir)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(s.runs), func(r *givenRun) bool {
		return slices.Contains(s.folders, filepath.Dir(r.dir)) && !store.IsRun(r.dir)
	})
}

// opened are the runs that have been read: all that were given, and of those in folders, which may be a thousand, the ones that
// somebody has looked at.
func (s *Site) opened() []*givenRun {
	return slices.DeleteFunc(s.list(), func(r *givenRun) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.data == nil
	})
}

// strangers are the folders beside the runs that are none.
func (s *Site) strangers() (out []string) {
	for _, folder := range s.folders {
		inside, _ := os.ReadDir(folder)
		for _, d := range inside {
			if dir := filepath.Join(folder, d.Name()); d.IsDir() && !store.IsRun(dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// kept is what was read of a run in a state; nil if that is not what is kept.
func (g *givenRun) kept(state string) *runData {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state != state {
		return nil
	}
	return g.data
}

// lines says what there is to say of runs. Only those that have changed are read, and of these the heads.
func (s *Site) lines(runs []*givenRun) []report.RunLine {
	s.heads.Lock()
	defer s.heads.Unlock()
	var stale []string
	states := map[string]string{}
	for _, r := range runs {
		state, _, err := store.State(r.dir)
		switch {
		case r.frozen:
		case err != nil:
			r.line, r.lined = report.RunLine{Dir: r.dir, Name: filepath.Base(r.dir), State: report.RunUnreadable, Error: err.Error()}, ""
		case state == r.lined:
		case r.kept(state) != nil: // what is open needs no second look at the disk
			d := r.kept(state)
			r.line, r.lined = report.LineOf(d.run.Outline(d.live)), state
		default:
			stale, states[r.dir] = append(stale, r.dir), state
		}
	}
	read := map[string]report.RunLine{}
	for _, l := range report.ListRuns(stale) {
		read[l.Dir] = l
	}
	out := make([]report.RunLine, len(runs))
	for i, r := range runs {
		if l, ok := read[r.dir]; ok {
			r.line, r.lined = l, states[r.dir]
		}
		out[i] = r.line
	}
	return out
}

// listed is a run on the start page.
type listed struct {
	report.RunLine
	Link anchor
	Cost report.Cell
}

// start is the page that lists the runs.
func (v *request) start() (page, error) {
	runs := v.site.list()
	lines := v.site.lines(runs)
	slug := map[string]string{}
	v.list = len(v.site.folders) > 0
	for i, l := range lines {
		slug[l.Dir] = runs[i].slug
		v.list = v.list || l.State == report.RunWriting
	}
	sorted := cmp.Or(v.query.Get("sort"), "-created")
	column, descending := strings.CutPrefix(sorted, "-")
	report.SortRuns(lines, column, descending)
	out := make([]listed, len(lines))
	for i, l := range lines {
		out[i] = listed{l, anchor{To: v.to("/"+slug[l.Dir]+"/", nil), Text: slug[l.Dir]}, l.Dollars()}
		if v.still && l.Error != "" {
			out[i].Link.To = "" // a copy has no page of it
		}
	}
	heads := v.headings("/", nil, sorted, []sortKey{{"dir", "Run", false}, {"state", "State", false}, {"done", "Trials", true}, {"pass", "Pass^1", false},
		{"cost", "Cost ($)", true}, {"created", "Began", false}, {"config", "Config", false}, {"note", "Note", false}})
	return v.render("start.html", "Runs", nil, map[string]any{"Runs": out, "Heads": heads, "Folders": v.site.folders, "Strangers": v.site.strangers(), "Copied": v.site.copied})
}

// sortKey is a column that a list can be sorted by.
type sortKey struct {
	key, title string
	numeric    bool
}

// heading heads such a column.
type heading struct {
	anchor
	Order   string // aria-sort
	Numeric bool
}

// headings link a list's page in the order of each of its columns: in the other direction for the one that it is sorted by,
// from the largest down for other numbers. sorted is the column's key, behind a dash where the list descends by it. A copy has
// one order alone.
func (v *request) headings(path string, q url.Values, sorted string, columns []sortKey) []heading {
	out := make([]heading, len(columns))
	for i, c := range columns {
		out[i] = heading{anchor: anchor{Text: c.title}, Numeric: c.numeric}
		next := c.key
		switch {
		case sorted == c.key:
			out[i].Order, next = "ascending", "-"+c.key
		case sorted == "-"+c.key:
			out[i].Order = "descending"
		case c.numeric:
			next = "-" + c.key
		}
		if !v.still {
			to := url.Values{"sort": {next}}
			for name, values := range q {
				to[name] = values
			}
			out[i].To = v.to(path, to)
		}
	}
	return out
}
