package config

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/sim/llm"
)

// Estimate is what a plan will probably use. It is a guess from means: single conversations differ by far more.
type Estimate struct {
	Trials    int            `json:"trials"`     // to run
	Finished  int            `json:"finished"`   // of the plan, there already
	Lines     []EstimateLine `json:"lines"`      // by role and model
	Basis     []string       `json:"basis"`      // where the figures come from
	Unknown   []string       `json:"unknown"`    // what is not in the lines, because nothing is known of it
	Cost      *float64       `json:"cost"`       // dollars of everything; nil if any part is unknown
	KnownCost float64        `json:"known_cost"` // dollars of the lines whose price is known
}

// EstimateLine is what one model uses in one role.
type EstimateLine struct {
	Role       string   `json:"role"`
	Model      string   `json:"model"` // name in the config
	Scripted   bool     `json:"scripted,omitempty"`
	Calls      float64  `json:"calls"`
	Prompt     float64  `json:"prompt_tokens"`
	Cached     float64  `json:"cached_tokens"`
	Completion float64  `json:"completion_tokens"`
	Cost       *float64 `json:"cost"` // dollars; nil if the price is unknown, 0 for scripted models
}

// Use is how much of a model one trial needs on average.
type Use struct{ Calls, Prompt, Cached, Completion float64 }

// perCall is the use of a trial that makes so many calls of so many tokens, of whose prompts a share is cached.
func perCall(calls, prompt, cached, completion float64) Use {
	return Use{Calls: calls, Prompt: calls * prompt, Cached: calls * prompt * cached, Completion: calls * completion}
}

// publishedBasis is what estimates say where they rest on the table of published conversations.
const publishedBasis = "means of recorded τ²-bench conversations and of the paper's Table 14; a model that reasons at length answers with several times the tokens"

// guardBasis is what estimates say of PolicyGuard's verifier.
const guardBasis = "the lengths of the prompts of PolicyGuard's verifier, of whose use no figures are published"

// published is what a conversation needs on average, by domain and role.
//
// Agent and user: means of τ²-bench's published conversations of plain tool-calling agents, GPT-5.4 on airline (50 trials)
// and GPT-4.1 on retail (40) and telecom (40), with GPT-4.1 as the user; mock from a dozen conversations of its own.
// They report no cached tokens, so none are counted, which makes the dollars an upper bound. Guide: Table 14 of the paper,
// the verifier of PolicyGuide with GPT-5.4. Guard: the verifier of PolicyGuard, taken to be asked 1.5 times for each change
// in a gold plan and 0.5 times where there is none, with its prompts as long as τ²-bench's data makes them.
var published = map[string]map[string]Use{
	"airline": {RoleAgent: perCall(9.5, 5174, 0, 98), RoleUser: perCall(6.3, 945, 0, 38), RoleGuide: perCall(7.56, 32360, 0.881, 2478), RoleGuard: perCall(1.7, 4850, 0, 300)},
	"retail":  {RoleAgent: perCall(11.9, 5096, 0, 64), RoleUser: perCall(7.2, 844, 0, 35), RoleGuide: perCall(7.42, 22803, 0.858, 2179), RoleGuard: perCall(2.35, 4200, 0, 300)},
	"telecom": {RoleAgent: perCall(15.5, 7582, 0, 73), RoleUser: perCall(22.2, 3527, 0, 28), RoleGuide: perCall(11.47, 28518, 0.865, 2186), RoleGuard: perCall(1.55, 8050, 0, 300)},
	"mock":    {RoleAgent: perCall(2.6, 490, 0, 60), RoleUser: perCall(2.4, 700, 0, 35), RoleGuard: perCall(1.1, 1600, 0, 300)},
}

// grading is one call of the judge: the transcript without tool traffic, and a verdict on each expectation.
var grading = perCall(1, 2000, 0, 150)

// Remaining is what of a plan is still to do.
type Remaining struct {
	Trials   []Planned // to run
	Gradings int       // of conversations that are stored already
	Like     *Averages // an earlier run to go by; nil for none
}

// Averages are the means of an earlier run.
type Averages struct {
	Name string                              // of the run, for people
	Use  func(domain, system string) RoleUse // nil for what the run does not have
}

// RoleUse is the use of one trial by role.
type RoleUse map[string]Use

// Estimate guesses what is left of the plan will use: for each system on each domain the means of the earlier run, if one is
// given and has them, otherwise those of published conversations.
func (p *Plan) Estimate(left Remaining) (*Estimate, error) {
	e := &estimator{plan: p, sums: map[roleModel]*Use{}}
	e.Trials, e.Finished = len(left.Trials), len(p.Trials)-len(left.Trials)
	e.add(RoleJudge, p.Config.Judge.Model, grading, left.Gradings, publishedBasis)
	type part struct{ domain, system string }
	counts, judged := map[part]int{}, map[part]int{}
	var parts []part
	for _, t := range left.Trials {
		k := part{t.Domain, t.System}
		if counts[k] == 0 {
			parts = append(parts, k)
		}
		counts[k]++
		if p.Config.Judge.Model != "" && p.NeedsJudge(t.Key) {
			judged[k]++
		}
	}
	for _, k := range parts {
		uses, basis := RoleUse(published[k.domain]), publishedBasis
		if left.Like != nil {
			if u := left.Like.Use(k.domain, k.system); u != nil {
				uses, basis = u, left.Like.Name
			}
		}
		for _, role := range p.roles(k.domain, k.system) {
			u, ok := uses[role.role]
			switch {
			case !ok && basis == publishedBasis:
				e.Unknown = append(e.Unknown, role.role+" of "+k.system+" on "+k.domain+": no figures are published of it")
			case !ok: // the earlier run never needed it
			case role.role == RoleGuard && basis == publishedBasis:
				e.add(role.role, role.model, u, counts[k], guardBasis)
			default:
				e.add(role.role, role.model, u, counts[k], basis)
			}
		}
		e.add(RoleJudge, p.Config.Judge.Model, grading, judged[k], publishedBasis)
	}
	return &e.Estimate, e.price()
}

type roleModel struct{ role, model string }

// roles are those in which a system's trials on a domain ask models, beside the judge's.
func (p *Plan) roles(domain, system string) (out []roleModel) {
	s := p.Config.System(system)
	if a, err := agents.FindAgent(s.Agent); err == nil && a.Model && s.Model != "" {
		out = append(out, roleModel{RoleAgent, s.Model})
	}
	if !p.Worlds[domain].Options.Solo {
		out = append(out, roleModel{RoleUser, p.Config.User.Model})
	}
	for _, h := range p.Config.Helpers(s) {
		var params struct{ Verifier string }
		if len(h.Params) > 0 && json.Unmarshal(h.Params, &params) == nil && params.Verifier == "deterministic" {
			continue
		}
		out = append(out, roleModel{h.Role, cmp.Or(h.Model, s.Model)})
	}
	return out
}

// estimator is an estimate in the making.
type estimator struct {
	Estimate
	plan *Plan
	sums map[roleModel]*Use
}

func (e *estimator) add(role, model string, u Use, times int, basis string) {
	if times == 0 {
		return
	}
	if !slices.Contains(e.Basis, basis) {
		e.Basis = append(e.Basis, basis)
	}
	k, n := roleModel{role, model}, float64(times)
	if e.sums[k] == nil {
		e.sums[k] = &Use{}
	}
	sum := e.sums[k]
	sum.Calls += u.Calls * n
	sum.Prompt += u.Prompt * n
	sum.Cached += u.Cached * n
	sum.Completion += u.Completion * n
}

// price turns the sums into lines with their cost, at the prices that are known.
func (e *estimator) price() error {
	table, err := configs.ModelTable()
	if err != nil {
		return err
	}
	complete := len(e.Unknown) == 0
	for k, u := range e.sums {
		m := e.plan.Models[k.model]
		l := EstimateLine{Role: k.role, Model: k.model, Scripted: m.Synthetic, Calls: u.Calls, Prompt: u.Prompt, Cached: u.Cached, Completion: u.Completion}
		if m.Synthetic {
			l.Cost = new(float64)
		} else {
			l.Cost = u.cost(table.Of(m.Endpoint("")).Price)
		}
		if l.Cost == nil {
			complete = false
		} else {
			e.KnownCost += *l.Cost
		}
		e.Lines = append(e.Lines, l)
	}
	slices.SortFunc(e.Lines, func(a, b EstimateLine) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Model, b.Model))
	})
	if complete {
		e.Cost = &e.KnownCost
	}
	return nil
}

// cost is the use at a price, nil if that is unknown. Cached input without a price of its own is charged in full.
func (u Use) cost(p llm.Price) *float64 {
	if p.Input == nil || p.Output == nil {
		return nil
	}
	cached := *p.Input
	if p.Cached != nil {
		cached = *p.Cached
	}
	c := ((u.Prompt-u.Cached)**p.Input + u.Cached*cached + u.Completion**p.Output) / 1e6
	return &c
}
