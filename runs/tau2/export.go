package tau2

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// ExportOptions say what of a run to write, and how.
type ExportOptions struct {
	Out string // file, or for LayoutDir the folder; must not exist
	// Domain and System choose from a run that has several; a result file has one of each.
	Domain, System string
	Layout         Layout         // LayoutJSON or LayoutDir
	World          *domains.World // of the domain, for tasks and policy; may be nil for a run that was imported with its tasks
	Program        string         // version of this program
}

// Exported tells what was written.
type Exported struct {
	File        string         `json:"file"`
	Layout      Layout         `json:"layout"`
	Domain      string         `json:"domain"`
	System      string         `json:"system"`
	Simulations int            `json:"simulations"`
	Tasks       int            `json:"tasks"`
	Void        int            `json:"void"`    // written as infrastructure errors
	Unscored    int            `json:"pending"` // written without a reward
	Missing     int            `json:"missing"` // planned trials without a record
	Remarks     map[string]int `json:"remarks"` // endings that the format has no word for
	Stops       []Stop         `json:"strict_replay_stops,omitempty"`
}

// Stop is a trial that the reference cannot replay strictly, and where and why.
type Stop struct {
	Trial string `json:"trial"`
	Why   string `json:"why"`
}

// Choose picks domain and system of a run; without choice there must be only one.
func Choose(r *store.Run, domain, system string) (string, string, error) {
	type pair struct{ domain, system string }
	var list []pair
	for _, p := range r.Plan() {
		k := pair{p.Domain, p.System}
		if (domain == "" || domain == k.domain) && (system == "" || system == k.system) && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	switch len(list) {
	case 0:
		return "", "", fmt.Errorf("run %s has no trials of domain %q and system %q\nhint: leave one out to see what there is", r.Dir(), domain, system)
	case 1:
		return list[0].domain, list[0].system, nil
	}
	var names []string
	for _, k := range list {
		names = append(names, fmt.Sprintf("--domain %s --system %s", k.domain, k.system))
	}
	return "", "", fmt.Errorf("a file holds one domain and one system, and run %s has several\nhint: choose one of %s", r.Dir(), strings.Join(names, "; "))
}

// exporter writes one result.
type exporter struct {
	run     *store.Run
	plan    []config.Planned // the trials of the domain and system
	head    *Header          // of an imported run; otherwise nil
	options ExportOptions
	scores  map[store.Ref]sim.Score
	out     Exported
	index   []json.RawMessage
}

// Export writes the trials of one domain and system of a run as a τ²-bench result: of each trial the attempt that
// counts. There is the whole result or none.
func Export(ctx context.Context, r *store.Run, o ExportOptions) (*Exported, error) {
	head, err := ReadHead(r)
	if err != nil {
		return nil, err
	}
	if head == nil && o.World == nil {
		return nil, errors.New("the data of the run is needed for its tasks\nhint: give its folder with --data")
	}
	if _, err := os.Lstat(o.Out); err == nil {
		return nil, fmt.Errorf("%s exists\nhint: give another name with --out, or move it away", o.Out)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	x := &exporter{run: r, head: head, options: o}
	for _, p := range r.Plan() {
		if p.Domain == o.Domain && p.System == o.System {
			x.plan = append(x.plan, p)
		}
	}
	x.out = Exported{File: o.Out, Layout: o.Layout, Domain: o.Domain, System: o.System, Remarks: map[string]int{}}
	if x.scores, err = r.Scores(); err != nil {
		return nil, err
	}
	err = x.write(ctx)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", r.Dir(), err)
	}
	return &x.out, nil
}

// write makes the result in a temporary folder beside its place, and gives it its name when it is whole.
func (x *exporter) write(ctx context.Context) (err error) {
	temp, err := os.MkdirTemp(filepath.Dir(filepath.Clean(x.options.Out)), ".tmp-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	whole := temp
	if x.options.Layout == LayoutDir {
		if err := x.folder(ctx, filepath.Join(temp, "simulations")); err != nil {
			return err
		}
	} else {
		whole = filepath.Join(temp, "results.json")
	}
	f, err := os.Create(filepath.Join(temp, "results.json"))
	if err != nil {
		return err
	}
	if err = x.file(ctx, f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close(), os.Chmod(temp, 0o755)); err != nil {
		return err
	}
	return os.Rename(whole, x.options.Out)
}

// folder writes a file for each simulation.
func (x *exporter) folder(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return x.each(ctx, func(id string, one json.RawMessage) error {
		var b bytes.Buffer
		s := newStream(&b)
		if s.value(one); s.err != nil {
			return s.err
		}
		return os.WriteFile(filepath.Join(dir, id+".json"), b.Bytes(), 0o644)
	})
}

// file writes the result file, with the simulations in it unless the layout has a folder for them.
func (x *exporter) file(ctx context.Context, f *os.File) error {
	w := bufio.NewWriterSize(f, 1<<16)
	s := newStream(w)
	s.token(jsontext.BeginObject)
	if err := x.about(s); err != nil {
		return err
	}
	if x.options.Layout == LayoutDir {
		s.member("simulation_index", x.index)
	} else {
		s.token(jsontext.String("simulations"))
		s.token(jsontext.BeginArray)
		err := x.each(ctx, func(_ string, one json.RawMessage) error {
			s.value(one)
			return s.err
		})
		if err != nil {
			return err
		}
		s.token(jsontext.EndArray)
		s.member("simulation_index", nil)
	}
	s.token(jsontext.EndObject)
	if s.err != nil {
		return s.err
	}
	return w.Flush()
}

// each makes the simulations one by one.
func (x *exporter) each(ctx context.Context, use func(id string, one json.RawMessage) error) error {
	seen := map[string]bool{}
	for _, e := range x.run.Index() {
		if e.Domain != x.options.Domain || e.System != x.options.System {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := x.run.Attempt(e.Ref)
		if err != nil {
			return err
		}
		id, one, err := x.simulation(r)
		if err == nil && seen[id] {
			err = fmt.Errorf("two simulations have the id %s", id)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Key.String(), err)
		}
		seen[id] = true
		if err := use(id, one); err != nil {
			return err
		}
	}
	x.out.Simulations = len(seen)
	x.out.Missing = max(0, len(x.plan)-len(seen))
	return nil
}

// simulation is one record in the reference's form.
func (x *exporter) simulation(r sim.Record) (id string, _ json.RawMessage, err error) {
	o := newObject(simulationFields, r.Extra)
	if json.Unmarshal(r.Extra["id"], &id) != nil || id == "" || strings.HasPrefix(id, ".") || strings.ContainsAny(id, `/\`) {
		id = madeID(r.Domain, r.System, r.Task, fmt.Sprint(r.Trial), fmt.Sprint(r.Attempt))
	}
	o.set("id", id)
	o.set("task_id", r.Task)
	o.set("trial", r.Trial)
	o.suggest("seed", r.Seed)
	o.suggest("timestamp", localTime(r.Times.Finished))
	o.suggest("start_time", localTime(r.Times.Started))
	o.suggest("end_time", localTime(r.Times.Finished))
	own := r.Extra == nil
	if own || r.Times.Seconds != 0 { // a source that says no duration has none
		o.suggest("duration", seconds(r.Times.Seconds))
	}
	x.ending(o, r)
	if own {
		spread(&r)
		if x.options.World != nil {
			o.set("policy", x.options.World.Policy)
		}
	}
	agent, user := costs(r)
	o.suggest("agent_cost", agent)
	o.suggest("user_cost", user)
	x.reward(o, r)
	list := make([]json.RawMessage, len(r.Messages))
	for i, m := range r.Messages {
		if list[i], err = messageJSON(m); err != nil {
			return "", nil, fmt.Errorf("message %d: %w", i, err)
		}
	}
	o.set("messages", list)
	x.enter(o, r)
	raw, err := o.json()
	return id, raw, err
}

// ending writes why a conversation ended. Endings of which the format has no word are void trials, which the reference
// calls infrastructure errors and leaves out of its figures; the word itself goes into the simulation's info. So does
// what a strict replay would stop at.
func (x *exporter) ending(o *object, r sim.Record) {
	name, info := r.Termination, map[string]any{}
	if !shared(name) {
		name = sim.Infra
		x.out.Remarks[string(r.Termination)]++
		info[reasonKey] = r.Termination
	}
	o.suggest("termination_reason", name)
	if !r.Termination.Evaluable() {
		x.out.Void++
	}
	if r.Fault != nil && r.Extra == nil {
		info["error"], info["error_type"] = r.Fault.Text, r.Fault.Kind
	}
	if why := strictStop(x.options.World, r); why != "" {
		x.out.Stops = append(x.out.Stops, Stop{r.Key.String(), why})
		if r.Extra == nil {
			info["tauguide_strict_replay"] = why
		}
	}
	if len(info) > 0 {
		o.suggest("info", info)
	}
}

// reward writes the outcome: the recorded one as it was, unless the record was scored again since.
func (x *exporter) reward(o *object, r sim.Record) {
	s, ok := x.scores[store.Ref{Key: r.Key, Attempt: r.Attempt}]
	switch {
	case !ok || Recorded(&s):
		o.suggest("reward_info", nil)
	case s.Reward == nil:
		o.set("reward_info", nil)
	default:
		s.Info.Reward = *s.Reward
		o.set("reward_info", s.Info)
	}
	if r.Termination.Evaluable() && string(o.values["reward_info"]) == "null" {
		x.out.Unscored++
	}
}

// enter adds the line of the index.
func (x *exporter) enter(o *object, r sim.Record) {
	line := newObject(indexFields, nil)
	for _, name := range []string{"id", "task_id", "termination_reason", "agent_cost", "duration"} {
		line.values[name] = o.values[name]
	}
	line.set("trial", r.Trial)
	if ri, ok := objectOf(o.values["reward_info"]); ok {
		line.values["reward"] = ri["reward"]
	}
	if raw, err := line.json(); err == nil {
		x.index = append(x.index, raw)
	}
}

// localTime spells a time without zone and with microseconds, as the reference does; what is not an RFC 3339 time stays as
// it is.
func localTime(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return s
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000")
}
