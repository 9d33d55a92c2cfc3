package view

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
	"github.com/tauguide/tauguide/runs/store"
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

	index  trials.Index // what was said, as far as somebody searched it
	asking sync.Mutex
	last   answer

	line  report.RunLine // under the lock of the site's heads, as the next
	lined string         // state of the folder when line was made
}

// look returns the state of the run's folder, and whether some process is writing in it.
func (g *givenRun) look() (state string, live bool, err error) {
	if live, err = store.Writing(g.dir); err != nil {
		return "", false, err
	}
	state, err = folderState(g.dir)
	return fmt.Sprint(state, live), live, err
}

// read returns the run as it is now. What was read before is used again as long as its files did not change.
func (g *givenRun) read() (*runData, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.frozen {
		return g.data, nil
	}
	state, live, err := g.look()
	if err != nil {
		return nil, err
	}
	if g.data != nil && state == g.state {
		return g.data, nil
	}
	g.data = nil // frees the old one before the new one grows
	g.forget()
	data, err := readRun(g.dir, live, g.env)
	if err != nil {
		return nil, err
	}
	g.data, g.state = data, state
	return data, nil
}

// forget lets go of what was last found.
func (g *givenRun) forget() {
	g.asking.Lock()
	defer g.asking.Unlock()
	g.last = answer{}
}

// runFiles are what a run is read from, apart from its records.
func runFiles() []string {
	return []string{"manifest.json", "plan.jsonl", "index.jsonl", "scores.jsonl", "tau2.json", "lock"}
}

// folderState tells one state of a run's folder from another, by size and time of its files. Records need no look: the
// index grows with each, and whoever shows one reads it within the folder (store.Run.RecordInside).
func folderState(dir string) (string, error) {
	var b strings.Builder
	for _, name := range runFiles() {
		st, err := os.Lstat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) && name != "manifest.json" {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("there is no run in %s any more: %w", dir, err)
		}
		fmt.Fprintln(&b, name, st.Mode(), st.Size(), st.ModTime().UnixNano())
	}
	return b.String(), nil
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

	drawn    sync.Once
	drawings []figure.Figure
	guided   sync.Map // *transcript.Guides by system and domain
}

// readRun opens a run and lists its trials. env resolves the variables of the run's data folder.
func readRun(dir string, live bool, env func(string) string) (*runData, error) {
	r, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	d := &runData{run: r, manifest: r.Manifest(), others: map[sim.Key][]store.Entry{}, live: live}
	var figures errgroup.Group
	figures.Go(func() (err error) {
		d.source, err = report.FromRun(r, env)
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
	return d, figures.Wait()
}
