package tau2

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// seconds spells a float as the reference does.
func seconds(f float64) value.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return value.Value{}
	}
	return value.OfFloat(f)
}

func dollars(f *float64) value.Value {
	if f == nil {
		return value.Value{}
	}
	return seconds(*f)
}

// own puts what our records say of model calls into the messages that they were made for. Calls of guides and guards
// are the agent's.
func own(r *sim.Record) {
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Role == domains.RoleTool {
			continue
		}
		spent := spending{}
		for _, c := range r.Calls {
			if c.Index == i && isUser(c) == (m.Role == domains.RoleUser) {
				spent.add(c)
			}
		}
		extra := newObject(nil, nil)
		extra.set("cost", dollars(spent.total()))
		if spent.calls > 0 {
			extra.set("generation_time_seconds", seconds(spent.seconds))
			if u := spent.usage; u.PromptTokens.Known && u.CompletionTokens.Known {
				extra.set("usage", struct {
					Completion llm.Count `json:"completion_tokens"`
					Prompt     llm.Count `json:"prompt_tokens"`
				}{u.CompletionTokens, u.PromptTokens})
			}
		}
		if len(m.Provider) > 0 {
			extra.set("raw_data", m.Provider)
		}
		m.Extra = extra.values
	}
}

func isUser(c sim.ModelCall) bool { return c.Role == "user" }

// spending sums calls. One unknown figure makes a sum unknown.
type spending struct {
	calls   int
	cost    float64
	unknown bool
	usage   llm.Usage
	seconds float64
}

func (s *spending) add(c sim.ModelCall) {
	s.seconds += c.Transport.Elapsed
	if c.Cost == nil {
		s.unknown = true
	} else {
		s.cost += *c.Cost
	}
	if s.calls == 0 {
		s.usage = c.Usage
	} else {
		s.usage.PromptTokens = plus(s.usage.PromptTokens, c.Usage.PromptTokens)
		s.usage.CompletionTokens = plus(s.usage.CompletionTokens, c.Usage.CompletionTokens)
	}
	s.calls++
}

func plus(a, b llm.Count) llm.Count {
	if !a.Known || !b.Known {
		return llm.Count{}
	}
	return llm.Known(a.N + b.N)
}

// total is the cost; nil if unknown.
func (s *spending) total() *float64 {
	if s.unknown {
		return nil
	}
	return &s.cost
}

// costs are those of the two sides, without the judge's.
func costs(r sim.Record) (agent, user value.Value) {
	var a, u spending
	for _, c := range r.Calls {
		switch {
		case c.Role == "judge":
		case isUser(c):
			u.add(c)
		default:
			a.add(c)
		}
	}
	return dollars(a.total()), dollars(u.total())
}

// about writes the head of a result: when, what, and the tasks.
func (x *exporter) about(s *stream) error {
	m := x.run.Manifest()
	head, info := x.head, json.RawMessage(nil)
	var err error
	if head != nil && head.Info != nil {
		info, err = completed(head.Info)
	} else {
		info, err = x.info(m)
	}
	if err != nil {
		return err
	}
	stamp := localTime(m.Created)
	own := Own{Program: x.options.Program, System: x.options.System, Note: m.Note, Synthetic: m.Synthetic, Data: m.Data[x.options.Domain]}
	if head != nil && head.Timestamp != "" {
		stamp = head.Timestamp
	}
	if own.Data == nil {
		own.Data = []domains.Source{}
	}
	o := newObject(nil, nil)
	o.set("timestamp", stamp)
	o.set(ownKey, own)
	if o.err != nil {
		return o.err
	}
	s.member("timestamp", o.values["timestamp"])
	s.member(ownKey, o.values[ownKey])
	s.member("info", info)
	if head != nil {
		for _, name := range slices.Sorted(maps.Keys(head.Extra)) {
			s.member(name, head.Extra[name])
		}
	}
	return x.tasks(s)
}

// completed is a recorded info block with the members that newer versions of the reference have.
func completed(info json.RawMessage) (json.RawMessage, error) {
	o, ok := objectOf(info)
	if !ok {
		return nil, errors.New("the info block is no object")
	}
	for name, fields := range map[string][]field{"user_info": userFields, "agent_info": agentFields, "environment_info": environmentFields} {
		part, _ := objectOf(o[name])
		in := newObject(fields, part)
		switch name {
		case "environment_info":
			in.suggest("domain_name", "")
		default:
			in.suggest("implementation", "unknown")
		}
		raw, err := in.json()
		if err != nil {
			return nil, err
		}
		o[name] = raw
	}
	return newObject(infoFields, o).json()
}

// info describes one of our runs as the reference describes its own.
func (x *exporter) info(m runs.Manifest) (json.RawMessage, error) {
	c, w := m.Config, x.options.World
	i := slices.IndexFunc(c.Systems, func(s runs.System) bool { return s.Name == x.options.System })
	if i < 0 {
		return nil, fmt.Errorf("the config of the run has no system %q", x.options.System)
	}
	system := c.Systems[i]
	names := []string{system.Agent}
	for _, o := range system.Overlays {
		names = append(names, o.Name)
	}
	agentName, userName, domain, solo := strings.Join(names, "+"), "user_simulator", x.options.Domain, false
	for _, d := range c.Domains {
		if d.Name == domain {
			solo = d.Solo
			if d.PolicyType == domains.PolicyWorkflow {
				domain += "-workflow"
			}
			break
		}
	}
	if solo { // the names by which the reference knows that there was no user
		agentName, userName = "llm_agent_solo", "dummy_user"
	}
	party := func(fields []field, implementation, model string) (json.RawMessage, error) {
		o := newObject(fields, nil)
		o.set("implementation", implementation)
		if cm, ok := c.Models[model]; ok {
			o.set("llm", cm.Model)
			o.set("llm_args", arguments(cm))
		}
		return o.json()
	}
	o := newObject(infoFields, nil)
	var err1, err2 error
	o.values["agent_info"], err1 = party(agentFields, agentName, system.Model)
	o.values["user_info"], err2 = party(userFields, userName, c.User.Model)
	env := newObject(environmentFields, nil)
	env.set("domain_name", domain)
	if w != nil {
		env.set("policy", w.Policy)
	}
	raw, err3 := env.json()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	o.values["environment_info"] = raw
	o.set("num_trials", x.trials())
	o.set("max_steps", c.Limits.MaxSteps)
	o.set("max_errors", c.Limits.MaxErrors)
	o.set("seed", c.Seed)
	return o.json()
}

// trials is how many trials the plan has of each task.
func (x *exporter) trials() int {
	n := 1
	for _, p := range x.run.Plan() {
		if p.Domain == x.options.Domain && p.System == x.options.System {
			n = max(n, p.Trial+1)
		}
	}
	return n
}

// arguments are the parameters of a model, without keys and addresses.
func arguments(m runs.Model) map[string]any {
	out := map[string]any{}
	for name, v := range m.Extra {
		out[name] = v
	}
	if m.Temperature != nil {
		out["temperature"] = value.OfFloat(*m.Temperature)
	}
	if m.TopP != nil {
		out["top_p"] = value.OfFloat(*m.TopP)
	}
	if m.MaxTokens != nil {
		out["max_tokens"] = *m.MaxTokens
	}
	if m.ReasoningEffort != "" {
		out["reasoning_effort"] = m.ReasoningEffort
	}
	return out
}

// tasks writes the tasks: of an imported run those that came with it, and then those of the plan that did not.
func (x *exporter) tasks(s *stream) error {
	s.token(jsontext.String("tasks"))
	s.token(jsontext.BeginArray)
	done := map[string]bool{}
	write := func(id string, raw json.RawMessage) error {
		values, ok := objectOf(raw)
		if !ok || done[id] {
			return nil
		}
		done[id] = true
		task, err := newObject(taskFields, values).json()
		if err != nil {
			return err
		}
		s.value(task)
		return s.err
	}
	if x.head != nil {
		for _, t := range x.head.Tasks {
			if err := write(t.ID, t.Raw); err != nil {
				return err
			}
		}
	}
	for _, p := range x.run.Plan() {
		if p.Domain != x.options.Domain || p.System != x.options.System || done[p.Task] || x.options.World == nil {
			continue
		}
		if t, ok := x.options.World.Task(p.Task); ok {
			if err := write(t.ID, t.Raw); err != nil {
				return err
			}
		}
	}
	x.out.Tasks = len(done)
	s.token(jsontext.EndArray)
	return s.err
}
