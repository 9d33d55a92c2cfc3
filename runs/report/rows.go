package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
)

// row is a system on a domain: one of a run, or one that the paper has and no run does.
type row struct {
	domain   string
	kind     Kind
	family   string  // wanted by the table; "" if any
	source   *Source // nil if no run has it
	system   System
	outcomes []metrics.Outcome // of the system on the domain

	domains [][]metrics.Outcome // of a mean over domains, which counts each the same: those of each; nil for one domain
}

// mean names a row that is over all domains of its run.
const mean = "mean"

// parts are the outcomes of each domain of the row.
func (r row) parts(s metrics.Slice) (out [][]metrics.Outcome) {
	domains := r.domains
	if domains == nil {
		domains = [][]metrics.Outcome{r.outcomes}
	}
	if s == metrics.All {
		return domains
	}
	for _, d := range domains {
		out = append(out, metrics.Select(d, s))
	}
	return out
}

// place names the row's system and domain; with several runs, the run too.
func (r row) place(several bool) string {
	out := r.system.Name + " on " + r.domain
	if r.domains != nil {
		out = "the mean of " + r.system.Name
	}
	if several && r.source != nil {
		out += " of run " + r.source.Name
	}
	return out
}

// selection says which systems on which domains a table has.
type selection struct {
	config   string   // of configs/paper: fills the places that no run fills
	split    string   // that the paper took its tasks from
	domains  []string // of the paper, in its order
	kinds    []Kind
	families []string        // a row for each, in place of one for all
	scope    map[Kind]string // kinds that the paper has on one domain only
	only     []Kind          // which others are shown; nil shows all
	closed   bool            // other domains are not shown
	means    bool            // systems on all domains of their run have a mean over them
}

// only selects some kinds and no others.
func only(config, split string, domains []string, kinds ...Kind) selection {
	return selection{config: config, split: split, domains: domains, kinds: kinds, only: kinds}
}

// mainSystems are the rows of Table 1 and of those that break it down.
func mainSystems() selection {
	return selection{config: "table1", split: base, domains: paperDomains(), kinds: []Kind{ReAct, ToolGuard, PolicyGuard, PolicyGuide},
		scope: map[Kind]string{ToolGuard: "airline", FlowAgent: "telecom"}}
}

// withMeans adds the means over domains.
func withMeans(s selection) selection { s.means = true; return s }

// familyRows are the rows of Table 4.
func familyRows() selection {
	s := only("table4", base, []string{"airline"}, ReAct, PolicyGuard, PolicyGuide)
	s.families, s.closed = families[:], true
	return s
}

// others selects some kinds on the paper's domains, and everything else that the runs have.
func others(config, split string, kinds ...Kind) selection {
	return selection{config: config, split: split, domains: paperDomains(), kinds: kinds}
}

// splitOf is the split that the paper took a domain's tasks from; "" for other domains.
func (s selection) splitOf(domain string) string {
	switch {
	case !slices.Contains(paperDomains(), domain):
		return ""
	case domain == "airline":
		return base
	}
	return s.split
}

func (s selection) shows(k Kind) bool { return s.only == nil || slices.Contains(s.only, k) }

// rows lists a table's rows: domain by domain, first the places that the paper has, then what else the runs have. Rows
// of several runs follow each other and are never pooled.
func (s selection) rows(sources []Source) []row {
	var out []row
	for _, d := range s.shown(sources) {
		have := systemsOn(sources, d)
		take := func(family string, fits func(row) bool) (found bool) {
			have = slices.DeleteFunc(have, func(r row) bool {
				if !fits(r) {
					return false
				}
				r.family, found = family, true
				out = append(out, r)
				return true
			})
			return found
		}
		if slices.Contains(s.domains, d) {
			for _, family := range s.wantedFamilies() {
				for _, k := range s.kinds {
					if at, ok := s.scope[k]; ok && at != d {
						continue
					}
					if !take(family, func(r row) bool { return r.system.is(k) && (family == "" || r.system.Family == family) }) {
						out = append(out, row{domain: d, kind: k, family: family, system: System{Name: k.String(), Kind: k, Family: family, Verifier: k.verifier(family)}})
					}
				}
			}
		}
		take("", func(r row) bool { return s.shows(r.kind) })
	}
	for i := range sources {
		if s.means {
			out = append(out, sources[i].means()...)
		}
	}
	return out
}

// means are the means over domains of those systems that are on all of several domains of the run.
func (s *Source) means() (out []row) {
	by := map[string][]row{}
	domains := map[string]bool{}
	for _, r := range s.rows() {
		by[r.system.Name] = append(by[r.system.Name], r)
		domains[r.domain] = true
	}
	for _, x := range s.Systems {
		if rows := by[x.Name]; len(rows) > 1 && len(rows) == len(domains) {
			m := row{domain: mean, kind: x.Kind, source: s, system: x}
			for _, r := range rows {
				m.outcomes = append(m.outcomes, r.outcomes...)
				m.domains = append(m.domains, r.outcomes)
			}
			out = append(out, m)
		}
	}
	return out
}

func (s selection) wantedFamilies() []string {
	if len(s.families) == 0 {
		return []string{""}
	}
	return s.families
}

// shown is the paper's domains and, unless the table is closed, those that only the runs have.
func (s selection) shown(sources []Source) []string {
	out := slices.Clone(s.domains)
	if s.closed {
		return out
	}
	for _, source := range sources {
		for _, o := range source.Outcomes {
			if !slices.Contains(out, o.Domain) {
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
		for _, r := range sources[i].rows() {
			if r.domain == domain {
				out = append(out, r)
			}
		}
	}
	return out
}

// rows are the systems of a run with their domains, in the order of the plan.
func (s *Source) rows() []row {
	groups, by := metrics.ByGroup(s.Outcomes)
	var out []row
	for _, g := range groups {
		system := s.system(g.System)
		out = append(out, row{domain: g.Domain, kind: system.Kind, source: s, system: system, outcomes: by[g]})
	}
	return out
}

// whose are the columns that say which system on which domain a row is about.
func whose(severalRuns, byFamily bool) []column[row] {
	var out []column[row]
	if severalRuns {
		out = append(out, column[row]{"run", "Run", words, "", func(r row) Cell {
			if r.source == nil {
				return Dash("no run has it")
			}
			return Label(r.source.Name)
		}})
	}
	out = append(out, column[row]{"domain", "Domain", words, "", func(r row) Cell { return Label(r.domain) }})
	if byFamily {
		out = append(out, column[row]{"model", "Model", words, "", func(r row) Cell { return Label(r.model()) }})
	}
	return append(out, column[row]{"system", "System", words, "", func(r row) Cell { return Label(r.system.Name) }})
}

// model is the family of a row's model, or the model itself where the paper has no name for it.
func (r row) model() string {
	if r.system.Family != "" {
		return r.system.Family
	}
	return r.system.Model
}

// coverage are the columns that say how many trials a row is of.
func coverage() []column[row] {
	count := func(n func(row) int) func(row) Cell {
		return func(r row) Cell {
			if r.source == nil {
				return Dash("")
			}
			return Whole(n(r))
		}
	}
	return []column[row]{
		{"tasks", "#", 0, "", count(func(r row) int { return countTasks(r.outcomes) })},
		{"evaluable", "Trials|eval|Evaluable", 0, "", count(func(r row) int { return metrics.Cover(r.outcomes).Evaluable })},
		{"planned", "Trials|plan|Planned", 0, "", count(func(r row) int { return len(r.outcomes) })},
	}
}

// verifiedBy is the column of what verifies a system's calls.
func verifiedBy() column[row] {
	return column[row]{"verifier", "Verifier", words, "", func(r row) Cell {
		if r.system.Verifier == "" {
			return notApplicable()
		}
		return Label(r.system.Verifier)
	}}
}

// ofKind is the column of the paper's name for a system, or of its own where it is none of the paper's.
func ofKind() column[row] {
	return column[row]{"kind", "Kind", words, "", func(r row) Cell {
		if r.system.is(r.kind) {
			return Label(r.kind.String())
		}
		return Label(r.system.Name)
	}}
}

// sliced are the columns of a table by slices before its figures: the verifier and the tasks of each slice.
func sliced() []column[row] {
	out := []column[row]{verifiedBy()}
	for _, s := range []metrics.Slice{metrics.PV, metrics.Mut} {
		out = append(out, column[row]{"tasks_" + string(s), fmt.Sprintf("#|%s|%[1]s tasks", s), 0, "", func(r row) Cell { return Whole(countTasks(metrics.Select(r.outcomes, s))) }})
	}
	return out
}

func countTasks(outcomes []metrics.Outcome) int {
	tasks := map[[2]string]bool{}
	for _, o := range outcomes {
		tasks[[2]string{o.Domain, o.Task}] = true
	}
	return len(tasks)
}

// bySystem makes a table of one row for each system and domain, with further columns and notes.
func bySystem(s selection, cols []column[row], notes ...string) func(Input, *Table) error {
	return func(in Input, t *Table) error {
		n := remarks{in: in, selection: s}
		t.splitOf = s.splitOf
		all := slices.Concat(whose(len(in.Sources) > 1, len(s.families) > 0), coverage())
		for _, c := range cols {
			value := c.value
			if t.layout.label(c.key) { // which is known of places that no run fills
				all = append(all, c)
				continue
			}
			c.value = func(r row) Cell {
				if r.source == nil {
					return Dash(n.missing(r))
				}
				cell := value(r)
				n.undefined(r, cell)
				return cell
			}
			all = append(all, c)
		}
		rows := s.rows(in.Sources)
		for _, r := range rows {
			n.variant(r)
		}
		fill(t, all, rows, func(r row, path string) *float64 {
			if ok, _ := r.paperRow(s.splitOf(r.domain)); !ok {
				return nil
			}
			return in.paperFigure(path, "$domain", r.domain, "$kind", string(r.kind), "$family", r.family)
		})
		if t.layout != nil {
			t.markBest(t.within, func(i int) bool { return !rows[i].system.bound() })
		}
		t.Notes = append(append(t.Notes, n.lines()...), notes...)
		return nil
	}
}
