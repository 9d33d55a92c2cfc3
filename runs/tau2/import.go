package tau2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// headName is the file of an imported run with what the result file said beside its simulations.
const headName = "tau2.json"

// ImportedSplit is the split that an imported run is said to be of: result files do not name it.
const ImportedSplit = "base"

// Origin marks scores that were taken over.
const Origin = "recorded in the τ²-bench result that the run was imported from"

// ImportOptions say how to take a result over as a run.
type ImportOptions struct {
	Out  string // run directory; must not exist
	Note string // in the manifest; empty for one that names the source
	// Data names the data folder for later looks at the run; empty for the variable TAU2_DATA_DIR.
	Data string
	// World is the domain, opened for ImportedSplit on that folder or, without one, on the embedded data, of which
	// then only the tools are used.
	World *domains.World
	Now   time.Time
}

// Imported tells what was taken over.
type Imported struct {
	Dir          string             `json:"dir"`
	From         string             `json:"from"`
	Layout       Layout             `json:"layout"`
	Domain       string             `json:"domain"`
	System       string             `json:"system"`
	Simulations  int                `json:"simulations"`
	Tasks        int                `json:"tasks"`
	Planned      int                `json:"planned"` // trials that the source planned, or that it has, if they are more
	Trials       int                `json:"trials"`  // most of a task
	Scored       int                `json:"scored"`  // with a recorded reward
	Reward       *float64           `json:"mean_reward"`
	Terminations map[sim.Reason]int `json:"terminations"`
	Deviations   []Deviation        `json:"deviations"`
}

// Import writes a run directory with the conversations of a result and their recorded rewards. On error there is no
// directory. The source must have been named (NameAs).
func Import(ctx context.Context, s *Source, o ImportOptions) (_ *Imported, err error) {
	f, err := store.NewImporter(o.Out)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	out := &Imported{Dir: filepath.Clean(o.Out), From: s.Name, Layout: s.Layout, Domain: s.Domain(), System: s.System(), Terminations: map[sim.Reason]int{}}
	tasks, sum := map[string]bool{}, 0.0
	for one, err := range s.Simulations() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		r := one.Record
		if err := f.Add(s.planned(r.Key, r.Seed, one.Task, one.Recorded, o), r, imported(one)); err != nil {
			return nil, err
		}
		tasks[r.Task] = true
		out.Simulations++
		out.Trials = max(out.Trials, r.Trial+1)
		out.Terminations[r.Termination]++
		if one.Recorded != nil && r.Termination.Evaluable() {
			out.Scored++
			sum += one.Recorded.Reward
		}
	}
	if out.Simulations == 0 {
		return nil, fmt.Errorf("%s: no simulation in it: there is nothing to import", s.Name)
	}
	if out.Scored > 0 {
		mean := sum / float64(out.Scored)
		out.Reward = &mean
	}
	if err := s.planRest(f, tasks, o); err != nil {
		return nil, err
	}
	out.Planned, out.Trials = f.Planned(), max(out.Trials, s.Header.Facts.NumTrials)
	out.Tasks, out.Deviations = len(tasks), s.Deviations()
	head, err := s.Header.file(map[string]any{"from": s.Name, "layout": s.Layout, "deviations": out.Deviations})
	if err != nil {
		return nil, err
	}
	if err := f.Keep(headName, head); err != nil {
		return nil, err
	}
	return out, f.Finish(manifest(s, out, o), o.Now)
}

// imported is the recorded outcome as a score; nil where there is none, or where none counts.
func imported(one *Simulation) *sim.Score {
	if one.Recorded == nil || !one.Record.Termination.Evaluable() {
		return nil
	}
	s := &sim.Score{Version: sim.ScoreVersion, Key: one.Record.Key, Attempt: one.Record.Attempt, Info: *one.Recorded, Origin: Origin}
	s.Components = States(one.Recorded)
	s.Reward = &s.Info.Reward
	return s
}

// manifest says what an imported run is.
func manifest(s *Source, out *Imported, o ImportOptions) store.Manifest {
	f := s.Header.Facts
	_, policy := f.Domain()
	if o.Note == "" {
		o.Note = "imported from " + out.From
		if s.Header.Export != nil && s.Header.Export.Note != "" {
			o.Note = s.Header.Export.Note + " (" + o.Note + ")"
		}
	}
	c := &config.Config{Name: filepath.Base(out.Dir), Note: o.Note, Data: o.Data, Trials: out.Trials, Models: map[string]config.Model{}}
	if o.Data == "" {
		c.Data = "$TAU2_DATA_DIR"
	}
	if f.Seed != nil {
		c.Seed = *f.Seed
	}
	c.Limits.MaxSteps, c.Limits.MaxErrors = f.MaxSteps, f.MaxErrors
	c.Domains = []config.Domain{{Name: out.Domain, Split: ImportedSplit, PolicyType: policy, Solo: f.Solo()}}
	synthetic := s.Header.Export != nil && s.Header.Export.Synthetic
	add := func(p Party, role string) string {
		name, m := p.model(), p.settings()
		m.Synthetic = synthetic
		if old, taken := c.Models[name]; taken && !reflect.DeepEqual(old, m) {
			name += " (" + role + ")"
		}
		c.Models[name] = m
		return name
	}
	agent := f.Agent.Implementation
	if agent == "" {
		agent = "unknown"
	}
	c.Systems = []config.System{{Name: out.System, Agent: agent, Model: add(f.Agent, "agent")}}
	c.User.Model = add(f.User, "user")
	setup := s.setup()
	m := store.Manifest{Name: c.Name, Note: c.Note, Synthetic: synthetic, Config: c, Data: map[string][]domains.Source{},
		Models: slices.Sorted(maps.Keys(c.Models)), Identity: setup.Hash(), Setup: setup}
	if own := s.Header.Export; o.Data != "" {
		m.Data[out.Domain] = o.World.Sources
	} else if own != nil && own.Embedded() {
		c.Data, m.Data[out.Domain] = "embedded", own.Data
	}
	return m
}

// model is the name of the party's model in configs.
func (p Party) model() string {
	if p.Model == "" {
		return "unknown"
	}
	return p.Model
}

// settings are the party's model as a config says it.
func (p Party) settings() config.Model {
	m := config.Model{Model: p.model()}
	for name, v := range p.Args {
		f := number(v)
		switch {
		case name == "temperature" && f != nil:
			m.Temperature = f
		case name == "top_p" && f != nil:
			m.TopP = f
		case name == "max_tokens" && f != nil && *f == math.Trunc(*f):
			n := int(*f)
			m.MaxTokens = &n
		case string(v) == `"[redacted]"`: // see maskSecrets
		default:
			if m.Extra == nil {
				m.Extra = map[string]json.RawMessage{}
			}
			m.Extra[name] = v
		}
	}
	return m
}

// file is the head as a result file without simulations.
func (h *Header) file(about map[string]any) (map[string]any, error) {
	out := map[string]any{"imported": about, "info": h.Info}
	if h.Timestamp != "" {
		out["timestamp"] = h.Timestamp
	}
	tasks := make([]json.RawMessage, len(h.Tasks))
	for i, t := range h.Tasks {
		tasks[i] = t.Raw
	}
	out["tasks"] = tasks
	if h.Export != nil {
		out[exportKey] = h.Export
	}
	for name, v := range h.Extra {
		if _, taken := out[name]; taken {
			return nil, fmt.Errorf("key %s of the file has a name that is needed for the run", name)
		}
		out[name] = v
	}
	return out, nil
}

// ReadHead returns what the result that a run was imported from says beside its simulations; nil for a run that was
// not imported.
func ReadHead(r *store.Run) (*Header, error) {
	s := newSource(os.DirFS(r.Dir()), filepath.Join(r.Dir(), headName))
	err := s.readFile(headName, 0, func(in *reader) error {
		return in.Object(func(name string) error {
			if name == "imported" {
				return in.Skip()
			}
			return s.headMember(in, name)
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &s.Header, err
}

// Recorded reports whether a score was taken over and not computed.
func Recorded(s *sim.Score) bool { return s != nil && strings.HasPrefix(s.Origin, Origin) }
