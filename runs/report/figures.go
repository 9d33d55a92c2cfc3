package report

import (
	"fmt"
	"slices"
	"strconv"
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
// and 5, the same by agent family; of attacks 6, ASR@k. With Published, they have the paper's points where tables have its figures.
func Figures(in Input) []figure.Figure {
	if in.Published {
		in.paper, _ = readPaper() // a file of the program's own, which always can be read
	}
	ordinary, attacking := in.sources(false), in.sources(true)
	var out []figure.Figure
	if len(ordinary.Sources) > 0 {
		out = append(out, ordinary.figure4(), ordinary.figure5())
	}
	if len(attacking.Sources) > 0 {
		out = append(out, attacking.figure6())
	}
	return out
}

// sources keeps the runs whose user attacks, or the others.
func (in Input) sources(attack bool) Input {
	in.Sources = slices.DeleteFunc(slices.Clone(in.Sources), func(s Source) bool { return (s.Attack != nil) != attack })
	return in
}

// curves are how the curves of a figure are computed: a value by k, and the paper's, nil where it has none or it does not belong
// there; say takes why not.
type curves struct {
	at    func(outcomes []metrics.Outcome, k int) metrics.Estimate
	paper func(r row, k int, say func(string)) *float64
}

// passCurves are Pass^k by k, with the paper's at a path in which $k stands for k.
func (in Input) passCurves(path string) curves {
	return curves{metrics.PassHat, func(r row, k int, say func(string)) *float64 {
		if ok, why := r.paperRow(mainSystems().splitOf(r.domain)); !ok {
			say(why)
			return nil
		}
		return in.paperFigure(path, "$domain", r.domain, "$kind", string(r.kind), "$family", r.family, "$k", strconv.Itoa(k))
	}}
}

// figure4 has a panel for each domain with a curve for each system.
func (in Input) figure4() figure.Figure {
	f := figure.Figure{Number: 4, Name: figurePassK, Title: "Pass^k by k", Y: "Pass^k"}
	rows, c := mainSystems().rows(in.Sources), in.passCurves("table10.$domain.$kind.pass.$k")
	for _, domain := range mainSystems().shown(in.Sources) {
		in.passPanel(&f, domain, rows, c, func(r row) bool { return r.domain == domain })
	}
	return in.footed(f)
}

// figure5 has a panel for each agent family on airline, but for the one that Figure 4 shows. The paper has a table of its points
// at k = 4.
func (in Input) figure5() figure.Figure {
	f := figure.Figure{Number: 5, Name: figureFamilies, Title: "Pass^k by k on airline, by agent family", Y: "Pass^k"}
	rows, c := familyRows().rows(in.Sources), in.passCurves("table4.$family.$kind.all")
	every := c.paper
	c.paper = func(r row, k int, say func(string)) *float64 {
		if k != paperTrials {
			return nil
		}
		return every(r, k, say)
	}
	done := map[string]bool{families[0]: true}
	for _, r := range rows {
		if m := r.model(); !done[m] {
			done[m] = true
			in.passPanel(&f, m, rows, c, func(r row) bool { return r.model() == m })
		}
	}
	return in.footed(f)
}

// passPanel adds a panel with the curves of those rows that belong there, if a run has one.
func (in Input) passPanel(f *figure.Figure, title string, rows []row, c curves, belongs func(row) bool) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.source == nil || !belongs(r) })
	if len(rows) > 0 {
		in.panel(f, title, rows, c)
	}
}

// panel adds a panel with a curve by k of each row.
func (in Input) panel(f *figure.Figure, title string, rows []row, c curves) {
	p := figure.Panel{Title: title, Note: "no figure is defined"}
	var papers []figure.Series
	say := func(why string) {
		if why != "" && !slices.Contains(f.Notes, why) {
			f.Notes = append(f.Notes, why)
		}
	}
	for _, r := range rows {
		s := figure.Series{Name: r.system.Name, Look: in.look(r)}
		if len(in.Sources) > 1 {
			s.Run = r.source.Name
		}
		paper := s
		paper.Paper = true
		most := min(metrics.MaxTrials(r.outcomes), maxK)
		for k := 1; k <= most; k++ {
			if e := c.at(r.outcomes, k); e.Defined {
				p := figure.Point{K: float64(k), Value: e.Value, Lo: e.Value, Hi: e.Value}
				if e.Interval.Defined {
					p.Lo, p.Hi = e.Interval.Lo, e.Interval.Hi
				}
				s.Points = append(s.Points, p)
			}
			if in.paper == nil {
				continue
			}
			if v := c.paper(r, k, say); v != nil {
				paper.Points = append(paper.Points, figure.Point{K: float64(k), Value: *v, Lo: *v, Hi: *v})
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
		if len(paper.Points) > 0 {
			papers = append(papers, paper)
		}
	}
	p.Series = append(p.Series, papers...)
	f.Panels = append(f.Panels, p)
}

// look is the place of a row's system among those of all configs, run by run: it looks the same in every figure of the runs,
// whichever others are shown.
func (in Input) look(r row) int {
	before := 0
	for i := range in.Sources {
		s := &in.Sources[i]
		if s == r.source {
			break
		}
		before += len(s.order())
	}
	return before + max(0, slices.Index(r.source.order(), r.system.Name))
}

// order lists the systems of the run's config.
func (s *Source) order() []string {
	if s.Configured == nil {
		return s.SystemNames()
	}
	return s.Configured
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
	c := curves{metrics.ASRAt, func(r row, k int, say func(string)) *float64 {
		if k != 1 {
			return nil
		}
		return in.paperASR(r, "figure6.$kind", say)
	}}
	for _, domain := range domains {
		in.panel(&f, domain, by[domain], c)
	}
	return in.footed(f)
}

// footed says how a figure is to be read, and which runs it is of; one without a panel has one that says so.
func (in Input) footed(f figure.Figure) figure.Figure {
	if len(f.Panels) == 0 {
		f.Panels = []figure.Panel{{Note: "no run has it"}}
	}
	var runs []Provenance
	for _, s := range in.Sources {
		runs = append(runs, s.Provenance)
		f.Runs = append(f.Runs, s.Provenance.String())
	}
	if in.Published {
		f.Notes = append(f.Notes, in.foreign()...)
	}
	f.Scripted = markOf(runs...)
	how := fmt.Sprintf("bands or bars: %d %% intervals of single points: %s", metrics.Level, metrics.Adjusted)
	if !f.HasIntervals() {
		how = "no interval can be told: it takes several tasks"
	}
	f.Caption = append(f.Caption, how)
	return f
}

// Numbers is what a figure of the runs shows as a table: a row for each point. Its JSON is what the picture leaves out: which
// runs it is of, and the notes.
func Numbers(in Input, f figure.Figure) Table {
	in = in.sources(f.Name == figureAttacks)
	t := Table{Number: f.Number, Name: f.Name, Title: f.Title, Columns: []Column{{Key: "panel"}, {Key: "run"}, {Key: "system"}, {Key: "of"}, {Key: "k"}, {Key: "value"}, {Key: "lo"}, {Key: "hi"}}}
	t.names(in.Sources)
	t.Notes = append(append(t.Notes, f.Caption...), f.Notes...)
	for _, p := range f.Panels {
		for _, s := range p.Series {
			of, run := "run", s.Run
			if len(in.Sources) == 1 {
				run = in.Sources[0].Name
			}
			if s.Paper {
				of = "paper"
			}
			for _, at := range s.Points {
				lo, hi := Dash("no interval can be told"), Dash("no interval can be told")
				if at.Lo < at.Hi {
					lo, hi = Number(at.Lo, 3), Number(at.Hi, 3)
				}
				t.Rows = append(t.Rows, []Cell{Label(p.Title), Label(run), Label(s.Name), Label(of), Whole(int(at.K)), Number(at.Value, 3), lo, hi})
			}
		}
	}
	return t
}
