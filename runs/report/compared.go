package report

import (
	"fmt"
	"slices"
)

// Tables renders a comparison: the figures by domain, and the first so many flips; 0 is all of them.
func (c Comparison) Tables(flips int) []Table {
	return []Table{c.figures(), c.flipped(flips)}
}

func (c Comparison) figures() Table {
	t := Table{Name: "comparison", Title: fmt.Sprintf("A = %s of %s, B = %s of %s", c.SystemA, c.A.Name, c.SystemB, c.B.Name), Synthetic: c.A.Synthetic || c.B.Synthetic,
		Columns: []Column{{Key: "domain", Title: "Domain"}, {"tasks", "#", true}, {"pass_a", fmt.Sprintf("Pass^%d A", c.K), true}, {"pass_b", fmt.Sprintf("Pass^%d B", c.K), true},
			{"delta", "A − B", true}, {"low", "low", true}, {"high", "high", true}, {"only_a", "only A", true}, {"only_b", "only B", true}, {"p", "p", true}},
		Runs: []Provenance{c.A}}
	if c.A.Dir != c.B.Dir || c.A.Config != c.B.Config {
		t.Runs = append(t.Runs, c.B)
	}
	for _, u := range c.Unlike {
		t.Notes = append(t.Notes, "unlike: "+u)
	}
	for _, d := range c.Domains {
		cell := func(name string, v *float64, make func(float64) Cell) Cell {
			if v == nil {
				return Dash(d.Undefined[name])
			}
			return make(*v)
		}
		only := func(n int) Cell {
			if d.P == nil {
				return Dash(d.Undefined["p"])
			}
			return Whole(n)
		}
		plain := func(v float64) Cell { return Number(v, 3) }
		change := func(v float64) Cell { return Signed(v, 3) }
		t.Rows = append(t.Rows, []Cell{Label(d.Domain), Whole(d.Tasks), cell("pass_a", d.PassA, plain), cell("pass_b", d.PassB, plain),
			cell("delta", d.Delta, change), cell("low", d.Low, change), cell("high", d.High, change), only(d.OnlyA), only(d.OnlyB), cell("p", d.P, probability)})
	}
	t.Notes = append(t.Notes, c.Notes...)
	if c.Pooled == nil {
		t.Notes = append(t.Notes, "no domain could be compared, so that there is no test over all of them")
	} else {
		t.Notes = append(t.Notes, fmt.Sprintf("over all domains: %d tasks pass with A only, %d with B only; Z %s, p %s (McNemar; exact below 25 such tasks)",
			c.Pooled.OnlyA, c.Pooled.OnlyB, Signed(c.Pooled.Z, 2).Text, probability(c.Pooled.P).Text))
	}
	if len(c.Alone) > 0 {
		shown := c.Alone[:min(len(c.Alone), 10)]
		for _, a := range shown {
			t.Notes = append(t.Notes, "left out: "+a)
		}
		if n := len(c.Alone) - len(shown); n > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("left out: %d tasks more; --json lists them", n))
		}
	}
	return t
}

func (c Comparison) flipped(most int) Table {
	t := Table{Name: "flips", Title: fmt.Sprintf("Trials that end otherwise: %d, of %d that both could be judged", len(c.Flips), c.Trials), Synthetic: c.A.Synthetic || c.B.Synthetic,
		Columns: []Column{{Key: "domain", Title: "Domain"}, {Key: "task", Title: "Task"}, {Key: "trial", Title: "Trial", Numeric: true}, {Key: "slice", Title: "Slice"},
			{Key: "a", Title: "A"}, {Key: "b", Title: "B"}}}
	shown := c.Flips
	if most > 0 && len(shown) > most {
		shown = shown[:most]
		t.Notes = append(t.Notes, fmt.Sprintf("the first %d are shown; --flips 0 shows all", most))
	}
	for _, f := range shown {
		slice := "PV"
		if f.Mut {
			slice = "Mut"
		}
		t.Rows = append(t.Rows, []Cell{Label(f.Domain), Label(f.Task), Whole(f.Trial), Label(slice), Label(f.A), Label(f.B)})
	}
	return t
}

// HasSystem returns the systems of a source, and whether one of that name is among them.
func (s *Source) HasSystem(name string) (names []string, ok bool) {
	for _, x := range s.Systems {
		names = append(names, x.Name)
	}
	return names, slices.Contains(names, name)
}
