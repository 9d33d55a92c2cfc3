package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/metrics"
)

// ErrChoice marks a system that was asked for and that no run has.
var ErrChoice = errors.New("no such system")

// references are the systems of a run that others are compared with: the named one, else the paper's PolicyGuide, else any
// PolicyGuide, of each model the first.
func (in Input) references(s *Source) (out []System) {
	fits := []func(System) bool{func(x System) bool { return x.is(PolicyGuide) }, func(x System) bool { return x.Kind == PolicyGuide }}
	if in.Reference != "" {
		fits = []func(System) bool{func(x System) bool { return x.Name == in.Reference }}
	}
	for _, fit := range fits {
		for _, x := range s.Systems {
			if fit(x) && !slices.ContainsFunc(out, func(y System) bool { return y.Model == x.Model }) {
				out = append(out, x)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// checkReference refuses a reference that no run has.
func (in Input) checkReference() error {
	if in.Reference == "" {
		return nil
	}
	var names []string
	for i := range in.Sources {
		if len(in.references(&in.Sources[i])) > 0 {
			return nil
		}
		names = append(names, in.Sources[i].SystemNames()...)
	}
	return fmt.Errorf("%w %q\nhint: %s", ErrChoice, in.Reference, yamlfile.Suggest(in.Reference, names))
}

// pair is two systems that are compared, of one run or of two that are alike.
type pair struct {
	source    *Source // of the reference
	other     *Source // of the opponent
	reference System
	opponent  System
	domains   []string // that both have outcomes on
	mine      map[string][]metrics.Outcome
	theirs    map[string][]metrics.Outcome
}

// opponents are those that the paper compares PolicyGuide with.
func opponents() []Kind { return []Kind{ReAct, ToolGuard, PolicyGuard} }

// pairs pairs the reference of each run with the other systems of that run, the paper's opponents first, and with those
// of runs that have no reference of their own and share everything that a fair comparison shares. Where a run has references
// of several models, systems of each are paired.
func (in Input) pairs() []pair {
	rank := func(x System) int {
		if i := slices.IndexFunc(opponents(), x.is); i >= 0 {
			return i
		}
		return len(opponents())
	}
	var out []pair
	for i := range in.Sources {
		s := &in.Sources[i]
		references := in.references(s)
		for _, reference := range references {
			for j := range in.Sources {
				other := &in.Sources[j]
				if j != i && (len(in.references(other)) > 0 || len(Unlike(s, other)) > 0) {
					continue
				}
				systems := slices.Clone(other.Systems)
				slices.SortStableFunc(systems, func(a, b System) int { return rank(a) - rank(b) })
				for _, x := range systems {
					if j == i && x.Name == reference.Name || len(references) > 1 && x.Model != reference.Model {
						continue
					}
					if p := newPair(s, other, reference, x); len(p.domains) > 0 {
						out = append(out, p)
					}
				}
			}
		}
	}
	return out
}

func newPair(s, other *Source, reference, opponent System) pair {
	p := pair{source: s, other: other, reference: reference, opponent: opponent, mine: Side{s, reference.Name}.outcomes(), theirs: Side{other, opponent.Name}.outcomes()}
	for _, r := range s.rows() {
		if r.system.Name == reference.Name && len(p.theirs[r.domain]) > 0 {
			p.domains = append(p.domains, r.domain)
		}
	}
	return p
}

// runs names the runs of a pair.
func (p pair) runs() string {
	if p.source == p.other {
		return p.source.Name
	}
	return p.source.Name + " / " + p.other.Name
}

// on pairs the tasks of a domain. What must be said of that goes to the notes of the table, and to the remarks why there
// is no comparison.
func (p pair) on(domain string, t *Table, n *remarks) metrics.Pairing {
	x := metrics.PairUp(p.mine[domain], p.theirs[domain], paperTrials)
	if x.Reason != "" {
		lacking := p.source
		if metrics.PassHat(p.mine[domain], paperTrials).Defined {
			lacking = p.other
		}
		n.undefined(row{domain: domain, source: lacking, system: System{Name: p.reference.Name + " and " + p.opponent.Name}}, Dash(x.Reason))
	}
	for _, r := range x.Remarks(p.reference.Name, p.opponent.Name) {
		t.Notes = append(t.Notes, domain+": "+r)
	}
	return x
}

// paperPair looks up what the paper has for a pair on a domain, or on all of them if that is "". Where the pair is not of
// the paper's tasks and trials, the remarks say so.
func (in Input) paperPair(p pair, domain, path string, n *remarks) *float64 {
	if in.paper == nil {
		return nil
	}
	domains := []string{domain}
	if domain == "" {
		domains = paperDomains()
	}
	for _, d := range domains {
		for _, r := range []row{{domain: d, kind: PolicyGuide, source: p.source, system: p.reference, outcomes: p.mine[d]},
			{domain: d, kind: p.opponent.Kind, source: p.other, system: p.opponent, outcomes: p.theirs[d]}} {
			if ok, why := r.paperRow(base); !ok {
				n.say(why)
				return nil
			}
		}
	}
	return in.paperFigure(path, "$domain", domain, "$opponent", string(p.opponent.Kind))
}

// versus are the columns that say which systems are compared.
func versus[R any](pairOf func(R) pair) []column[R] {
	return []column[R]{
		{"reference", "Reference", words, "", func(r R) Cell { return Label(pairOf(r).reference.Name) }},
		{"opponent", "Opponent", words, "", func(r R) Cell { return Label(pairOf(r).opponent.Name) }},
	}
}

// withRuns puts the runs of a pair in front where there are several, and the models where pairs are of several.
func withRuns[R any](in Input, cols []column[R], pairs []pair, pairOf func(R) pair) []column[R] {
	model := func(p pair) string { return cmp.Or(p.reference.Family, p.reference.Model) }
	if slices.ContainsFunc(pairs, func(p pair) bool { return model(p) != model(pairs[0]) }) {
		cols = slices.Insert(cols, 0, column[R]{"model", "Model", words, "", func(r R) Cell { return Label(model(pairOf(r))) }})
	}
	if len(in.Sources) < 2 {
		return cols
	}
	return slices.Insert(cols, 0, column[R]{"run", "Run", words, "", func(r R) Cell { return Label(pairOf(r).runs()) }})
}

// pairNotes says how tasks are paired, which of the paper's opponents no run has, and which runs are not compared.
func (in Input) pairNotes(all []pair, wanted ...Kind) []string {
	n := remarks{in: in, selection: selection{config: "table1"}}
	if in.Reference == "" {
		for _, k := range wanted {
			domains := paperDomains()
			if at, ok := mainSystems().scope[k]; ok {
				domains = []string{at}
			}
			for _, domain := range domains {
				if !slices.ContainsFunc(all, func(p pair) bool { return p.opponent.is(k) && slices.Contains(p.domains, domain) }) {
					n.missing(row{kind: k, domain: domain})
				}
			}
		}
		if len(all) == 0 {
			n.missing(row{kind: PolicyGuide, domain: paperDomains()[0]})
		}
	}
	return slices.Concat([]string{"paired on common tasks: a task counts for a system if all of its first 4 trials succeed"}, n.lines(), in.alone(), in.unpaired())
}

// alone says which systems are compared with none, as their run has references of several models and none of theirs.
func (in Input) alone() []string {
	var out []string
	for i := range in.Sources {
		s := &in.Sources[i]
		references := in.references(s)
		if len(references) < 2 {
			continue
		}
		for _, x := range s.Systems {
			if !slices.ContainsFunc(references, func(r System) bool { return r.Model == x.Model }) {
				out = append(out, x.Name)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []string{"systems are paired within a model; of the model of these there is no reference: " + strings.Join(out, ", ")}
}

// unpaired says of the runs without a reference of their own why those that have one are not compared with them.
func (in Input) unpaired() []string {
	const most = 3
	var out []string
	for i := range in.Sources {
		s := &in.Sources[i]
		if len(in.references(s)) > 0 {
			continue
		}
		for j := range in.Sources {
			other := &in.Sources[j]
			if len(in.references(other)) == 0 {
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
