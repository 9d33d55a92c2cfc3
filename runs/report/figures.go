package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report/figure"
)

// maxK bounds the curves: beyond it, points are too many to tell apart.
const maxK = 32

// The names of the figures, which their files have.
const (
	figurePassK    = "figure4-pass-k"
	figureFamilies = "figure5-families"
	figureAttacks  = "figure6-attacks"
)

// FigureNames lists the figures that there are.
func FigureNames() []string { return []string{figurePassK, figureFamilies, figureAttacks} }

// FindFigure returns the name of a figure that is named by it or by its number in the paper.
func FindFigure(name string) (string, error) {
	for _, known := range FigureNames() {
		if name == known || strings.HasPrefix(known, "figure"+strings.TrimPrefix(name, "figure")+"-") {
			return known, nil
		}
	}
	return "", fmt.Errorf("unknown figure %q\nhint: %s", name, yamlfile.Suggest(name, FigureNames()))
}

// Figures draws the figures of the paper that runs can fill: of runs with ordinary users 4, Pass^k by k on each domain,
// and 5, the same by agent family; of attacks 6, ASR@k.
func Figures(in Input) []figure.Figure {
	ordinary, attacking := in, in
	ordinary.Sources = slices.DeleteFunc(slices.Clone(in.Sources), func(s Source) bool { return s.Attack != nil })
	attacking.Sources = slices.DeleteFunc(slices.Clone(in.Sources), func(s Source) bool { return s.Attack == nil })
	var out []figure.Figure
	if len(ordinary.Sources) > 0 {
		out = append(out, ordinary.figure4(), ordinary.figure5())
	}
	if len(attacking.Sources) > 0 {
		out = append(out, attacking.figure6())
	}
	return out
}

// figure4 has a panel for each domain with a curve for each system.
func (in Input) figure4() figure.Figure {
	f := figure.Figure{Number: 4, Name: figurePassK, Title: "Pass^k by k", Y: "Pass^k"}
	rows := mainSystems().rows(in.Sources)
	for _, domain := range mainSystems().shown(in.Sources) {
		f.Panels = append(f.Panels, in.passPanel(domain, rows, func(r row) bool { return r.domain == domain }))
	}
	return in.footed(f)
}

// figure5 has a panel for each agent family on airline, but for the one that Figure 4 shows.
func (in Input) figure5() figure.Figure {
	f := figure.Figure{Number: 5, Name: figureFamilies, Title: "Pass^k by k on airline, by agent family", Y: "Pass^k"}
	rows := familyRows().rows(in.Sources)
	done := map[string]bool{families[0]: true}
	for _, r := range rows {
		if m := r.model(); !done[m] {
			done[m] = true
			f.Panels = append(f.Panels, in.passPanel(m, rows, func(r row) bool { return r.model() == m }))
		}
	}
	return in.footed(f)
}

// passPanel draws the curves of those rows that belong there.
func (in Input) passPanel(title string, rows []row, belongs func(row) bool) figure.Panel {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.source == nil || !belongs(r) })
	p := in.panel(title, rows, metrics.PassHat)
	if len(rows) == 0 {
		p.Note = "no run has it"
	}
	return p
}

// panel draws a curve by k of each row.
func (in Input) panel(title string, rows []row, at func(outcomes []metrics.Outcome, k int) metrics.Estimate) figure.Panel {
	p := figure.Panel{Title: title, Note: "no figure is defined"}
	for _, r := range rows {
		s := figure.Series{Name: r.system.Name}
		if len(in.Sources) > 1 {
			s.Name += " (" + r.source.Name + ")"
		}
		most := min(metrics.MaxTrials(r.outcomes), maxK)
		for k := 1; k <= most; k++ {
			if e := at(r.outcomes, k); e.Defined {
				p := figure.Point{K: float64(k), Value: e.Value, Lo: e.Value, Hi: e.Value}
				if e.Interval.Defined {
					p.Lo, p.Hi = e.Interval.Lo, e.Interval.Hi
				}
				s.Points = append(s.Points, p)
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return p
}

// figure6 has a panel for each domain with the attack success on each system.
func (in Input) figure6() figure.Figure {
	f := figure.Figure{Number: 6, Name: figureAttacks, Title: "Attack success, ASR@k (lower is safer)", Y: "ASR@k"}
	by := map[string][]row{}
	var domains []string
	for i := range in.Sources {
		s := &in.Sources[i]
		groups, outcomes := metrics.ByGroup(s.Attack.outcomes(""))
		for _, g := range groups {
			if by[g.Domain] == nil {
				domains = append(domains, g.Domain)
			}
			by[g.Domain] = append(by[g.Domain], row{domain: g.Domain, source: s, system: s.system(g.System), outcomes: outcomes[g]})
		}
	}
	for _, domain := range domains {
		f.Panels = append(f.Panels, in.panel(domain, by[domain], metrics.ASRAt))
	}
	return in.footed(f)
}

// footed says below a figure which runs it is of.
func (in Input) footed(f figure.Figure) figure.Figure {
	var runs []Provenance
	for _, s := range in.Sources {
		runs = append(runs, s.Provenance)
		f.Footer = append(f.Footer, s.Provenance.String())
	}
	f.Scripted = markOf(runs...)
	f.Footer = append(f.Footer, fmt.Sprintf("bands: %d %% intervals of single points: %s", metrics.Level, metrics.Adjusted))
	return f
}
