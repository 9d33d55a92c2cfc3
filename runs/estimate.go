package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/llm"
	"github.com/tauguide/tauguide/sim"
)

// Estimate is what a job will probably use. It is a guess from means: single conversations differ by far more.
type Estimate struct {
	Trials    int          `json:"trials"`     // that would be held
	Finished  int          `json:"finished"`   // of the plan, there already
	Lines     []EstimateOf `json:"lines"`      // by role and model
	Basis     []string     `json:"basis"`      // where the figures come from
	Unknown   []string     `json:"unknown"`    // what is not in the lines, because nothing is known of it
	Cost      *float64     `json:"cost"`       // dollars of everything; nil if any part is unknown
	KnownCost float64      `json:"known_cost"` // dollars of the lines whose price is known
}

// EstimateOf is what one model uses in one role.
type EstimateOf struct {
	Role       string   `json:"role"`
	Model      string   `json:"model"` // name in the config
	Scripted   bool     `json:"scripted,omitempty"`
	Calls      float64  `json:"calls"`
	Prompt     float64  `json:"prompt_tokens"`
	Cached     float64  `json:"cached_tokens"`
	Completion float64  `json:"completion_tokens"`
	Cost       *float64 `json:"cost"` // dollars; nil if the price is unknown, 0 for scripted models
}

type (
	part struct{ domain, system string }
	line struct{ role, model string }
)

// estimator is an estimate in the making.
type estimator struct {
	Estimate
	trials map[part]int  // to be held
	judged map[part]int  // of these, graded by a judge
	lines  map[line]*use // sums
}

// use is how much of a model one trial needs, or many.
type use struct{ calls, prompt, cached, completion float64 }

func (u *use) add(v use, times float64) {
	u.calls += v.calls * times
	u.prompt += v.prompt * times
	u.cached += v.cached * times
	u.completion += v.completion * times
}

// Estimate guesses what the job will use. like is the folder of a run whose figures to go by; if it is empty, that is the
// job's own folder or a run beside it with the same systems and domains, and else a table of defaults. A run with
// scripted models tells nothing of real ones: it is used only if it is named, or if the job's models are scripted too.
func (j *Job) Estimate(like string) (*Estimate, error) {
	e := &estimator{trials: map[part]int{}, judged: map[part]int{}, lines: map[line]*use{}}
	finished, err := j.finished()
	if err != nil {
		return nil, err
	}
	for _, p := range j.Plan {
		if finished[p.Key] {
			e.Finished++
			continue
		}
		e.Trials++
		k := part{p.Domain, p.System}
		e.trials[k]++
		if j.Config.Judge.Model != "" && j.judged(p.Key) {
			e.judged[k]++
		}
	}
	earlier, from, err := j.precedent(like)
	if err != nil {
		return nil, err
	}
	for _, k := range sortedParts(e.trials) {
		if roles := earlier[k]; roles != nil {
			e.note(&e.Basis, from)
			j.followRun(e, k, roles)
		} else {
			j.followTable(e, k)
		}
	}
	return &e.Estimate, j.priced(e)
}

func sortedParts(m map[part]int) []part {
	out := make([]part, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b part) int {
		return cmp.Or(strings.Compare(a.domain, b.domain), strings.Compare(a.system, b.system))
	})
	return out
}

func (*estimator) note(list *[]string, text string) {
	if !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

func (e *estimator) add(role, model string, u use, times float64) {
	k := line{role, model}
	if e.lines[k] == nil {
		e.lines[k] = &use{}
	}
	e.lines[k].add(u, times)
}

// finished are the trials that a resume would not hold.
func (j *Job) finished() (map[sim.Key]bool, error) {
	if !j.options.Resume {
		return nil, nil
	}
	r, err := Open(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[sim.Key]bool{}
	for _, e := range r.Index() {
		out[e.Key] = e.Termination.Evaluable()
	}
	return out, nil
}

// precedent is the mean use by role of the trials of an earlier run, and what to call it.
func (j *Job) precedent(like string) (map[part]map[string]use, string, error) {
	if like != "" {
		r, err := Open(like)
		if err != nil {
			return nil, "", fmt.Errorf("like: %w", configFault(err))
		}
		means, err := meanUse(r)
		return means, called(r), err
	}
	folders := []string{j.Dir}
	if list, err := os.ReadDir(filepath.Dir(j.Dir)); err == nil {
		for _, d := range list {
			folders = append(folders, filepath.Join(filepath.Dir(j.Dir), d.Name()))
		}
	}
	var best *Run
	for _, dir := range folders {
		m, err := readManifest(dir)
		if err != nil || m.Synthetic != j.Synthetic() || !j.alike(m.Config) || best != nil && m.Created <= best.manifest.Created {
			continue
		}
		if r, err := Open(dir); err == nil && len(r.counting) > 0 {
			best = r
		}
		if dir == j.Dir && best != nil {
			break // nothing is more alike than the run itself
		}
	}
	if best == nil {
		return nil, "", nil
	}
	means, err := meanUse(best)
	return means, called(best), err
}

// alike reports whether a config has a system and a domain in common with the job's: same names, same agent.
func (j *Job) alike(c *Config) bool {
	return slices.ContainsFunc(c.Domains, func(d Domain) bool { return j.Worlds[d.Name] != nil }) &&
		slices.ContainsFunc(c.Systems, func(s System) bool {
			return slices.ContainsFunc(j.Config.Systems, func(o System) bool { return o.Name == s.Name && o.Agent == s.Agent })
		})
}

func called(r *Run) string {
	text := "the conversations of " + r.dir
	if r.manifest.Synthetic {
		text += " (synthetic: scripted models, which say nothing of real ones)"
	}
	return text
}

// meanUse averages the calls of a run's evaluable trials.
func meanUse(r *Run) (map[part]map[string]use, error) {
	sums, counts := map[part]map[string]use{}, map[part]float64{}
	for _, e := range r.Index() {
		if !e.Termination.Evaluable() {
			continue
		}
		roles, err := r.Usage(e)
		if err != nil {
			return nil, err
		}
		k := part{e.Domain, e.System}
		counts[k]++
		if sums[k] == nil {
			sums[k] = map[string]use{}
		}
		for _, u := range roles {
			one := sums[k][u.Role]
			one.add(use{float64(u.Calls), float64(u.Prompt), float64(u.Cached), float64(u.Completion)}, 1)
			sums[k][u.Role] = one
		}
	}
	for k, roles := range sums {
		for role, u := range roles {
			var mean use
			mean.add(u, 1/counts[k])
			roles[role] = mean
		}
	}
	return sums, nil
}

// followRun adds the use of one system on one domain as an earlier run had it.
func (j *Job) followRun(e *estimator, k part, roles map[string]use) {
	judged := false
	for role, u := range roles {
		if role == judgeRole {
			judged = true
			if e.judged[k] == 0 {
				continue
			}
		}
		e.add(role, j.modelOf(role, k.system), u, float64(e.trials[k]))
	}
	if n := e.judged[k]; n > 0 && !judged {
		e.add(judgeRole, j.Config.Judge.Model, judgeUse, float64(n))
		e.note(&e.Basis, defaultsBasis)
	}
}

// modelOf is the model that plays a role for a system. Beside the agent's, one may be named by parameters.
func (j *Job) modelOf(role, system string) string {
	var s System
	for _, o := range j.Config.Systems {
		if o.Name == system {
			s = o
		}
	}
	switch role {
	case userRole:
		return j.Config.User.Model
	case judgeRole:
		return j.Config.Judge.Model
	case agentRole:
		return s.Model
	}
	if names := j.Config.modelsOf(s); len(names) > 0 {
		return names[len(names)-1] // the agent's own comes first
	}
	return s.Model
}

// priced turns the sums into lines with their cost, at the prices that are known.
func (j *Job) priced(e *estimator) error {
	table, err := modelTable()
	if err != nil {
		return err
	}
	complete := len(e.Unknown) == 0
	for k, u := range e.lines {
		m := j.models[k.model]
		l := EstimateOf{Role: k.role, Model: k.model, Scripted: m.Synthetic, Calls: u.calls, Prompt: u.prompt, Cached: u.cached, Completion: u.completion}
		if m.Synthetic {
			l.Cost = new(float64)
		} else {
			l.Cost = u.cost(table.Of(m.endpoint("")).Price)
		}
		if l.Cost == nil {
			complete = false
		} else {
			e.KnownCost += *l.Cost
		}
		e.Lines = append(e.Lines, l)
	}
	slices.SortFunc(e.Lines, func(a, b EstimateOf) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Model, b.Model))
	})
	if complete {
		e.Cost = &e.KnownCost
	}
	return nil
}

// cost is the use at a price, nil if that is unknown. Cached input without a price of its own is charged in full.
func (u use) cost(p llm.Price) *float64 {
	if p.Input == nil || p.Output == nil {
		return nil
	}
	cached := *p.Input
	if p.Cached != nil {
		cached = *p.Cached
	}
	c := ((u.prompt-u.cached)**p.Input + u.cached*cached + u.completion**p.Output) / 1e6
	return &c
}
