package view

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
)

// picture is a figure in a page, with a page that says in words what it shows.
type picture struct{ From, Title, Words string }

// overview is the page of one run.
func (v *request) overview() (page, error) {
	m := v.manifest
	facts := []fact{{Name: "note", Value: m.Note}, {Name: "state", Value: trials.Progress(v.rows, metrics.Cover(v.source.Outcomes), m, v.live)}, {Name: "spent", Value: v.spend}}
	setup := []fact{{Name: "config", Value: m.Name}, {Name: "made", Value: m.Created + " by tauguide " + m.Versions.Program}, {Name: "setup", Value: v.source.Provenance.String()},
		{Name: "folder", Value: v.given.dir}}
	if style := v.run.Attack(); style != "" {
		setup = append(setup, fact{Name: "attack", Value: style})
	}
	names := []string{"overview", "pass", "calls", "answers"}
	if len(v.source.Oversight) > 0 {
		names = append(names, "verifiers")
	}
	var tables []report.Table
	for _, name := range names {
		t, err := report.Build(name, v.input())
		if err != nil {
			return page{}, err
		}
		tables = append(tables, t)
	}
	var pictures []picture
	for _, f := range v.figures() {
		pictures = append(pictures, v.picture(f))
	}
	v.list = v.live
	return v.render("overview.html", v.given.slug, v.crumbs(), map[string]any{"Name": v.given.slug, "Facts": facts, "Setup": setup, "Broken": v.run.Broken(),
		"Endings": v.counted("ending"), "Faults": v.counted("fault"), "Troubles": v.counted("trouble"), "Stopped": v.trialsAt(url.Values{"stopped": {trials.Any}}),
		"Headline": tables[0], "Tables": tables[1:], "Figures": pictures, "Trials": v.trialsAt(nil), "Matrix": v.to("/"+v.given.slug+"/matrix/", nil),
		"Count": transcript.Grouped(int64(len(v.rows)))})
}

// input is the run for tables and figures, which are those that the commands print.
func (v *request) input() report.Input {
	return report.Input{Sources: []report.Source{v.source}, Options: report.Options{Seed: report.DefaultSeed}}
}

// figures are those of the run, with the panels that show anything, drawn once.
func (v *request) figures() []figure.Figure {
	v.drawn.Do(func() {
		for i, f := range append(report.Figures(v.input()), report.OverTime(v.run)) {
			f.Panels = slices.DeleteFunc(f.Panels, func(p figure.Panel) bool { return len(p.Series) == 0 })
			if len(f.Panels) > 1 || len(f.Panels) == 1 && i != 1 { // the second is by agent family, and says nothing new of a single one
				v.drawings = append(v.drawings, f)
			}
		}
	})
	return v.drawings
}

func (v *request) picture(f figure.Figure) picture {
	at := "/" + v.given.slug + "/figure/" + f.Name
	return picture{v.to(at+".svg", nil), f.Title, v.to(at+"/", nil)}
}

// figure is a figure of the run as a file, or the page with what it shows in words.
func (v *request) figure(name string) (page, error) {
	name, file := strings.CutSuffix(name, ".svg")
	at := slices.IndexFunc(v.figures(), func(f figure.Figure) bool { return f.Name == name })
	if at < 0 {
		return page{}, notFound("the run has no such figure: go on from its page")
	}
	f := v.drawings[at]
	if !file {
		return v.render("figure.html", f.Title, v.crumbs(anchor{Text: f.Title}), map[string]any{"Picture": v.picture(f), "Y": f.Y, "Lines": f.Lines(), "Footer": f.About()})
	}
	var b bytes.Buffer
	err := f.Write(&b, figure.SVG, figure.Options{})
	return page{status: http.StatusOK, kind: svgType, body: b.Bytes()}, err
}

// counted counts the trials by what they have of a field, the largest number first, each with a link to those.
func (v *request) counted(field string) (out []fact) {
	at := slices.IndexFunc(trials.Fields(), func(f trials.Field) bool { return f.Name == field })
	names, count := trials.Choices(v.rows, trials.Fields()[at])
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	for _, name := range names {
		out = append(out, fact{name, strconv.Itoa(count[name]), v.trialsAt(url.Values{field: {name}})})
	}
	return out
}
