package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
)

// ErrChoice marks a system that was asked for and that no run has.
var ErrChoice = errors.New("no such system")

// DefaultSeed is the seed of the bootstrap unless another is given.
const DefaultSeed = 300

// reference is the system of a run that others are compared with: the named one, else the paper's PolicyGuide, else any
// PolicyGuide.
func (in Input) reference(s *Source) (System, bool) {
	for _, x := range s.Systems {
		if in.Reference != "" && x.Name == in.Reference || in.Reference == "" && x.stands(PolicyGuide) {
			return x, true
		}
	}
	if in.Reference == "" {
		for _, x := range s.Systems {
			if x.Kind == PolicyGuide {
				return x, true
			}
		}
	}
	return System{}, false
}

// checkReference refuses a reference that no run has.
func (in Input) checkReference() error {
	if in.Reference == "" {
		return nil
	}
	var names []string
	for i := range in.Sources {
		if _, ok := in.reference(&in.Sources[i]); ok {
			return nil
		}
		for _, s := range in.Sources[i].Systems {
			names = append(names, s.Name)
		}
	}
	return fmt.Errorf("%w %q: choose one of %s", ErrChoice, in.Reference, strings.Join(names, ", "))
}

// duel is a pair of systems, of one run or of two that are alike.
type duel struct {
	source    *Source // of the reference
	other     *Source // of the opponent
	reference System
	opponent  System
	order     []string // domains that both have outcomes on
	mine      map[string][]metrics.Outcome
	theirs    map[string][]metrics.Outcome
}

func (d duel) sides(domain string) (reference, opponent []metrics.Outcome) {
	return d.mine[domain], d.theirs[domain]
}

// duels pairs the reference of each run with the other systems of that run, the paper's opponents first, and with those
// of runs that have no reference of their own and share everything that a fair comparison shares.
func (in Input) duels() []duel {
	var out []duel
	for i := range in.Sources {
		s := &in.Sources[i]
		reference, ok := in.reference(s)
		if !ok {
			continue
		}
		for j := range in.Sources {
			other := &in.Sources[j]
			if _, has := in.reference(other); j != i && (has || len(Unlike(s, other)) > 0) {
				continue
			}
			opponents := slices.Clone(other.Systems)
			slices.SortStableFunc(opponents, func(a, b System) int { return rank(a) - rank(b) })
			for _, x := range opponents {
				if j == i && x.Name == reference.Name {
					continue
				}
				if d := newDuel(s, other, reference, x); len(d.order) > 0 {
					out = append(out, d)
				}
			}
		}
	}
	return out
}

func newDuel(s, other *Source, reference, opponent System) duel {
	d := duel{source: s, other: other, reference: reference, opponent: opponent, mine: own(Side{s, reference.Name}), theirs: own(Side{other, opponent.Name})}
	groups, _ := s.groups()
	for _, g := range groups {
		if g.System == reference.Name && len(d.theirs[g.Domain]) > 0 {
			d.order = append(d.order, g.Domain)
		}
	}
	return d
}

// runs names the runs of a duel.
func (d duel) runs() string {
	if d.source == d.other {
		return d.source.Name
	}
	return d.source.Name + " / " + d.other.Name
}

// opponents are those of Tables 12 and 13.
func opponents() []Kind { return []Kind{ReAct, ToolGuard, PolicyGuard} }

func rank(s System) int {
	for i, k := range opponents() {
		if s.stands(k) {
			return i
		}
	}
	return len(opponents())
}

// pairTable begins a table of duels, and notes the paper's opponents that no run has.
func (in Input) pairTable(t Table, wanted []Kind) (Table, []duel, error) {
	if err := in.checkReference(); err != nil {
		return t, nil, err
	}
	t.of(in.Sources)
	if len(in.Sources) > 1 {
		t.Columns = slices.Insert(t.Columns, 0, Column{Key: "run", Title: "Run"})
	}
	all := in.duels()
	t.Notes = append(t.Notes, "paired on common tasks: a task counts for a system if all of its first 4 trials succeed")
	n := notes{in: in, frame: frame{config: "table1"}}
	if in.Reference == "" {
		for _, k := range wanted {
			n.missingOpponent(all, k)
		}
		if len(all) == 0 {
			n.missing(row{kind: PolicyGuide, domain: paperDomains()[0]})
		}
	}
	t.Notes = append(t.Notes, n.lines()...)
	t.Notes = append(t.Notes, in.unpaired()...)
	return t, all, nil
}

// unpaired says of the runs without a reference of their own why those that have one are not compared with them.
func (in Input) unpaired() []string {
	const most = 3
	var out []string
	for i := range in.Sources {
		s := &in.Sources[i]
		if _, has := in.reference(s); has {
			continue
		}
		for j := range in.Sources {
			other := &in.Sources[j]
			if _, has := in.reference(other); !has {
				continue
			}
			unlike := Unlike(other, s)
			if n := len(unlike); n > most {
				unlike = append(unlike[:most:most], fmt.Sprintf("and %d more", n-most))
			}
			if len(unlike) > 0 {
				out = append(out, fmt.Sprintf("run %s is not paired with run %s, from which it differs in more than its systems: %s", s.Name, other.Name, strings.Join(unlike, "; ")))
			}
		}
	}
	return out
}

// missingOpponent notes a kind that the paper compares and no duel has, for the domains that it is missing on.
func (n *notes) missingOpponent(all []duel, k Kind) {
	for _, domain := range opponentDomains(k) {
		if !slices.ContainsFunc(all, func(d duel) bool { return d.opponent.stands(k) && slices.Contains(d.order, domain) }) {
			n.missing(row{kind: k, domain: domain})
		}
	}
}

func opponentDomains(k Kind) []string {
	if k == ToolGuard {
		return []string{"airline"}
	}
	return paperDomains()
}

// mcnemar is Table 12.
func mcnemar(in Input) (Table, error) {
	t := Table{Number: 12, Name: "mcnemar", Title: "Paired test of Pass^4, pooled over domains", Columns: []Column{
		{Key: "reference", Title: "Reference"}, {Key: "opponent", Title: "Opponent"}, {"domains", "Domains", true}, {"tasks", "#", true},
		{"reference_only", "Reference only", true}, {"opponent_only", "Opponent only", true}, {"discordant", "Discordant", true},
		{"z", "Z", true}, {"p", "p", true}, {"p_exact", "p exact", true}}}
	if in.Holm {
		t.Columns = append(t.Columns, Column{"p_holm", "p Holm", true})
	}
	t, all, err := in.pairTable(t, []Kind{ReAct, PolicyGuard})
	if err != nil {
		return t, err
	}
	undefined := notes{in: in}
	tests, ps := make([]match, len(all)), make([]float64, len(all))
	for i, d := range all {
		tests[i] = d.match(&undefined)
		ps[i], _ = tests[i].P()
	}
	holm := metrics.Holm(ps)
	several := len(in.Sources) > 1
	for i, d := range all {
		x := tests[i]
		paper := func(column int) *float64 {
			if !d.reference.stands(PolicyGuide) || x.Strata != len(paperDomains()) {
				return nil
			}
			return in.paper12(d.opponent, column)
		}
		row := []Cell{Label(d.reference.Name), Label(d.opponent.Name), Whole(x.Strata), Whole(x.tasks),
			Whole(x.First).beside(paper(1), 0), Whole(x.Second).beside(paper(2), 0), Whole(x.Discordant()).beside(paper(3), 0)}
		row = append(row, x.cells(paper(4))...)
		if in.Holm {
			row = append(row, x.or(probability(holm[i])))
		}
		if several {
			row = slices.Insert(row, 0, Label(d.runs()))
		}
		t.Rows = append(t.Rows, row)
		t.Notes = append(t.Notes, x.remarks...)
	}
	t.Notes = append(t.Notes, undefined.lines()...)
	t.Notes = append(t.Notes, fmt.Sprintf("Z and p after the stratified McNemar test, two-sided; p exact is binomial, and the one to read below %d discordant tasks", metrics.ExactBelow))
	if in.Holm {
		t.Notes = append(t.Notes, "p Holm is corrected for all comparisons of this table; it takes the exact p where that is the one to read")
	}
	return t, nil
}

// undefined records why a duel has no figure on a domain.
func (d duel) undefined(n *notes, domain string, p metrics.Pairing) {
	if p.Reason != "" {
		lacking := d.source
		if metrics.PassHat(d.mine[domain], paperTrials).Defined {
			lacking = d.other
		}
		n.undefined(row{domain: domain, source: lacking, system: System{Name: d.reference.Name + " and " + d.opponent.Name}}, Dash(p.Reason))
	}
}

// match is the pooled test of a duel.
type match struct {
	metrics.McNemar
	tasks   int
	remarks []string
}

// match pairs a duel's systems on every domain. A domain that cannot be paired is left out, and said so.
func (d duel) match(n *notes) match {
	var m match
	var strata []metrics.Discordant
	for _, domain := range d.order {
		a, b := d.sides(domain)
		p := metrics.PairUp(a, b, paperTrials)
		d.undefined(n, domain, p)
		m.remarks = append(m.remarks, said(p, domain, d.reference.Name, d.opponent.Name)...)
		if p.Reason == "" {
			m.tasks += len(p.Pairs)
			strata = append(strata, p.Discordant())
		}
	}
	m.McNemar = metrics.McNemarTest(strata...)
	return m
}

// or is a cell of the test, or a dash where no domain could be compared.
func (m match) or(c Cell) Cell {
	if m.Strata == 0 {
		return Dash("no domain could be compared")
	}
	return c
}

// cells are Z and the two p.
func (m match) cells(paper *float64) []Cell {
	z := Signed(m.Z, 2)
	return []Cell{m.or(z).beside(paper, 2), m.or(probability(m.Normal)), m.or(probability(m.Exact))}
}

// said is what must be said of a pairing, apart from why it is none.
func said(p metrics.Pairing, domain, first, second string) []string {
	var out []string
	for _, r := range p.Remarks(first, second) {
		out = append(out, domain+": "+r)
	}
	return out
}

// bootstrap is Table 13.
func bootstrap(in Input) (Table, error) {
	t := Table{Number: 13, Name: "bootstrap", Title: "Difference of Pass^4 with its 95 % interval", Columns: []Column{
		{Key: "domain", Title: "Domain"}, {Key: "reference", Title: "Reference"}, {Key: "opponent", Title: "Opponent"}, {"tasks", "#", true},
		{"delta", "ΔPass^4", true}, {"low", "low", true}, {"high", "high", true}}}
	t, all, err := in.pairTable(t, opponents())
	if err != nil {
		return t, err
	}
	several := len(in.Sources) > 1
	undefined := notes{in: in}
	for _, domain := range domainsOf(all) {
		for _, d := range all {
			if !slices.Contains(d.order, domain) {
				continue
			}
			a, b := d.sides(domain)
			p := metrics.PairUp(a, b, paperTrials)
			d.undefined(&undefined, domain, p)
			x := in.bootstrap().Delta(p)
			paper := func(column int) *float64 {
				if !d.reference.stands(PolicyGuide) {
					return nil
				}
				return in.paper13(domain, d.opponent, column)
			}
			row := []Cell{Label(domain), Label(d.reference.Name), Label(d.opponent.Name), common(p).beside(paper(0), 0),
				change(x.Value, x.Defined, x.Reason).beside(paper(1), 3), change(x.Interval.Lo, x.Interval.Defined, x.Interval.Reason).beside(paper(2), 3),
				change(x.Interval.Hi, x.Interval.Defined, x.Interval.Reason).beside(paper(3), 3)}
			if several {
				row = slices.Insert(row, 0, Label(d.runs()))
			}
			t.Rows = append(t.Rows, row)
			t.Notes = append(t.Notes, said(p, domain, d.reference.Name, d.opponent.Name)...)
		}
	}
	t.Notes = append(t.Notes, undefined.lines()...)
	t.Notes = append(t.Notes, fmt.Sprintf("percentile bootstrap over tasks, both systems on the same tasks in each of %d resamples, seed %d; an interval over 0 is no evidence of a difference",
		in.resamples(), in.Seed))
	return t, nil
}

// common is a cell of the number of pairs.
func common(p metrics.Pairing) Cell {
	if p.Reason != "" {
		return Dash(p.Reason)
	}
	return Whole(len(p.Pairs))
}

// change is a cell of a difference.
func change(v float64, defined bool, why string) Cell {
	if !defined {
		return Dash(why)
	}
	return Signed(v, 3)
}

func (in Input) bootstrap() metrics.Bootstrap {
	return metrics.Bootstrap{Seed: in.Seed, Resamples: in.Resamples}
}

func (in Input) resamples() int {
	if in.Resamples > 0 {
		return in.Resamples
	}
	return metrics.DefaultResamples
}

// domainsOf lists the domains of duels, the paper's first and in its order.
func domainsOf(all []duel) []string {
	out := paperDomains()
	for _, d := range all {
		for _, x := range d.order {
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// probability is a cell of a p value.
func probability(p float64) Cell {
	c := Number(p, 4)
	switch {
	case c.Value == nil:
	case p < 1e-4:
		c.Text = fmt.Sprintf("%.1e", p)
	}
	return c
}
