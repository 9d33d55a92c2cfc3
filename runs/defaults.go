package runs

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
)

// defaultsBasis is what estimates say where they rest on the tables below.
const defaultsBasis = "means of recorded τ²-bench conversations and of the paper's Table 14; a model that reasons at length answers with several times the tokens"

// typical is what a conversation needs on average, by domain and role.
//
// Agent and user: means of τ²-bench's published conversations of plain tool-calling agents, GPT-5.4 on airline (50 trials)
// and GPT-4.1 on retail (40) and telecom (40), with GPT-4.1 as the user; mock from a dozen conversations of its own.
// They report no cached tokens, so none are counted, which makes the dollars an upper bound. Guide: Table 14 of the paper,
// the verifier of PolicyGuide with GPT-5.4.
var typical = map[string]map[string]use{
	"airline": {agentRole: perCall(9.5, 5174, 0, 98), userRole: perCall(6.3, 945, 0, 38), guideRole: perCall(7.56, 32360, 0.881, 2478)},
	"retail":  {agentRole: perCall(11.9, 5096, 0, 64), userRole: perCall(7.2, 844, 0, 35), guideRole: perCall(7.42, 22803, 0.858, 2179)},
	"telecom": {agentRole: perCall(15.5, 7582, 0, 73), userRole: perCall(22.2, 3527, 0, 28), guideRole: perCall(11.47, 28518, 0.865, 2186)},
	"mock":    {agentRole: perCall(2.6, 490, 0, 60), userRole: perCall(2.4, 700, 0, 35)},
}

// judgeUse is one grading: the transcript without tool traffic, and a verdict on each expectation.
var judgeUse = perCall(1, 2000, 0, 150)

// guideRole is the role of PolicyGuide's verifier, see package guide/verify.
const guideRole = "guide"

// perCall is the use of a trial that makes so many calls of so many tokens, of whose prompts a share is cached.
func perCall(calls, prompt, cached, completion float64) use {
	return use{calls: calls, prompt: calls * prompt, cached: calls * prompt * cached, completion: calls * completion}
}

// guardBasis is what estimates say where they have PolicyGuard's verifier by default.
const guardBasis = "the prompts of PolicyGuard's verifier, of whose use no figures are published: 1.5 calls for each change in a task's gold plan, half a " +
	"call for a task without one, 300 tokens an answer"

// What a verifier of PolicyGuard is taken to be asked: some changes are blocked and made again, and where nothing may be
// changed some agents try.
const (
	guardPerChange = 1.5
	guardPerNone   = 0.5
	guardAnswer    = 300 // tokens: a line for each requirement, and the verdict
	bytesPerToken  = 4
	leastTalk      = 500 // tokens of a conversation by the time of a change
)

// guardUse is what PolicyGuard's verifiers need for the trials of one system on one domain that are still to be held.
func (j *Job) guardUse(k part, held []Planned, v verifier) (sum use, err error) {
	w := j.Worlds[k.domain]
	var set *checklist.Set
	if !v.raw {
		if set, err = checklist.For(w, v.checklists); err != nil {
			return sum, err
		}
	}
	prompts, err := checklist.NewGuardWithout(w, set, v.left)
	if err != nil {
		return sum, err
	}
	told := map[string]float64{} // tokens of the prompt, by tool
	mean := 0.0
	for _, tool := range checklist.Guarded(w) {
		text, _ := prompts.Prefix(tool)
		told[tool] = float64(len(text)) / bytesPerToken
		mean += told[tool] / float64(len(checklist.Guarded(w)))
	}
	talk := j.talk(k.domain)
	for _, p := range held {
		t, ok := w.Task(p.Task)
		if !ok || t.Criteria == nil {
			continue
		}
		changes := 0
		for _, a := range t.Criteria.Actions {
			if a.Requestor == domains.AgentSide && w.Agent.Mutates(a.Name) {
				changes++
				sum.add(perCall(1, told[a.Name]+talk, 0, guardAnswer), guardPerChange)
			}
		}
		if changes == 0 {
			sum.add(perCall(1, mean+talk, 0, guardAnswer), guardPerNone)
		}
	}
	return sum, nil
}

// talk is how many tokens of conversation an agent typically has before it when it is asked: its prompt without policy
// and tools.
func (j *Job) talk(domain string) float64 {
	w, u := j.Worlds[domain], typical[domain][agentRole]
	if u.calls == 0 {
		return leastTalk
	}
	specs, err := json.Marshal(w.Agent.Specs())
	if err != nil {
		return u.prompt / u.calls
	}
	return max(leastTalk, u.prompt/u.calls-float64(len(w.Policy)+len(specs))/bytesPerToken)
}

// followTable adds the use of one system on one domain by the table.
func (j *Job) followTable(e *estimator, k part) {
	s := j.Config.system(k.system)
	n := float64(len(e.trials[k]))
	a, err := agents.FindAgent(s.Agent)
	roles := map[string]bool{agentRole: err == nil && a.Model && s.Model != "", userRole: !j.Worlds[k.domain].Options.Solo}
	roles[guideRole] = slices.ContainsFunc(verifiers(s), func(v verifier) bool { return v.role == guideRole })
	for _, role := range []string{agentRole, userRole, guideRole} {
		if !roles[role] {
			continue
		}
		e.note(&e.Basis, defaultsBasis)
		u, ok := typical[k.domain][role]
		if !ok {
			e.note(&e.Unknown, role+" of "+k.system+" on "+k.domain+": no figures are published of it")
			continue
		}
		e.add(role, j.modelOf(role, k.system), u, n)
	}
	for _, v := range verifiers(s) {
		if v.role != guardRole {
			continue
		}
		u, err := j.guardUse(k, e.trials[k], v)
		if err != nil {
			e.note(&e.Unknown, v.name+" of "+k.system+" on "+k.domain+": "+err.Error())
			continue
		}
		e.add(guardRole, cmp.Or(v.model, s.Model), u, 1)
		e.note(&e.Basis, guardBasis)
	}
	if e.judged[k] > 0 {
		e.note(&e.Basis, defaultsBasis)
		e.add(judgeRole, j.Config.Judge.Model, judgeUse, float64(e.judged[k]))
	}
}

// verifier is what beside the speaking agent asks a model in a system.
type verifier struct {
	name       string // of the agent or overlay
	role       string
	model      string // of the config; empty is the agent's
	checklists string
	raw        bool // without checklists
	left       checklist.Without
}

// verifiers lists the verifiers of PolicyGuide and PolicyGuard in a system.
func verifiers(s System) (out []verifier) {
	look := func(name string, params json.RawMessage) {
		p := struct {
			Verifier, Model, Checklists string
			Dialogue, Policy            bool
		}{Dialogue: true, Policy: true}
		if len(params) > 0 && json.Unmarshal(params, &p) != nil {
			p.Verifier = "" // what is wrong is said when the agent is made
		}
		switch {
		case !strings.HasPrefix(name, "policyguide"):
			out = append(out, verifier{name, guardRole, p.Model, p.Checklists, strings.HasSuffix(name, "-raw"),
				checklist.Without{Dialogue: !p.Dialogue, Policy: !p.Policy}})
		case p.Verifier != "deterministic":
			out = append(out, verifier{name: name, role: guideRole, model: p.Model})
		}
	}
	if e, err := agents.FindAgent(s.Agent); err == nil && e.Models != nil {
		look(s.Agent, s.Params)
	}
	for _, o := range s.Overlays {
		if e, err := agents.FindOverlay(o.Name); err == nil && e.Models != nil {
			look(o.Name, o.Params)
		}
	}
	return out
}
