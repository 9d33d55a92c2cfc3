package runs

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
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
	trials map[part][]Planned // to be held
	judged map[part]int       // of these, graded by a judge
	lines  map[line]*use      // sums
}

// use is how much of a model one trial needs, or many.
type use struct{ calls, prompt, cached, completion float64 }

func (u *use) add(v use, times float64) {
	u.calls += v.calls * times
	u.prompt += v.prompt * times
	u.cached += v.cached * times
	u.completion += v.completion * times
}

// Estimate guesses what the job will use. like is the folder of a run whose figures to go by; if it is empty, that is, for
// each system on each domain, the job's own folder or the newest run beside it that had the same system on the same
// domain with the same models, and else a table of defaults. A run with scripted models tells nothing of real ones.
func (j *Job) Estimate(like string) (*Estimate, error) {
	e := &estimator{trials: map[part][]Planned{}, judged: map[part]int{}, lines: map[line]*use{}}
	finished, err := j.finished()
	if err != nil {
		return nil, err
	}
	for _, p := range j.Plan {
		if was, ok := finished[p.Key]; ok {
			e.Finished++
			if was.Pending != "" && j.Config.Judge.Model != "" && j.judged(p.Key) {
				e.note(&e.Basis, defaultsBasis)
				e.add(judgeRole, j.Config.Judge.Model, judgeUse, 1)
			}
			continue
		}
		e.Trials++
		k := part{p.Domain, p.System}
		e.trials[k] = append(e.trials[k], p)
		if j.Config.Judge.Model != "" && j.judged(p.Key) {
			e.judged[k]++
		}
	}
	earlier, err := j.precedents(like)
	if err != nil {
		return nil, err
	}
	from := map[string][]string{} // by the run
	for _, k := range sortedParts(e.trials) {
		p, err := earlier.of(k)
		if err != nil {
			return nil, err
		}
		if p.roles != nil {
			e.note(&e.Basis, p.called)
			from[p.called] = append(from[p.called], k.system+" on "+k.domain)
			j.followRun(e, k, p)
		} else {
			j.followTable(e, k)
		}
	}
	if len(e.Basis) > 1 {
		for i, run := range e.Basis {
			if parts := from[run]; parts != nil {
				e.Basis[i] = run + " for " + strings.Join(parts, ", ")
			}
		}
	}
	return &e.Estimate, j.priced(e)
}

func sortedParts(m map[part][]Planned) []part {
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

// finished are the trials that a resume would not hold. Those that are pending it would have judged.
func (j *Job) finished() (map[sim.Key]Entry, error) {
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
	out := map[sim.Key]Entry{}
	for _, e := range r.Index() {
		if e.Termination.Evaluable() || j.capped(e) {
			out[e.Key] = e
		}
	}
	return out, nil
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
func (j *Job) followRun(e *estimator, k part, p precedent) {
	judged := false
	for role, u := range p.roles {
		if role == judgeRole {
			if e.judged[k] == 0 || !p.judge {
				continue
			}
			judged = true
		}
		e.add(role, j.modelOf(role, k.system), u, float64(len(e.trials[k])))
	}
	if n := e.judged[k]; n > 0 && !judged {
		e.add(judgeRole, j.Config.Judge.Model, judgeUse, float64(n))
		e.note(&e.Basis, defaultsBasis)
	}
}

// modelOf is the model that plays a role for a system. Verifiers and guards have the agent's unless parameters name one.
func (j *Job) modelOf(role, system string) string {
	s := j.Config.system(system)
	switch role {
	case userRole:
		return j.Config.User.Model
	case judgeRole:
		return j.Config.Judge.Model
	case agentRole:
		return s.Model
	}
	for _, h := range j.Config.helpers(s) {
		if len(h.models) > 0 && (h.role == guardRole) == (role == guardRole) {
			return h.models[0]
		}
	}
	return s.Model
}

// system is the system of that name; the zero System if there is none.
func (c *Config) system(name string) System {
	for _, s := range c.Systems {
		if s.Name == name {
			return s
		}
	}
	return System{}
}

// priced turns the sums into lines with their cost, at the prices that are known.
func (j *Job) priced(e *estimator) error {
	table, err := configs.ModelTable()
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
