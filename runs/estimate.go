package runs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
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
	Spent     float64        `json:"spent"`      // dollars that earlier executions of the run have cost
	Seconds   float64        `json:"seconds"`    // of wall clock, see latency and pace
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

// use is how much of a model one trial needs on average.
type use struct{ Calls, Prompt, Cached, Completion float64 }

// times is the use of so many trials.
func (u use) times(n float64) use {
	return use{u.Calls * n, u.Prompt * n, u.Cached * n, u.Completion * n}
}

func (u use) plus(o use) use {
	return use{u.Calls + o.Calls, u.Prompt + o.Prompt, u.Cached + o.Cached, u.Completion + o.Completion}
}

// roleUse is the use of one trial by role.
type roleUse map[string]use

// perCall is the use of a trial that makes so many calls of so many tokens, of whose prompts a share is cached.
func perCall(calls, prompt, cached, completion float64) use {
	return use{Calls: calls, Prompt: calls * prompt, Cached: calls * prompt * cached, Completion: calls * completion}
}

// publishedBasis is what estimates say where they rest on the table of published conversations.
const publishedBasis = "means of recorded τ²-bench conversations and of the paper's Table 14; a model that reasons at length answers with several times the tokens"

// guardBasis is what estimates say about PolicyGuard's verifier.
const guardBasis = "the lengths of the prompts of PolicyGuard's verifier, of whose use no figures are published"

// published is what a conversation needs on average, by domain and role.
//
// Agent and user: means of τ²-bench's published conversations of plain tool-calling agents, GPT-5.4 on airline (50 trials)
// and GPT-4.1 on retail (40) and telecom (40), with GPT-4.1 as the user; mock from a dozen conversations of its own.
// They report no cached tokens, so none are counted, which makes the dollars an upper bound. Guide: Table 14 of the paper,
// the verifier of PolicyGuide with GPT-5.4. Guard: the verifier of PolicyGuard, taken to be asked 1.5 times for each change
// in a gold plan and 0.5 times where there is none, with its prompts as long as τ²-bench's data makes them.
var published = map[string]roleUse{
	"airline": {config.RoleAgent: perCall(9.5, 5174, 0, 98), config.RoleUser: perCall(6.3, 945, 0, 38), config.RoleGuide: perCall(7.56, 32360, 0.881, 2478), config.RoleGuard: perCall(1.7, 4850, 0, 300)},
	"retail":  {config.RoleAgent: perCall(11.9, 5096, 0, 64), config.RoleUser: perCall(7.2, 844, 0, 35), config.RoleGuide: perCall(7.42, 22803, 0.858, 2179), config.RoleGuard: perCall(2.35, 4200, 0, 300)},
	"telecom": {config.RoleAgent: perCall(15.5, 7582, 0, 73), config.RoleUser: perCall(22.2, 3527, 0, 28), config.RoleGuide: perCall(11.47, 28518, 0.865, 2186), config.RoleGuard: perCall(1.55, 8050, 0, 300)},
	"mock":    {config.RoleAgent: perCall(2.6, 490, 0, 60), config.RoleUser: perCall(2.4, 700, 0, 35), config.RoleGuard: perCall(1.1, 1600, 0, 300)},
}

// How fast models answer, taken to be the same for all: seconds until an answer begins, and then tokens per second. They
// come within a third of every figure of the paper's Table 15.
const (
	latency = 1.0
	pace    = 100.0
)

// freeHand is how many dollars a run may be estimated at that has no bound of its own.
const freeHand = 20.0

// grading is one call of the judge: the transcript without tool traffic, and a verdict on each expectation.
var grading = perCall(1, 2000, 0, 150)

// part is a system on a domain.
type part struct{ domain, system string }

// NewEstimate guesses what is left of a plan will use: for each system on each domain the means of an earlier run, if like
// is its folder and it has them, otherwise those of published conversations.
func NewEstimate(p *config.Plan, like string) (*Estimate, error) {
	finished, spent := finished(p)
	earlier, earlierBasis := map[part]roleUse{}, ""
	if like != "" {
		var err error
		if earlier, earlierBasis, err = averages(like); err != nil {
			return nil, fmt.Errorf("like: %w", domains.Usage(err))
		}
	}
	e := &estimator{Estimate: Estimate{Spent: spent}, plan: p, sums: map[roleModel]use{}}
	counts, gradings := map[part]int{}, 0
	var parts []part
	for _, t := range p.Trials {
		judged := p.Config.Judge.Model != "" && p.NeedsJudge(t.Key)
		before, ran := finished[t.Key]
		if judged && (!ran || before.Pending != "") {
			gradings++
		}
		if ran {
			e.Finished++
			continue
		}
		e.Trials++
		k := part{t.Domain, t.System}
		if counts[k] == 0 {
			parts = append(parts, k)
		}
		counts[k]++
	}
	for _, k := range parts {
		uses, basis := published[k.domain], publishedBasis
		if u, ok := earlier[k]; ok {
			uses, basis = u, earlierBasis
		}
		for _, role := range rolesOf(p, k.domain, k.system) {
			u, ok := uses[role.role]
			switch {
			case !ok && basis == publishedBasis:
				e.Unknown = append(e.Unknown, role.role+" of "+k.system+" on "+k.domain+": no figures are published of it")
			case !ok: // the earlier run never needed it
			case role.role == config.RoleGuard && basis == publishedBasis:
				e.add(role, u.times(float64(counts[k])), guardBasis)
			default:
				e.add(role, u.times(float64(counts[k])), basis)
			}
		}
	}
	if gradings > 0 {
		e.add(roleModel{config.RoleJudge, p.Config.Judge.Model}, grading.times(float64(gradings)), publishedBasis)
	}
	return &e.Estimate, e.price()
}

// finished are the trials that a resume would not run, and the dollars that the run has cost.
func finished(p *config.Plan) (out map[sim.Key]store.Entry, spent float64) {
	if !p.Options.Resume {
		return nil, 0
	}
	r, err := store.Open(p.Dir)
	if err != nil { // there is none, or the run mends it or says what is wrong with it
		return nil, 0
	}
	out = map[sim.Key]store.Entry{}
	for _, e := range r.Index() {
		if e.Termination.Evaluable() || capped(p, e) {
			out[e.Key] = e
		}
	}
	return out, store.PaidFor(r.Entries()).Cost
}

// averages are the means of a run's evaluable trials, and what an estimate says of them.
func averages(dir string) (means map[part]roleUse, basis string, err error) {
	r, err := store.Open(dir)
	if err != nil {
		return nil, "", err
	}
	means, counts := map[part]roleUse{}, map[part]float64{}
	for _, e := range r.Index() {
		if !e.Termination.Evaluable() {
			continue
		}
		k := part{e.Domain, e.System}
		counts[k]++
		if means[k] == nil {
			means[k] = roleUse{}
		}
		for _, u := range e.Usage {
			means[k][u.Role] = means[k][u.Role].plus(use{float64(u.Calls), float64(u.Prompt), float64(u.Cached), float64(u.Completion)})
		}
	}
	for k, roles := range means {
		for role, u := range roles {
			roles[role] = u.times(1 / counts[k])
		}
	}
	basis = "the conversations of " + dir
	if r.Manifest().Synthetic {
		basis += " (synthetic: scripted models, which say nothing of real ones)"
	}
	return means, basis, nil
}

// roleModel is a model of the config in a role.
type roleModel struct{ role, model string }

// roles are those in which a system's trials on a domain ask models, beside the judge's.
func rolesOf(p *config.Plan, domain, system string) (out []roleModel) {
	s := p.Config.System(system)
	if a, err := agents.FindAgent(s.Agent); err == nil && a.Model && s.Model != "" {
		out = append(out, roleModel{config.RoleAgent, s.Model})
	}
	if !p.Worlds[domain].Options.Solo {
		out = append(out, roleModel{config.RoleUser, p.Config.User.Model})
	}
	for _, h := range p.Config.Helpers(s) {
		var params struct{ Verifier string }
		if json.Unmarshal(h.Params, &params) == nil && params.Verifier == "deterministic" {
			continue
		}
		out = append(out, roleModel{h.Role, cmp.Or(h.Model, s.Model)})
	}
	return out
}

// estimator is an estimate in the making.
type estimator struct {
	Estimate
	plan *config.Plan
	sums map[roleModel]use
}

func (e *estimator) add(k roleModel, u use, basis string) {
	if !slices.Contains(e.Basis, basis) {
		e.Basis = append(e.Basis, basis)
	}
	e.sums[k] = e.sums[k].plus(u)
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
		switch {
		case m.Synthetic, e.plan.Config.Replays():
			l.Cost = new(float64)
		default:
			l.Cost = u.cost(table.Of(m.Endpoint("")).Price)
			e.Seconds += (u.Calls*latency + u.Completion/pace) / float64(min(e.plan.Config.Limits.Concurrency, max(1, e.Trials)))
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
func (u use) cost(p llm.Price) *float64 {
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

// Affordable refuses to begin what is estimated at more dollars than were allowed: those accepted where any are, otherwise
// limits.max_cost, against which earlier executions count, otherwise 20. What has no known price counts nothing.
func (e *Estimate) Affordable(l config.Limits, accepted float64) error {
	dollars, bound, spent := e.KnownCost, "the 20 dollars that a run may cost without limits.max_cost", ""
	cure := fmt.Sprintf("allow it with --accept-cost %.0f", math.Ceil(dollars))
	switch {
	case accepted > 0 && dollars <= accepted, accepted == 0 && l.MaxCost == 0 && dollars <= freeHand:
		return nil
	case accepted > 0:
		bound = fmt.Sprintf("the %.2f of --accept-cost", accepted)
	case l.MaxCost == 0:
		cure += " or a limits.max_cost"
	case e.Spent+dollars <= l.MaxCost:
		return nil
	default:
		bound = fmt.Sprintf("limits.max_cost of %.2f", l.MaxCost)
		cure = "raise limits.max_cost"
		if e.Spent < l.MaxCost {
			cure += fmt.Sprintf(", have it end there with --accept-cost %.0f", math.Ceil(dollars))
		}
		if e.Spent > 0 {
			spent = fmt.Sprintf(", with the %.2f spent already", e.Spent)
		}
	}
	return domains.Usage(fmt.Errorf("this run is estimated at %.2f dollars%s, which is more than %s; nothing was begun\n"+
		"hint: %s, or run less of it with --limit and --trials; --dry-run tells what it is made of", dollars, spent, bound, cure))
}

// Time is the wall clock in hours and minutes, such as 6h36m.
func (e *Estimate) Time() string {
	return strings.TrimSuffix((time.Duration(math.Ceil(e.Seconds/60)) * time.Minute).String(), "0s")
}

// Print tells what a plan will probably use.
func (e *Estimate) Print(out io.Writer) error {
	if e.Finished > 0 {
		fmt.Fprintf(out, "%d of these are finished; the estimate is of the other %d\n", e.Finished, e.Trials)
	}
	if len(e.Basis) == 0 {
		_, err := fmt.Fprintln(out, "\nestimate: no model has to be asked")
		return err
	}
	fmt.Fprintf(out, "\nestimate, by %s:\n", strings.Join(e.Basis, "; and by "))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "role\tmodel\tcalls\tprompt tokens\tcached\toutput tokens\tdollars\t")
	for _, l := range e.Lines {
		dollars := "?"
		switch {
		case l.Scripted:
			dollars = "0 (scripted)"
		case l.Cost != nil:
			dollars = fmt.Sprintf("%.2f", *l.Cost)
		}
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%s\t\n", l.Role, l.Model, l.Calls, l.Prompt, l.Cached, l.Completion, dollars)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, what := range e.Unknown {
		fmt.Fprintf(out, "not estimated: %s; give an earlier run with --like\n", what)
	}
	if e.Cost == nil {
		fmt.Fprintf(out, "total: ? dollars; %.2f of it for what has a known price\n", e.KnownCost)
	} else {
		fmt.Fprintf(out, "total: about %.2f dollars\n", *e.Cost)
	}
	if e.Seconds > 0 {
		fmt.Fprintf(out, "time: about %s, if answers begin after %.0f s and go on at %.0f tokens per second\n", e.Time(), latency, pace)
	}
	return nil
}
