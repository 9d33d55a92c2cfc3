package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim/attack"
)

// Input is what tables are made of.
type Input struct {
	Sources []Source
	Options

	paper *configs.Published // where the paper's figures are wanted
}

// Options choose among the ways to compute a table.
type Options struct {
	Published bool   // put the paper's figures beside ours
	Holm      bool   // correct p values for the number of comparisons of a table
	Reference string // name of the system that others are compared with; "" is the paper's choice, PolicyGuide
	Seed      uint64 // of the bootstrap
	Resamples int    // of the bootstrap; 0 is the paper's 10,000
}

// row is a row of a table with one system on one domain: what a run has, or a place that no run fills.
type row struct {
	domain string
	kind   Kind
	family string  // wanted by the table; "" if any
	source *Source // nil if no run has it
	system System
	own    []metrics.Outcome // of the system on the domain
}

// paper reports whether the paper's figures belong beside the row, and if not, why.
func (r row) paper(split string) (bool, string) {
	switch {
	case r.source == nil:
		return true, ""
	case !r.system.stands(r.kind), r.source.DataFolder == attack.Embedded:
		return false, ""
	case r.family == "" && r.system.Family != "" && r.system.Family != families[0]:
		return false, fmt.Sprintf("the paper's row of %s is of %s, not of %s", r.kind, families[0], r.system.Family)
	case split != "" && r.source.split(r.domain) != split:
		return false, fmt.Sprintf("the paper has %s on the %s split, run %s on %s", r.domain, split, r.source.Name, r.source.split(r.domain))
	}
	return true, ""
}

// place is what a row is of, in words; with several runs, of which one.
func (r row) place(several bool) string {
	out := r.system.Name + " on " + r.domain
	if several && r.source != nil {
		out += " of run " + r.source.Name
	}
	return out
}

// frame says which rows a table has.
type frame struct {
	config   string            // of configs/paper: fills the places that no run fills
	domains  []string          // of the paper, in its order
	splits   map[string]string // that the paper took tasks from
	kinds    []Kind
	families []string               // a row for each, in place of one for all
	scope    map[Kind]string        // kinds that the paper has on one domain only
	only     func(system Kind) bool // which others are shown; nil shows all
	closed   bool                   // other domains are not shown
}

// base are the splits of the main tables; test those of the variants.
func base() map[string]string {
	return map[string]string{"airline": "base", "retail": "base", "telecom": "base"}
}

func test() map[string]string {
	return map[string]string{"airline": "base", "retail": "test", "telecom": "test"}
}

// paperDomains are those of the paper in its order.
func paperDomains() []string { return []string{"airline", "retail", "telecom"} }

// rows lists a table's rows: domain by domain, first the places that the paper has, then what else the runs have. Rows
// of several runs stand below each other and are never pooled.
func (f frame) rows(sources []Source) []row {
	var out []row
	for _, d := range f.shown(sources) {
		have := systemsOn(sources, d)
		used := map[int]bool{}
		if !slices.Contains(f.domains, d) {
			for i, r := range have {
				if f.only == nil || f.only(r.kind) {
					used[i] = true
					out = append(out, r)
				}
			}
			continue
		}
		for _, family := range f.wanted() {
			for _, k := range f.kinds {
				if at, ok := f.scope[k]; ok && at != d {
					continue
				}
				found := false
				for i, r := range have {
					if !used[i] && r.system.stands(k) && (family == "" || r.system.Family == family) {
						r.family = family
						used[i], found = true, true
						out = append(out, r)
					}
				}
				if !found {
					out = append(out, row{domain: d, kind: k, family: family, system: System{Name: k.String(), Kind: k, Family: family}})
				}
			}
		}
		for i, r := range have {
			if !used[i] && (f.only == nil || f.only(r.kind)) {
				out = append(out, r)
			}
		}
	}
	return out
}

func (f frame) wanted() []string {
	if len(f.families) == 0 {
		return []string{""}
	}
	return f.families
}

// shown is the paper's domains and, unless the table is closed, those that only the runs have.
func (f frame) shown(sources []Source) []string {
	out := slices.Clone(f.domains)
	for _, s := range sources {
		for _, o := range s.Outcomes {
			if !f.closed && !slices.Contains(out, o.Domain) {
				out = append(out, o.Domain)
			}
		}
	}
	return out
}

// systemsOn lists the systems of all runs on a domain.
func systemsOn(sources []Source, domain string) []row {
	var out []row
	for i := range sources {
		s := &sources[i]
		groups, by := s.groups()
		for _, g := range groups {
			if g.Domain == domain {
				system := s.system(g.System)
				out = append(out, row{domain: domain, kind: system.Kind, source: s, system: system, own: by[g]})
			}
		}
	}
	return out
}

func (s *Source) groups() ([]metrics.Group, map[metrics.Group][]metrics.Outcome) {
	return metrics.ByGroup(s.Outcomes)
}

// metric is a column of figures.
type metric struct {
	Column
	digits int
	value  func(row) Cell
	paper  func(row) *float64 // what the paper has; nil for nothing
}

// layoutOf builds a table of one row for each system and domain.
func (in Input) layoutOf(t Table, f frame, cols []metric) Table {
	t.of(in.Sources)
	several := len(in.Sources) > 1
	if several {
		t.Columns = append(t.Columns, Column{Key: "run", Title: "Run"})
	}
	t.Columns = append(t.Columns, Column{Key: "domain", Title: "Domain"})
	if len(f.families) > 0 {
		t.Columns = append(t.Columns, Column{Key: "model", Title: "Model"})
	}
	t.Columns = append(t.Columns, Column{Key: "system", Title: "System"}, Column{Key: "tasks", Title: "#", Numeric: true},
		Column{Key: "evaluable", Title: "Evaluable", Numeric: true}, Column{Key: "planned", Title: "Planned", Numeric: true})
	for _, c := range cols {
		t.Columns = append(t.Columns, c.Column)
	}
	n := notes{in: in, frame: f, table: t.Number}
	for _, r := range f.rows(in.Sources) {
		cells := head(r, several, len(f.families) > 0)
		beside, why := r.paper(f.splits[r.domain])
		n.apart(r, why)
		for _, c := range cols {
			var cell Cell
			if r.source == nil {
				cell = Dash(n.missing(r))
			} else {
				cell = c.value(r)
				n.undefined(r, cell)
			}
			if beside && c.paper != nil {
				cell = cell.beside(c.paper(r), c.digits)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = append(t.Notes, n.lines()...)
	return t
}

// head is the beginning of a row: what it is of, and how much of that there is.
func head(r row, several, family bool) []Cell {
	var out []Cell
	if several {
		name := Dash("no run has it")
		if r.source != nil {
			name = Label(r.source.Name)
		}
		out = append(out, name)
	}
	out = append(out, Label(r.domain))
	if family {
		model := r.system.Model
		if r.system.Family != "" {
			model = r.system.Family
		}
		out = append(out, Label(model))
	}
	out = append(out, Label(r.system.Name))
	if r.source == nil {
		return append(out, Dash(""), Dash(""), Dash(""))
	}
	c := metrics.Cover(r.own)
	tasks := map[string]bool{}
	for _, o := range r.own {
		tasks[o.Task] = true
	}
	return append(out, Whole(len(tasks)), Whole(c.Evaluable), Whole(c.Planned))
}

// notes gathers what must be said below a table, each thing once.
type notes struct {
	in      Input
	frame   frame
	table   int
	said    []string
	gaps    []gap
	reasons []reason
}

// gap is a place of the table that no run fills.
type gap struct {
	kind    Kind
	family  string
	domains []string
}

// reason is why figures of a run are undefined.
type reason struct {
	source *Source
	mark   string // - or ?
	text   string
	of     []string
}

func (n *notes) say(text string) {
	if text != "" && !slices.Contains(n.said, text) {
		n.said = append(n.said, text)
	}
}

// apart says in what a row is not the paper's.
func (n *notes) apart(r row, why string) {
	if n.in.Published {
		n.say(why)
	}
	if r.source == nil {
		return
	}
	if at, ok := n.frame.scope[r.kind]; ok && at != r.domain {
		n.say(fmt.Sprintf("%s on %s is beyond the paper, which has it on %s only", r.system.Name, r.domain, at))
	}
	if r.system.Variant != "" {
		n.say(fmt.Sprintf("%s is a variant of %s that the paper does not have: %s", r.system.Name, r.kind, r.system.Variant))
	}
}

// missing records a place that no run fills, and says what would fill it.
func (n *notes) missing(r row) string {
	i := slices.IndexFunc(n.gaps, func(g gap) bool { return g.kind == r.kind && g.family == r.family })
	if i < 0 {
		i = len(n.gaps)
		n.gaps = append(n.gaps, gap{kind: r.kind, family: r.family})
	}
	if !slices.Contains(n.gaps[i].domains, r.domain) {
		n.gaps[i].domains = append(n.gaps[i].domains, r.domain)
	}
	return "no run has it: " + producer(n.frame.config, r.kind, r.family, r.domain)
}

// undefined records why a figure of a row is undefined.
func (n *notes) undefined(r row, c Cell) {
	if c.Value != nil || c.Why == "" {
		return
	}
	of := r.place(len(n.in.Sources) > 1)
	i := slices.IndexFunc(n.reasons, func(x reason) bool { return x.source == r.source && x.text == c.Why })
	if i < 0 {
		i = len(n.reasons)
		n.reasons = append(n.reasons, reason{source: r.source, mark: c.Text, text: c.Why})
	}
	if !slices.Contains(n.reasons[i].of, of) {
		n.reasons[i].of = append(n.reasons[i].of, of)
	}
}

func (n *notes) lines() []string {
	out := n.said
	for _, g := range n.gaps {
		name := g.kind.String()
		if g.family != "" {
			name += " with " + g.family
		}
		out = append(out, fmt.Sprintf("`-` for %s on %s: no run has it: %s", name, strings.Join(g.domains, ", "), producer(n.frame.config, g.kind, g.family, g.domains...)))
	}
	if len(n.gaps) > 0 && slices.ContainsFunc(n.in.Sources, func(s Source) bool { return s.Synthetic }) {
		out = append(out, "these commands ask real models; with --synthetic --data embedded they run offline")
	}
	resumed := map[*Source]bool{}
	for _, x := range n.reasons {
		out = append(out, fmt.Sprintf("`%s` for %s: %s", x.mark, strings.Join(x.of, ", "), x.text))
		if strings.Contains(x.text, "usable trials") && !resumed[x.source] {
			resumed[x.source] = true
			out = append(out, completion(*x.source))
		}
	}
	return out
}
