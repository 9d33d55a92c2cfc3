package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// Source is one run as tables need it. What only few tables need is read when they ask.
type Source struct {
	Provenance
	Systems    []System
	Configured []string // the systems of its config in order, those without trials too; nil where they are Systems
	Domains    []Domain
	DataFolder string          // as the config has it
	Setup      config.Identity // everything that decides how trials end
	Others     []string        // models that play other parts than the systems under test
	Command    *config.Command // how it was asked for; nil where the run does not say
	Outcomes   []metrics.Outcome
	Trials     []Trial // those that have a record, in the order of the outcomes
	Spent      map[Spender]*Spending
	Oversight  map[Overseen]sim.Oversight // of the systems whose verifiers were asked
	Attack     *Attack                    // the attacks of a run whose user attacks; nil for others
	Notes      []Note                     // on the tasks of an imported run, each once
	Bundles    []Bundle                   // workflows in folders that its systems were given

	// Record reads the record of a trial that counts. World opens a domain's data, once. Imported returns what the result
	// that the run was imported from says of all trials, nil for other runs. Each is nil where there is none; all are safe
	// for concurrent use.
	Record   func(sim.Key) (sim.Record, error)
	World    func(domain string) (*domains.World, error)
	Imported func() (*tau2.Header, error)
	Judged   func() (Judgements, error) // what judges said, read once
}

// Note is something that must be said of the tasks of some trials.
type Note struct {
	Text   string
	Trials int
	First  sim.Key
}

// note adds a planned trial's note.
func (s *Source) note(p config.Planned) {
	if p.Note == "" {
		return
	}
	i := slices.IndexFunc(s.Notes, func(n Note) bool { return n.Text == p.Note })
	if i < 0 {
		i = len(s.Notes)
		s.Notes = append(s.Notes, Note{Text: p.Note, First: p.Key})
	}
	s.Notes[i].Trials++
}

// remarks are the notes as lines below a table.
func (s *Source) remarks() []string {
	var out []string
	for _, n := range s.Notes {
		out = append(out, fmt.Sprintf("%d trials of run %s, such as %s: %s", n.Trials, s.Name, n.First.String(), n.Text))
	}
	return out
}

// Domain is a domain of a run.
type Domain struct{ Name, Split string }

// Trial is what the index says about a trial that ran.
type Trial struct {
	sim.Key
	State   metrics.State
	Ending  sim.Reason
	Seconds float64 // wall clock of the conversation
}

// Provenance says what a run is: every output names it.
type Provenance struct {
	Name      string            `json:"name"`
	Dir       string            `json:"dir,omitempty"`
	Synthetic bool              `json:"synthetic"`
	Scripted  string            `json:"scripted,omitempty"`  // what of it is, where that is not all: see config.Config.Scripted
	Config    string            `json:"config"`              // hash of all that affects results
	Data      map[string]string `json:"data,omitempty"`      // hash by domain
	Workflows map[string]string `json:"workflows,omitempty"` // hash by system and domain, of those that have one
	Models    string            `json:"models"`              // which model plays which role
}

// String is the note about a run.
func (p Provenance) String() string {
	out := fmt.Sprintf("run %s, config %s", p.Name, p.Config)
	if len(p.Data) > 0 {
		out += "; data " + byValue(p.Data)
	}
	if len(p.Workflows) > 0 {
		out += "; workflow " + byValue(p.Workflows)
	}
	out += "; " + p.Models
	if mark := p.mark(); mark != "" {
		out += "; " + mark
	}
	return out
}

// mark is what must be said wherever figures of the run are; "" if nothing is scripted.
func (p Provenance) mark() string {
	if !p.Synthetic {
		return ""
	}
	return cmp.Or(p.Scripted, config.AllScripted)
}

// markOf is the mark of several runs together.
func markOf(runs ...Provenance) string {
	marks := map[string]bool{}
	out := ""
	for _, p := range runs {
		out = p.mark()
		marks[out] = true
	}
	if len(marks) > 1 {
		return config.PartlyScripted
	}
	return out
}

// folded is the note in short: an identity that stands for all hashes, and which models play how many systems.
func (p Provenance) folded() string {
	sum := sha256.Sum256([]byte(p.String()))
	out := fmt.Sprintf("run %s, identity %x; ", p.Name, sum[:4])
	agents, others, _ := strings.Cut(p.Models, "; ")
	systems := map[string][]string{}
	var order []string
	for s := range strings.SplitSeq(agents, ", ") {
		name, model, ok := strings.Cut(s, ": ")
		if !ok { // a name with a comma in it
			return out + p.Models
		}
		if systems[model] == nil {
			order = append(order, model)
		}
		systems[model] = append(systems[model], name)
	}
	for i, model := range order {
		if names := systems[model]; len(names) > 2 {
			order[i] += fmt.Sprintf(" (%d systems)", len(names))
		} else {
			order[i] += " (" + strings.Join(names, ", ") + ")"
		}
	}
	return out + strings.Join(order, ", ") + "; " + others
}

// byValue lists a map; keys of one value are put together.
func byValue(m map[string]string) string {
	by := map[string][]string{}
	for k, v := range m {
		by[v] = append(by[v], k)
	}
	var out []string
	for v, keys := range by {
		slices.Sort(keys)
		out = append(out, strings.Join(keys, ", ")+" "+v)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// FromRun reads what the tables need of a run: the outcome of every planned trial, and the spending by role. A trial
// without a record is void. It reads the run's index; records are read only for those trials whose entries lack the usage
// by role. env resolves the variables of the run's data folder.
func FromRun(r *store.Run, env func(string) string) (Source, error) {
	m := r.Manifest()
	head := imported(r)
	s := Source{Provenance: provenance(r), Spent: map[Spender]*Spending{}, Oversight: map[Overseen]sim.Oversight{}, Record: r.Record,
		World: worlds(r, env, head), Imported: head, Judged: sync.OnceValues(func() (Judgements, error) { return judgementsOf(r) }), DataFolder: m.Config.Data, Setup: m.Setup, Command: m.Command, Bundles: bundlesOf(m.Config)}
	for _, role := range []config.Role{m.Config.User.Role, m.Config.Judge} {
		if role.Model != "" {
			s.Others = append(s.Others, role.Model)
		}
	}
	for _, system := range systems(r) {
		s.Systems = append(s.Systems, systemOf(m.Config, system))
	}
	for _, system := range m.Config.Systems {
		s.Configured = append(s.Configured, system.Name)
	}
	for _, d := range m.Config.Domains {
		s.Domains = append(s.Domains, Domain{d.Name, d.Split})
	}
	for _, p := range r.Plan() {
		o := planned(p)
		if e, ok := r.Counting(p.Key); ok {
			o.State = state(e)
			s.Trials = append(s.Trials, Trial{Key: p.Key, State: o.State, Ending: e.Termination, Seconds: e.Seconds})
			s.spend(m.Config, p.Key, e.Usage)
			if e.Oversight != nil {
				at := Overseen{p.Domain, p.System}
				s.Oversight[at] = s.Oversight[at].Plus(*e.Oversight)
			}
		}
		s.Outcomes = append(s.Outcomes, o)
		s.note(p)
	}
	var err error
	s.Attack, err = attackOf(r)
	return s, err
}

// planned is the outcome of a trial without a record.
func planned(p config.Planned) metrics.Outcome {
	return metrics.Outcome{Domain: p.Domain, System: p.System, Task: p.Task, Trial: p.Trial, Mut: p.Mut, Unclassified: p.Unclassified, State: metrics.Void}
}

// Reader reads the trials of a run with their tasks. env resolves the variables of the run's data folder.
func Reader(r *store.Run, env func(string) string) *transcript.Reader {
	head := imported(r)
	return Source{World: worlds(r, env, head), Imported: head}.Reader(r)
}

// Reader reads the trials of the run that the source was read from, with its data.
func (s Source) Reader(r *store.Run) *transcript.Reader {
	return &transcript.Reader{Run: r, World: s.World, Brought: func(id string) *domains.Task {
		head, _ := s.Imported() // World tells the error
		t, _ := head.ReadableTask(id)
		return t
	}}
}

// imported reads what the result of an imported run says, once.
func imported(r *store.Run) func() (*tau2.Header, error) {
	return sync.OnceValues(func() (*tau2.Header, error) { return tau2.ReadHead(r) })
}

// worlds opens the data of a run's domains, each once. The tasks of an imported run are those that it brought.
func worlds(r *store.Run, env func(string) string, imported func() (*tau2.Header, error)) func(string) (*domains.World, error) {
	open := func(domain string) (*domains.World, error) {
		w, err := r.World(domain, env)
		if err != nil {
			return nil, err
		}
		head, err := imported()
		if err != nil {
			return nil, err
		}
		return head.WithTasks(w), nil
	}
	once := map[string]func() (*domains.World, error){}
	for _, d := range r.Manifest().Config.Domains {
		once[d.Name] = sync.OnceValues(func() (*domains.World, error) { return open(d.Name) })
	}
	return func(domain string) (*domains.World, error) {
		if f := once[domain]; f != nil {
			return f()
		}
		return open(domain)
	}
}

// systems are those of a run's config that it has trials of.
func systems(r *store.Run) []config.System {
	has := map[string]bool{}
	for _, p := range r.Plan() {
		has[p.System] = true
	}
	return slices.DeleteFunc(slices.Clone(r.Manifest().Config.Systems), func(s config.System) bool { return !has[s.Name] })
}

func provenance(r *store.Run) Provenance {
	m := r.Manifest()
	p := Provenance{Name: m.Name, Dir: r.Dir(), Synthetic: m.Synthetic, Config: short(m.Identity), Models: models(m.Config, systems(r), r.Scripted()),
		Data: map[string]string{}, Workflows: map[string]string{}}
	if scripted := r.Scripted(); scripted != config.AllScripted {
		p.Scripted = scripted
	}
	for domain, sources := range m.Data {
		p.Data[domain] = dataHash(sources)
	}
	for _, s := range systems(r) {
		for _, d := range m.Config.Domains {
			if hash := strings.Trim(m.Setup.Fields["systems."+s.Name+".guide."+d.Name], `"`); hash != "" {
				p.Workflows[s.Name+" on "+d.Name] = short(hash)
			}
			for _, w := range m.Authored(s.Name, d.Name) {
				at := s.Name + " on " + d.Name
				p.Workflows[at] = strings.TrimSpace(p.Workflows[at] + " (" + w.String() + ")")
			}
		}
	}
	return p
}

// dataHash is one hash over the files of a domain.
func dataHash(files []domains.Source) string {
	lines := make([]string, len(files))
	for i, f := range files {
		lines[i] = f.Path + " " + f.SHA256 + "\n"
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return short(hex.EncodeToString(sum[:]))
}

func state(e store.Entry) metrics.State {
	switch {
	case !e.Termination.Evaluable():
		return metrics.Void
	case e.Reward == nil:
		return metrics.Pending
	case sim.Success(*e.Reward):
		return metrics.Success
	}
	return metrics.Failure
}

func short(hash string) string {
	if len(hash) > 12 {
		return hash[:12]
	}
	return hash
}

// models says which model plays which role, and where only some are scripted, which.
func models(c *config.Config, systems []config.System, scripted string) string {
	called := func(name string) string {
		if c.Models[name].Synthetic && scripted != config.AllScripted {
			return name + " (scripted)"
		}
		return cmp.Or(name, "no model")
	}
	var parts []string
	for _, s := range systems {
		parts = append(parts, s.Name+": "+called(s.Model))
	}
	out := strings.Join(parts, ", ") + "; user: " + called(c.User.Model)
	if c.User.Attack != "" {
		out += " (attack " + c.User.Attack + ")"
	}
	if c.Judge.Model != "" {
		out += "; judge: " + called(c.Judge.Model)
	}
	return out
}

// names adds the runs that a table is about.
func (t *Table) names(sources []Source) {
	for _, s := range sources {
		t.Runs = append(t.Runs, s.Provenance)
		t.Synthetic = t.Synthetic || s.Synthetic
		t.Notes = append(t.Notes, s.remarks()...)
	}
}

// SystemNames lists the systems of a run.
func (s *Source) SystemNames() []string {
	var names []string
	for _, x := range s.Systems {
		names = append(names, x.Name)
	}
	return names
}

// system describes a system by its name.
func (s *Source) system(name string) System {
	for _, x := range s.Systems {
		if x.Name == name {
			return x
		}
	}
	return System{Name: name}
}

// split is the split of a domain that the run took its tasks from.
func (s *Source) split(domain string) string {
	for _, d := range s.Domains {
		if d.Name == domain {
			return d.Split
		}
	}
	return ""
}
