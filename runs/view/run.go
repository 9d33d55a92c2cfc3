package view

import (
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// givenRun is a run that was given to the viewer, with what was last read of it. Safe for concurrent use.
type givenRun struct {
	dir  string // as it was given
	slug string
	env  func(string) string
	// frozen keeps what was read, whatever happens to the folder meanwhile: a copy is made of one state.
	frozen bool

	mu    sync.Mutex
	data  *runData
	state string // of the folder when data was read

	index trials.Index // what was said, as far as somebody searched it

	line  report.RunLine // under the lock of the site's heads, as the next
	lined string         // state of the folder when line was made
}

// read returns the run as it is now. What was read before is used again as long as its files did not change.
func (g *givenRun) read() (*runData, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.frozen {
		return g.data, nil
	}
	state, live, err := store.State(g.dir)
	if err != nil {
		return nil, err
	}
	if g.data != nil && state == g.state {
		return g.data, nil
	}
	g.data = nil // frees the old one before the new one grows
	data, err := g.open(live)
	if err != nil {
		return nil, err
	}
	g.data, g.state = data, state
	return data, nil
}

// runData is a run as it was at one moment: all that lists are made of. It is never changed.
type runData struct {
	run      *store.Run
	manifest store.Manifest
	source   report.Source
	rows     []trials.Line             // every planned trial, and those that only the folder has, by domain, task, system and number
	others   map[sim.Key][]store.Entry // the attempts that do not count, of trials that have any
	at       map[sim.Key]int           // places of the trials in rows
	domains  *slugs
	systems  *slugs
	tasks    *slugs
	spend    string
	live     bool // some process is writing

	asked    trials.Asked
	drawn    sync.Once
	drawings []figure.Figure
	reader   *transcript.Reader
}

// open opens the run and lists its trials.
func (g *givenRun) open(live bool) (*runData, error) {
	r, err := store.Open(g.dir)
	if err != nil {
		return nil, err
	}
	d := &runData{run: r, manifest: r.Manifest(), others: map[sim.Key][]store.Entry{}, live: live, asked: trials.Asked{Index: &g.index}}
	var figures errgroup.Group
	figures.Go(func() (err error) {
		d.source, err = report.FromRun(r, g.env)
		return err
	})
	var sum trials.Spending
	for e := range r.Entries() {
		sum.Add(e)
		if counting, ok := r.Counting(e.Key); ok && counting.Attempt != e.Attempt {
			d.others[e.Key] = append(d.others[e.Key], e)
		}
	}
	d.spend = sum.String()
	d.listTrials()
	err = figures.Wait()
	d.reader = d.source.Reader(r)
	return d, err
}
