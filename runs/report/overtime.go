package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tauguide/tauguide/runs/report/figure"
	"github.com/tauguide/tauguide/runs/store"
)

// bought is what an attempt cost, at its end.
type bought struct {
	store.Ref
	at time.Time
	store.Spending
}

// OverTime draws what the attempts of each system have cost since the first one began: dollars, or tokens where no dollar is
// known of.
func OverTime(r *store.Run) figure.Figure {
	f := figure.Figure{Name: "spent-over-time", Panels: []figure.Panel{{}}}
	var all []bought
	var began time.Time
	var sum store.Spending
	unpriced, undated, imported := 0, 0, r.Manifest().Imported()
	for e := range r.Entries() {
		b := bought{e.Ref, moment(e.Finished), e.Spent()}
		if e.Finished == "" && e.Modified > 0 && !imported { // an older program wrote the entry, when the trial ended
			b.at = time.Unix(0, e.Modified)
		}
		if b.at.IsZero() {
			undated++
			continue
		}
		if from := b.at.Add(-time.Duration(e.Seconds * float64(time.Second))); began.IsZero() || from.Before(began) {
			began = from
		}
		if e.Cost == nil {
			unpriced++
		}
		sum = sum.And(b.Spending)
		all = append(all, b)
	}
	if len(all) == 0 {
		f.Panels[0].Note = "the index does not say when trials ended"
	}
	slices.SortFunc(all, func(a, b bought) int { return cmp.Or(a.at.Compare(b.at), store.CompareRefs(a.Ref, b.Ref)) })
	of := func(s store.Spending) float64 { return s.Cost }
	f.Title, f.Y = "Dollars spent over time", "dollars"
	if sum.Cost == 0 {
		of, f.Title, f.Y = func(s store.Spending) float64 { return float64(s.Tokens) }, "Tokens over time", "tokens"
		if unit := 1e6; sum.Tokens > 1e6 {
			of, f.Y = func(s store.Spending) float64 { return float64(s.Tokens) / unit }, "million tokens"
		}
	} else if unpriced > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("at least: the cost of %d attempts is not wholly known", unpriced))
	}
	if undated > 0 && len(all) > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("without %d attempts that do not say when they ended", undated))
	}
	var unit time.Duration
	unit, f.X = time.Second, "seconds"
	if n := len(all); n > 0 {
		unit, f.X = unitOf(all[n-1].at.Sub(began))
	}
	for i, system := range r.Manifest().Config.Systems {
		s := figure.Series{Name: system.Name, Look: i, Points: growth(all, system.Name, began, unit, of)}
		if len(s.Points) > 1 {
			f.Panels[0].Series = append(f.Panels[0].Series, s)
		}
	}
	p := provenance(r)
	f.Scripted, f.Runs = p.mark(), []string{p.folded()}
	return f
}

// mostPoints is how many points of a curve a picture shows.
const mostPoints = 200

// growth sums what a system cost, from 0 on, in at most mostPoints points.
func growth(all []bought, system string, began time.Time, unit time.Duration, of func(store.Spending) float64) []figure.Point {
	out := []figure.Point{{}}
	if len(all) == 0 {
		return nil
	}
	width := math.Max(1, float64(all[len(all)-1].at.Sub(began))/mostPoints)
	bucket, sum := -1.0, store.Spending{}
	for _, b := range all {
		if b.System != system {
			continue
		}
		sum = sum.And(b.Spending)
		since := float64(b.at.Sub(began))
		if in := math.Floor(since / width); in != bucket {
			bucket, out = in, append(out, figure.Point{})
		}
		out[len(out)-1] = figure.Point{K: since / float64(unit), Value: of(sum)}
	}
	return out
}

// unitOf is the unit that a time is shown in.
func unitOf(d time.Duration) (time.Duration, string) {
	switch {
	case d >= 3*time.Hour:
		return time.Hour, "hours"
	case d >= 3*time.Minute:
		return time.Minute, "minutes"
	}
	return time.Second, "seconds"
}

// moment reads a time as records have it; those of imported conversations may be without a zone. What is no time is the zero one.
func moment(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
