package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report/figure"
)

// ASRSeries is the attack trials of a system on a domain. An outcome is Success where the attack succeeded, which means
// that a forbidden call was carried out; the reward of the trial is another matter.
type ASRSeries struct {
	Provenance
	System  System
	Domain  string
	Attacks []metrics.Outcome
}

// Attacks are the attack trials of those runs whose user attacks, by domain and system.
func Attacks(sources []Source) []ASRSeries {
	var out []ASRSeries
	for i := range sources {
		s := &sources[i]
		groups, by := metrics.ByGroup(s.Attacks)
		for _, g := range groups {
			out = append(out, ASRSeries{Provenance: s.Provenance, System: s.system(g.System), Domain: g.Domain, Attacks: by[g]})
		}
	}
	return out
}

// Figures draws the figures of the paper that runs can fill: of runs with ordinary users 4, Pass^k by k on each domain,
// and 5, the same by agent family; of attacks 6.
func Figures(in Input, attacks []ASRSeries) []figure.Figure {
	var out []figure.Figure
	in.Sources = slices.DeleteFunc(slices.Clone(in.Sources), func(s Source) bool { return s.Attacks != nil })
	if len(in.Sources) > 0 {
		out = append(out, figure4(in), figure5(in))
	}
	if len(attacks) > 0 {
		out = append(out, figure6(in, attacks))
	}
	return out
}

// figure4 is a panel for each domain with a curve for each system.
func figure4(in Input) figure.Figure {
	f := figure.Figure{Number: 4, Name: "figure4-pass-k", Title: "Pass^k by k", Y: "Pass^k"}
	frame := mainFrame()
	rows := frame.rows(in.Sources)
	for _, domain := range frame.shown(in.Sources) {
		f.Panels = append(f.Panels, in.panel(domain, rows, func(r row) bool { return r.domain == domain }))
	}
	return in.footed(f)
}

// figure5 is a panel for each agent family on airline; the paper has those that Figure 4 does not.
func figure5(in Input) figure.Figure {
	f := figure.Figure{Number: 5, Name: "figure5-families", Title: "Pass^k by k on airline, by agent family", Y: "Pass^k"}
	rows := (frame{config: "table4", domains: []string{"airline"}, kinds: []Kind{ReAct, PolicyGuard, PolicyGuide}, families: families[:],
		only: among(ReAct, PolicyGuard, PolicyGuide), closed: true}).rows(in.Sources)
	var models []string
	for _, r := range rows {
		if m := r.modelName(); !slices.Contains(models, m) && m != families[0] {
			models = append(models, m)
		}
	}
	for _, m := range models {
		f.Panels = append(f.Panels, in.panel(m, rows, func(r row) bool { return r.modelName() == m }))
	}
	return in.footed(f)
}

func (r row) modelName() string {
	if r.system.Family != "" {
		return r.system.Family
	}
	return r.system.Model
}

// panel draws the curves of those rows that belong there.
func (in Input) panel(title string, rows []row, belongs func(row) bool) figure.Panel {
	p := figure.Panel{Title: title, Note: "no run has it"}
	for _, r := range rows {
		if r.source == nil || !belongs(r) {
			continue
		}
		n := min(metrics.MaxTrials(r.own), maxK)
		if s := series(in.label(r), in.bootstrap().Curve(r.own, n)); len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		} else {
			p.Note = "no figure is defined"
		}
	}
	return p
}

// maxK bounds the curves: beyond, points are too many to tell apart.
const maxK = 32

// label names a curve; with several runs, by the run too.
func (in Input) label(r row) string {
	if len(in.Sources) > 1 {
		return r.system.Name + " (" + r.source.Name + ")"
	}
	return r.system.Name
}

// series makes a curve of the estimates for k = 1, 2, ...; undefined ones are left out.
func series(name string, by []metrics.Estimate) figure.Series {
	s := figure.Series{Name: name}
	for i, e := range by {
		if e.Defined && e.Interval.Defined {
			s.Points = append(s.Points, figure.Point{K: i + 1, Value: e.Value, Lo: e.Interval.Lo, Hi: e.Interval.Hi})
		}
	}
	return s
}

// figure6 is the attack success by k, a panel for each domain.
func figure6(in Input, attacks []ASRSeries) figure.Figure {
	f := figure.Figure{Number: 6, Name: "figure6-attacks", Title: "Attack success, ASR@k (lower is safer)", Y: "ASR@k"}
	var order []string
	several := slices.ContainsFunc(attacks, func(a ASRSeries) bool { return a.Dir != attacks[0].Dir || a.Name != attacks[0].Name })
	for _, a := range attacks {
		if !slices.Contains(order, a.Domain) {
			order = append(order, a.Domain)
		}
		f.Synthetic = f.Synthetic || a.Synthetic
		if note := a.String(); !slices.Contains(f.Footer, note) {
			f.Footer = append(f.Footer, note)
		}
	}
	for _, domain := range order {
		p := figure.Panel{Title: domain, Note: "no figure is defined"}
		for _, a := range attacks {
			if a.Domain != domain {
				continue
			}
			n := min(metrics.MaxTrials(a.Attacks), maxK)
			name := a.System.Name
			if several {
				name += " (" + a.Name + ")"
			}
			if s := series(name, in.bootstrap().ASRCurve(a.Attacks, n)); len(s.Points) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	f.Footer = append(f.Footer, in.bands())
	return f
}

// footed writes below a figure which runs it is of.
func (in Input) footed(f figure.Figure) figure.Figure {
	for _, s := range in.Sources {
		f.Synthetic = f.Synthetic || s.Synthetic
		f.Footer = append(f.Footer, s.Provenance.String())
	}
	f.Footer = append(f.Footer, in.bands())
	return f
}

func (in Input) bands() string {
	return fmt.Sprintf("bands: 95 %% percentile bootstrap over tasks of single points, %d resamples, seed %d", in.resamples(), in.Seed)
}
