package runs

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
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

// followTable adds the use of one system on one domain by the table.
func (j *Job) followTable(e *estimator, k part) {
	s := j.Config.Systems[slices.IndexFunc(j.Config.Systems, func(s System) bool { return s.Name == k.system })]
	n := float64(e.trials[k])
	e.note(&e.Basis, defaultsBasis)
	var roles []string
	if s.Model != "" {
		roles = append(roles, agentRole)
	}
	if !j.Worlds[k.domain].Options.Solo {
		roles = append(roles, userRole)
	}
	guided, other := verifiers(s)
	if guided {
		roles = append(roles, guideRole)
	}
	for _, role := range roles {
		u, ok := typical[k.domain][role]
		if !ok {
			e.note(&e.Unknown, role+" of "+k.system+" on "+k.domain)
			continue
		}
		e.add(role, j.modelOf(role, k.system), u, n)
	}
	for _, name := range other {
		e.note(&e.Unknown, name+" of "+k.system+" on "+k.domain)
	}
	if e.judged[k] > 0 {
		e.add(judgeRole, j.Config.Judge.Model, judgeUse, float64(e.judged[k]))
	}
}

// verifiers says what beside the speaking agent asks a model in a system: the verifier of PolicyGuide, which the table
// knows, and agents and overlays which it does not.
func verifiers(s System) (guided bool, other []string) {
	look := func(name string, params json.RawMessage) {
		var p struct {
			Verifier string `json:"verifier"`
		}
		if len(params) > 0 && json.Unmarshal(params, &p) != nil {
			p.Verifier = ""
		}
		switch {
		case !strings.HasPrefix(name, "policyguide"):
			other = append(other, name)
		case p.Verifier != "deterministic":
			guided = true
		}
	}
	if e, err := agents.Agent(s.Agent); err == nil && e.Models != nil {
		look(s.Agent, s.Params)
	}
	for _, o := range s.Overlays {
		if e, err := agents.OverlayOf(o.Name); err == nil && e.Models != nil {
			look(o.Name, o.Params)
		}
	}
	return guided, other
}
