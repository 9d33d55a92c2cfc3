package report

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/sim"
)

// RunState is how far a run has come.
type RunState string

// The states. A run that a budget of dollars or tokens ended, or that was interrupted, goes on with --resume, unless it was
// imported.
const (
	RunWriting     RunState = "running"
	RunFinished    RunState = "finished"
	RunBudget      RunState = "budget"
	RunInterrupted RunState = "interrupted"
	RunUnreadable  RunState = "unreadable"
)

// RunLine is a run in a list.
type RunLine struct {
	Dir       string     `json:"dir"`
	Name      string     `json:"name"`
	Note      string     `json:"note"`
	State     RunState   `json:"state"`
	Planned   int        `json:"planned"`
	Done      int        `json:"done"`      // have a record
	Evaluable int        `json:"evaluable"` // of the planned ones: ran and scored
	Best      *Headline  `json:"best"`      // null while there is none
	Pass1     []Headline `json:"pass1"`     // of each system that has a figure, in the config's order
	Cost      float64    `json:"cost"`      // dollars that were paid for, as far as known
	Unpriced  int        `json:"unpriced"`  // calls whose cost is not known
	Config    string     `json:"config"`    // its file, or hash where none is known
	Synthetic bool       `json:"synthetic"`
	Scripted  string     `json:"scripted,omitempty"` // what of it is, where that is not all
	Created   time.Time  `json:"created"`
	Error     string     `json:"error,omitempty"` // why the run cannot be read
}

// Headline is a system's mean of Pass^k over domains of a run.
type Headline struct {
	System  string  `json:"system"`
	K       int     `json:"k"`
	Pass    float64 `json:"pass"`
	Domains int     `json:"domains"`        // that have such a figure for the system
	Tied    int     `json:"tied,omitempty"` // of the best one: further systems with the same figure
}

// ListRuns reads what there is to say of the runs in these folders, the newest first. A run that cannot be read is a line
// that says why.
func ListRuns(dirs []string) []RunLine {
	out := make([]RunLine, len(dirs))
	var g errgroup.Group
	g.SetLimit(8)
	for i, dir := range dirs {
		g.Go(func() error {
			out[i] = runLine(dir)
			return nil
		})
	}
	_ = g.Wait()
	slices.SortStableFunc(out, func(a, b RunLine) int { return b.Created.Compare(a.Created) })
	return out
}

func runLine(dir string) RunLine {
	o, err := store.Glance(dir)
	if err != nil {
		return RunLine{Dir: dir, Name: filepath.Base(dir), State: RunUnreadable, Error: err.Error()}
	}
	return LineOf(o)
}

// LineOf is the line of a run.
func LineOf(o store.Outline) RunLine {
	m, l := o.Manifest, RunLine{Dir: o.Dir}
	l.Name, l.Note, l.Planned, l.Done, l.Synthetic = m.Name, m.Note, o.Planned, len(o.Counting), m.Synthetic
	if scripted := m.Config.Scripted(m.Config.Systems); scripted != config.AllScripted {
		l.Scripted = scripted
	}
	l.Created, _ = time.Parse(time.RFC3339, m.Created) // a manifest that was written by hand may have none, and is old then
	paid := store.PaidFor(maps.Values(o.Attempts))
	l.Cost, l.Unpriced = paid.Cost, store.Unpriced(o.Attempts)
	var outcomes []metrics.Outcome
	spent := false // a budget
	for k, e := range o.Counting {
		spent = spent || e.Termination == sim.Budget
		outcomes = append(outcomes, metrics.Outcome{Domain: k.Domain, System: k.System, Task: k.Task, Trial: k.Trial, State: state(e)})
	}
	l.Evaluable = metrics.Cover(outcomes).Evaluable
	l.Pass1 = headlines(m.Config.Systems, outcomes, 1)
	if l.Done >= l.Planned {
		l.Best = best(m.Config.Systems, outcomes)
	}
	l.Config = short(m.Identity)
	if m.Command != nil {
		l.Config = m.Command.Config
	}
	limits := m.Config.Limits
	spent = spent || limits.MaxCost > 0 && paid.Cost >= limits.MaxCost || limits.MaxTokens > 0 && paid.Tokens >= limits.MaxTokens
	switch {
	case o.Writing:
		l.State = RunWriting
	case l.Evaluable >= l.Planned:
		l.State = RunFinished
	case spent:
		l.State = RunBudget
	default:
		l.State = RunInterrupted
	}
	return l
}

// headlines are the systems that have a figure on some domain, each with the mean over those.
func headlines(systems []config.System, outcomes []metrics.Outcome, k int) (out []Headline) {
	groups, by := metrics.ByGroup(outcomes)
	slices.SortFunc(groups, func(a, b metrics.Group) int { return cmp.Compare(a.Domain, b.Domain) }) // sums do not hang on the order
	for _, s := range systems {
		h := Headline{System: s.Name, K: k}
		for _, g := range groups {
			if e := metrics.PassHat(by[g], k); g.System == s.Name && e.Defined {
				h.Pass += e.Value
				h.Domains++
			}
		}
		if h.Domains > 0 {
			h.Pass /= float64(h.Domains)
			out = append(out, h)
		}
	}
	return out
}

// best is nil where no system has a figure on every domain of the run, for the largest k that the run has trials for. Bounds
// are no systems to praise.
func best(systems []config.System, outcomes []metrics.Outcome) (best *Headline) {
	domains := map[string]bool{}
	for _, o := range outcomes {
		domains[o.Domain] = true
	}
	systems = slices.DeleteFunc(slices.Clone(systems), config.System.Bound)
	for _, h := range headlines(systems, outcomes, metrics.MaxTrials(outcomes)) {
		switch {
		case h.Domains < len(domains):
		case best == nil || h.Pass > best.Pass:
			best = &h
		case h.Pass == best.Pass:
			best.Tied++
		}
	}
	return best
}

// SortRuns sorts runs by a column of the list: dir, state, done, pass, cost, created, config or note. Runs that are alike in it
// stay as they were. An unknown column sorts nothing.
func SortRuns(lines []RunLine, column string, descending bool) {
	by := map[string]func(a, b RunLine) int{
		"dir":     func(a, b RunLine) int { return cmp.Compare(a.Dir, b.Dir) },
		"state":   func(a, b RunLine) int { return cmp.Compare(a.State, b.State) },
		"done":    func(a, b RunLine) int { return cmp.Compare(a.Done, b.Done) },
		"pass":    func(a, b RunLine) int { return cmp.Compare(a.top(), b.top()) },
		"cost":    func(a, b RunLine) int { return cmp.Compare(a.Cost, b.Cost) },
		"created": func(a, b RunLine) int { return a.Created.Compare(b.Created) },
		"config":  func(a, b RunLine) int { return cmp.Compare(a.Config, b.Config) },
		"note":    func(a, b RunLine) int { return cmp.Compare(a.Note, b.Note) },
	}[column]
	if by == nil {
		return
	}
	slices.SortStableFunc(lines, func(a, b RunLine) int {
		if descending {
			a, b = b, a
		}
		return by(a, b)
	})
}

// Of says how many of the domains that others have figures on a system's figure is of, where these are not all.
func (l RunLine) Of(h Headline) string {
	most := 0
	for _, other := range l.Pass1 {
		most = max(most, other.Domains)
	}
	if h.Domains == most {
		return ""
	}
	return fmt.Sprintf("%d of %d domains", h.Domains, most)
}

// top is the largest Pass^1 of a run's systems, below all where there is none.
func (l RunLine) top() float64 {
	top := -1.0
	for _, h := range l.Pass1 {
		top = max(top, h.Pass)
	}
	return top
}

// RunsTable is the list as a table; now is what ages are counted from.
func RunsTable(lines []RunLine, now time.Time) Table {
	t := Table{Name: "runs", Title: "Runs", narrow: []string{"age", "cost", "evaluable"}, Columns: []Column{{Key: "dir", Title: "Run"}, {Key: "state", Title: "State"},
		{Key: "done", Title: "Done", Numeric: true}, {Key: "evaluable", Title: "Eval. (%)", Numeric: true}, {Key: "best", Title: "Best system"},
		{Key: "pass", Title: "Pass^k", Numeric: true}, {Key: "cost", Title: "Cost ($)", Numeric: true}, {Key: "age", Title: "Age", Numeric: true}}}
	for _, l := range lines {
		if l.Error != "" {
			t.Rows = append(t.Rows, []Cell{Label(l.Dir), l.State.cell(), Dash(""), Dash(""), Dash(""), Dash(""), Dash(""), Dash("")})
			t.Notes = append(t.Notes, l.Error)
			continue
		}
		if mark := l.Mark(); mark != "" && !slices.Contains(t.Notes, ScriptedNote(mark)) {
			t.Notes = append(t.Notes, ScriptedNote(mark))
		}
		age := now.Sub(l.Created)
		best, pass := l.best()
		t.Rows = append(t.Rows, []Cell{Label(l.Dir), l.State.cell(), {Text: fmt.Sprintf("%d/%d", l.Done, l.Planned), Value: l.Done},
			l.share(), best, pass, l.Dollars(), {Text: Ago(age), Value: age.Seconds()}})
	}
	return t
}

func (s RunState) cell() Cell {
	c := Label(string(s))
	c.Style = map[RunState]terminal.Style{RunFinished: terminal.Good, RunBudget: terminal.Warn, RunInterrupted: terminal.Warn, RunUnreadable: terminal.Bad}[s]
	return c
}

// share is how many of the planned trials count, rounded down: what is not whole does not look so.
func (l RunLine) share() Cell {
	if l.Planned == 0 {
		return Dash("no trials are planned")
	}
	return Whole(100 * l.Evaluable / l.Planned)
}

// Mark is what of the run is scripted; "" for nothing.
func (l RunLine) Mark() string {
	return (Provenance{Synthetic: l.Synthetic, Scripted: l.Scripted}).mark()
}

func (l RunLine) best() (system, pass Cell) {
	if l.Best == nil {
		none := Dash("the run is not complete, or no system has all trials")
		return none, none
	}
	system = Label(l.Best.System)
	if l.Best.Tied > 0 {
		system.Text += fmt.Sprintf(" and %d more", l.Best.Tied)
	}
	if mark := l.Mark(); mark != "" {
		system.Text += " *" + mark + "*"
	}
	return system, Cell{Text: fmt.Sprintf("%.3f (^%d)", l.Best.Pass, l.Best.K), Value: l.Best.Pass}
}

// Dollars is what a run cost, as far as it is known.
func (l RunLine) Dollars() Cell {
	c := Number(l.Cost, 2)
	switch {
	case l.Unpriced > 0 && l.Cost == 0:
		return Cell{Text: "?", Why: "the cost of its calls is not known"}
	case l.Unpriced > 0:
		c.Text = "≥ " + c.Text
	case l.Synthetic && l.Cost == 0:
		return Cell{Text: "–", Why: "scripted models cost nothing"}
	}
	return c
}

// Ago is a time that has passed, in its largest unit.
func Ago(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 2*day:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d", int(d/day))
	}
}
