package tau2

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// What must be said of the task of an imported trial. One text is for one kind of case, since tables count them.
const (
	noTask     = "the result has no such task"
	unreadable = "the recorded task cannot be read"
	noCriteria = "the recorded task has no criteria"
	standIn    = ": the data's of that id stands in for it"
	isUnknown  = ": it is neither PV nor Mut, and where it is shown or scored, the data's of that id stands in for it"
	otherTask  = "the recorded checks are not those of the task: its simulation may be of another one"
)

// usable reports whether a recorded task says what it wants, and what is wrong with it where it does not.
func (t *Task) usable() (ok bool, why string) {
	switch {
	case t == nil:
		return false, noTask
	case t.Task == nil:
		return false, unreadable
	case t.Task.Criteria == nil:
		return false, noCriteria
	}
	return true, ""
}

// planned is a trial of the plan, with the slice of its task: by the recorded one, otherwise by the data's of that id, if
// there is data of the run's own.
func (s *Source) planned(k sim.Key, seed int64, t *Task, recorded *sim.RewardInfo, o ImportOptions) config.Planned {
	p := config.Planned{Key: k, Seed: seed}
	ok, why := t.usable()
	var task *domains.Task
	switch current, there := o.World.Task(k.Task); {
	case ok:
		task = t.Task
	case there && current.Criteria != nil && (o.Data != "" || s.Header.Export != nil && s.Header.Export.Embedded()):
		task, p.Note = current, why+standIn
	default:
		p.Unclassified, p.Note = true, why+isUnknown
		return p
	}
	p.Mut = task.Mutating(o.World)
	switch {
	case ofTask(task, recorded):
	case p.Note == "":
		p.Note = otherTask
	default:
		p.Note += "; " + otherTask
	}
	return p
}

// mostPlanned bounds the trials of a plan, which a file could otherwise make as many as it likes.
const mostPlanned = 1_000_000

// planRest plans the trials that the source planned and has no simulation of: each of its tasks as often as it says, and
// likewise those that ran and are not among its tasks.
func (s *Source) planRest(f *store.Importer, ran map[string]bool, o ImportOptions) error {
	n, tasks := s.Header.Facts.NumTrials, slices.Clone(s.Header.Tasks)
	for _, id := range slices.Sorted(maps.Keys(ran)) {
		if _, ok := s.Header.Task(id); !ok {
			tasks = append(tasks, Task{ID: id})
		}
	}
	if len(tasks) > 0 && n > mostPlanned/len(tasks) {
		return fmt.Errorf("%s: info.num_trials is %d, for %d tasks: more than can be planned", s.Name, n, len(tasks))
	}
	for i := range tasks {
		if tasks[i].ID == "" {
			continue // one that cannot be read
		}
		for trial := range n {
			k := sim.Key{Domain: s.Domain(), System: s.System(), Task: tasks[i].ID, Trial: trial}
			task, _ := s.Header.Task(k.Task)
			f.Plan(s.planned(k, 0, task, nil, o))
		}
	}
	return nil
}

// ofTask reports whether recorded checks can be those of a task: what was looked at is what the task wants looked at. The
// judge's are left out, which may word outcomes in its own way.
func ofTask(t *domains.Task, recorded *sim.RewardInfo) bool {
	if recorded == nil || t.Criteria == nil {
		return true
	}
	want := t.Criteria
	return (len(recorded.ActionChecks) == 0 || slices.EqualFunc(recorded.ActionChecks, want.Actions, func(c sim.ActionCheck, a domains.Action) bool {
		return c.Action.Requestor == a.Requestor && c.Action.Name == a.Name && value.Equal(c.Action.Arguments, a.Arguments)
	})) && (len(recorded.EnvAssertions) == 0 || slices.EqualFunc(recorded.EnvAssertions, want.EnvAssertions, func(c sim.EnvCheck, a domains.EnvAssertion) bool {
		return c.Assertion.FuncName == a.Func
	})) && (len(recorded.CommunicateChecks) == 0 || slices.EqualFunc(recorded.CommunicateChecks, want.CommunicateInfo, func(c sim.CommunicateCheck, info string) bool {
		return c.Info == info
	}))
}

// setup is what decides how the trials ended, as far as a result says it. What an imported run is compared by is under the
// paths that the setups of this program's own runs have: the user, the domain, the limits.
func (s *Source) setup() config.Identity {
	f := s.Header.Facts
	fields := map[string]string{}
	set := func(path string, v any) {
		if text, err := json.Marshal(v); err == nil { // of what came out of JSON always
			fields[path] = string(text)
		}
	}
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:])
	}
	set("imported.from", s.Name)
	fields[yamlfile.Join("systems", s.System())+".info"] = hash(s.Header.Info)
	set("user.implementation", f.User.Implementation)
	set("user.model", f.User.settings())
	fields["user.guidelines"] = hash([]byte(f.User.Guidelines))
	set("limits.max_steps", f.MaxSteps)
	set("limits.max_errors", f.MaxErrors)
	domain := yamlfile.Join("domains", s.Domain())
	_, kind := f.Domain()
	set(domain+".policy_type", kind)
	set(domain+".solo", f.Solo())
	fields[domain+".policy"] = hash([]byte(f.World.Policy))
	return config.Identity{Version: 1, Fields: fields}
}
